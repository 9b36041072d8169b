"""What `pagemill submit` hands in: files, folders, patterns that no shell has expanded, and URLs."""

import glob
import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from pagemill.entrypoints.convert.sources import SUFFIXES
from pagemill.errors import Refused

URL = re.compile(r"(https?|s3|gs|az)://", re.IGNORECASE)
OUTSIDE = "a link to a file outside of the folder"
NO_DOCUMENT = "not a document by its name"

Skip = Callable[[Path, str], object]


def expand_inputs(inputs: Sequence[str], skip: Skip) -> list[str | Path]:
    """Every file that is named, in a named folder or matched by a pattern, once; a name that is nowhere stays.

    A URL stays as it was written. What is left out of a folder is passed to `skip` with the reason.
    """
    return list(dict.fromkeys(one for given in inputs for one in _documents_of(given, skip)))


def _documents_of(given: str, skip: Skip) -> Iterator[str | Path]:
    if URL.match(given):
        yield given
    else:
        yield from _files_of(Path(given), skip)


def _files_of(given: Path, skip: Skip) -> Iterator[Path]:
    if given.is_dir():
        yield from _files_in(given, skip)
    elif not given.exists() and glob.has_magic(str(given)):
        matches = sorted(glob.glob(str(given), recursive=True))
        yield from (Path(match) for match in matches if Path(match).is_file())
    else:
        yield given


def _files_in(folder: Path, skip: Skip) -> Iterator[Path]:
    """The documents below a folder; links to folders are not followed, and links to files only within it."""
    inside = folder.resolve()
    for file in sorted(folder.rglob("*")):
        if file.is_symlink() and not file.resolve().is_relative_to(inside):
            skip(file, OUTSIDE)
        elif file.is_file() and file.suffix.lower() in SUFFIXES:
            yield file
        elif file.is_file() and not file.name.startswith("."):
            skip(file, NO_DOCUMENT)


def read_json(file: Path) -> dict[str, Any]:
    """The JSON object in a file; Refused if it has none."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise Refused(f"{file} is not JSON: it is no text in UTF-8.") from error
    except ValueError as error:
        raise Refused(f"{file} is not JSON: {error}.") from error
    if not isinstance(found, dict):
        raise Refused(f"{file} holds no JSON object.")
    return found


def read_order(file: Path | None) -> dict[str, Any] | None:
    """What is to be extracted, from a file; None if there is none."""
    return read_json(file) if file else None
