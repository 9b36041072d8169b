"""Webhooks over HTTP: endpoints are made and changed, deliveries seen and replayed, bad addresses refused."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pagemill.model.webhook_signing import new_secret
from tests.http_receivers import Answered, HttpReceiver, receiving_http
from tests.mills import small_settings
from tests.samples import letter
from tests.servers import Served, served, served_idle
from tests.waiting import wait_for
from tests.webhooks.around import LOCAL, verified

PATIENCE_SECONDS = 30


@pytest.fixture(scope="module")
def notifying(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that may notify this machine."""
    folder: Path = tmp_path_factory.mktemp("webhooks")
    with served(small_settings(folder / "mill", outbound_allow=LOCAL, webhook_endpoints=20)) as server:
        yield server


@pytest.fixture
def receiver() -> Iterator[HttpReceiver]:
    """Something that takes webhooks."""
    with receiving_http() as opened:
        yield opened


def add(server: Served, url: str, **more: Any) -> dict[str, Any]:
    """Register an endpoint."""
    answer = server.http.post("/v1/webhooks", json={"url": url, **more})
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


def remove(server: Served, made: dict[str, Any]) -> None:
    """Remove an endpoint, so that other tests don't meet it."""
    assert server.http.delete(f"/v1/webhooks/{made['id']}").status_code == 204


def test_an_endpoint_is_made_shown_changed_rotated_and_removed(notifying: Served) -> None:
    made = add(notifying, "https://receiver.invalid/hook", events=["job.*"], description="mine")
    assert made["secret"].startswith("whsec_")
    address = f"/v1/webhooks/{made['id']}"
    shown = notifying.http.get(address).json()
    assert "secret" not in shown
    assert (shown["events"], shown["status"], shown["deliveries"]) == (["job.*"], "active", {})
    assert made["id"] in [one["id"] for one in notifying.http.get("/v1/webhooks").json()["webhooks"]]
    changed = notifying.http.patch(address, json={"enabled": False, "events": ["job.failed"]}).json()
    assert (changed["status"], changed["disabled_reason"], changed["events"]) == (
        "disabled",
        "by request",
        ["job.failed"],
    )
    rotated = notifying.http.post(f"{address}/rotate", json={"overlap_seconds": 60}).json()
    assert rotated["secret"] != made["secret"]
    assert rotated["old_secret_until"]
    remove(notifying, made)
    assert notifying.http.get(address).status_code == 404


def test_the_end_of_a_job_arrives_and_is_in_the_log(notifying: Served, receiver: HttpReceiver) -> None:
    made = add(notifying, receiver.url, events=["job.completed"])
    job = notifying.finished(letter("Dear log,"))
    wait_for(lambda: bool(receiver.requests), PATIENCE_SECONDS)
    assert verified(made["secret"], receiver.requests[0])["data"]["job_id"] == job["id"]
    asked = {"webhook": made["id"], "job": job["id"]}
    wait_for(lambda: state_of_first(notifying, asked) == "delivered", PATIENCE_SECONDS)
    [listed] = notifying.http.get("/v1/deliveries", params=asked).json()["deliveries"]
    assert notifying.http.get("/v1/deliveries", params={"cursor": "zzz"}).json()["code"] == "invalid_cursor"
    shown = notifying.http.get(f"/v1/deliveries/{listed['id']}").json()
    assert json.loads(shown["payload"])["type"] == "job.completed"
    assert [one["status"] for one in shown["log"]] == [200]
    replayed = notifying.http.post(f"/v1/deliveries/{listed['id']}/replay")
    assert replayed.status_code == 202
    wait_for(lambda: len(receiver.requests) == 2, PATIENCE_SECONDS)
    assert len({request.headers["webhook-id"] for request in receiver.requests}) == 1
    remove(notifying, made)


def test_every_event_that_is_sent_can_be_named_and_comes_with_its_facts(
    notifying: Served, receiver: HttpReceiver
) -> None:
    for name in ("job.scanned", "chunk.set_back", "job.published", "job.removed"):
        remove(notifying, add(notifying, receiver.url, events=[name]))
    for name in ("webhook.disabled", "request.refused", "job.labeled"):
        answer = notifying.http.post("/v1/webhooks", json={"url": receiver.url, "events": [name]})
        assert (answer.status_code, answer.json()["code"]) == (422, "validation_error"), name
    job = notifying.finished(letter("Dear name,"), reuse="false")
    made = add(notifying, receiver.url, events=["job.labelled", "job.retried"])
    notifying.http.patch(f"/v1/jobs/{job['id']}", json={"tags": ["new"]}).raise_for_status()
    notifying.http.post(f"/v1/jobs/{job['id']}/retry").raise_for_status()
    wait_for(lambda: len(receiver.requests) == 2, PATIENCE_SECONDS)
    messages = sorted((json.loads(body) for body in receiver.bodies()), key=lambda one: str(one["type"]))
    assert [one["type"] for one in messages] == ["job.labelled", "job.retried"]
    assert [one["data"]["facts"] for one in messages] == [{}, {"only": "all", "run": 2}]
    remove(notifying, made)


def state_of_first(server: Served, asked: dict[str, str]) -> str:
    """The state of the newest delivery."""
    found = server.http.get("/v1/deliveries", params=asked).json()["deliveries"]
    return str(found[0]["state"]) if found else ""


def test_a_test_message_and_a_replay_of_what_failed(notifying: Served) -> None:
    answers = {"status": 500}
    with receiving_http(lambda _: Answered(answers["status"])) as receiver:
        made = add(notifying, receiver.url)
        sent = notifying.http.post(f"/v1/webhooks/{made['id']}/test").json()
        wait_for(lambda: bool(receiver.requests), PATIENCE_SECONDS)
        wait_for(
            lambda: notifying.http.get(f"/v1/deliveries/{sent['id']}").json()["last_error"] == "status_500",
            PATIENCE_SECONDS,
        )
        # It is not sent now only while it is being sent.
        wait_for(
            lambda: notifying.http.post(f"/v1/deliveries/{sent['id']}/replay").status_code == 202,
            PATIENCE_SECONDS,
        )
        wait_for(lambda: len(receiver.requests) > 1, PATIENCE_SECONDS)
        replay = notifying.http.post(
            f"/v1/webhooks/{made['id']}/replay", json={"since": "2020-01-01T00:00:00Z"}
        )
        assert (replay.status_code, replay.json()) == (202, {"replayed": 0})
        remove(notifying, made)


def test_a_job_brings_its_own_address_and_secret(notifying: Served, receiver: HttpReceiver) -> None:
    secret = new_secret()
    job = notifying.submit(
        letter("Dear own,"),
        webhook_url=receiver.url,
        webhook_secret=secret,
        webhook_events="job.accepted,job.completed",
    )
    wait_for(lambda: len(receiver.requests) == 2, PATIENCE_SECONDS)
    messages = [verified(secret, request) for request in receiver.requests]
    assert sorted(one["type"] for one in messages) == ["job.accepted", "job.completed"]
    assert {one["data"]["job_id"] for one in messages} == {job["id"]}
    assert secret not in json.dumps(notifying.http.get(f"/v1/jobs/{job['id']}").json())


def test_a_job_that_brings_no_secret_is_signed_with_that_of_its_tenant(
    notifying: Served, receiver: HttpReceiver
) -> None:
    notifying.submit(letter("Dear shared,"), webhook_url=receiver.url)
    wait_for(lambda: bool(receiver.requests), PATIENCE_SECONDS)
    shared = notifying.http.get("/v1/webhooks/job-secret").json()["secret"]
    assert verified(shared, receiver.requests[0])["type"] == "job.completed"


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("http://93.184.216.34/hook", "webhook_url_invalid"),
        ("javascript:alert(1)", "webhook_url_invalid"),
        ("https://", "webhook_url_invalid"),
        ("https://user:word@example.com/", "webhook_url_invalid"),
        ("ftp://example.com/", "webhook_url_invalid"),
        ("https://10.0.0.1/hook", "url_forbidden_address"),
        ("https://169.254.169.254/latest", "url_forbidden_address"),
        ("https://[::ffff:169.254.169.254]/", "url_forbidden_address"),
        ("https://100.64.0.1/", "url_forbidden_address"),
        ("https://[64:ff9b::a00:1]/", "url_forbidden_address"),
        ("https://metadata.google.internal/", "url_forbidden_address"),
    ],
)
def test_an_address_that_must_not_be_notified_is_refused(notifying: Served, url: str, code: str) -> None:
    answer = notifying.http.post("/v1/webhooks", json={"url": url})
    assert (answer.status_code, answer.json()["code"]) == (422, code)
    files = notifying.files()
    own = notifying.http.post(
        "/v1/jobs", content=letter(), params={"webhook_url": url}, headers={"content-type": "application/pdf"}
    )
    assert (own.status_code, own.json()["code"]) == (422, code)
    assert notifying.files() == files, "nothing is left of a refused document"


@pytest.mark.parametrize(
    "body",
    [{}, {"url": "https://x.example", "events": ["no.such"]}, {"url": "https://x.example", "evnts": []}],
)
def test_a_request_that_makes_no_sense_is_refused_with_a_pointer(
    notifying: Served, body: dict[str, object]
) -> None:
    answer = notifying.http.post("/v1/webhooks", json=body)
    assert (answer.status_code, answer.json()["code"]) == (422, "validation_error")
    assert answer.json()["errors"]


def test_a_tenant_has_no_more_endpoints_than_allowed(tmp_path: Path) -> None:
    with served_idle(small_settings(tmp_path, webhook_endpoints=1)) as server:
        add(server, "https://one.invalid/")
        answer = server.http.post("/v1/webhooks", json={"url": "https://two.invalid/"})
        assert (answer.status_code, answer.json()["code"]) == (409, "webhook_limit")


@pytest.mark.parametrize("alone", [{"webhook_events": "job.failed"}, {"webhook_secret": new_secret()}])
def test_options_of_an_address_that_is_not_given_are_refused(
    notifying: Served, alone: dict[str, str]
) -> None:
    refused = notifying.http.post(
        "/v1/jobs", files={"file": ("letter.pdf", letter("Dear nobody,"))}, data=alone
    )
    assert (refused.status_code, refused.json()["code"]) == (422, "validation_error")
    assert refused.json()["errors"][0]["pointer"] == "/webhook_url"
