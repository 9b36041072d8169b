"""Real servers for fault tests, a single one or several machines, killed at the end whatever happened."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import pytest

from bench.serving import Serving, start
from tests.cluster import cluster as clusters
from tests.cluster.cluster import Cluster
from tests.cluster.s3 import S3
from tests.processes import start_preloaded
from tests.trial_provider import ENVIRONMENT

ROOT = Path(__file__).parents[2]
DISK_BYTES = 8_000_000
QUICK: dict[str, str | int | float] = {
    "slots": 2,
    "kept_slots": 1,
    "lease_seconds": 3,
    "heartbeat_seconds": 0.5,
    "sweep_seconds": 0.5,
    "log_level": "INFO",
}


class Serve(Protocol):
    """Starts a server on a data folder."""

    def __call__(self, data_dir: Path, *, up: bool = True, **settings: str | int | float) -> Serving:
        """A server, by default once it takes work; every setting may be given."""
        ...


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Start servers that know the trial provider; all are killed at the end of the test."""
    with starting_servers() as start_server:
        yield start_server


@pytest.fixture(scope="module")
def serve_file() -> Iterator[Serve]:
    """Start servers that the tests of a file share."""
    with starting_servers() as start_server:
        yield start_server


@contextmanager
def starting_servers() -> Iterator[Serve]:
    """Starts servers that know the trial provider, and kills them at the end."""
    trial = {name.removeprefix("PAGEMILL_").lower(): value for name, value in ENVIRONMENT.items()}
    started: list[Serving] = []

    def run(data_dir: Path, *, up: bool = True, **settings: str | int | float) -> Serving:
        wanted = {**QUICK, **trial, **settings}
        server = start(data_dir, workers=True, start_process=start_preloaded, **wanted)
        started.append(server)
        if up:
            server.wait_until_up("/ready")
        return server

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        yield run
        for server in started:
            server.kill()


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory, s3_server: S3) -> Iterator[Cluster]:
    """Two APIs and two workers that the tests of a file share; each test starts with all of them alive."""
    with clusters.running(tmp_path_factory.mktemp("house"), s3_server) as cluster:
        start_all(cluster, apis=2, workers=2)
        yield cluster


@pytest.fixture
def cluster(tmp_path: Path, s3_server: S3) -> Iterator[Cluster]:
    """A database, a broker and a bucket of the test's own, without processes yet."""
    with clusters.running(tmp_path / "cluster", s3_server) as made:
        yield made


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 8 MB."""
    with mounted_disk(tmp_path / "disk", DISK_BYTES) as folder:
        yield folder


@contextmanager
def mounted_disk(folder: Path, size_bytes: int) -> Iterator[Path]:
    """A file system of this size in a new folder; the test is skipped where none can be mounted."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size_bytes}", "tmpfs", str(folder)]
    if subprocess.run(mount, check=False, capture_output=True).returncode != 0:
        pytest.skip("only root can mount a file system, and not everywhere")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def start_all(cluster: Cluster, *, apis: int, workers: int) -> None:
    """Start all processes at once and return when all of them are up."""
    programs = [*(cluster.new_api() for _ in range(apis)), *(cluster.new_worker() for _ in range(workers))]
    for program in programs:
        program.launch()
    for program in programs:
        program.wait_until_up()
