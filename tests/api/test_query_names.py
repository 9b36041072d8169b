"""Query parameters that a route does not know."""

import pytest

from tests.samples import letter
from tests.servers import Served

UNKNOWN = "0199a3c4-7d50-7b10-8c11-0d6a52f7e9aa"


@pytest.mark.parametrize(
    ("method", "address", "advice"),
    [
        ("GET", "/v1/jobs?lmit=5", "did you mean 'limit'?"),
        ("GET", "/v1/jobs?limit=5&sttaus=failed", "did you mean 'status'?"),
        ("GET", f"/v1/jobs/{UNKNOWN}?wiat=5", "did you mean 'wait'?"),
        ("GET", "/v1/search?q=a&typ=x", "did you mean 'type'?"),
        ("GET", f"/v1/jobs/{UNKNOWN}/markdown?download=1", "known here: revision"),
        ("POST", f"/v1/jobs/{UNKNOWN}/cancel?force=true", "known here: none"),
    ],
)
def test_an_unknown_query_parameter_is_refused_with_the_nearest_known_one(
    server: Served, method: str, address: str, advice: str
) -> None:
    answer = server.http.request(method, address)
    assert (answer.status_code, answer.json()["code"]) == (422, "validation_error"), answer.text
    name = address.rpartition("?")[2].rpartition("&")[2].partition("=")[0]
    assert answer.json()["errors"][0]["pointer"] == f"/{name}"
    assert advice in answer.json()["detail"]


def test_an_unknown_option_of_a_document_is_refused_with_the_nearest_known_one(server: Served) -> None:
    answer = server.http.post(
        "/v1/jobs?pagse=1", content=letter(), headers={"content-type": "application/pdf"}
    )
    assert (answer.status_code, answer.json()["code"]) == (422, "validation_error"), answer.text
    assert "did you mean 'pages'?" in answer.json()["detail"]
    for address, file in (("/v1/jobs", "file"), ("/v1/batches", "files")):
        files = {file: ("letter.pdf", letter())}
        answer = server.http.post(address, data={"pagse": "1"}, files=files)
        assert (answer.status_code, answer.json()["code"]) == (422, "validation_error"), answer.text
        assert "did you mean 'pages'?" in answer.json()["detail"]


def test_known_query_parameters_are_taken_however_they_are_written(server: Served) -> None:
    assert server.http.get("/v1/jobs?%6cimit=5").status_code == 200
    assert server.http.get("/v1/search?q=a&type=application/pdf&metadata=a:b&metadata=c:d").status_code == 200


@pytest.mark.parametrize(
    "address",
    ["/v1/jobs?limit=5&limit=6", f"/v1/jobs/{UNKNOWN}/parts?revision=*&revision=0", "/v1/search?q=a&q=b"],
)
def test_a_second_value_is_refused_where_one_is_taken(server: Served, address: str) -> None:
    answer = server.http.get(address)
    assert (answer.status_code, answer.json()["code"]) == (422, "validation_error"), answer.text
    name = address.partition("?")[2].partition("=")[0]
    assert answer.json()["errors"] == [{"pointer": f"/{name}", "detail": f"{name} is given more than once"}]


def test_a_query_of_very_many_parameters_is_refused(server: Served) -> None:
    answer = server.http.get("/v1/jobs?" + "&".join(["limit=5"] * 300))
    assert (answer.status_code, answer.json()["code"]) == (422, "validation_error")


def test_probes_ignore_what_they_do_not_know(server: Served) -> None:
    assert server.http.get("/health?_=1699").status_code == 200
