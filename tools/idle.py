"""A service that is put together but not at work, to ask it what it offers."""

import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from fastapi import FastAPI

from pagemill.db.migrate import migrate
from pagemill.entrypoints.http_app import create_app
from pagemill.settings import Settings
from pagemill.wiring import build


@contextmanager
def idle_app() -> Iterator[FastAPI]:
    """The application on an empty folder; nothing is read, and no process is started."""
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(build(Settings(data_dir=Path(folder)), Path(folder))) as mill,
    ):
        migrate(mill.db.engine)
        yield create_app(mill)
