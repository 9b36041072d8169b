"""Done files: what was converted into one folder, a line each, so that they need not be read again."""

import hashlib
import json
import threading
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from pagemill.model.options import ReadingOptions


@dataclass(frozen=True, slots=True)
class Stamp:
    """What shows, without reading it, that a file is the same as before."""

    size_bytes: int
    modified_ns: int

    @classmethod
    def of(cls, path: Path) -> Self:
        """The stamp of a file."""
        status = path.stat()
        return cls(status.st_size, status.st_mtime_ns)


@dataclass(frozen=True, slots=True)
class DoneFile:
    """A file that is done, and what was made of it."""

    path: str
    stem: str
    size_bytes: int
    modified_ns: int
    sha256: str
    asked: str
    outputs: tuple[str, ...]
    pages: int
    failed_pages: tuple[int, ...]
    warnings: tuple[str, ...]

    @classmethod
    def from_line(cls, line: bytes) -> Self:
        """An entry from its line."""
        entry = json.loads(line)
        fields: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in entry.items()}
        return cls(**fields)


class DoneFiles:
    """A file of lines; the last one about a path counts, and one that was cut off by a crash doesn't."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self.entries = {entry.path: entry for entry in read_entries(path)}

    def stems(self) -> dict[str, str]:
        """The names that files got in earlier runs."""
        return {path: entry.stem for path, entry in self.entries.items()}

    def add(self, entry: DoneFile) -> None:
        """Write down that a file is done."""
        line = json.dumps(asdict(entry)).encode()
        with self._lock:
            self.entries[entry.path] = entry
            with self._path.open("ab") as file:
                # A line that was cut off before gets an end first.
                file.write(b"\n" + line + b"\n")


def read_entries(path: Path) -> list[DoneFile]:
    """The whole lines of a file."""
    entries = []
    for line in path.read_bytes().splitlines() if path.exists() else []:
        try:
            entries.append(DoneFile.from_line(line))
        except (ValueError, TypeError):
            continue
    return entries


def options_key(options: ReadingOptions) -> str:
    """Options in one word, to tell whether they changed."""
    return hashlib.sha256(json.dumps(options.as_dict(), sort_keys=True).encode()).hexdigest()


def sha256_of(path: Path) -> str:
    """The hash of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
