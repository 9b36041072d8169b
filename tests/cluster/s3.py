"""An S3 server from a wheel, with a bucket and known keys, in a folder and on ports of its own."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import obstore
from obstore.exceptions import BaseError
from obstore.store import S3Store

from bench.ports import free_ports
from tests.cluster.program import Program

ACCESS_KEY = "pagemill-test"
SECRET_KEY = "a-secret-of-the-tests"
BUCKET = "documents"
# Who has no key may use this one, which is there as soon as something was put into it.
OPEN_BUCKET = "open"
REGION = "us-east-1"
CONNECT_SECONDS = 2.0
PATIENCE_SECONDS = 30.0
PROBE = "probe"
SOCKETS = Path("/tmp")


@dataclass
class S3(Program):
    """A running S3 server; its URL is the endpoint, and BUCKET is there.

    Started again it needs some ten seconds to find its files; a pause or a fault proxy is quicker.
    """

    ports: tuple[int, ...] = ()

    @property
    def blobs_url(self) -> str:
        """The bucket as the settings name it."""
        return f"s3://{BUCKET}"

    def variables(self, endpoint: str | None = None) -> dict[str, str]:
        """The environment that leads a program to the bucket, perhaps through another endpoint."""
        return {
            "AWS_ACCESS_KEY_ID": ACCESS_KEY,
            "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
            "AWS_REGION": REGION,
            "AWS_ENDPOINT_URL": endpoint or self.url,
            "AWS_ALLOW_HTTP": "true",
        }

    def store(self) -> S3Store:
        """The bucket, past pagemill."""
        return bucket(self.url, PATIENCE_SECONDS)

    def object_keys(self) -> set[str]:
        """Every object in the bucket."""
        return {meta["path"] for batch in obstore.list(self.store()) for meta in batch}


@contextmanager
def running(folder: Path) -> Iterator[S3]:
    """A server with an empty bucket until the context ends."""
    folder.mkdir(parents=True, exist_ok=True)
    server = prepared(folder)
    try:
        server.start()
        yield server
    finally:
        server.kill()
        for port in server.ports:
            for socket in SOCKETS.glob(f"seaweedfs-*-{port}.sock"):
                socket.unlink()


def prepared(folder: Path) -> S3:
    """A server without objects, not yet started."""
    ports = free_ports(8)
    keys = {"credentials": [{"accessKey": ACCESS_KEY, "secretKey": SECRET_KEY}]}
    identity = {"name": "tests", **keys, "actions": ["Admin", "Read", "List", "Tagging", "Write"]}
    anybody = {"name": "anonymous", "actions": [f"{may}:{OPEN_BUCKET}" for may in ("Read", "List", "Write")]}
    configuration = folder / "s3.json"
    configuration.write_text(json.dumps({"identities": [identity, anybody]}))
    files = folder / "s3"
    files.mkdir(exist_ok=True)
    binary = str(Path(sys.executable).with_name("weed"))
    options = [f"-{name}={value}" for name, value in options_of(ports, files, configuration).items()]
    url = f"http://127.0.0.1:{ports[0]}"
    return S3([binary, "server", *options], url, folder / "s3.log", lambda: answers(url), ports=tuple(ports))


def options_of(ports: list[int], files: Path, configuration: Path) -> dict[str, object]:
    """How the server is set up: nothing but S3, on loopback, telling nobody."""
    return {
        "dir": files,
        "ip": "127.0.0.1",
        "ip.bind": "127.0.0.1",
        "s3": "true",
        "s3.config": configuration,
        "s3.port": ports[0],
        "s3.port.grpc": ports[1],
        "s3.port.iceberg": 0,
        "s3.port.lance": 0,
        "s3.iam": "false",
        "filer": "true",
        "filer.port": ports[2],
        "filer.port.grpc": ports[3],
        "master.port": ports[4],
        "master.port.grpc": ports[5],
        "master.telemetry": "false",
        "master.volumeSizeLimitMB": 64,
        "volume.port": ports[6],
        "volume.port.grpc": ports[7],
        "volume.max": 100,
        "volume.preStopSeconds": 0,
    }


def bucket(url: str, patience_seconds: float, name: str = BUCKET) -> S3Store:
    """The bucket behind an endpoint."""
    return S3Store(
        name,
        endpoint=url,
        access_key_id=ACCESS_KEY,
        secret_access_key=SECRET_KEY,
        region=REGION,
        client_options={"allow_http": True, "timeout": f"{patience_seconds:.0f}s"},
        retry_config={"max_retries": 0, "retry_timeout": timedelta(seconds=patience_seconds)},
    )


def answers(url: str) -> bool:
    """Whether the server takes objects; the first one makes the bucket."""
    try:
        store = bucket(url, CONNECT_SECONDS)
        obstore.put(store, PROBE, b"1")
        obstore.delete(store, PROBE)
    except (BaseError, OSError):
        return False
    return True
