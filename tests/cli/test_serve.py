"""`pagemill serve`: how it starts, what it refuses, and how it stops."""

import json
import os
import re
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import IO

import pytest

from bench.ports import free_port
from pagemill.client import Client
from pagemill.entrypoints.cli.serve.serving import serve_until_stopped
from pagemill.entrypoints.cli.serve.stop_signals import Stop
from pagemill.entrypoints.http_app import create_app
from pagemill.entrypoints.http_server import make_server
from pagemill.entrypoints.output.live_line import LiveLine
from pagemill.wiring import open_mill
from tests import samples
from tests.cli.around import DEADLINE_SECONDS, Running, Shell, command, environment, rows, serving, start
from tests.mills import small_settings
from tests.servers import heard
from tests.waiting import wait_for

pytestmark = pytest.mark.process
# A fraction of the minute that somebody waits for, and of what the work under way would take.
STOP_SECONDS = 20.0


def test_the_greeting_tells_where_and_how(running: Running) -> None:
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+", running.url)
    assert str(running.data_dir) in running.greeting


def test_nobody_else_on_the_machine_can_read_the_files(running: Running) -> None:
    paths = [Path(folder, name) for folder, _, names in os.walk(running.data_dir) for name in (".", *names)]
    assert len(paths) > 1
    assert not [path for path in paths if path.exists() and path.stat().st_mode & 0o077]


def test_the_example_in_the_greeting_prints_markdown(client_shell: Shell, running: Running) -> None:
    (client_shell.folder / "document.pdf").write_bytes(samples.letter("Dear greeting,"))
    [example] = [line for line in running.greeting.splitlines() if line.startswith("curl")]
    ran = subprocess.run(
        ["sh", "-c", example],
        cwd=client_shell.folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert "Dear greeting," in ran.stdout
    assert not ran.stdout.startswith("{")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1"])
def test_an_open_door_without_a_key_is_refused(shell: Shell, host: str) -> None:
    ran = shell.run("serve", "--port", "0", "--host", host)
    assert ran.returncode == 4
    assert "PAGEMILL_API_KEY" in ran.stderr
    assert not (shell.folder / "share").exists()


def test_an_empty_key_is_no_key(shell: Shell) -> None:
    assert shell.run("serve", "--port", "0", "--host", "0.0.0.0", PAGEMILL_API_KEY="").returncode == 4


def test_with_a_key_the_door_may_be_open_and_the_key_is_asked_for(tmp_path: Path) -> None:
    with serving(tmp_path, "--host", "0.0.0.0", PAGEMILL_API_KEY="sesame") as server:
        assert "sesame" not in server.greeting
        refused = Shell(tmp_path, {"PAGEMILL_SERVER": server.url}).run("jobs")
        assert refused.returncode == 1
        assert "PAGEMILL_API_KEY" in refused.stderr
        let_in = Shell(tmp_path, {"PAGEMILL_SERVER": server.url, "PAGEMILL_API_KEY": "sesame"}).run("jobs")
        assert let_in.returncode == 0


def test_a_data_folder_belongs_to_one_server(shell: Shell, running: Running) -> None:
    ran = shell.run("serve", "--port", "0", "--data-dir", running.data_dir)
    assert ran.returncode == 4
    assert "Another pagemill uses the data folder" in ran.stderr


def test_a_port_in_use_is_told_before_anything_is_made(shell: Shell, running: Running) -> None:
    ran = shell.run("serve", "--port", running.url.rpartition(":")[2])
    assert ran.returncode == 4
    assert "is in use" in ran.stderr
    assert "--port" in ran.stderr
    assert not (shell.folder / "share").exists()


def test_an_address_that_is_not_ours_is_told(shell: Shell) -> None:
    ran = shell.run("serve", "--host", "192.0.2.1", "--port", "0", PAGEMILL_API_KEY="sesame")
    assert ran.returncode == 4
    assert "Can't listen on 192.0.2.1" in ran.stderr


def test_a_data_folder_that_cannot_be_made_is_told(shell: Shell) -> None:
    (shell.folder / "file").touch()
    ran = shell.run("serve", "--port", "0", "--data-dir", shell.folder / "file" / "data")
    assert ran.returncode == 4
    assert "PAGEMILL_DATA_DIR" in ran.stderr


@pytest.mark.parametrize(
    ("name", "value"), [("LOG_LEVEL", "LOUD"), ("LOG_FORMAT", "xml"), ("PORT", "99999"), ("SLOTS", "0")]
)
def test_a_setting_that_makes_no_sense_is_named(shell: Shell, name: str, value: str) -> None:
    ran = shell.run("serve", **{f"PAGEMILL_{name}": value})
    assert ran.returncode == 4
    assert f"PAGEMILL_{name}" in ran.stderr


def test_every_line_is_json_where_machines_read(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    process = start(
        tmp_path,
        "serve",
        "--port",
        "0",
        "--data-dir",
        data_dir,
        PAGEMILL_LOG_FORMAT="json",
        PAGEMILL_LOG_LEVEL="DEBUG",
    )
    assert process.stderr is not None
    said: list[dict[str, str]] = []
    while not said or not said[-1]["message"].startswith("pagemill serves "):
        said.append(json.loads(process.stderr.readline()))
    with Client(said[-1]["message"].split()[2]) as client:
        client.health()
    process.send_signal(signal.SIGTERM)
    answered, rest = process.communicate(timeout=DEADLINE_SECONDS)
    said += [json.loads(line) for line in rest.splitlines()]
    assert any(line["logger"].startswith("pagemill.") for line in said)
    assert said[-1]["message"].startswith("Stopped; ")
    assert answered == ""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_gives_work_in_progress_back_uncounted(tmp_path: Path, number: signal.Signals) -> None:
    with serving(tmp_path, "--slots", "1") as server:
        with Client(server.url) as client:
            job = client.submit(samples.big(4_000))
            wait_for(lambda: client.job(job.id).processed_pages > 0)
        code, seconds, said = server.stop(number)
    assert code == 0, said
    assert seconds < STOP_SECONDS
    assert "Traceback" not in said
    states = dict(rows(server.data_dir, "SELECT state, count(*) FROM chunks GROUP BY state"))
    assert states["ready"] > 0
    assert states["done"] > 0
    assert "running" not in states
    assert rows(server.data_dir, "SELECT sum(crashes), sum(errors), sum(lost) FROM chunks") == [(0, 0, 0)]


@pytest.mark.slow
def test_a_restart_goes_on_where_the_last_run_stopped(tmp_path: Path) -> None:
    with serving(tmp_path, "--slots", "1") as server, Client(server.url) as client:
        job = client.submit(samples.big(500))
        wait_for(lambda: client.job(job.id).processed_pages > 0)
        server.stop()
    done = set(rows(server.data_dir, "SELECT id FROM chunks WHERE state = 'done'"))
    fences = dict(rows(server.data_dir, "SELECT id, fence FROM chunks"))
    with serving(tmp_path) as server, Client(server.url) as client:
        over = client.wait(job.id, timeout_seconds=60)
        assert (over.status, over.processed_pages, over.failed_pages) == ("completed", 500, ())
        assert over.counters.lost == 0
    again = dict(rows(server.data_dir, "SELECT id, fence FROM chunks"))
    assert done
    assert all(again[chunk] == fences[chunk] for (chunk,) in done)


def test_those_who_wait_do_not_hold_up_the_stop(tmp_path: Path) -> None:
    with serving(tmp_path, "--slots", "1") as server, Client(server.url) as client:
        job = client.submit(samples.big(4_000))
        host, _, port = server.url.removeprefix("http://").partition(":")
        with socket.create_connection((host, int(port))) as poll:
            path = f"/v1/jobs/{job.id}?wait=60"
            poll.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
            wait_for(lambda: client.job(job.id).processed_pages > 0)
            code, seconds, _ = server.stop()
    assert code == 0
    assert seconds < STOP_SECONDS


def test_a_server_that_is_stopped_leaves_no_process(tmp_path: Path) -> None:
    with serving(tmp_path, "--slots", "2") as server:
        group = os.getpgid(server.process.pid)
        server.stop()
    wait_for(lambda: not has_processes(group))


def has_processes(group: int) -> bool:
    """Whether a group has processes, be it one that nobody has buried yet."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_second_signal_ends_it_at_once_and_nothing_is_lost(tmp_path: Path) -> None:
    with serving(tmp_path, "--slots", "1") as server, Client(server.url) as client:
        job = client.submit(samples.letter())
        host, _, port = server.url.removeprefix("http://").partition(":")
        with socket.create_connection((host, int(port))) as upload:
            head = f"POST /v1/jobs HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/pdf\r\n"
            upload.sendall(f"{head}Content-Length: 100\r\n\r\n%PDF-1.7".encode())
            wait_for(lambda: client.job(job.id).is_over)
            server.process.send_signal(signal.SIGINT)
            wait_for(lambda: not is_listening(host, int(port)))
            code, _, _ = server.stop()
    assert code == 130
    with serving(tmp_path, "--slots", "1") as server, Client(server.url) as client:
        assert client.job(job.id).status == "completed"


@contextmanager
def unheard(
    folder: Path, line: list[str], port: int, stream: int | IO[str]
) -> Iterator[subprocess.Popen[str]]:
    """A server that listens, whatever became of its greeting; killed at the end if it still runs."""
    process = subprocess.Popen(
        line, cwd=folder, env=environment(), stdout=stream, stderr=stream, text=True, start_new_session=True
    )
    try:
        wait_for(lambda: process.poll() is not None or is_listening("127.0.0.1", port))
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def test_nobody_reading_what_it_says_neither_ends_nor_hangs_a_server(tmp_path: Path) -> None:
    port = free_port()
    line = command("serve", "--port", str(port), "--data-dir", tmp_path / "data", "--slots", "1")
    reader, writer = os.pipe()
    os.close(reader)
    with unheard(tmp_path, line, port, writer) as process, Client(f"http://127.0.0.1:{port}") as client:
        os.close(writer)
        assert client.wait(client.submit(samples.letter()).id, timeout_seconds=60).status == "completed"
        began = time.monotonic()
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 0
    assert time.monotonic() - began < STOP_SECONDS


def test_a_server_runs_with_stdout_and_stderr_closed(tmp_path: Path) -> None:
    port = free_port()
    line = command("serve", "--port", str(port), "--data-dir", tmp_path / "data", "--slots", "1")
    closed = ["sh", "-c", 'exec "$@" >&- 2>&-', "sh", *line]
    with (
        unheard(tmp_path, closed, port, subprocess.DEVNULL) as process,
        Client(f"http://127.0.0.1:{port}") as client,
    ):
        assert client.wait(client.submit(samples.letter()).id, timeout_seconds=60).status == "completed"
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 0


class BrokenLine(LiveLine):
    """A line that can't be shown."""

    def show(self, text: str, gist: str = "") -> None:
        """Fail."""
        raise LookupError(text + gist)


def test_an_error_beside_the_server_ends_it_instead_of_leaving_it_unstoppable(tmp_path: Path) -> None:
    raised: list[Exception] = []
    settings = small_settings(tmp_path)
    with open_mill(settings, workers=False) as mill, socket.create_server(("127.0.0.1", 0)) as door:
        server = make_server(create_app(mill), settings)

        def run() -> None:
            try:
                serve_until_stopped(server, door, mill, BrokenLine(), Stop())
            except LookupError as error:
                raised.append(error)

        thread = threading.Thread(target=run)
        thread.start()
        thread.join(30)
        hangs = thread.is_alive()
        server.should_exit = True
        thread.join()
    assert not hangs
    assert raised


def test_many_who_connect_to_a_busy_server_are_taken_several_at_a_time(tmp_path: Path) -> None:
    settings, rounds = small_settings(tmp_path), count()
    with (
        open_mill(settings, workers=False) as mill,
        socket.create_server(("127.0.0.1", 0), backlog=64) as door,
    ):
        listening, where = threading.Event(), door.getsockname()
        server = make_server(create_app(mill), settings, lambda _port: listening.set())
        thread = threading.Thread(target=server.run, kwargs={"sockets": [door]})
        thread.start()
        assert listening.wait(DEADLINE_SECONDS)
        loop = server.servers[0].get_loop()

        def be_busy() -> None:
            next(rounds)
            time.sleep(0.02)
            loop.call_soon(be_busy)

        loop.call_soon_threadsafe(be_busy)
        callers = [socket.create_connection(where, timeout=DEADLINE_SECONDS) for _ in range(40)]
        before = next(rounds)
        for caller in callers:
            caller.sendall(b"GET /version HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        assert all(heard(caller).startswith(b"HTTP/1.1 200") for caller in callers)
        taken = next(rounds) - before
        for caller in callers:
            caller.close()
        server.should_exit = True
        thread.join()
    assert taken < len(callers) / 2


def is_listening(host: str, port: int) -> bool:
    """Whether connections are taken."""
    try:
        socket.create_connection((host, port)).close()
    except OSError:
        return False
    return True
