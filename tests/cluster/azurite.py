"""Azurite, the emulator of Azure Blob Storage, with an empty container; `make azure-test` installs it."""

import base64
import hashlib
import hmac
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import httpx

from bench.ports import free_ports
from tests.cluster.program import Program

# The account that every Azurite has.
ACCOUNT = "devstoreaccount1"
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
CONTAINER = "documents"
API_VERSION = "2021-08-06"
CREATED = 201
FOLDER = Path(__file__).parents[2] / ".azurite" / "node_modules" / ".bin"


class Azurite(Program):
    """A running emulator; its URL is that of the blob service, and CONTAINER is there."""

    def variables(self) -> dict[str, str]:
        """The environment that leads a program to the emulator."""
        return {
            "AZURE_STORAGE_ACCOUNT_NAME": ACCOUNT,
            "AZURE_STORAGE_ACCOUNT_KEY": KEY,
            "AZURE_STORAGE_USE_EMULATOR": "true",
            "AZURITE_BLOB_STORAGE_URL": self.url,
        }


def binary() -> str | None:
    """The program; None if it is not installed."""
    return shutil.which("azurite-blob", path=os.pathsep.join([str(FOLDER), os.environ.get("PATH", "")]))


@contextmanager
def running(folder: Path) -> Iterator[Azurite]:
    """An emulator that keeps everything in memory, until the context ends."""
    [port] = free_ports(1)
    url = f"http://127.0.0.1:{port}"
    places = ["--blobHost", "127.0.0.1", "--blobPort", str(port)]
    options = ["--inMemoryPersistence", "--skipApiVersionCheck", "--disableTelemetry", "--silent"]
    command = [binary() or "azurite-blob", *places, *options]
    server = Azurite(command, url, folder / "azurite.log", lambda: made_container(url))
    try:
        server.start()
        yield server
    finally:
        server.kill()


def made_container(url: str) -> bool:
    """Whether the emulator answers by making the container."""
    date = datetime.now(UTC).strftime("%a, %d %b %Y %H:%M:%S GMT")
    named = f"x-ms-date:{date}\nx-ms-version:{API_VERSION}"
    signed = f"PUT{12 * chr(10)}{named}\n/{ACCOUNT}/{ACCOUNT}/{CONTAINER}\nrestype:container"
    digest = hmac.digest(base64.b64decode(KEY), signed.encode(), hashlib.sha256)
    headers = {
        "x-ms-date": date,
        "x-ms-version": API_VERSION,
        "authorization": f"SharedKey {ACCOUNT}:{base64.b64encode(digest).decode()}",
    }
    try:
        answer = httpx.put(f"{url}/{ACCOUNT}/{CONTAINER}?restype=container", headers=headers)
    except httpx.TransportError:
        return False
    return answer.status_code == CREATED
