"""The files below a folder that others change at the same time."""

import os
from collections.abc import Iterator
from pathlib import Path

from pagemill.adapters.blobs.base import MARK
from pagemill.desk.deletion_log import FOLDER


def files_below(folder: Path) -> Iterator[Path]:
    """Every file but the mark and the deletion log of a blob store; folders that vanish during the walk are passed over."""
    found = (Path(place, name) for place, _, names in os.walk(folder) for name in names)
    return (path for path in found if path.name != MARK and path.parts[-3] != FOLDER)


def bytes_below(folder: Path) -> int:
    """How much these files hold."""
    return sum(map(_size_bytes, files_below(folder)))


def _size_bytes(file: Path) -> int:
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return 0
