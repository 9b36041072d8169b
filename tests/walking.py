"""The files below a folder that others change at the same time."""

import os
from collections.abc import Iterator
from pathlib import Path


def files_below(folder: Path) -> Iterator[Path]:
    """Every file at any depth; folders that vanish during the walk are passed over, as `Path.rglob` does not."""
    return (Path(place, name) for place, _, names in os.walk(folder) for name in names)
