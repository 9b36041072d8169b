"""Which files a conversion reads, and where what is made of each of them goes."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

STATE_FOLDER = ".pagemill"
# File systems take 255; the rest is for the longest ending and for a number.
LONGEST_NAME_BYTES = 220
# Endings of documents. Those of texts are not among them: what a conversion makes has the same, and most texts in a
# folder belong to programs. They are read if they are named.
SUFFIXES = frozenset(
    ".pdf .png .jpg .jpeg .webp .tif .tiff .gif .bmp .avif .jp2 .docx .docm .dotx .doc .pptx .pptm .ppt .xlsx .xlsm .xls"
    " .odt .odp .ods .rtf .epub .eml .msg .mhtml .mht".split()
)


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to convert. What is made of it goes to `stem` plus a suffix; `named` was given by its own name."""

    path: Path
    stem: str
    named: bool

    @property
    def is_expected(self) -> bool:
        """Whether someone takes it for a document, by giving its name or by how it is called."""
        return self.named or self.path.suffix.lower() in SUFFIXES


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file and its place below what was given on the command line."""

    path: Path
    place: PurePath
    named: bool


def find_files(inputs: Sequence[Path], output: Path, *, recursive: bool) -> Iterator[FoundFile]:
    """Every file that was given or is in a given folder, once, in a fixed order."""
    seen: set[Path] = set()
    for given in inputs:
        path = Path(os.path.abspath(given))
        for file in in_folder(path, output, recursive=recursive) if path.is_dir() else (by_name(path),):
            if file.path not in seen:
                seen.add(file.path)
                yield file


def by_name(path: Path) -> FoundFile:
    """A file that was given by its name."""
    return FoundFile(path, PurePath(path.name), True)


def in_folder(folder: Path, output: Path, *, recursive: bool) -> Iterator[FoundFile]:
    """The files in a folder and, if asked, in those below it; what conversions made there is left out."""
    left_out = os.path.realpath(output)
    for here, below, names in os.walk(folder):
        inside = (name for name in below if recursive and name != STATE_FOLDER)
        below[:] = sorted(name for name in inside if os.path.realpath(os.path.join(here, name)) != left_out)
        for name in sorted(names):
            path = Path(here, name)
            yield FoundFile(path, PurePath(path.relative_to(folder)), False)


class Names:
    """Gives each file a name of its own for what is made of it, the same in every run."""

    def __init__(self, taken: dict[str, str]) -> None:
        self._of_source = taken
        # Some file systems take A and a for the same.
        self._owner = {stem.casefold(): path for path, stem in taken.items()}

    def source(self, file: FoundFile) -> SourceFile:
        """The file with its name; that of an earlier run, otherwise the first that is free."""
        path = str(file.path)
        stem = self._of_source.get(path)
        if stem is None:
            stem = next(name for name in candidates(file) if name.casefold() not in self._owner)
            self._owner[stem.casefold()] = path
        return SourceFile(file.path, stem, file.named)


def truncate_name(name: str) -> str:
    """The beginning of a name, so short that there is room for an ending."""
    while len(os.fsencode(name)) > LONGEST_NAME_BYTES:
        name = name[:-1]
    return name


def candidates(file: FoundFile) -> Iterator[str]:
    """Names for what is made of a file: its own, that below its folder's, then numbered ones."""
    place = file.place.with_suffix("") if file.place.suffix.lower() in SUFFIXES else file.place
    place = place.with_name(truncate_name(place.name))
    yield str(place)
    if file.place.suffix.lower() in SUFFIXES - {".pdf"}:
        yield f"{place}{file.place.suffix}"
    root = file.path.parents[len(place.parts) - 1].name
    if root:
        yield str(root / place)
    number = 2
    while True:
        yield f"{place}-{number}"
        number += 1
