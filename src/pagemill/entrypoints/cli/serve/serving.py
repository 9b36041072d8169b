"""`pagemill serve`: the server, the workers and a status line."""

import socket
import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path

import uvicorn

from pagemill.data_folder import keep_files_private
from pagemill.desk.queries import backlog
from pagemill.entrypoints.cli.serve.listening import address, bind_advice
from pagemill.entrypoints.cli.serve.stop_signals import Stop
from pagemill.entrypoints.http_app import create_app
from pagemill.entrypoints.http_server import make_server
from pagemill.entrypoints.output import logs
from pagemill.entrypoints.output.live_line import LiveLine
from pagemill.entrypoints.output.terminal import answer, drop_if_unread
from pagemill.errors import OutageError, Refused
from pagemill.garbage_collection import collect_rarely
from pagemill.mill import Mill
from pagemill.settings import Settings
from pagemill.wiring import open_mill

TICK_SECONDS = 0.5
# Counting what waits is work for a database that others need too.
SHARED_TICK_SECONDS = 5.0
START_TICK_SECONDS = 0.02
PATIENCE_SECONDS = 2.0


def serve(settings: Settings, listener: socket.socket, *, workers: bool) -> None:
    """Serve on a socket until SIGINT or SIGTERM; Refused if the service can't start like this."""
    keep_files_private()
    line, stop = LiveLine(), Stop()
    logs.set_up(settings.log_level, settings.log_format, line, logs.secrets_of(settings))
    with stop.heard():
        with open_mill(settings, workers=workers) as mill:
            server = make_server(create_app(mill), settings)
            serve_until_stopped(server, listener, mill, line, stop)
        line.end()
    logs.announce(settings.log_format, "Stopped; work that was in progress goes on at the next start.")


def serve_until_stopped(
    server: uvicorn.Server, listener: socket.socket, mill: Mill, line: LiveLine, stop: Stop
) -> None:
    """Serve in a thread, so that this one handles signals and reports what is going on."""
    where = address(listener)
    with ThreadPoolExecutor(1, thread_name_prefix="pagemill-http") as pool:
        serving = pool.submit(server.run, sockets=[listener])
        try:
            while not serving.done() and not server.started:
                time.sleep(START_TICK_SECONDS)
            if server.started:
                collect_rarely()
                greet(where, mill.settings)
            tick_seconds = SHARED_TICK_SECONDS if mill.settings.is_shared else TICK_SECONDS
            while not serving.done() and not stop.wait(tick_seconds):
                # Counting takes milliseconds, which is too much for a line that is not shown.
                if line.is_due and mill.settings.log_format == "text":
                    counts = status_line(mill)
                    line.show(f"{counts}, {mill.metrics.pages_per_second():.1f} pages/s", gist=counts)
        finally:
            # Whatever ended this: the pool waits for the server, which nothing else would stop.
            close(server, serving)
    report_failed_start(serving, mill.settings, server)


def close(server: uvicorn.Server, serving: "Future[None]") -> None:
    """Let answers that are under way go out, but don't wait long."""
    server.should_exit = True
    wait([serving], PATIENCE_SECONDS)
    server.force_exit = True
    wait([serving])


def report_failed_start(serving: "Future[None]", settings: Settings, server: uvicorn.Server) -> None:
    """Report why a server never listened; anything later that ended it is raised as it is."""
    error = serving.exception()
    if error is None:
        return
    if server.started:
        raise error
    if isinstance(error, OSError):
        raise Refused(bind_advice(settings, error)) from error
    raise Refused("The server did not start; the lines above say why.") from error


def greet(url: str, settings: Settings) -> None:
    """Say where the service is and how to use it, if it is a terminal; for machines there is a line in the log."""
    if settings.log_format == "json":
        logs.announce(settings.log_format, f"pagemill serves {url}")
        return
    with drop_if_unread(sys.stdout):
        for line in greeting(url, settings):
            answer(line)


def greeting(url: str, settings: Settings) -> list[str]:
    """Where the service is and how to use it."""
    curl = 'curl -sH "Authorization: Bearer $PAGEMILL_API_KEY"' if settings.api_key else "curl -s"
    link = f"""sed 's|.*"markdown":"\\([^"]*\\)".*|{url}\\1|'"""
    return [
        f"pagemill serves {url}",
        f"  web pages               {url}/",
        f"  documents and results   {settings.blobs_url or settings.data_dir.resolve()}",
        *former_folder(settings),
        f"  description of the API  {url}/openapi.json",
        "  a PDF as Markdown:",
        f"{curl} -F file=@document.pdf -H 'Prefer: wait=30' {url}/v1/jobs | {link} | xargs {curl}",
        "  Ctrl-C stops it.",
    ]


def former_folder(settings: Settings) -> list[str]:
    """What to say of data in this folder, where earlier versions kept them by default."""
    former = Path("pagemill-data")
    if "data_dir" in settings.model_fields_set or not (former / "lock").exists():
        return []
    return [
        f"  {former.absolute()} of an earlier version is not read; PAGEMILL_DATA_DIR={former} goes on with it"
    ]


def status_line(mill: Mill) -> str:
    """One line on what the service is doing now."""
    try:
        lanes = backlog(mill)
    except OutageError:
        return "the database does not answer"
    waiting, running = sum(lane.ready for lane in lanes), sum(lane.running for lane in lanes)
    done, failed = count_ended(mill, "completed"), count_ended(mill, "failed")
    return f"{waiting:,} waiting, {running:,} running, {done:,} done, {failed:,} failed"


def count_ended(mill: Mill, status: str) -> int:
    """How many jobs have ended this way since the start."""
    return int(mill.metrics.registry.get_sample_value("pagemill_jobs_total", {"status": status}) or 0)
