"""The examples of the page on providers are providers."""

import json
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import ModuleType
from typing import Any

import pytest

from pagemill.reading.contract_samples import picture_of, pixels_of
from pagemill.reading.providers.chain import Chain, ReadableDocument
from tests.docs.pages import DOCS, blocks

PAGE = DOCS / "providers.md"
TEXT, RECOGNISER, REMOTE, CONTRACT = blocks(PAGE, "python")
LONGEST_EXAMPLE = 32


class House(BaseHTTPRequestHandler):
    """The server that the example asks."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Read a page, whatever is on it."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert asked["image"].startswith("data:image/png;base64,")
        body = json.dumps({"markdown": "# The house"}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, _: str, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture
def house(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The server, and its address in the environment."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), House)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    monkeypatch.setenv("HOUSE_URL", f"http://127.0.0.1:{server.server_address[1]}")
    yield
    server.shutdown()
    server.server_close()


def run(code: str) -> Any:
    """The module that an example makes."""
    module = ModuleType("my_package")
    exec(code, vars(module))
    return module


def test_an_example_is_short() -> None:
    for code in (TEXT, RECOGNISER, REMOTE):
        assert len(code.splitlines()) <= LONGEST_EXAMPLE


def test_the_text_provider_reads_pages() -> None:
    provider = run(TEXT).CountingProvider()
    pages = Chain([provider]).read(ReadableDocument(str(DOCS / "sample.pdf")), [1, 2], [2])
    assert [page.blocks[0].text for page in pages] == ["This is page 2."]


def test_the_recogniser_finds_ink() -> None:
    recogniser = run(RECOGNISER).InkRecogniser()
    [line] = recogniser.recognise(pixels_of(("Mill",)), [])
    assert (line.text, line.box.x > 50) == ("ink", True)
    assert recogniser.recognise(pixels_of(()), []) == []


@pytest.mark.usefixtures("house")
def test_the_remote_provider_asks_its_server() -> None:
    provider = run(REMOTE).HouseProvider()
    assert provider.available() is None
    answer = provider.read(picture_of(("Mill",)))
    assert [block.text for block in answer.blocks] == ["The house"]
    provider._endpoint.close()


@pytest.mark.usefixtures("house")
def test_the_remote_provider_keeps_to_the_contract(monkeypatch: pytest.MonkeyPatch) -> None:
    package = run(REMOTE)
    monkeypatch.setitem(sys.modules, "my_package", package)
    made = package.HouseProvider()
    package.HouseProvider = lambda: made
    contract = run(CONTRACT).TestHouse()
    names = [name for name in dir(contract) if name.startswith("test_")]
    assert len(names) > 5
    for name in names:
        getattr(contract, name)()
    made._endpoint.close()


def test_what_is_not_set_up_says_what_to_set() -> None:
    assert run(REMOTE).HouseProvider().available() == "set HOUSE_URL"
