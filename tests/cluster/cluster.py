"""A small installation of pagemill: database, broker, bucket, and API and worker processes over them."""

import base64
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

import psycopg

from bench.door import Door
from bench.ports import free_port
from tests.cluster import postgres, redis, s3
from tests.cluster.program import Program, plain_environment
from tests.processes import PreloadedProcess, start_preloaded
from tests.trial_provider import ENVIRONMENT

ROOT = Path(__file__).parents[2]
PYTHON_PATH = f"{ROOT}:{ROOT / 'src'}"
LEASE_SECONDS = 3.0
ANSWER_SECONDS = 5.0
# Short times, so that whatever waits for a lease or a sweep is over in seconds.
QUICK: dict[str, object] = {
    "host": "127.0.0.1",
    "secret_key": base64.urlsafe_b64encode(bytes(range(32))).decode(),
    "slots": 1,
    "kept_slots": 1,
    "providers": "trial",
    "lease_seconds": LEASE_SECONDS,
    "heartbeat_seconds": 0.5,
    "sweep_seconds": 0.5,
    "watch_seconds": 0.2,
    "retry_base_seconds": 0.2,
    "orphan_seconds": 8,
    "log_level": "INFO",
}
Setting = str | int | float


@dataclass
class Machine(Program):
    """A process of pagemill; it has its modules loaded already unless it is to find others."""

    def start_process(self, out: BinaryIO) -> "subprocess.Popen[bytes] | PreloadedProcess":
        """The process, which writes to this file."""
        if self.environment["PYTHONPATH"] != PYTHON_PATH:
            return super().start_process(out)
        return start_preloaded(self.command, plain_environment() | self.environment, out)


@dataclass
class Api(Machine):
    """A `pagemill serve --no-workers`."""

    port: int = 0

    def door(self, timeout_seconds: float = 60.0) -> Door:
        """A connection to it."""
        return Door("127.0.0.1", self.port, timeout_seconds)


@dataclass
class Cluster:
    """What the processes share, and those processes."""

    folder: Path
    postgres: postgres.Postgres
    redis: redis.RedisServer
    s3: s3.S3
    database_url: str
    prefix: str
    settings: dict[str, Setting] = field(default_factory=dict)
    apis: list[Api] = field(default_factory=list)
    workers: list[Program] = field(default_factory=list)
    routes: dict[str, str] = field(default_factory=dict)

    @property
    def blobs_url(self) -> str:
        """Where this installation keeps its files; others may share the bucket."""
        return f"{self.s3.blobs_url}/{self.prefix}"

    def api(self, **settings: Setting) -> Api:
        """Start one more API process and return once it takes work."""
        api = self.new_api(**settings)
        api.start()
        return api

    def new_api(self, **settings: Setting) -> Api:
        """One more API process, not yet started."""
        port = free_port()
        name = f"api{len(self.apis)}"
        environment = self.environment(name, port=port, **settings)
        command = [pagemill(), "serve", "--no-workers"]
        url = f"http://127.0.0.1:{port}"
        api = Api(command, url, self.folder / f"{name}.log", lambda: is_ready(port), environment, port=port)
        self.apis.append(api)
        return api

    def worker(self, *arguments: str, **settings: Setting) -> Program:
        """Start one more worker process and return once it is known."""
        worker = self.new_worker(*arguments, **settings)
        worker.start()
        return worker

    def new_worker(self, *arguments: str, **settings: Setting) -> Program:
        """One more worker process, not yet started."""
        name = f"worker{len(self.workers)}"
        environment = self.environment(name, **settings)
        command = [pagemill(), "worker", *arguments]
        worker = Machine(
            command, "", self.folder / f"{name}.log", lambda: self.knows(worker.pid), environment
        )
        self.workers.append(worker)
        return worker

    def environment(self, name: str, **settings: Setting) -> dict[str, str]:
        """The settings of a process, as variables; `routes` may lead it through fault proxies."""
        shared = {
            "database_url": self.routes.get("database", self.database_url),
            "broker_url": self.routes.get("broker", self.redis.url),
            "blobs_url": self.blobs_url,
            "data_dir": self.folder / name,
        }
        wanted = {**QUICK, **shared, **self.settings, **settings}
        variables = {f"PAGEMILL_{key.upper()}": str(value) for key, value in wanted.items()}
        bucket = self.s3.variables(self.routes.get("bucket"))
        return {"PYTHONPATH": PYTHON_PATH, "OMP_NUM_THREADS": "1", **ENVIRONMENT, **bucket, **variables}

    def asked(self, query: str, *values: object) -> list[tuple[object, ...]]:
        """The rows that a query finds in the database, past pagemill."""
        with psycopg.connect(self.database_url, connect_timeout=5) as connection:
            return connection.execute(query.encode(), values or None).fetchall()

    def knows(self, pid: int) -> bool:
        """Whether a worker with this process id has a row."""
        try:
            return bool(self.asked("SELECT 1 FROM workers WHERE pid = %s", pid))
        except psycopg.Error:
            # The tables are not there yet.
            return False

    def object_keys(self) -> set[str]:
        """The keys of every object of this installation."""
        start = f"{self.prefix}/"
        return {key.removeprefix(start) for key in self.s3.object_keys() if key.startswith(start)}

    def remove_orphans(self, shards: Iterable[str]) -> None:
        """Have one look for orphans in some shards now, as the leader does within minutes."""
        command = [sys.executable, "-m", "tests.cluster.tidy", *shards]
        environment = plain_environment() | self.environment("tidy")
        subprocess.run(command, check=True, env=environment, cwd=ROOT, capture_output=True)

    @property
    def programs(self) -> list[Program]:
        """All API and worker processes that were ever made."""
        return [*self.apis, *self.workers]

    def revive(self) -> int:
        """Start every process that died again, without the fault that it may have had; how many there were."""
        dead = [program for program in self.programs if program.process and not program.is_alive]
        for program in dead:
            program.environment.pop("PAGEMILL_FAULT", None)
            program.launch()
        return len(dead)

    def dismiss(self, api: Api) -> None:
        """Go on without an API that is dead or soon will be."""
        api.kill()
        self.apis.remove(api)

    def end(self) -> None:
        """Kill all processes."""
        for program in self.programs:
            program.kill()


def pagemill() -> str:
    """The command."""
    return str(Path(sys.executable).with_name("pagemill"))


def is_ready(port: int) -> bool:
    """Whether an API takes work."""
    try:
        with Door("127.0.0.1", port, ANSWER_SECONDS) as door:
            return door.get("/ready").status == 200
    except (OSError, HTTPException):
        return False


@contextmanager
def running(
    folder: Path, bucket: s3.S3, *, database_options: Mapping[str, str] | None = None, **settings: Setting
) -> Iterator[Cluster]:
    """The shared parts of an installation of its own, without processes yet; all are killed at the end."""
    with ExitStack() as stack:
        database = stack.enter_context(postgres.running(folder / "database", database_options))
        broker = stack.enter_context(redis.running(folder / "broker"))
        cluster = Cluster(
            folder, database, broker, bucket, database.new_database(), uuid4().hex, dict(settings)
        )
        stack.callback(cluster.end)
        yield cluster
