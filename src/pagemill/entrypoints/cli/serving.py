"""`pagemill serve`: the door, the workers and a live line of what they do, until somebody stops them."""

import errno
import ipaddress
import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import uvicorn

from pagemill.desk.queries import backlog
from pagemill.entrypoints.api import create_app
from pagemill.entrypoints.api.server import make_server
from pagemill.entrypoints.cli import logs
from pagemill.entrypoints.cli.configuration import settings_from
from pagemill.entrypoints.cli.live import LiveLine
from pagemill.entrypoints.cli.screen import answer, say
from pagemill.errors import OutageError, Refused
from pagemill.mill import Mill
from pagemill.settings import Settings
from pagemill.wiring import opened

TICK_SECONDS = 0.5
PATIENCE_SECONDS = 2.0
FORCED_EXIT = 130


def serve(**options: object) -> None:
    """Serve until SIGINT or SIGTERM; Refused if the service can't start like this."""
    settings = settings_from(**options)
    line = LiveLine()
    logs.set_up(settings.log_level, settings.log_format, line)
    refuse_open_door(settings)
    stop = Stop()
    with stop.heard(), bound(settings) as door:
        with opened(settings) as mill:
            server = make_server(create_app(mill), settings)
            hold_open(server, door, mill, line, stop)
        line.end()
    say("Stopped; work that was in progress goes on at the next start.")


class Stop:
    """Hears the signals that end the service; the second one ends the process at once."""

    def __init__(self) -> None:
        self.asked = threading.Event()

    @contextmanager
    def heard(self) -> Iterator[None]:
        """Listen for SIGINT and SIGTERM while the context lasts."""
        before = {number: signal.signal(number, self._hear) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handle in before.items():
                signal.signal(number, handle)

    def _hear(self, number: int, _frame: FrameType | None) -> None:
        if self.asked.is_set() and number == signal.SIGINT:
            # Nothing is lost: the next start frees the claims, and the press children die with us.
            os._exit(FORCED_EXIT)
        self.asked.set()


def refuse_open_door(settings: Settings) -> None:
    """Don't serve strangers without a key."""
    key = settings.api_key.get_secret_value() if settings.api_key else ""
    if not key and not is_loopback(settings.host):
        raise Refused(
            f"Listening on {settings.host} would let anybody who reaches this machine in. "
            "Set an API key in PAGEMILL_API_KEY, or listen on 127.0.0.1."
        )


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches the address."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


@contextmanager
def bound(settings: Settings) -> Iterator[socket.socket]:
    """The socket of the door, taken before anything else is started; connections are taken once it is served."""
    host = settings.host.strip("[]")
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, settings.port, type=socket.SOCK_STREAM)[0]
        door = socket.socket(family, kind)
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        door.bind(address)
    except OSError as error:
        raise Refused(door_advice(settings, error)) from error
    with door:
        yield door


def door_advice(settings: Settings, error: OSError) -> str:
    """Why the address can't be listened on, and what to do."""
    if error.errno == errno.EADDRINUSE:
        return f"Port {settings.port} is in use. Choose another with --port or PAGEMILL_PORT; 0 takes a free one."
    where = f"{settings.host}, port {settings.port}"
    return f"Can't listen on {where}: {error.strerror or error}. Choose others with --host and --port."


def hold_open(server: uvicorn.Server, door: socket.socket, mill: Mill, line: LiveLine, stop: Stop) -> None:
    """Serve in a thread, so that this one hears signals and tells what is going on."""
    serving = threading.Thread(target=server.run, kwargs={"sockets": [door]}, name="pagemill-door")
    where = address(door)
    serving.start()
    while serving.is_alive() and not server.started:
        serving.join(0.02)
    if server.started:
        greet(where, mill.settings)
    while serving.is_alive() and not stop.asked.wait(TICK_SECONDS):
        counts = doing(mill)
        line.show(f"{counts}, {mill.meters.pages_per_second():.1f} pages/s", gist=counts)
    close(server, serving)


def close(server: uvicorn.Server, serving: threading.Thread) -> None:
    """Let answers that are under way go out, but wait for nobody for long."""
    server.should_exit = True
    serving.join(PATIENCE_SECONDS)
    server.force_exit = True
    serving.join()


def address(door: socket.socket) -> str:
    """The URL that the door is reached at from this machine."""
    host, port = door.getsockname()[:2]
    everywhere = {"0.0.0.0": "127.0.0.1", "::": "::1"}
    host = everywhere.get(host, host)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def greet(url: str, settings: Settings) -> None:
    """Say where the service is and how to use it."""
    curl = 'curl -sH "Authorization: Bearer $PAGEMILL_API_KEY"' if settings.api_key else "curl -s"
    link = f"""sed 's|.*"markdown":"\\([^"]*\\)".*|{url}\\1|'"""
    answer(f"pagemill serves {url}")
    answer(f"  documents and results   {settings.data_dir.absolute()}")
    answer(f"  description of the API  {url}/openapi.json")
    answer("  a PDF as Markdown:")
    answer(f"{curl} -F file=@document.pdf -H 'Prefer: wait=30' {url}/v1/jobs | {link} | xargs {curl}")
    answer("  Ctrl-C stops it.")


def doing(mill: Mill) -> str:
    """One line on what the service is doing now."""
    try:
        lanes = backlog(mill)
    except OutageError as error:
        return error.message
    waiting, running = sum(lane.ready for lane in lanes), sum(lane.running for lane in lanes)
    done, failed = ended(mill, "completed"), ended(mill, "failed")
    return f"{waiting:,} waiting, {running:,} running, {done:,} done, {failed:,} failed"


def ended(mill: Mill, status: str) -> int:
    """How many jobs have ended this way since the start."""
    return int(mill.meters.registry.get_sample_value("pagemill_jobs_total", {"status": status}) or 0)
