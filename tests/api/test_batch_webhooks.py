"""The address that came with a batch: notified of the batch and of its documents, like that of a single job."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pagemill.client import Client, Options
from pagemill.db.schema import webhook_deliveries, webhook_endpoints
from pagemill.mill import Mill
from pagemill.model.webhook_signing import new_secret
from tests.api.batch_bodies import archive_of, files_of, letters
from tests.http_receivers import Answered, HttpReceiver, receiving_http
from tests.mills import small_settings, wait_for
from tests.samples import letter
from tests.servers import Served, served
from tests.webhooks.around import LOCAL, verified

PATIENCE_SECONDS = 60
PROGRAM = b"\x7fELF\x02\x01\x01" + bytes(64)


@pytest.fixture(scope="module")
def batching(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that reads batches and may notify this machine."""
    settings = small_settings(
        tmp_path_factory.mktemp("batch-webhooks"), slots=1, sweep_seconds=600, outbound_allow=LOCAL
    )
    with served(settings) as server:
        yield server


@pytest.fixture
def receiver() -> Iterator[HttpReceiver]:
    """Something that takes webhooks."""
    with receiving_http() as opened:
        yield opened


def received(receiver: HttpReceiver, secret: str, count: int) -> list[dict[str, Any]]:
    """So many verified messages."""
    wait_for(lambda: len(receiver.requests) >= count, PATIENCE_SECONDS)
    assert len(receiver.requests) == count
    return [verified(secret, request) for request in receiver.requests]


def job_ids(server: Served, batch_id: str) -> list[str]:
    """The jobs of a batch in order."""
    return [one["job_id"] for one in server.http.get(f"/v1/batches/{batch_id}/items").json()["items"]]


def test_the_address_of_a_batch_hears_of_its_end_and_of_those_of_its_documents(
    batching: Served, receiver: HttpReceiver
) -> None:
    asked = {"webhook_url": receiver.url, "reuse": "false"}
    files = files_of([*letters(2, "end"), ("program.pdf", PROGRAM)])
    batch = batching.http.post("/v1/batches", files=files, data=asked).json()
    batching.finished(letter("Dear somebody else,"))
    secret = batching.http.get("/v1/webhooks/job-secret").json()["secret"]
    messages = received(receiver, secret, 3)
    assert sorted(one["type"] for one in messages) == ["batch.completed", "job.completed", "job.completed"]
    [of_batch] = [one["data"] for one in messages if one["type"] == "batch.completed"]
    assert (of_batch["batch_id"], of_batch["completed"], of_batch["refused"]) == (batch["id"], 2, 1)
    told = {one["data"]["job_id"] for one in messages if one["type"] == "job.completed"}
    assert told == set(filter(None, job_ids(batching, batch["id"])))
    # It is one address for all, so one that is gone is not tried for each document.
    listed = batching.http.get("/v1/deliveries").json()["deliveries"]
    assert len({one["endpoint_id"] for one in listed}) == 1
    assert receiver.url not in json.dumps(batching.http.get("/v1/webhooks").json())


def test_events_and_secret_of_the_address_are_chosen_and_items_bring_their_own(
    batching: Served, receiver: HttpReceiver, tmp_path: Path
) -> None:
    secret, own_secret = new_secret(), new_secret()
    files = [tmp_path / f"own{number}.pdf" for number in (1, 2, 3)]
    for file in files:
        file.write_bytes(letter(f"Dear {file.name},"))
    wanted = Options(
        webhook_url=receiver.url, webhook_events=("batch.*", "job.completed"), webhook_secret=secret
    )
    with receiving_http() as own:
        each = {
            "own1.pdf": Options(webhook_url=own.url, webhook_secret=own_secret),
            "3": replace(wanted, webhook_events=("job.accepted",)),
        }
        with Client(batching.url) as client:
            made = client.batches.submit(files, wanted, each=each)
        [first, second, third] = job_ids(batching, made["id"])
        messages = received(receiver, secret, 5)
        [told] = received(own, own_secret, 1)
    assert (told["type"], told["data"]["job_id"]) == ("job.completed", first)
    heard = sorted((one["type"], one["data"].get("job_id", "")) for one in messages)
    # The third has the address of the batch as its own, with other events: it is notified once, and of those.
    assert heard == sorted(
        [("batch.accepted", ""), ("batch.completed", ""), ("job.accepted", third)]
        + [("job.completed", job_id) for job_id in (first, second)]
    )


def test_documents_of_urls_and_archives_bring_addresses_too(batching: Served, receiver: HttpReceiver) -> None:
    with receiving_http(lambda got: Answered(body=letter(f"Dear {got.path},"))) as source:
        item = {"url": f"{source.url}/a.pdf", "webhook_url": receiver.url, "webhook_events": "job.fetched"}
        asked = {
            "items": [item],
            "options": {"webhook_url": receiver.url, "webhook_events": "batch.completed"},
        }
        assert batching.http.post("/v1/batches", json=asked).status_code == 202
        wait_for(lambda: len(receiver.requests) == 2, PATIENCE_SECONDS)
    query = {"webhook_url": receiver.url, "webhook_events": "batch.accepted"}
    zipped = batching.http.post(
        "/v1/batches",
        content=archive_of(letters(1, "zip")),
        params=query,
        headers={"content-type": "application/zip"},
    )
    assert zipped.status_code == 202, zipped.text
    secret = batching.http.get("/v1/webhooks/job-secret").json()["secret"]
    kinds = [one["type"] for one in received(receiver, secret, 3)]
    assert sorted(kinds) == ["batch.accepted", "batch.completed", "job.fetched"]


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("http://93.184.216.34/hook", "webhook_url_invalid"),
        ("javascript:alert(1)", "webhook_url_invalid"),
        ("https://169.254.169.254/latest", "url_forbidden_address"),
        ("https://[64:ff9b::a00:1]/", "url_forbidden_address"),
        ("https://metadata.google.internal/", "url_forbidden_address"),
    ],
)
def test_an_address_that_must_not_be_notified_refuses_the_batch(
    batching: Served, url: str, code: str
) -> None:
    before, files = batching.files(), files_of(letters(2, "x"))
    each = json.dumps({"x2.pdf": {"webhook_url": url}})
    listed = {"items": [{"url": "https://example.com/a.pdf", "webhook_url": url}]}
    sent: list[dict[str, Any]] = [
        {"files": files, "data": {"webhook_url": url}},
        {"files": files, "data": {"items": each}},
        {"json": listed},
    ]
    for one in sent:
        answer = batching.http.post("/v1/batches", **one)
        assert (answer.status_code, answer.json()["code"]) == (422, code), answer.text
    assert batching.files() <= before, "nothing is left of a refused batch"


def test_a_batch_names_few_servers_and_events_need_an_address(batching: Served) -> None:
    items = [
        {"url": "https://example.com/a.pdf", "webhook_url": f"https://host{number}.invalid/hook"}
        for number in range(21)
    ]
    answer = batching.http.post("/v1/batches", json={"items": items})
    assert (answer.status_code, answer.json()["code"]) == (422, "webhook_url_invalid")
    of_item = {"items": [{"url": "https://example.com/a.pdf", "webhook_events": "job.failed"}]}
    for_all = {"webhook_url": "https://host.invalid/hook"}
    answer = batching.http.post("/v1/batches", json={**of_item, "options": for_all})
    assert [fault["pointer"] for fault in answer.json()["errors"]] == ["/items/0/webhook_url"]


def test_a_repeated_batch_has_the_same_address_or_is_another(batching: Served) -> None:
    headers, files = {"idempotency-key": "batch-webhook-1"}, files_of(letters(1, "again"))

    def send(**asked: str) -> Any:
        return batching.http.post("/v1/batches", files=files, data=asked, headers=headers)

    first = send(webhook_url="https://receiver.invalid/hook")
    assert first.status_code == 202, first.text
    assert send(webhook_url="https://receiver.invalid/hook").json()["id"] == first.json()["id"]
    other_requests: list[dict[str, str]] = [{}, {"webhook_url": "https://receiver.invalid/other"}]
    for other in other_requests:
        assert send(**other).json()["code"] == "idempotency_key_reused"


def test_a_deleted_batch_leaves_neither_address_nor_deliveries(
    batching: Served, receiver: HttpReceiver
) -> None:
    asked = {"webhook_url": f"{receiver.url}/to-be-deleted", "webhook_events": "batch.*"}
    batch = batching.http.post("/v1/batches", files=files_of(letters(1, "gone")), data=asked).json()
    wait_for(lambda: len(receiver.requests) == 2, PATIENCE_SECONDS)
    assert count_of(batching.mill, batch["id"]) == (1, 2)
    assert batching.http.delete(f"/v1/batches/{batch['id']}").status_code == 204
    assert count_of(batching.mill, batch["id"]) == (0, 0)


def count_of(mill: Mill, batch_id: str) -> tuple[int, int]:
    """How many addresses of a batch there are, and how many messages about it were sent."""
    endpoints = webhook_endpoints.select().where(webhook_endpoints.c.owner_id == batch_id)
    sent = webhook_deliveries.select().where(webhook_deliveries.c.payload.contains(batch_id))
    return mill.db.read(lambda conn: (len(conn.execute(endpoints).all()), len(conn.execute(sent).all())))
