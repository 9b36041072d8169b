"""What callers read of a value that is not taken: the name of the field and what it has to be."""

import json

import pytest

from tests.api.test_http import problem
from tests.samples import letter
from tests.servers import Served

JOB = "/v1/jobs/0199a3c4-7d52-7c31-9a42-6f0f5b1c2d3e"


@pytest.mark.parametrize(
    ("query", "detail"),
    [
        ("q=", "q: is empty"),
        ("q=a&limit=0", "limit: has to be at least 1"),
        ("q=a&limit=101", "limit: has to be at most 100"),
        ("q=a&limit=x", "limit: has to be a whole number"),
        ("q=a&mode=x", "mode: has to be 'text', 'vector' or 'hybrid'"),
        ("limit=1", "q: is missing"),
        ("q=a&tag=" + 1_001 * "x", "tag/0: has to have at most 1000 characters"),
        (
            "q=a&created_after=yesterday",
            "created_after: a time is written as in 2026-11-15T09:30:00Z, a day as in 2026-11-15",
        ),
        ("q=a&metadata=b", "metadata: 'b' is not of the form name:value"),
    ],
)
def test_a_value_in_the_query_is_refused_with_the_name_of_the_parameter(
    idle: Served, query: str, detail: str
) -> None:
    answer = idle.http.get(f"/v1/search?{query}")
    assert problem(answer, 422, "validation_error")["detail"] == detail
    assert all(fault["detail"] in detail for fault in answer.json()["errors"])


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        ({}, "enrich: is missing"),
        ({"enrich": []}, "enrich: is empty"),
        ({"enrich": "facts"}, "enrich: has to be a list"),
        ({"enrich": [1]}, "enrich/0: has to be a string"),
        ({"enrich": ["facts"], "also": 1}, "also: is not known here"),
        ([], "has to be an object"),
    ],
)
def test_a_value_in_a_body_is_refused_with_the_path_to_it(idle: Served, body: object, detail: str) -> None:
    refused = problem(idle.http.post(f"{JOB}/enrich", json=body), 422, "validation_error")
    assert refused["detail"] == detail


@pytest.mark.parametrize(
    ("order", "detail"),
    [
        ("x", "extract is not valid JSON: expected value at line 1 column 1"),
        ({"schema": 5}, "extract/schema has to be an object"),
        ({"schema": {"type": "string"}}, "extract/schema: has to be that of an object with properties"),
        (
            {"schema": {"type": "object", "properties": {"total": {"type": "amount"}}}},
            "extract/schema: is no JSON Schema at properties/total/type: ",
        ),
    ],
)
def test_what_is_wrong_with_an_extraction_is_told_with_its_place(
    idle: Served, order: object, detail: str
) -> None:
    text = order if isinstance(order, str) else json.dumps(order)
    answer = idle.http.post("/v1/jobs", data={"extract": text}, files={"file": ("letter.pdf", letter())})
    assert str(problem(answer, 422, "validation_error")["detail"]).startswith(detail)


def test_a_reason_that_names_its_field_is_not_given_the_name_twice(idle: Served) -> None:
    refused = problem(idle.http.get(f"{JOB}/chunks?size=64&overlap=60"), 422, "validation_error")
    assert refused["detail"] == "overlap is a whole number from 0 to half of size"
