"""A slow or hanging receiver delays nobody else, and no receiver gets more at once than it may."""

import threading
import time
from pathlib import Path

import pytest

from pagemill.desk import webhooks
from pagemill.mill import DEFAULT_TENANT
from pagemill.model.webhooks import WantedEndpoint
from pagemill.wiring import open_mill
from tests.http_receivers import Answered, Received, receiving_http
from tests.mills import hand_in, small_settings
from tests.samples import letter
from tests.waiting import wait_for
from tests.webhooks.around import LOCAL, notifying

pytestmark = pytest.mark.mill

JOBS = 20


def test_a_hanging_receiver_delays_no_other_and_no_job(tmp_path: Path) -> None:
    released = threading.Event()

    def hang(_: Received) -> Answered:
        released.wait(60)
        return Answered()

    settings = small_settings(
        tmp_path, outbound_allow=LOCAL, webhook_timeout_seconds=30, webhook_connections=6
    )
    with receiving_http(hang) as hanging, receiving_http() as quick, open_mill(settings) as mill:
        for receiver in (hanging, quick):
            webhooks.add_endpoint(mill, DEFAULT_TENANT, WantedEndpoint(receiver.url, ["job.completed"]))
        for number in range(JOBS):
            hand_in(mill, letter(f"Dear {number},"))
        wait_for(lambda: len(quick.requests) == JOBS, seconds=25)
        assert len(hanging.requests) <= settings.webhook_concurrency
        released.set()


def test_a_receiver_gets_no_more_at_once_than_it_may(tmp_path: Path) -> None:
    present, most = [0], [0]
    lock = threading.Lock()

    def count(_: Received) -> Answered:
        with lock:
            present[0] += 1
            most[0] = max(most[0], present[0])
        time.sleep(0.02)
        with lock:
            present[0] -= 1
        return Answered()

    with receiving_http(count) as receiver, notifying(tmp_path, webhook_concurrency=3) as scene:
        scene.subscribe(receiver.url)
        for number in range(40):
            scene.accept(number)
        while scene.turn():
            continue
    assert len(receiver.requests) == 40
    assert most[0] == 3


def test_a_receiver_that_hangs_is_cut_off_in_time(tmp_path: Path) -> None:
    released = threading.Event()

    def hang(_: Received) -> Answered:
        released.wait(30)
        return Answered()

    with receiving_http(hang) as receiver, notifying(tmp_path, webhook_timeout_seconds=0.5) as scene:
        scene.subscribe(receiver.url)
        scene.accept()
        started = time.monotonic()
        scene.turn()
        assert time.monotonic() - started < 10
        assert scene.only_delivery()["last_error"] == "fetch_timeout"
        released.set()


def test_a_failing_receiver_is_tried_with_one_delivery_at_a_time(tmp_path: Path) -> None:
    with (
        receiving_http(lambda _: Answered(500)) as receiver,
        notifying(tmp_path, webhook_schedule="0,1000") as scene,
    ):
        scene.subscribe(receiver.url)
        scene.accept(0)
        scene.turn()
        for number in range(10):
            scene.accept(number)
        assert scene.turn() == 1
    assert len(receiver.requests) == 2
