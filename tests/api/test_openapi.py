"""The OpenAPI document says what the service does."""

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from pagemill.entrypoints.api import examples
from pagemill.entrypoints.api.option_docs import OPTIONS
from pagemill.entrypoints.api.upload.options import OPTION_NAMES
from pagemill.model.enriching import BUILT_IN
from tests.samples import letter
from tests.servers import Served

ROUTES = {
    "GET /",
    "GET /health",
    "GET /ready",
    "GET /version",
    "GET /metrics",
    "GET /v1/events",
    "GET /v1/operations",
    "POST /v1/jobs/{job_id}/pages/{number}/read",
    "GET /v1/jobs/{job_id}/artifacts",
    "GET /v1/jobs/{job_id}/document.docx",
    "GET /v1/jobs/{job_id}/blocks.jsonl",
    "GET /v1/jobs/{job_id}/chunks",
    "GET /v1/jobs/{job_id}/children",
    "GET /v1/usage",
    "GET /v1/batches/{batch_id}/events",
    "GET /v1/jobs/{job_id}/document.pdfa.pdf",
    "GET /v1/jobs/{job_id}/view.html",
    "GET /v1/jobs/{job_id}/markdown_det",
    "GET /v1/jobs/{job_id}/layout.pdf",
    "GET /v1/jobs/{job_id}/searchable.pdf",
    "GET /v1/jobs/{job_id}/archive.zip",
    "GET /v1/jobs/{job_id}/tables.xlsx",
    "GET /v1/jobs/{job_id}/tables",
    "GET /v1/jobs/{job_id}/tables/{name}",
    "GET /v1/jobs/{job_id}/images",
    "GET /v1/jobs/{job_id}/images/{name}",
    "GET /v1/jobs/{job_id}/revisions",
    "POST /v1/jobs/{job_id}/revisions/{revision}/restore",
    "GET /v1/keys",
    "POST /v1/keys",
    "GET /v1/keys/{key_id}",
    "DELETE /v1/keys/{key_id}",
    "GET /v1/audit",
    "POST /v1/webhooks",
    "GET /v1/webhooks",
    "GET /v1/webhooks/job-secret",
    "GET /v1/webhooks/{endpoint_id}",
    "PATCH /v1/jobs/{job_id}",
    "PATCH /v1/webhooks/{endpoint_id}",
    "DELETE /v1/webhooks/{endpoint_id}",
    "POST /v1/webhooks/{endpoint_id}/rotate",
    "POST /v1/webhooks/{endpoint_id}/test",
    "POST /v1/webhooks/{endpoint_id}/replay",
    "GET /v1/deliveries",
    "GET /v1/deliveries/{delivery_id}",
    "POST /v1/deliveries/{delivery_id}/replay",
    "POST /v1/uploads",
    "GET /v1/jobs/{job_id}/artifacts/{name}/link",
    "GET /v1/links/{job_id}/{name}",
    "GET /v1/uploads/{upload_id}",
    "PATCH /v1/uploads/{upload_id}",
    "DELETE /v1/uploads/{upload_id}",
    "POST /v1/batches",
    "GET /v1/batches",
    "GET /v1/batches/{batch_id}",
    "DELETE /v1/batches/{batch_id}",
    "GET /v1/batches/{batch_id}/items",
    "POST /v1/batches/{batch_id}/cancel",
    "POST /v1/batches/{batch_id}/retry",
    "GET /v1/batches/{batch_id}/archive.zip",
    "GET /v1/batches/{batch_id}/results.ndjson",
    "GET /v1/labels",
    "GET /v1/jobs/{job_id}/corrections",
    "POST /v1/jobs/{job_id}/corrections",
    "GET /v1/jobs/{job_id}/line_labels",
    "GET /v1/classes",
    "GET /v1/classes/{class_name}/examples",
    "PUT /v1/classes/{class_name}/examples",
    "POST /v1/classes/{class_name}/examples",
    "DELETE /v1/classes/{class_name}",
    "DELETE /v1/classes/{class_name}/examples/{job_id}",
    "GET /v1/rules",
    "POST /v1/rules",
    "GET /v1/rules/{rule_id}",
    "PUT /v1/rules/{rule_id}",
    "DELETE /v1/rules/{rule_id}",
    "POST /v1/jobs/{job_id}/rules",
    "POST /v1/ask",
    "GET /v1/search",
    "POST /v1/convert",
    "GET /v1/jobs/{job_id}/pages.ndjson",
    "GET /v1/jobs/{job_id}/entities",
    "GET /v1/jobs/{job_id}/facts",
    "GET /v1/jobs/{job_id}/parts",
    "POST /v1/jobs/{job_id}/enrich",
    "POST /v1/jobs/{job_id}/extract",
    "GET /v1/jobs/{job_id}/enrichments/{name}",
    "POST /v1/jobs",
    "GET /v1/jobs",
    "GET /v1/jobs/{job_id}",
    "DELETE /v1/jobs/{job_id}",
    "POST /v1/jobs/{job_id}/cancel",
    "POST /v1/jobs/{job_id}/retry",
    "GET /v1/jobs/{job_id}/events",
    "GET /v1/jobs/{job_id}/pages",
    "GET /v1/jobs/{job_id}/pages/{number}",
    "GET /v1/jobs/{job_id}/pages/{number}/image",
    "GET /v1/jobs/{job_id}/result",
    "GET /v1/jobs/{job_id}/markdown",
    "GET /v1/jobs/{job_id}/text",
    "GET /v1/jobs/{job_id}/html",
    "POST /jobs",
    "GET /jobs",
    "GET /jobs/{job_id}",
    "POST /process_pdf",
    "GET /result/{job_id}/status",
    "GET /result/{job_id}/markdown",
    "GET /result/{job_id}/markdown_det",
    "GET /result/{job_id}/layout_pdf",
    "GET /result/{job_id}/images",
    "GET /result/{job_id}/images/{name}",
    "GET /tasks",
    "DELETE /tasks/{job_id}",
    "POST /v1/ws-tokens",
    "POST /upload",
    "GET /files/{job_id}",
    "GET /files/{job_id}/audit",
    "GET /audit",
}


@pytest.fixture(scope="module")
def schema(busy: Served) -> dict[str, Any]:
    """The OpenAPI document."""
    told: dict[str, Any] = busy.http.get("/openapi.json").json()
    return told


def operations(schema: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Every operation with its address."""
    return [
        (f"{method.upper()} {path}", operation)
        for path, methods in schema["paths"].items()
        for method, operation in methods.items()
    ]


def test_every_route_is_documented(schema: dict[str, Any]) -> None:
    assert schema["openapi"].startswith("3.1")
    assert {name for name, _ in operations(schema)} == ROUTES


def test_every_operation_explains_itself(schema: dict[str, Any]) -> None:
    ids = [operation["operationId"] for _, operation in operations(schema)]
    assert len(set(ids)) == len(ids)
    for name, operation in operations(schema):
        assert operation["summary"], name
        assert operation["description"].endswith("."), name
        problems = [answer for status, answer in operation["responses"].items() if status.startswith("4")]
        assert all("application/problem+json" in answer["content"] for answer in problems), name
        assert problems, name
        for parameter in operation.get("parameters", []):
            assert parameter.get("description") or parameter["in"] == "path", (name, parameter)
        wanted = {part[1:-1] for part in name.split("/") if part.startswith("{")}
        assert wanted == {one["name"] for one in operation.get("parameters", []) if one["in"] == "path"}, name


def test_every_reference_leads_somewhere(schema: dict[str, Any]) -> None:
    def references(node: Any) -> set[str]:
        if isinstance(node, dict):
            here = {node["$ref"]} if isinstance(node.get("$ref"), str) else set()
            return here.union(*(references(value) for value in node.values()))
        return set().union(*(references(value) for value in node)) if isinstance(node, list) else set()

    names = {reference.removeprefix("#/components/schemas/") for reference in references(schema)}
    assert names <= set(schema["components"]["schemas"])
    assert "HTTPValidationError" not in schema["components"]["schemas"]


def test_answers_have_the_documented_shape(busy: Served, schema: dict[str, Any]) -> None:
    job = busy.finished(letter())
    for path, name in {
        f"/v1/jobs/{job['id']}": "Job",
        "/v1/jobs": "JobPage",
        "/v1/jobs?counts=true": "JobPage",
        f"/v1/jobs/{job['id']}/revisions": "Revisions",
        "/v1/events": "EventPage",
        f"/v1/jobs/{job['id']}/pages": "PageStates",
        "/health": "Health",
        "/version": "Version",
        "/": "Root",
        "/nothing": "Problem",
    }.items():
        shape = {"$ref": f"#/components/schemas/{name}", "components": schema["components"]}
        Draft202012Validator(shape).validate(busy.http.get(path).json())


@pytest.mark.parametrize("name", BUILT_IN)
def test_an_enrichment_has_a_documented_media_type(busy: Served, schema: dict[str, Any], name: str) -> None:
    job = busy.finished(letter(), enrich=name)
    answer = busy.http.get(f"/v1/jobs/{job['id']}/enrichments/{name}")
    documented = schema["paths"]["/v1/jobs/{job_id}/enrichments/{name}"]["get"]["responses"]["200"]["content"]
    assert (answer.status_code, answer.headers["content-type"].partition(";")[0] in documented) == (200, True)


def test_the_examples_have_the_documented_shape(schema: dict[str, Any]) -> None:
    shape = {"$ref": "#/components/schemas/Job", "components": schema["components"]}
    Draft202012Validator(shape).validate(examples.EXAMPLE_JOB)


def test_every_option_is_documented() -> None:
    assert set(OPTIONS) == OPTION_NAMES


def test_every_example_of_a_model_is_one(schema: dict[str, Any]) -> None:
    shapes = schema["components"]["schemas"]
    shown = [(name, example) for name, shape in shapes.items() for example in shape.get("examples", ())]
    assert len(shown) > 5
    for name, example in shown:
        shape = {"$ref": f"#/components/schemas/{name}", "components": schema["components"]}
        Draft202012Validator(shape).validate(example)
