"""What `pagemill submit` hands in: files, folders, patterns that no shell has expanded, and URLs."""

import glob
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pagemill.entrypoints.convert.sources import SUFFIXES
from pagemill.errors import Refused

URL = re.compile(r"(https?|s3|gs|az)://", re.IGNORECASE)


def expand_inputs(inputs: Sequence[str]) -> list[str | Path]:
    """Every file that is named, in a named folder or matched by a pattern, once; a name that is nowhere stays.

    A URL stays as it was written.
    """
    return list(dict.fromkeys(one for given in inputs for one in _documents_of(given)))


def _documents_of(given: str) -> Iterator[str | Path]:
    if URL.match(given):
        yield given
    else:
        yield from _files_of(Path(given))


def _files_of(given: Path) -> Iterator[Path]:
    if given.is_dir():
        yield from sorted(file for file in given.rglob("*") if is_document(file))
    elif not given.exists() and glob.has_magic(str(given)):
        matches = sorted(glob.glob(str(given), recursive=True))
        yield from (Path(match) for match in matches if Path(match).is_file())
    else:
        yield given


def read_json(file: Path) -> dict[str, Any]:
    """The JSON object in a file; Refused if it has none."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise Refused(f"{file} is not JSON: {error}") from error
    if not isinstance(found, dict):
        raise Refused(f"{file} holds no JSON object.")
    return found


def read_order(file: Path | None) -> dict[str, Any] | None:
    """What is to be extracted, from a file; None if there is none."""
    return read_json(file) if file else None


def is_document(file: Path) -> bool:
    """Whether a file in a folder is taken for a document, by its name."""
    return file.suffix.lower() in SUFFIXES and file.is_file()
