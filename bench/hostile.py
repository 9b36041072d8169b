"""`python -m bench.hostile FOLDER`: hostile files are converted under strace, and what they reached is listed.

A line of JSON for each file: how it ended, the most memory that one process took, every connection that was tried and
every file that was opened for writing outside of the folders that the command was given. It needs strace, and ends with
1 if there was a connection or such a file, or a process that took more memory than it may.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import orjson

from pagemill.settings import Settings

CALLS = "connect,sendto,sendmsg,open,openat,openat2,creat,mkdir,mkdirat,rename,renameat,renameat2,link,linkat,symlink"
# Files that a process may open for writing wherever it is; what is under /proc is its own limits.
HARMLESS = ("/dev/null", "/dev/tty", "/proc/", "/dev/shm/")
CONNECTION = re.compile(r"(?:connect|sendto|sendmsg)\(.*sa_family=AF_INET6?\b.*")
WRITING = re.compile(
    r'open(?:at2?)?\((?:AT_FDCWD|\d+)?,? ?"([^"]*)".*\b(?:O_WRONLY|O_RDWR|O_CREAT)\b.*\) = \d+'
)


@dataclass(frozen=True, slots=True)
class HostileRun:
    """What became of one file."""

    file: str
    exit_code: int
    ended: str
    peak_bytes: int
    connections: tuple[str, ...]
    written_outside: tuple[str, ...]


def convert_traced(file: Path, *, render: bool) -> HostileRun:
    """Convert a file in a folder of its own, and look at what its processes did."""
    with tempfile.TemporaryDirectory(prefix="pagemill-hostile-") as name:
        folder = Path(name).resolve()
        (folder / "tmp").mkdir()
        shutil.copy(file, folder / file.name)
        command = [
            *("strace", "-f", "-qq", "-s", "300", "-e", f"trace={CALLS}", "-o", str(folder / "trace")),
            *(
                sys.executable,
                "-m",
                "pagemill",
                "convert",
                str(folder / file.name),
                "-o",
                str(folder / "out"),
                "--json",
            ),
            *(("--render",) if render else ()),
        ]
        environment = {
            **os.environ,
            "TMPDIR": str(folder / "tmp"),
            "HOME": str(folder),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        with (folder / "answer").open("wb") as answer:
            process = subprocess.Popen(command, stdout=answer, stderr=subprocess.DEVNULL, env=environment)
            _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        lines = (folder / "trace").read_text("utf-8", "replace").splitlines()
        return HostileRun(
            file=file.name,
            exit_code=process.returncode,
            ended=ended((folder / "answer").read_bytes()),
            peak_bytes=usage.ru_maxrss * 1024,
            connections=tuple(found[0] for line in lines if (found := CONNECTION.search(line))),
            written_outside=tuple(dict.fromkeys(outside(lines, folder))),
        )


def ended(answer: bytes) -> str:
    """The end that the command names, in a few words."""
    try:
        files = orjson.loads(answer)["files"]
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return answer.decode("utf-8", "replace")[:200]
    return ", ".join(str(one.get("error") or one.get("status")) for one in files)


def outside(lines: list[str], folder: Path) -> Iterator[str]:
    """The files that were opened for writing outside of a folder; names without a path are in it."""
    for line in lines:
        found = WRITING.search(line)
        if found and found[1].startswith("/") and not found[1].startswith((str(folder), *HARMLESS)):
            yield found[1]


def main() -> int:
    """Convert every file of a folder; 1 if one of them reached what it should not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--render", action="store_true", help="also render office files by LibreOffice")
    asked = parser.parse_args()
    limit = Settings().press_memory_bytes
    kept = True
    for file in sorted(path for path in asked.folder.iterdir() if path.is_file()):
        run = convert_traced(file, render=asked.render)
        print(orjson.dumps(asdict(run)).decode(), flush=True)
        kept = kept and not run.connections and not run.written_outside and run.peak_bytes <= limit
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
