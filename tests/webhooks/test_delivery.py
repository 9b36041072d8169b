"""Events reach receivers: signed, thin, once for each event and endpoint, and as often as asked."""

import json
import time
from pathlib import Path

import pytest
from standardwebhooks.webhooks import WebhookVerificationError

from pagemill.db import log_positions
from pagemill.db.events import LogPosition
from pagemill.desk import webhooks
from pagemill.dispatcher import RUN_SECONDS
from pagemill.mill import DEFAULT_TENANT, Mill
from pagemill.model.webhook_payloads import MOST_BYTES, payload
from pagemill.model.webhooks import WantedEndpoint
from pagemill.settings import Settings
from pagemill.steps.deliver import READER
from pagemill.wiring import open_mill
from tests.http_receivers import Answered, HttpReceiver, Received, receiving_http
from tests.mills import finished, hand_in, small_settings
from tests.samples import big, letter
from tests.waiting import wait_for
from tests.webhooks.around import LOCAL, notifying, verified

pytestmark = pytest.mark.mill


def subscribe(mill: Mill, receiver: HttpReceiver, *events: str) -> str:
    """Register the receiver; its secret."""
    wanted = WantedEndpoint(receiver.url, events)
    return webhooks.add_endpoint(mill, DEFAULT_TENANT, wanted)["secret"]


def types(receiver: HttpReceiver) -> list[str]:
    """The types of the messages that came."""
    return [json.loads(body)["type"] for body in receiver.bodies()]


def local(folder: Path, **changes: object) -> Settings:
    """Settings under which this machine may be notified."""
    return small_settings(folder, outbound_allow=LOCAL, **changes)


def test_the_end_of_a_job_is_delivered_and_verified_by_the_official_package(tmp_path: Path) -> None:
    with receiving_http() as receiver, open_mill(local(tmp_path, public_url="https://mill.example")) as mill:
        secret = subscribe(mill, receiver, "job.completed", "job.failed")
        job_id = hand_in(mill, letter()).job_id
        wait_for(lambda: bool(receiver.requests))
    [request] = receiver.requests
    message = verified(secret, request)
    assert (message["type"], message["data"]["job_id"]) == ("job.completed", job_id)
    assert message["data"]["status"] == "completed"
    assert message["data"]["links"]["markdown"] == f"https://mill.example/v1/jobs/{job_id}/markdown"
    assert request.headers["content-type"] == "application/json"
    with pytest.raises(WebhookVerificationError):
        verified("whsec_" + "A" * 44, request)


def test_events_that_nobody_subscribed_to_are_not_delivered(tmp_path: Path) -> None:
    with receiving_http() as receiver, open_mill(local(tmp_path)) as mill:
        subscribe(mill, receiver, "job.failed")
        finished(mill, hand_in(mill, letter()).job_id)
        subscribe(mill, receiver, "job.*")
        finished(mill, hand_in(mill, letter("Dear other,")).job_id)
        wait_for(lambda: "job.completed" in types(receiver))
    assert sorted(types(receiver)) == ["job.accepted", "job.completed", "job.started"]


def test_progress_is_told_in_steps_and_pages_one_by_one(tmp_path: Path) -> None:
    with receiving_http() as receiver, open_mill(local(tmp_path)) as mill:
        subscribe(mill, receiver, "job.progress", "job.page", "job.completed")
        finished(mill, hand_in(mill, big(200)).job_id)
        wait_for(lambda: "job.completed" in types(receiver) and types(receiver).count("job.page") == 200)
    messages = [json.loads(body) for body in receiver.bodies()]
    pages = sorted(one["data"]["page"] for one in messages if one["type"] == "job.page")
    steps = sorted(one["data"]["processed_pages"] for one in messages if one["type"] == "job.progress")
    assert pages == list(range(1, 201))
    assert 1 <= len(steps) <= 10
    assert steps[-1] == 200


def test_pages_of_a_short_document_are_told_too(tmp_path: Path) -> None:
    with receiving_http() as receiver, open_mill(local(tmp_path)) as mill:
        subscribe(mill, receiver, "job.page")
        finished(mill, hand_in(mill, big(3)).job_id)
        wait_for(lambda: len(receiver.requests) == 3)


def test_reading_the_log_twice_makes_no_second_delivery(tmp_path: Path) -> None:
    with receiving_http() as receiver, notifying(tmp_path) as scene:
        scene.subscribe(receiver.url)
        scene.accept()
        assert scene.turn() == 1
        scene.mill.db.write(lambda tx: log_positions.advance(tx, DEFAULT_TENANT, READER, LogPosition()))
        assert scene.turn() == 0
    assert len(receiver.requests) == 1


def test_an_endpoint_hears_nothing_of_what_happened_before_it_was_made(tmp_path: Path) -> None:
    with receiving_http() as receiver, notifying(tmp_path) as scene:
        scene.accept(1)
        scene.subscribe(receiver.url)
        later = scene.accept(2)
        scene.turn()
    assert [json.loads(body)["data"]["job_id"] for body in receiver.bodies()] == [later]


def test_a_payload_is_thin_whatever_the_event_holds() -> None:
    facts = {
        "job_id": "one",
        "status": "failed",
        "links": {"self": "/v1/jobs/one"},
        "metadata": {"x": "y" * 5_000_000},
    }
    body = payload("job.failed", 0.0, facts)
    assert len(body) < MOST_BYTES
    assert json.loads(body)["data"] == {
        "job_id": "one",
        "status": "failed",
        "links": {"self": "/v1/jobs/one"},
    }


def test_a_test_message_is_signed_and_recorded_like_any_other(tmp_path: Path) -> None:
    with receiving_http() as receiver, open_mill(local(tmp_path)) as mill:
        made = webhooks.add_endpoint(mill, DEFAULT_TENANT, WantedEndpoint(receiver.url))
        sent = webhooks.send_test(mill, DEFAULT_TENANT, made["id"])
        wait_for(lambda: webhooks.show_delivery(mill, DEFAULT_TENANT, sent["id"])["state"] == "delivered")
        shown = webhooks.show_delivery(mill, DEFAULT_TENANT, sent["id"])
    assert verified(made["secret"], receiver.requests[0])["type"] == "webhook.test"
    assert [one["status"] for one in shown["log"]] == [200]


def test_a_secret_is_kept_sealed(tmp_path: Path) -> None:
    with notifying(tmp_path) as scene:
        _, secret = scene.subscribe("https://receiver.example/hook")
        stored = b"".join(path.read_bytes() for path in (tmp_path).glob("pagemill.db*"))
    assert secret.removeprefix("whsec_").encode() not in stored


def test_what_can_t_be_written_down_in_an_outage_is_written_after_it_and_not_sent_again(
    tmp_path: Path,
) -> None:
    with notifying(tmp_path) as scene:

        def refuse_writes(value: str) -> None:
            scene.mill.db.write(lambda tx: tx.conn.exec_driver_sql(f"PRAGMA query_only={value}").close())

        def break_database(_: Received) -> Answered:
            refuse_writes("ON")
            return Answered()

        with receiving_http(break_database) as receiver:
            scene.subscribe(receiver.url)
            scene.accept()
            scene.turn()
            assert scene.only_delivery()["state"] == "sending"
            refuse_writes("OFF")
            scene.turn()
        assert scene.only_delivery()["state"] == "delivered"
    assert len(receiver.requests) == 1


def test_a_receiver_that_answers_slowly_holds_only_what_it_is_being_sent(tmp_path: Path) -> None:
    def answer_slowly(_: Received) -> Answered:
        time.sleep(1.1 * RUN_SECONDS)
        return Answered()

    with receiving_http(answer_slowly) as receiver, notifying(tmp_path, webhook_concurrency=1) as scene:
        scene.subscribe(receiver.url)
        for number in range(3):
            scene.accept(number)
        scene.turn()
        states = [one["state"] for one in scene.deliveries()]
        assert sorted(states) == ["delivered", "pending", "pending"]
        assert {one["attempts"] for one in scene.deliveries(state="pending")} == {0}
