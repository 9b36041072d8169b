"""Faults of webhooks: slow and absent receivers, and a sender that is killed at the worst moment."""

import json
import threading
from pathlib import Path

import httpx
import pytest

from bench.machine import tree
from tests.cluster.cluster import Cluster
from tests.faults.conftest import Serve
from tests.http_receivers import Answered, HttpReceiver, Received, receiving_http
from tests.samples import letter
from tests.waiting import wait_for
from tests.webhooks.around import LOCAL, notifying

pytestmark = pytest.mark.slow
FAULT = "webhook.after_send:kill"
PATIENCE_SECONDS = 100
HOUR = 3_600.0


def subscribe(url: str, receiver: HttpReceiver, *events: str) -> None:
    """Register a receiver."""
    answer = httpx.post(f"{url}/v1/webhooks", json={"url": receiver.url, "events": list(events)}, timeout=30)
    assert answer.status_code == 201, answer.text


def submit(url: str, number: int = 0) -> str:
    """Hand a document in; the id of its job."""
    headers = {"content-type": "application/pdf"}
    answer = httpx.post(f"{url}/v1/jobs", content=letter(f"Dear {number},"), headers=headers, timeout=30)
    return str(answer.json()["id"])


def deliveries(url: str) -> list[dict[str, object]]:
    """All deliveries."""
    found: list[dict[str, object]] = httpx.get(f"{url}/v1/deliveries", timeout=30).json()["deliveries"]
    return found


def assert_one_message(url: str, receiver: HttpReceiver, job_id: str) -> None:
    """The receiver got the event twice, under one id, and the log says that it was delivered."""
    wait_for(lambda: [one["state"] for one in deliveries(url)] == ["delivered"], PATIENCE_SECONDS)
    assert len(receiver.requests) == 2
    assert {request.headers["webhook-id"] for request in receiver.requests} == {str(deliveries(url)[0]["id"])}
    assert {json.loads(body)["data"]["job_id"] for body in receiver.bodies()} == {job_id}


def test_a_slow_webhook_receiver_delays_neither_jobs_nor_other_receivers(
    tmp_path: Path, serve: Serve
) -> None:
    released = threading.Event()

    def slow(_: Received) -> Answered:
        released.wait(2 * PATIENCE_SECONDS)
        return Answered()

    server = serve(
        tmp_path / "mill",
        outbound_allow=LOCAL,
        webhook_connections=6,
        webhook_timeout_seconds=2 * PATIENCE_SECONDS,
    )
    url = f"http://127.0.0.1:{server.port}"
    with receiving_http(slow) as late, receiving_http() as quick:
        subscribe(url, late, "job.completed")
        subscribe(url, quick, "job.completed")
        try:
            for number in range(30):
                submit(url, number)
            wait_for(lambda: len(quick.requests) == 30, PATIENCE_SECONDS)
            # The others wait, for none of these was answered.
            assert len(late.requests) <= 4
        finally:
            released.set()


def test_a_webhook_receiver_that_is_down_for_hours_is_tried_on_schedule(tmp_path: Path) -> None:
    with receiving_http() as gone:
        url = gone.url
    with notifying(tmp_path) as scene:
        scene.subscribe(url)
        scene.accept()
        for _ in range(180):
            scene.turn(60)
        delivery = scene.only_delivery()
        assert (delivery["state"], delivery["attempts"]) == ("pending", 5)
        assert {one["error"] for one in delivery["log"]} == {"fetch_failed"}
        for _ in range(6 * 24):
            scene.turn(HOUR)
        assert scene.only_delivery()["state"] == "failed"


def test_a_sender_killed_between_sending_and_recording_sends_again_under_the_same_id(
    tmp_path: Path, serve: Serve
) -> None:
    server = serve(tmp_path / "mill", outbound_allow=LOCAL, fault=FAULT)
    url = f"http://127.0.0.1:{server.port}"
    with receiving_http() as receiver:
        subscribe(url, receiver, "job.completed")
        job_id = submit(url)
        assert server.process.wait(PATIENCE_SECONDS) == -9
        server = serve(tmp_path / "mill", outbound_allow=LOCAL)
        assert_one_message(f"http://127.0.0.1:{server.port}", receiver, job_id)


def test_what_a_killed_worker_was_sending_is_sent_by_another(cluster: Cluster) -> None:
    cluster.settings |= {"outbound_allow": LOCAL}
    api = cluster.api()
    doomed = cluster.worker(fault=FAULT)
    with receiving_http() as receiver:
        subscribe(api.url, receiver, "job.completed")
        job_id = submit(api.url)
        wait_for(lambda: not doomed.is_alive, PATIENCE_SECONDS)
        cluster.worker()
        assert_one_message(api.url, receiver, job_id)
    assert not [process for process in tree(doomed.pid) if process.is_running()]
