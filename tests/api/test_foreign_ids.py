"""Every route with somebody else's id: the same answer as for an id that nobody has.

The routes are those of the OpenAPI document. One with an id of a kind that is not known here, or without an id and not
named below, fails the test: say what a stranger may see of it.
"""

import re
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from pagemill.desk import tenant_keys
from pagemill.model.tenants import Scope
from tests.mills import small_settings, wait_for
from tests.samples import letter
from tests.servers import Served, served
from tests.webhooks.around import LOCAL

OPERATOR = "o" * 43
# Routes that say the same to everybody who may come in, and those that take something in.
COMMON = {"GET /", "GET /health", "GET /ready", "GET /version"}
INTAKES = {
    "POST /v1/jobs",
    "POST /v1/convert",
    "POST /v1/batches",
    "POST /v1/uploads",
    "POST /v1/webhooks",
    "POST /v1/keys",
    "POST /v1/rules",
    "POST /v1/ask",
    "POST /v1/ws-tokens",
    "POST /upload",
    "POST /jobs",
    "POST /process_pdf",
}
OPERATORS_ONLY = {"GET /metrics", "GET /v1/operations"}
# Lists of what is one's own.
LISTS = {
    "GET /v1/jobs",
    "GET /v1/batches",
    "GET /v1/events",
    "GET /v1/search",
    "GET /v1/labels",
    "GET /v1/classes",
    "GET /v1/rules",
    "GET /v1/usage",
    "GET /v1/webhooks",
    "GET /v1/webhooks/job-secret",
    "GET /v1/deliveries",
    "GET /v1/keys",
    "GET /v1/audit",
    "GET /jobs",
    "GET /tasks",
    "GET /audit",
}
# What comes after the id; of no interest to somebody who may not see the id.
FURTHER = {"number": "1", "name": "1", "revision": "1"}
BODIES: dict[str, dict[str, Any]] = {
    "POST /v1/jobs/{job_id}/pages/{number}/read": {"provider": "pdfium"},
    "PATCH /v1/jobs/{job_id}": {"tags": ["mine"]},
    "POST /v1/jobs/{job_id}/corrections": {"revision": 1, "blocks": [{"block": "p1-b1", "text": "mine"}]},
    "POST /v1/jobs/{job_id}/enrich": {"enrich": ["entities"]},
    "POST /v1/jobs/{job_id}/extract": {"schema": {"type": "object", "properties": {}}},
    "PUT /v1/classes/{class_name}/examples": {"job_ids": [str(uuid.uuid4())]},
    "POST /v1/classes/{class_name}/examples": {"job_ids": [str(uuid.uuid4())]},
    "PUT /v1/rules/{rule_id}": {"name": "x", "when": {"tags": ["a"]}, "then": {"tags": ["b"]}},
    "PATCH /v1/webhooks/{endpoint_id}": {"description": "mine"},
    "POST /v1/webhooks/{endpoint_id}/replay": {"since": "2026-11-15T00:00:00Z"},
}
RULE = {"name": "Hers", "when": {"filename": "annas-*"}, "then": {"tags": ["hers"]}}
# What the routes of resumable uploads look at first.
TUS = {"tus-resumable": "1.0.0", "upload-offset": "0", "content-type": "application/offset+octet-stream"}
# What a route must be asked with.
QUERIES = {"GET /v1/search": "?q=letter"}
# Open to everybody with a link that was signed here.
SIGNED = "GET /v1/links/{job_id}/{name}"
PARAMETER = re.compile(r"{(\w+)}")


@dataclass(frozen=True)
class Estate:
    """A server, a tenant who has one of everything, and the keys of somebody who has nothing."""

    server: Served
    owner: dict[str, str]
    stranger: dict[str, str]
    ids: dict[str, str]

    def ask(self, route: str, ids: dict[str, str], who: dict[str, str]) -> httpx.Response:
        """Ask for a route with these ids as somebody."""
        method, path = route.split(" ")
        filled = PARAMETER.sub(lambda found: (FURTHER | ids)[found[1]], path)
        headers = who | (TUS if "{upload_id}" in path else {})
        filled += QUERIES.get(route, "")
        return self.server.http.request(method, filled, headers=headers, json=BODIES.get(route))


@pytest.fixture(scope="module")
def estate(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Estate]:
    """A server whose tenant Anna has a finished job, a batch, an upload, a webhook with a delivery, and a key."""
    changes = {"api_key": OPERATOR, "outbound_allow": LOCAL, "slots": 1, "kept_slots": 0}
    with served(small_settings(tmp_path_factory.mktemp("estate"), **changes)) as server:
        made = tenant_keys.add(server.mill.db, "anna", "hers", scopes=[Scope.ADMIN])
        other = tenant_keys.add(server.mill.db, "bert", "his", scopes=[Scope.ADMIN])
        owner = {"authorization": f"Bearer {made.key}"}
        job = server.http.post("/v1/jobs", content=letter(), headers={**owner, "prefer": "wait=60"}).json()
        hook = server.http.post("/v1/webhooks", json={"url": "http://127.0.0.1:9/"}, headers=owner).json()
        server.http.post(f"/v1/webhooks/{hook['id']}/test", headers=owner)
        wait_for(lambda: bool(deliveries(server, owner)))
        batch = server.http.post("/v1/batches", files={"files": ("a.pdf", letter())}, headers=owner).json()
        tus = {"tus-resumable": "1.0.0", "upload-length": "10"}
        upload = server.http.post("/v1/uploads", headers=owner | tus).headers["location"].rpartition("/")[2]
        hers = {"job_ids": [job["id"]]}
        server.http.put("/v1/classes/annas-own-class/examples", json=hers, headers=owner).raise_for_status()
        rule = server.http.post("/v1/rules", json=RULE, headers=owner).json()
        ids = {
            "job_id": job["id"],
            "batch_id": batch["id"],
            "upload_id": upload,
            "endpoint_id": hook["id"],
            "delivery_id": deliveries(server, owner)[0]["id"],
            "key_id": made.row.id,
            "rule_id": rule["id"],
            "class_name": "annas-own-class",
        }
        yield Estate(server, owner, {"authorization": f"Bearer {other.key}"}, ids)


def deliveries(server: Served, who: dict[str, str]) -> list[dict[str, Any]]:
    """The deliveries of somebody."""
    found: list[dict[str, Any]] = server.http.get("/v1/deliveries", headers=who).json()["deliveries"]
    return found


def routes_of(estate: Estate) -> list[str]:
    """Every route of the OpenAPI document."""
    paths = estate.server.http.get("/openapi.json", headers=estate.owner).json()["paths"]
    return [f"{method.upper()} {path}" for path, methods in paths.items() for method in methods]


def test_every_route_is_known_here(estate: Estate) -> None:
    known = COMMON | INTAKES | OPERATORS_ONLY | LISTS
    without_id = {route for route in routes_of(estate) if "{" not in route}
    assert without_id == known
    kinds = {PARAMETER.findall(route)[0] for route in routes_of(estate) if "{" in route}
    assert kinds == set(estate.ids)


def test_a_foreign_id_is_answered_like_one_that_nobody_has(estate: Estate) -> None:
    unknown = {kind: str(uuid.uuid4()) for kind in estate.ids}
    malformed = dict.fromkeys(estate.ids, "no-id")
    walked = [route for route in routes_of(estate) if "{" in route and route != SIGNED]
    assert len(walked) > 30
    for route in walked:
        found = {
            (answer.status_code, answer.content)
            for ids in (estate.ids, unknown, malformed)
            for answer in [estate.ask(route, ids, estate.stranger)]
        }
        assert len(found) == 1, (route, found)
        [(status, content)] = found
        assert status == 404, (route, content)
        assert b'"code":"not_found"' in content, route


def test_the_operator_sees_no_more_of_others_documents(estate: Estate) -> None:
    operator = {"authorization": f"Bearer {OPERATOR}"}
    for route in routes_of(estate):
        if "{" in route and "{key_id}" not in route and route != SIGNED:
            assert estate.ask(route, estate.ids, operator).status_code == 404, route


def test_heads_and_event_streams_are_no_way_round(estate: Estate) -> None:
    job = f"/v1/jobs/{estate.ids['job_id']}"
    for path in (job, f"{job}/markdown", f"{job}/pages/1/image", f"{job}/events"):
        assert estate.server.http.head(path, headers=estate.stranger).status_code == 404, path
    stream = {**estate.stranger, "accept": "text/event-stream", "last-event-id": "1"}
    assert estate.server.http.get(f"{job}/events", headers=stream).status_code == 404
    assert estate.server.http.get(f"{job}?wait=30", headers=estate.stranger).status_code == 404


def test_a_link_without_its_signature_says_the_same_of_every_id(estate: Estate) -> None:
    unknown = {kind: str(uuid.uuid4()) for kind in estate.ids}
    answers = [
        estate.ask(SIGNED, ids, who)
        for ids in (estate.ids, unknown)
        for who in (estate.stranger, estate.owner, {})
    ]
    assert {answer.status_code for answer in answers} == {403}
    assert len({answer.content for answer in answers}) == 1


def test_a_websocket_with_a_foreign_id_is_answered_like_one_that_nobody_has(estate: Estate) -> None:
    answers = set()
    for job_id in (estate.ids["job_id"], str(uuid.uuid4()), "no-id"):
        url = f"ws://127.0.0.1:{estate.server.port}/v1/jobs/{job_id}/ws"
        with pytest.raises(InvalidStatus) as met, connect(url, additional_headers=estate.stranger):
            pass
        answers.add((met.value.response.status_code, bytes(met.value.response.body)))
    assert len(answers) == 1, answers
    assert [status for status, _ in answers] == [404]


def test_a_stranger_finds_nothing_in_any_list(estate: Estate) -> None:
    for route in LISTS:
        answer = estate.ask(route, {}, estate.stranger)
        assert answer.status_code == 200, route
        assert not [kind for kind, value in estate.ids.items() if value in answer.text], route
    asked = {"webhook": estate.ids["endpoint_id"], "job": estate.ids["job_id"]}
    answer = estate.server.http.get("/v1/deliveries", params=asked, headers=estate.stranger)
    assert answer.json()["deliveries"] == []


def test_what_is_somebody_elses_is_as_it_was(estate: Estate) -> None:
    for kind, route in (
        ("job_id", "GET /v1/jobs/{job_id}"),
        ("batch_id", "GET /v1/batches/{batch_id}"),
        ("endpoint_id", "GET /v1/webhooks/{endpoint_id}"),
        ("delivery_id", "GET /v1/deliveries/{delivery_id}"),
        ("key_id", "GET /v1/keys/{key_id}"),
        ("rule_id", "GET /v1/rules/{rule_id}"),
    ):
        shown = estate.ask(route, estate.ids, estate.owner)
        assert (shown.status_code, shown.json()["id"]) == (200, estate.ids[kind])
    assert "".join(estate.ask("GET /v1/jobs/{job_id}/markdown", estate.ids, estate.owner).text.split())


def test_a_tenant_in_a_header_a_query_or_a_body_changes_nothing(estate: Estate) -> None:
    named = {**estate.stranger, "x-tenant": "anna", "x-tenant-id": "anna", "tenant": "anna"}
    assert estate.server.http.get("/v1/jobs", headers=named).json()["jobs"] == []
    assert estate.server.http.get("/v1/jobs?tenant=anna", headers=named).status_code == 422
    handed_in = estate.server.http.post("/v1/jobs?tenant=anna", content=letter(), headers=named)
    assert handed_in.status_code == 422


def test_classes_rules_and_jobs_of_others_decide_nothing(estate: Estate) -> None:
    ask = estate.server.http.post
    theirs = {"job_ids": [estate.ids["job_id"]]}
    for name in ("annas-own-class", "mine"):
        answer = estate.server.http.put(f"/v1/classes/{name}/examples", json=theirs, headers=estate.stranger)
        assert answer.status_code == 404, answer.text
    sent = {"prefer": "wait=60", **estate.stranger}
    job = ask("/v1/jobs?filename=annas-1.pdf&enrich=class", content=letter(), headers=sent).json()
    assert (job["status"], job["metadata"]) == ("completed", {})
    assert job["classification"]["name"] != "annas-own-class"
    hers = estate.server.http.get("/v1/classes/annas-own-class/examples", headers=estate.owner).json()
    assert [one["job_id"] for one in hers["examples"]] == [estate.ids["job_id"]]
