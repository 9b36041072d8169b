"""What a worker without an API shows of itself over HTTP: metrics, whether it is alive, and whether it takes work."""

import json
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from prometheus_client import CONTENT_TYPE_LATEST

from pagemill.db import workers
from pagemill.desk import queries
from pagemill.entrypoints.gauges import of_process, render_metrics
from pagemill.errors import OutageError, Refused
from pagemill.mill import Mill

log = logging.getLogger("pagemill.health")

JSON = "application/json"
# A process that asks sends one line; one that sends nothing is not waited for.
PATIENCE_SECONDS = 5.0


def always() -> bool:
    """It listens, as there is nothing that could go deaf."""
    return True


@contextmanager
def serve_health(mill: Mill, listens: Callable[[], bool] = always) -> Iterator[int]:
    """Show metrics and health at `metrics_port` until the context ends; the port, or 0 if nothing is shown.

    `listens` says whether the consumer of the queue is alive.
    """
    settings = mill.settings
    if not settings.metrics_port:
        yield 0
        return
    with serve_health_at((settings.host.strip("[]"), settings.metrics_port), mill, listens) as port:
        yield port


@contextmanager
def serve_health_at(address: tuple[str, int], mill: Mill, listens: Callable[[], bool]) -> Iterator[int]:
    """Answer at an address in threads of its own until the context ends; port 0 takes a free one."""
    try:
        server = ThreadingHTTPServer(address, partial(HealthEndpoint, mill, listens))
    except OSError as error:
        raise Refused(
            f"Metrics can't be shown at {address[0]}:{address[1]}: {error.strerror}. Set PAGEMILL_METRICS_PORT."
        ) from error
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, name="pagemill-health", daemon=True)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class HealthEndpoint(BaseHTTPRequestHandler):
    """Answers one request."""

    timeout = PATIENCE_SECONDS

    def __init__(self, mill: Mill, listens: Callable[[], bool], *connection: object) -> None:
        self._mill, self._listens = mill, listens
        super().__init__(*connection)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        """Show what is asked for."""
        match self.path.partition("?")[0]:
            case "/metrics":
                self._answer(200, CONTENT_TYPE_LATEST, render_metrics(self._mill, of_process(self._mill)))
            case "/health":
                self._answer_health(why_not_alive(self._mill))
            case "/ready":
                self._answer_health(why_not_ready(self._mill, self._listens))
            case _:
                self._answer(404, JSON, b'{"status": "unknown address"}')

    def log_message(self, *_: object) -> None:
        """Nothing: probes come every few seconds."""

    def _answer_health(self, reasons: list[str]) -> None:
        report = {"status": "not ok", "reasons": reasons} if reasons else {"status": "ok"}
        self._answer(503 if reasons else 200, JSON, json.dumps(report).encode())

    def _answer(self, status: int, media_type: str, body: bytes) -> None:
        self.send_response_only(status)
        self.send_header("content-type", media_type)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def why_not_alive(mill: Mill) -> list[str]:
    """Why this process should be started again; nothing that another process or machine is at fault for."""
    phases = {slot.phase for slot in mill.press.state()}
    reasons = ["press_stopped"] if phases == {"stopped"} else []
    return [*reasons, "heartbeat_stopped"] if mill.pulse.has_stopped(mill.settings.lease_seconds) else reasons


def why_not_ready(mill: Mill, listens: Callable[[], bool]) -> list[str]:
    """Why this worker can't do work right now."""
    try:
        reasons = [*queries.readiness(mill), *why_not_known(mill)]
        if mill.backoff.reason and mill.backoff.reason not in reasons:
            reasons.append(mill.backoff.reason)
    except OutageError as error:
        reasons = [error.code]
    return reasons if listens() else [*reasons, "deaf"]


def why_not_known(mill: Mill) -> list[str]:
    """Why others may take this worker for gone."""
    seen_at = mill.db.read(lambda conn: workers.last_seen(conn, mill.worker_id))
    late = seen_at is None or mill.db.read(mill.db.now) - seen_at > mill.settings.lease_seconds
    return ["not_seen_lately"] if late else []
