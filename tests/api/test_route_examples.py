"""The requests that the reference shows are answered as it says."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import httpx
import pytest
from jsonschema import Draft202012Validator

from pagemill.entrypoints.api.examples import EXAMPLE_ID
from tests.http_receivers import receiving_http
from tests.mills import small_settings, wait_for
from tests.samples import letter, long_table
from tests.servers import Served, served
from tests.webhooks.around import LOCAL
from tools.route_examples import ExampleRequest, example_request, success

pytestmark = pytest.mark.mill

JSON = "application/json"
TABLE = "p3-b4.csv"
MOST_TRIES = 10
# Route -> why the request of its example is not sent.
NOT_SENT = {
    "POST /v1/uploads": "files are uploaded directly to a bucket only",
    "GET /v1/jobs/{job_id}/artifacts/{name}/link": "the job of these tests has no file of that name",
    "GET /v1/jobs/{job_id}/images/{name}": "the document has no figure",
    "GET /v1/jobs/{job_id}/enrichments/{name}": "no enricher is installed",
    "POST /v1/jobs/{job_id}/cancel": "the job has ended",
    "POST /v1/jobs/{job_id}/corrections": "the document of these tests has other blocks",
}
# Parameters and beginnings of paths that the server of these tests can answer; other routes have tests of their own.
PROBES = ("/health", "/ready", "/version", "/metrics")
PARAMETERS = {"job_id", "number", "revision", "name", "endpoint_id", "delivery_id"}
ROOTS = ("/v1/jobs", "/v1/webhooks", "/v1/deliveries", "/v1/events", "/v1/operations", "/v1/search", *PROBES)
LEAST_SENT = 38
LAST = ("DELETE /v1/webhooks/{endpoint_id}", "DELETE /v1/jobs/{job_id}")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with a job that has a table and two revisions, and a webhook that was tried out."""
    settings = small_settings(tmp_path_factory.mktemp("examples"), slots=1, outbound_allow=LOCAL)
    with served(settings) as opened:
        yield opened


def routes(schema: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    """Every route; those that remove something come last."""
    found = [
        (method.upper(), path, about)
        for path, methods in schema["paths"].items()
        for method, about in methods.items()
    ]
    return sorted(found, key=lambda route: f"{route[0]} {route[1]}" in LAST)


def is_answered_here(path: str) -> bool:
    """Whether the server of these tests can answer a route."""
    return (path == "/" or path.startswith(ROOTS)) and set(re.findall(r"{(\w+)", path)) <= PARAMETERS


def ids_of(server: Served, hook: str) -> dict[str, str]:
    """The real ids in place of those of the examples."""
    job = server.finished(long_table(), filename="report.pdf")
    server.http.post(f"/v1/jobs/{job['id']}/retry", json={"only": "all"}).raise_for_status()
    server.http.get(f"/v1/jobs/{job['id']}?wait=30")
    table = server.http.get(f"/v1/jobs/{job['id']}/tables").json()["tables"][0]["name"]
    made = server.http.post("/v1/webhooks", json={"url": hook}).json()
    delivery = server.http.post(f"/v1/webhooks/{made['id']}/test").json()
    address = f"/v1/deliveries/{delivery['id']}"
    wait_for(lambda: server.http.get(address).json()["state"] == "delivered", 30)
    return {"jobs": job["id"], "webhooks": made["id"], "deliveries": delivery["id"], TABLE: table}


def real_path(path: str, ids: dict[str, str]) -> str:
    """The path of an example with the ids and names that the server knows."""
    parts = path.split("/")
    named = [
        TABLE if part == TABLE else before if part == EXAMPLE_ID else ""
        for before, part in pairwise(["", *parts])
    ]
    return "/".join(ids.get(name, part) for name, part in zip(named, parts, strict=True))


def send(server: Served, request: ExampleRequest) -> httpx.Response:
    """The answer to the request of an example."""
    if request.form:
        fields = {name: value for name, value in request.form.items() if name != "file"}
        return server.http.post(request.path, files={"file": ("report.pdf", letter())}, data=fields)
    return server.http.request(request.method, request.path, json=request.body)


def answered(server: Served, request: ExampleRequest, status: str, job_id: str) -> httpx.Response:
    """The answer to the request of an example; what reads or makes something meanwhile is waited for."""
    answer = send(server, request)
    for _ in range(MOST_TRIES):
        if str(answer.status_code) == status or answer.status_code not in (202, 409):
            break
        server.http.get(f"/v1/jobs/{job_id}?wait=30")
        answer = send(server, request)
    return answer


def test_every_example_is_answered_as_it_says(server: Served) -> None:
    with receiving_http() as receiver:
        send_every_example(server, receiver.url)


def send_every_example(server: Served, hook: str) -> None:
    """Send the request of every example, and compare the answers with what the reference says."""
    schema = server.http.get("/openapi.json").json()
    ids = ids_of(server, hook)
    sent = 0
    for method, path, about in routes(schema):
        if f"{method} {path}" in NOT_SENT or not is_answered_here(path):
            continue
        sent += 1
        request = example_request(method, path, about)
        status, media_type, _ = success(about)
        if media_type == "text/event-stream":
            continue
        answer = answered(server, replace(request, path=real_path(request.path, ids)), status, ids["jobs"])
        assert str(answer.status_code) == status, (method, path, answer.text)
        if media_type:
            assert answer.headers["content-type"].startswith(media_type), (method, path)
        content = about["responses"][status].get("content", {}).get(JSON, {})
        if media_type == JSON and "schema" in content:
            Draft202012Validator({**content["schema"], "components": schema["components"]}).validate(
                answer.json()
            )
    assert sent >= LEAST_SENT


def test_every_example_fits_its_schema(server: Served) -> None:
    schema = server.http.get("/openapi.json").json()
    for method, path, about in routes(schema):
        status, media_type, example = success(about)
        content = about["responses"][status].get("content", {}).get(JSON, {})
        if media_type == JSON and content.get("schema"):
            assert example is not None, (method, path)
            shape = {**content["schema"], "components": schema["components"]}
            Draft202012Validator(shape).validate(example)
