"""Other people's engines, each in a process and an environment of its own, so that none becomes a dependency."""

import select
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import orjson

from quality.engines import Reading, Spent

READER = Path(__file__).with_name("peer_reader.py")
TIMEOUT_SECONDS = 300.0
# The package pymupdf4llm is empty from 2.0 on; its code and its layout model come with pymupdf.
REQUIREMENTS: dict[str, tuple[str, ...]] = {
    "anydoc": ("firecrawl-anydoc",),
    "markitdown": ("markitdown[docx,pptx,xlsx,xls]",),
    "pdf-inspector": ("pdf-inspector",),
    "pymupdf4llm": ("pymupdf>=2",),
    "undoc": ("undoc",),
}


class PeerStopped(Exception):
    """The other engine's process ended or did not answer in time."""


@dataclass(slots=True)
class Peer:
    """An engine that is installed into `folder` when it is first asked to read."""

    name: str
    folder: Path
    tells_routes: bool = False
    _process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    def read(self, path: Path, password: str | None = None) -> Reading:
        """The pages as the engine writes them."""
        answer = orjson.loads(self._asked(str(path.resolve())))
        pages = tuple(answer["pages"])
        spent = Spent(answer["seconds"], answer["cpu_seconds"])
        return Reading(pages, "\n\n".join(pages), spent, failure=answer.get("failure"))

    def close(self) -> None:
        """End the engine's process."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                self._closed(pipe)
            self._process = None

    def _closed(self, pipe: IO[bytes] | None) -> None:
        # What was not taken by a process that is gone can't be flushed.
        with suppress(BrokenPipeError):
            if pipe is not None:
                pipe.close()

    def _asked(self, path: str) -> bytes:
        process = self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(path.encode() + b"\n")
            process.stdin.flush()
            ready, _, _ = select.select([process.stdout], [], [], TIMEOUT_SECONDS)
            answer = process.stdout.readline() if ready else b""
        except BrokenPipeError:
            answer = b""
        if not answer:
            self.close()
            raise PeerStopped(f"{self.name} did not answer")
        return answer

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            python = installed(self.folder / self.name, REQUIREMENTS[self.name])
            self._process = subprocess.Popen(
                [python, "-P", READER, self.name],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        return self._process


def installed(environment: Path, requirements: tuple[str, ...]) -> Path:
    """The Python of an environment that has these packages; it is made if it is not there."""
    python, done = environment / "bin" / "python", environment / ".ready"
    wanted = "\n".join(requirements)
    if not done.exists() or done.read_text() != wanted:
        print(f"Installing {', '.join(requirements)} into {environment}", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", "--clear", environment], check=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *requirements], check=True, stdout=sys.stderr)
        done.write_text(wanted)
    return python
