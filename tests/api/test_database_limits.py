"""What columns of a database can't hold: the character U+0000, and large numbers."""

import base64
from collections.abc import Iterator

import httpx
import pytest
from cryptography.fernet import Fernet

from tests.cluster.postgres import Postgres
from tests.mills import small_settings
from tests.samples import letter
from tests.servers import Served, served_idle

PDF = {"content-type": "application/pdf"}


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def either(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server on either database whose jobs are never begun."""
    changes: dict[str, str] = {}
    if request.param == "postgres":
        postgres: Postgres = request.getfixturevalue("postgres_server")
        changes = {"database_url": postgres.new_database(), "secret_key": Fernet.generate_key().decode()}
    with served_idle(small_settings(tmp_path_factory.mktemp("zero"), **changes)) as server:
        yield server


@pytest.mark.parametrize(
    "address",
    [
        "/v1/jobs?filename=%00",
        "/v1/jobs?tag=a%00",
        "/v1/jobs?collection=%00",
        "/v1/jobs?class=%00",
        "/v1/search?q=a&collection=%00",
        "/v1/search?q=a&metadata=a:%00",
        "/v1/deliveries?webhook=%00",
        "/v1/deliveries?job=%00",
        "/v1/events?cursor=%00",
        "/v1/classes/a%00/examples",
        "/v1/rules/%00",
        "/v1/webhooks/%00",
        "/v1/deliveries/%00",
        "/v1/batches/%00",
        "/v1/uploads/%00",
        "/v1/jobs/%00/markdown",
        "/v1/keys/%00",
    ],
)
def test_it_is_refused_in_an_address(either: Served, address: str) -> None:
    refused(either.http.get(address))


def test_it_is_no_more_than_a_space_in_a_search(either: Served) -> None:
    assert either.http.get("/v1/search?q=a%00b").status_code == 200


@pytest.mark.parametrize("field", ["filename", "collection", "tags", "metadata", "push_to", "webhook_url"])
def test_it_is_refused_in_a_field_of_a_form(either: Served, field: str) -> None:
    value = '{"a": "\\u0000"}' if field == "metadata" else "a\0b"
    answer = either.http.post("/v1/jobs", files={"file": ("a.pdf", letter())}, data={field: value})
    if field != "filename":
        refused(answer)
    assert answer.status_code < 500


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/v1/webhooks", {"url": "https://example.com/", "description": "\0"}),
        ("POST", "/v1/rules", {"name": "\0", "when": {"class": "x"}, "then": {"tags": ["x"]}}),
        ("POST", "/v1/keys", {"tenant": "a", "name": "a\0", "scopes": ["read"]}),
        (
            "POST",
            "/v1/jobs",
            {"url": "https://example.com/a.pdf", "filename": "a\0", "metadata": {"a": "\0"}},
        ),
        ("PUT", "/v1/classes/a/examples", {"job_ids": ["\0"]}),
        ("PATCH", "/v1/jobs/{job}", {"tags": ["\0"]}),
        ("PATCH", "/v1/jobs/{job}", {"metadata": {"\0": "a"}}),
        ("POST", "/v1/ask", {"question": "a\0"}),
    ],
)
def test_it_is_refused_in_json(either: Served, method: str, path: str, body: object) -> None:
    job = either.submit(letter())["id"]
    refused(either.http.request(method, path.replace("{job}", job), json=body))


def refused(answer: httpx.Response) -> None:
    """It was refused as what it is."""
    assert 400 <= answer.status_code < 500, (answer.status_code, answer.text[:300])
    assert answer.headers["content-type"] == "application/problem+json"


BIG = [2**31, 2**53, 2**63, 10**30]


@pytest.mark.parametrize("number", BIG)
@pytest.mark.parametrize(
    ("method", "address"),
    [
        ("GET", "/v1/jobs/{job}?since={number}"),
        ("GET", "/v1/jobs/{job}/events?after={number}"),
        ("GET", "/v1/jobs/{job}/pages?first={number}"),
        ("GET", "/v1/jobs/{job}/pages/{number}"),
        ("GET", "/v1/jobs/{job}/pages/1?revision={number}"),
        ("GET", "/v1/jobs/{job}/pages/{number}/image"),
        ("POST", "/v1/jobs/{job}/pages/{number}/read"),
        ("POST", "/v1/jobs/{job}/revisions/{number}/restore"),
        ("GET", "/v1/jobs/{job}/children?after={number}"),
        ("GET", "/v1/batches/{job}/items?after={number}"),
        ("GET", "/v1/search?q=a&offset={number}"),
        ("GET", "/v1/audit?before={number}"),
        ("GET", "/v1/jobs/{job}/pages.ndjson?first={number}"),
        ("GET", "/v1/events?cursor={cursor}"),
        ("GET", "/v1/jobs?cursor={cursor}"),
        ("GET", "/v1/deliveries?cursor={cursor}"),
    ],
)
def test_a_number_that_is_too_large_for_a_column_is_no_error_of_ours(
    either: Served, method: str, address: str, number: int
) -> None:
    job = either.submit(letter())["id"]
    cursor = base64.urlsafe_b64encode(str(number).encode()).decode().rstrip("=")
    asked = address.format(job=job, number=number, cursor=cursor)
    headers = {"accept": "application/json"} if "events" in address else {}
    answer = either.http.request(method, asked, headers=headers)
    assert answer.status_code < 500, (asked, answer.status_code, answer.text[:200])
