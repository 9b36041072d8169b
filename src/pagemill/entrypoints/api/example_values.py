"""Examples for the OpenAPI document where none was written: a value for every field, made from its schema."""

from typing import Any

from pagemill.entrypoints.api.examples import EXAMPLE_CANCELLED_JOB, EXAMPLE_ID, EXAMPLE_NEW_JOB

Json = dict[str, Any]
REFERENCE = "#/components/schemas/"
EXAMPLE_TIME = "2026-11-15T09:30:00.000Z"
# Field -> what it may hold, where the type alone would give a value that shows nothing.
EXAMPLE_FIELDS: Json = {
    "api": "v1",
    "at": EXAMPLE_TIME,
    "caption": "Table 1: Yields",
    "confidence": 0.98,
    "detail": "Nothing is known under this id.",
    "facts": {"run": 1, "pages": 12},
    "filename": "report.pdf",
    "headers": {"Content-Type": "application/octet-stream"},
    "height": 842.0,
    "lane": "fast",
    "links": {"jobs": "/v1/jobs", "openapi": "/openapi.json"},
    "media_type": "application/pdf",
    "name": "pagemill",
    "next_cursor": "eyJhZnRlciI6NX0",
    "provider": "liteparse",
    "sandbox": "landlock+seccomp",
    "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "stage": "publish",
    "url": "https://bucket.example/report.pdf?signature=…",
    "version": "0.1.0",
    "width": 595.0,
}
BY_TYPE: Json = {"string": "…", "integer": 1, "number": 1.5, "boolean": True, "null": None}


def add_examples(schema: Json) -> None:
    """Give every JSON answer of the document an example."""
    components = schema["components"]["schemas"]
    for methods in schema["paths"].values():
        for operation in methods.values():
            for status, answer in operation["responses"].items():
                content = answer.get("content", {}).get("application/json", {})
                if (
                    status.startswith("2")
                    and content.get("schema")
                    and not {"example", "examples"} & set(content)
                ):
                    content["example"] = job_example(operation["operationId"], status, content["schema"])
                    content["example"] = content["example"] or example_of(content["schema"], components)


def job_example(operation: str, status: str, schema: Json) -> Json | None:
    """The example of an answer that is a job which has not ended, or was cancelled; None for any other answer."""
    if status != "202" or schema.get("$ref") != f"{REFERENCE}Job":
        return None
    return EXAMPLE_CANCELLED_JOB if operation == "cancel_job" else EXAMPLE_NEW_JOB


def example_of(schema: Json, components: Json, name: str = "") -> Any:
    """A value that fits a schema: its own example if it has one."""
    if "$ref" in schema:
        return example_of(components[schema["$ref"].removeprefix(REFERENCE)], components, name)
    if examples := schema.get("examples"):
        return examples[0]
    if name in EXAMPLE_FIELDS and fits(EXAMPLE_FIELDS[name], schema):
        return EXAMPLE_FIELDS[name]
    if "anyOf" in schema:
        return (
            None if {"type": "null"} in schema["anyOf"] else example_of(schema["anyOf"][0], components, name)
        )
    return value_of_type(schema, components, name)


def fits(value: Any, schema: Json) -> bool:
    """Whether a value has the type of a schema that names one."""
    kinds = {"string": str, "number": float, "object": dict, "array": list}
    kind = kinds.get(schema.get("type", ""))
    return kind is not None and isinstance(value, kind) and not {"enum", "const", "properties"} & set(schema)


def value_of_type(schema: Json, components: Json, name: str) -> Any:
    """A value by the type of a schema alone."""
    if "const" in schema or "enum" in schema:
        return schema.get("const", schema.get("enum", [None])[0])
    if "prefixItems" in schema:
        return [72, 90, 300, 180][: len(schema["prefixItems"])]
    if schema.get("type") == "array":
        return [example_of(schema["items"], components, name.removesuffix("s"))]
    if "properties" in schema:
        return {key: example_of(value, components, key) for key, value in schema["properties"].items()}
    if schema.get("type") == "object":
        return {}
    return text_or_number(schema, name)


def text_or_number(schema: Json, name: str) -> Any:
    """A value of a simple type; ids and times look like what they are."""
    if schema.get("type") == "string" and (name == "id" or name.endswith("_id")):
        return EXAMPLE_ID
    if schema.get("type") == "string" and name.endswith(("_at", "_since", "_until")):
        return EXAMPLE_TIME
    return BY_TYPE.get(schema.get("type", ""))
