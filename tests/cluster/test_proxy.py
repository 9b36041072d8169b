"""The fault proxy makes the trouble that it is asked for, and none else."""

import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import httpx
import pytest

from tests.cluster.proxy import FAIR, FaultProxy, Way, Weather, between

BODY = b"x" * 200_000


class Answering(BaseHTTPRequestHandler):
    """Answers every GET with the same bytes."""

    def do_GET(self) -> None:
        """Answer."""
        self.send_response(200)
        self.send_header("Content-Length", str(len(BODY)))
        self.end_headers()
        self.wfile.write(BODY)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A small web server."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Answering) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()
        thread.join()


@pytest.fixture
def proxy(url: str) -> Iterator[FaultProxy]:
    """A proxy before it."""
    with between(url) as made:
        yield made


def asked(proxy: FaultProxy, url: str, patience_seconds: float = 30) -> bytes:
    """What comes through, by a connection of its own."""
    return httpx.get(proxy.url_through(url), timeout=patience_seconds).raise_for_status().content


def test_fair_weather_passes_everything_on(proxy: FaultProxy, url: str) -> None:
    assert asked(proxy, url) == BODY


@pytest.mark.parametrize(
    "weather",
    [
        Weather(Way.REFUSE),
        Weather(Way.BLACKHOLE),
        Weather(Way.HALF_CLOSE),
        Weather(reset_after_bytes=70_000),
        Weather(bytes_per_second=10_000),
    ],
)
def test_bad_weather_ends_when_it_is_over(proxy: FaultProxy, url: str, weather: Weather) -> None:
    proxy.weather = weather
    with pytest.raises(httpx.TransportError):
        asked(proxy, url, patience_seconds=1)
    proxy.weather = FAIR
    assert asked(proxy, url) == BODY


def test_latency_is_added(proxy: FaultProxy, url: str) -> None:
    proxy.weather = Weather(latency_seconds=0.1)
    started = time.monotonic()
    assert asked(proxy, url) == BODY
    assert time.monotonic() - started >= 0.2


def test_a_cut_resets_open_connections(proxy: FaultProxy, url: str) -> None:
    with httpx.Client(base_url=proxy.url_through(url)) as client:
        assert client.get("/").content == BODY
        proxy.cut()
        assert client.get("/").content == BODY
    assert proxy.connections == 2
