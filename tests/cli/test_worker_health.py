"""What a worker without an API shows of itself."""

import contextlib
import socket
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

import pagemill
from pagemill import failures
from pagemill.db import workers
from pagemill.desk.admin import worker_states
from pagemill.entrypoints.worker.health import always, serve_health, serve_health_at
from pagemill.errors import Refused
from pagemill.heartbeat import Heartbeat, worker_row
from pagemill.mill import Mill
from pagemill.model.liveness import ClaimBackoff
from pagemill.model.states import Lane
from pagemill.runner import note_storage, take_turn
from pagemill.wiring import open_mill
from tests.mills import finished, hand_in, small_settings
from tests.model.test_failures import CAPS, CHUNK
from tests.model.test_liveness import SteadyClock
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


def test_a_worker_whose_storage_fails_it_claims_nothing_and_says_why(tmp_path: Path) -> None:
    clock = SteadyClock()
    with open_mill(small_settings(tmp_path), workers=False) as idle:
        sick = replace(idle, backoff=ClaimBackoff(clock))
        hand_in(sick, letter())
        full = failures.set_back_for_error(CHUNK, CAPS, "storage_full", "", retryable=True)
        for _ in range(3):
            clock.now += 60
            note_storage(sick, [full])
        heartbeat = Heartbeat(sick, worker_row(sick, (Lane.FAST,)))
        heartbeat.beat()
        heartbeat.beat()
        with serve_health_at(("127.0.0.1", 0), sick, always) as port, at(port) as http:
            assert http.get("/ready").json()["reasons"] == ["storage_full"]
            assert 'pagemill_worker_pausing{code="storage_full"} 1.0' in http.get("/metrics").text
        [state] = worker_states(sick.db, lease_seconds=60)
        assert (state.trouble, state.version) == ("storage_full", pagemill.__version__)
        assert any(engine.startswith("pdfium ") for engine in state.engines)
        assert not take_turn(sick, (Lane.FAST,), threading.Event())
        clock.now += 60
        assert take_turn(sick, (Lane.FAST,), threading.Event())
        assert sick.backoff.reason is None


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
