"""What does not arrive is tried again on schedule, under the same id, until it is delivered or given up."""

import time
from collections.abc import Iterator
from email.utils import formatdate
from pathlib import Path

import pytest

from pagemill.desk import webhooks
from pagemill.desk.queries import tenant_events
from pagemill.errors import DeliveryActive
from pagemill.mill import DEFAULT_TENANT
from pagemill.model.webhook_schedule import JITTER, next_wait, parse_schedule, retry_after_seconds
from pagemill.settings import Settings
from tests.certificates import make_certificate
from tests.http_receivers import Answered, Received, receiving_http
from tests.webhooks.around import Notifying, is_signed, notifying

pytestmark = pytest.mark.mill

HOUR, DAY = 3_600.0, 86_400.0
DEFAULT_WAITS = parse_schedule(Settings().webhook_schedule)


def logged_events(scene: Notifying, kind: str) -> list[dict[str, object]]:
    """What the log says of a kind of event."""
    found = tenant_events(scene.mill, DEFAULT_TENANT, cursor=None, limit=100, kinds=[kind])
    return [dict(event.facts) for event in found.events]


def test_every_step_of_the_schedule_is_kept_and_then_it_is_given_up(tmp_path: Path) -> None:
    with (
        receiving_http(lambda _: Answered(500)) as receiver,
        notifying(tmp_path, webhook_disable_seconds=30 * DAY) as scene,
    ):
        _, secret = scene.subscribe(receiver.url)
        scene.accept()
        scene.turn()
        for count, wait in enumerate(DEFAULT_WAITS[1:], start=1):
            assert len(receiver.requests) == count
            assert scene.turn(wait - 0.5) == 0, "it is not tried before its time"
            assert scene.turn(wait * JITTER + 1.0) == 1, (
                "it is tried when its time and the jitter have passed"
            )
        delivery = scene.only_delivery()
        assert scene.turn(30 * DAY) == 0
    assert len(receiver.requests) == len(DEFAULT_WAITS) == 10
    assert len({request.headers["webhook-id"] for request in receiver.requests}) == 1
    assert all(is_signed(secret, request) for request in receiver.requests)
    assert (delivery["state"], delivery["last_error"]) == ("failed", "status_500")
    assert [one["number"] for one in delivery["log"]] == list(range(1, 11))
    assert [one["at"] for one in delivery["log"]] == sorted(one["at"] for one in delivery["log"])


def test_three_attempts_can_be_had_too(tmp_path: Path) -> None:
    with (
        receiving_http(lambda _: Answered(503)) as receiver,
        notifying(tmp_path, webhook_schedule="0,30,30") as scene,
    ):
        scene.subscribe(receiver.url)
        scene.accept()
        for _ in range(5):
            scene.turn(34)
        assert scene.only_delivery()["state"] == "failed"
    assert len(receiver.requests) == 3


def test_a_receiver_that_was_down_for_hours_gets_everything_when_it_is_back(tmp_path: Path) -> None:
    answers = {"status": 503}
    with receiving_http(lambda _: Answered(answers["status"])) as receiver, notifying(tmp_path) as scene:
        scene.subscribe(receiver.url)
        for number in range(5):
            scene.accept(number)
        for _ in range(36):
            scene.turn(HOUR / 12)
        assert {one["state"] for one in scene.deliveries()} == {"pending"}
        answers["status"] = 204
        for _ in range(48):
            scene.turn(HOUR / 12)
        assert {one["state"] for one in scene.deliveries()} == {"delivered"}
    assert len({request.headers["webhook-id"] for request in receiver.requests}) == 5


def test_a_server_that_takes_no_connection_is_tried_again(tmp_path: Path) -> None:
    with receiving_http() as receiver:
        url = receiver.url
    with notifying(tmp_path) as scene:
        scene.subscribe(url)
        scene.accept()
        scene.turn()
        delivery = scene.only_delivery()
    assert (delivery["state"], delivery["last_error"], delivery["last_status"]) == (
        "pending",
        "fetch_failed",
        None,
    )


def test_a_secret_that_is_rotated_between_attempts_signs_together_with_the_old_one(tmp_path: Path) -> None:
    with receiving_http(lambda _: Answered(500)) as receiver, notifying(tmp_path) as scene:
        endpoint_id, old = scene.subscribe(receiver.url)
        scene.accept()
        scene.turn()
        new = webhooks.rotate_secret(scene.mill, DEFAULT_TENANT, endpoint_id, 10 * 60)["secret"]
        scene.turn(6)
        scene.turn(HOUR)
    first, second, third = receiver.requests
    assert (is_signed(old, first), is_signed(new, first)) == (True, False)
    assert (is_signed(old, second), is_signed(new, second)) == (True, True)
    assert (is_signed(old, third), is_signed(new, third)) == (False, True)


def test_a_second_rotation_drops_the_oldest_secret_at_once(tmp_path: Path) -> None:
    with receiving_http() as receiver, notifying(tmp_path) as scene:
        endpoint_id, first = scene.subscribe(receiver.url)
        second, third = (
            webhooks.rotate_secret(scene.mill, DEFAULT_TENANT, endpoint_id, HOUR)["secret"] for _ in range(2)
        )
        scene.accept()
        scene.turn()
    [request] = receiver.requests
    assert [is_signed(one, request) for one in (first, second, third)] == [False, True, True]


def test_a_receiver_that_is_gone_is_disabled_with_an_event(tmp_path: Path) -> None:
    with receiving_http(lambda _: Answered(410)) as receiver, notifying(tmp_path) as scene:
        endpoint_id, _ = scene.subscribe(receiver.url)
        scene.accept(1)
        scene.turn()
        scene.accept(2)
        assert scene.turn(DAY) == 0
        shown = webhooks.show_endpoint(scene.mill, DEFAULT_TENANT, endpoint_id)
        [event] = logged_events(scene, "webhook.disabled")
    assert len(receiver.requests) == 1
    assert (shown["status"], shown["disabled_reason"]) == ("disabled", "gone")
    assert (event["endpoint_id"], event["reason"]) == (endpoint_id, "gone")


def test_an_endpoint_that_failed_for_days_is_disabled_with_an_event_and_can_be_enabled_again(
    tmp_path: Path,
) -> None:
    answers = {"status": 500}
    with receiving_http(lambda _: Answered(answers["status"])) as receiver, notifying(tmp_path) as scene:
        endpoint_id, _ = scene.subscribe(receiver.url)
        scene.accept(1)
        scene.turn()
        for number in range(7):
            scene.accept(2 + number)
            scene.turn(DAY)
        assert webhooks.show_endpoint(scene.mill, DEFAULT_TENANT, endpoint_id)["status"] == "disabled"
        assert [event["reason"] for event in logged_events(scene, "webhook.disabled")] == ["failing"]
        assert {one["state"] for one in scene.deliveries()} == {"failed"}
        answers["status"] = 200
        webhooks.change_endpoint(scene.mill, DEFAULT_TENANT, endpoint_id, {"enabled": True})
        count = webhooks.replay_failed(scene.mill, DEFAULT_TENANT, endpoint_id, since=0.0)
        scene.turn(1)
        assert {one["state"] for one in scene.deliveries()} == {"delivered"}
    assert count == len({request.headers["webhook-id"] for request in receiver.requests})


def test_a_redirect_is_a_failure_and_is_not_followed(tmp_path: Path) -> None:
    with receiving_http() as other, notifying(tmp_path) as scene:
        with receiving_http(lambda _: Answered(301, {"location": other.url})) as receiver:
            scene.subscribe(receiver.url)
            scene.accept()
            scene.turn()
        assert (scene.only_delivery()["state"], scene.only_delivery()["last_error"]) == (
            "pending",
            "status_301",
        )
    assert not other.requests


def test_an_expired_certificate_is_a_failure_that_is_tried_again(tmp_path: Path) -> None:
    certificate = make_certificate(tmp_path, "localhost", expired=True)
    with receiving_http(tls=certificate.server()) as receiver, notifying(tmp_path / "mill") as scene:
        scene.subscribe(receiver.url)
        scene.accept()
        scene.turn()
        assert (scene.only_delivery()["state"], scene.only_delivery()["last_error"]) == (
            "pending",
            "tls_error",
        )


def test_an_address_that_is_forbidden_by_now_is_not_tried_again(tmp_path: Path) -> None:
    with receiving_http() as receiver:
        with notifying(tmp_path) as scene:
            scene.subscribe(receiver.url)
            scene.accept()
            scene.turn()
        with notifying(tmp_path, outbound_allow="") as scene:
            scene.accept(2)
            scene.turn()
            assert [one["last_error"] for one in scene.deliveries()] == [None, "url_forbidden_address"]
            assert scene.turn(30 * DAY) == 0
    assert len(receiver.requests) == 1


@pytest.mark.parametrize("status", [429, 503])
def test_a_wait_that_the_receiver_asks_for_is_honoured(tmp_path: Path, status: int) -> None:
    with (
        receiving_http(lambda _: Answered(status, {"retry-after": "120"})) as receiver,
        notifying(tmp_path) as scene,
    ):
        scene.subscribe(receiver.url)
        scene.accept()
        scene.turn()
        assert scene.turn(119) == 0
        assert scene.turn(2) == 1
    assert len(receiver.requests) == 2


def test_waits_that_receivers_ask_for_are_capped_and_dates_are_understood() -> None:
    now = time.time()
    assert retry_after_seconds("120", now) == 120
    assert retry_after_seconds(formatdate(now + 90, usegmt=True), now) == pytest.approx(90, abs=1)
    for nonsense in (formatdate(now - 90, usegmt=True), "soon", "-5", "", None, "²", "9" * 400 + "x"):
        assert retry_after_seconds(nonsense, now) is None
    waits = (0.0, 5.0, 300.0)
    assert next_wait(waits, 1, asked_seconds=999_999_999, most_seconds=DAY, chance=lambda: 0) == DAY
    assert next_wait(waits, 2, asked_seconds=10, most_seconds=DAY, chance=lambda: 0) == 300
    assert next_wait(waits, 1, most_seconds=DAY, chance=lambda: 1) == pytest.approx(5 * (1 + JITTER))
    assert next_wait(waits, 3, most_seconds=DAY) is None


def echoing() -> Iterator[bytes]:
    """An answer that gives away what it was sent, and has no end."""
    yield b'{"authorization": "Bearer abcdef123456", "secret": "whsec_QUJDREVGR0hJSktMTU5PUFFSU1RVVldY", "n": 1} '
    for _ in range(20_000):
        yield b"x" * 65_536


def test_the_log_keeps_a_short_answer_without_secrets(tmp_path: Path) -> None:
    with receiving_http(lambda _: Answered(500, pieces=echoing)) as receiver, notifying(tmp_path) as scene:
        scene.subscribe(receiver.url)
        scene.accept()
        scene.turn()
        [attempt] = scene.only_delivery()["log"]
    assert len(attempt["answer"]) <= 1_000
    assert '"n": 1' in attempt["answer"]
    assert "abcdef123456" not in attempt["answer"]
    assert "QUJDREVG" not in attempt["answer"]


def test_what_waits_for_an_endpoint_that_is_deleted_is_cancelled(tmp_path: Path) -> None:
    with receiving_http(lambda _: Answered(500)) as receiver, notifying(tmp_path) as scene:
        endpoint_id, _ = scene.subscribe(receiver.url)
        scene.accept()
        scene.turn()
        webhooks.remove_endpoint(scene.mill, DEFAULT_TENANT, endpoint_id)
        assert scene.turn(30 * DAY) == 0
        assert scene.only_delivery()["state"] == "cancelled"
    assert len(receiver.requests) == 1


def test_one_delivery_is_replayed_under_its_own_id(tmp_path: Path) -> None:
    with receiving_http() as receiver, notifying(tmp_path) as scene:
        scene.subscribe(receiver.url)
        scene.accept()
        scene.turn()
        delivery = scene.only_delivery()
        webhooks.replay(scene.mill, DEFAULT_TENANT, delivery["id"])
        scene.turn(1)
    assert [request.headers["webhook-id"] for request in receiver.requests] == [delivery["id"]] * 2


def test_a_delivery_that_waits_can_be_sent_now_and_one_that_is_being_sent_is_left_alone(
    tmp_path: Path,
) -> None:
    replayed_while_sent: list[str] = []
    answers = [500, 204]
    with notifying(tmp_path) as scene:

        def answer(request: Received) -> Answered:
            with pytest.raises(DeliveryActive) as refused:
                webhooks.replay(scene.mill, DEFAULT_TENANT, request.headers["webhook-id"])
            replayed_while_sent.append(refused.value.code)
            return Answered(answers.pop(0))

        with receiving_http(answer) as receiver:
            scene.subscribe(receiver.url)
            scene.accept()
            scene.turn()
            waiting = scene.only_delivery()
            assert (waiting["state"], scene.turn()) == ("pending", 0)
            webhooks.replay(scene.mill, DEFAULT_TENANT, waiting["id"])
            assert scene.turn() == 1
            sent = scene.only_delivery()
    assert (sent["state"], sent["attempts"]) == ("delivered", 2)
    assert replayed_while_sent == ["delivery_active"] * 2
