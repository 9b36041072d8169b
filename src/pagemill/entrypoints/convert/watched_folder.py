"""A watched folder: which of its files are ready to be read, and what happens to them afterwards."""

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Literal

import orjson

from pagemill.entrypoints.convert.done_files import DoneFiles, Stamp
from pagemill.entrypoints.convert.sources import FoundFile, SourceFile, candidates, find_files
from pagemill.entrypoints.convert.submission import FileOutcome

After = Literal["move", "mark"]
DONE_FOLDER, FAILED_FOLDER = "done", "failed"
# Beside a file: what became of it, or why it failed.
MARK_SUFFIX, ERROR_SUFFIX = ".pagemill.json", ".error.json"
# Browsers, copying programs and editors call files so until they are complete.
UNFINISHED = (".part", ".partial", ".tmp", ".crdownload", ".filepart", ".swp")


@dataclass(frozen=True, slots=True)
class Seen:
    """A file as it was at a look, and since when it has been so."""

    stamp: Stamp
    since: float


class WatchedFolder:
    """Looks at a folder again and again; a file is ready when it has not changed for a while."""

    def __init__(self, folder: Path, output: Path, *, recursive: bool, settle_seconds: float) -> None:
        self.folder = Path(os.path.abspath(folder))
        self._output = output
        self._recursive = recursive
        self._settle_seconds = settle_seconds
        self._seen: dict[Path, Seen] = {}
        # What was handed out, and as what; a file that changes after that is a new one.
        self._handed: dict[Path, Stamp] = {}

    def present(self) -> Iterator[FoundFile]:
        """The files that could be read some day."""
        for file in find_files([self.folder], self._output, recursive=self._recursive):
            if file.place.parts[0] not in (DONE_FOLDER, FAILED_FOLDER) and not is_left_alone(file.path):
                yield file

    def ready(self) -> list[FoundFile]:
        """The files that are ready now and were not handed out before."""
        now, seen = time.monotonic(), {}
        found = []
        for file in self.present():
            stamp = stamp_of(file.path)
            if stamp is None or self._handed.get(file.path) == stamp:
                continue
            before = self._seen.get(file.path)
            known = before if before is not None and before.stamp == stamp else Seen(stamp, now)
            if now - known.since < self._settle_seconds:
                seen[file.path] = known
            elif not is_marked(file.path, stamp):
                self._handed[file.path] = stamp
                found.append(file)
        self._seen = seen
        return found

    def settle(self, outcome: FileOutcome, after: After) -> Path:
        """Move a file out of the way, or mark it where it is; where it is then. What is no document is left alone."""
        path = outcome.source.path
        if outcome.status == "skipped":
            return path
        if after == "mark":
            write_json(mark_of(path), mark(outcome, self._handed[path]))
            return path
        kept = FAILED_FOLDER if outcome.status == "failed" else DONE_FOLDER
        target = free_place(self.folder / kept / path.relative_to(self.folder))
        target.parent.mkdir(parents=True, exist_ok=True)
        if outcome.status == "failed":
            write_json(
                target.with_name(target.name + ERROR_SUFFIX),
                {"code": outcome.code, "message": outcome.message},
            )
        path.rename(target)
        self._handed.pop(path, None)
        return target


class FreshNames:
    """Names for what is made of files; a new file never takes the place of what was made of another."""

    def __init__(self, output: Path, done_files: DoneFiles) -> None:
        self._output = output
        self._done_files = done_files
        self._given: set[str] = set()

    def source(self, file: FoundFile) -> SourceFile:
        """A file with its name: that of an earlier run for the same file, otherwise one that nothing has yet."""
        entry = self._done_files.entries.get(str(file.path))
        if entry is not None and stamp_of(file.path) == Stamp(entry.size_bytes, entry.modified_ns):
            return SourceFile(file.path, entry.stem, file.named)
        # Below the folder's own name it would be looked for in vain: a number says more.
        depth = len(file.place.parts)
        places = (name for name in candidates(file) if len(PurePath(name).parts) == depth)
        stem = next(name for name in places if self._is_free(name))
        self._given.add(stem.casefold())
        return SourceFile(file.path, stem, file.named)

    def _is_free(self, stem: str) -> bool:
        folder, name = self._output / PurePath(stem).parent, PurePath(stem).name.casefold() + "."
        taken = folder.is_dir() and any(one.casefold().startswith(name) for one in os.listdir(folder))
        return not taken and stem.casefold() not in self._given


def is_left_alone(path: Path) -> bool:
    """Whether a file is hidden, still on its way by its name, or one of our own marks."""
    name = path.name.lower()
    return name.startswith((".", "~")) or name.endswith((*UNFINISHED, MARK_SUFFIX, ERROR_SUFFIX))


def stamp_of(path: Path) -> Stamp | None:
    """The stamp of a file; None if it is gone."""
    try:
        return Stamp.of(path)
    except OSError:
        return None


def mark_of(path: Path) -> Path:
    """Where the mark of a file is."""
    return path.with_name(path.name + MARK_SUFFIX)


def is_marked(path: Path, stamp: Stamp) -> bool:
    """Whether a file has the mark of an earlier run and has not changed since."""
    try:
        mark = orjson.loads(mark_of(path).read_bytes())
        return Stamp(mark["size_bytes"], mark["modified_ns"]) == stamp
    except (OSError, ValueError, KeyError, TypeError):
        return False


def mark(outcome: FileOutcome, stamp: Stamp) -> dict[str, object]:
    """What the mark of a file says."""
    failed = outcome.status == "failed"
    return {
        "status": "failed" if failed else "done",
        "outputs": list(outcome.outputs),
        "pages": outcome.pages,
        "failed_pages": list(outcome.failed_pages),
        "error": {"code": outcome.code, "message": outcome.message} if failed else None,
        "size_bytes": stamp.size_bytes,
        "modified_ns": stamp.modified_ns,
    }


def write_json(path: Path, content: object) -> None:
    """Write a file that is there whole or not at all."""
    part = path.with_name(f".{path.name}.part")
    part.write_bytes(orjson.dumps(content, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    part.replace(path)


def free_place(path: Path) -> Path:
    """A path where nothing is yet: the given one, or one with a number."""
    number, place = 2, path
    while place.exists():
        place = path.with_name(f"{path.stem}-{number}{path.suffix}")
        number += 1
    return place
