"""What a worker without an API shows of itself."""

import contextlib
import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from pagemill.db import workers
from pagemill.entrypoints.worker.health import always, serve_health, serve_health_at
from pagemill.errors import Refused
from pagemill.mill import Mill
from pagemill.wiring import open_mill
from tests.mills import finished, hand_in, small_settings
from tests.samples import letter
from tests.waiting import wait_for


@pytest.fixture(scope="module")
def mill(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mill]:
    """A mill at work."""
    with open_mill(small_settings(tmp_path_factory.mktemp("mill"))) as opened_mill:
        yield opened_mill


def test_a_worker_at_work_is_alive_and_ready_and_shows_what_it_counted(mill: Mill) -> None:
    finished(mill, hand_in(mill, letter()).job_id)
    with serve_health_at(("127.0.0.1", 0), mill, always) as port, at(port) as http:
        assert http.get("/health").json() == {"status": "ok"}
        assert http.get("/ready").json() == {"status": "ok"}
        # Counted after the commit that tells of the end.
        wait_for(lambda: 'pagemill_jobs_total{status="completed"} 1.0' in http.get("/metrics").text)
        shown = http.get("/metrics").text
        assert http.get("/v1/jobs").status_code == 404
    assert "pagemill_press_slots" in shown
    # A thousand workers that each count the backlog would keep the database from its work.
    assert "pagemill_backlog_chunks" not in shown


def test_a_worker_whose_consumer_is_deaf_is_not_ready(mill: Mill) -> None:
    with serve_health_at(("127.0.0.1", 0), mill, lambda: False) as port, at(port) as http:
        answer = http.get("/ready")
        assert http.get("/health").status_code == 200
    assert (answer.status_code, answer.json()["reasons"]) == (503, ["deaf"])


def test_a_worker_that_is_taken_for_gone_is_not_ready_until_it_is_back(mill: Mill) -> None:
    with serve_health_at(("127.0.0.1", 0), mill, always) as port, at(port) as http:
        # Removed as often as it takes, because the next heartbeat may come before the look.
        wait_for(lambda: reasons_without_row(mill, http) == ["not_seen_lately"])
        wait_for(lambda: http.get("/ready").status_code == 200)


def reasons_without_row(mill: Mill, http: httpx.Client) -> list[str] | None:
    """Why a worker whose row was taken away is not ready."""
    mill.db.write(lambda tx: workers.remove(tx, mill.worker_id))
    reasons: list[str] | None = http.get("/ready").json().get("reasons")
    return reasons


def test_a_worker_whose_press_has_stopped_is_not_alive(tmp_path: Path) -> None:
    with open_mill(small_settings(tmp_path), workers=False) as stopped:
        stopped.press.stop()
        with serve_health_at(("127.0.0.1", 0), stopped, always) as port, at(port) as http:
            assert http.get("/health").json()["reasons"] == ["press_stopped"]


def test_nothing_is_shown_without_a_port(mill: Mill) -> None:
    with serve_health(mill) as port:
        assert port == 0


def test_a_port_that_is_taken_is_told_with_the_setting(mill: Mill) -> None:
    with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as taken:
        address = taken.getsockname()
        with pytest.raises(Refused, match="PAGEMILL_METRICS_PORT"), serve_health_at(address, mill, always):
            pass


def at(port: int) -> httpx.Client:
    """A client of what is shown at a port."""
    return httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=10)
