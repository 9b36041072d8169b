"""The OpenAPI document as a whole: its models, the names that callers know them by, and their examples."""

import json
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel, TypeAdapter

from pagemill.desk.questions import AskAnswer
from pagemill.entrypoints.api import examples, models, run_models
from pagemill.entrypoints.api.batches.shapes import BatchRequest, BatchRetryRequest
from pagemill.entrypoints.api.example_values import add_examples
from pagemill.entrypoints.api.jobs.corrections import CorrectRequest
from pagemill.entrypoints.api.jobs.labels import LabelsRequest
from pagemill.entrypoints.api.keys import shapes as key_shapes
from pagemill.entrypoints.api.openapi import DESCRIPTION
from pagemill.entrypoints.api.understanding.ask import AskRequest
from pagemill.entrypoints.api.understanding.classes import ExamplesRequest
from pagemill.entrypoints.api.understanding.rule_shapes import RuleRequest, TrialRequest
from pagemill.entrypoints.api.upload.json_options import JsonSubmission
from pagemill.entrypoints.api.webhooks import shapes

EXTRA_MODELS = (
    models.Problem,
    run_models.RetryRequest,
    LabelsRequest,
    CorrectRequest,
    run_models.PageReadRequest,
    run_models.EnrichAgainRequest,
    run_models.ExtractRequest,
    models.UploadRequest,
    models.JobEvents,
    JsonSubmission,
    BatchRequest,
    BatchRetryRequest,
    shapes.EndpointRequest,
    shapes.EndpointChange,
    shapes.RotateRequest,
    shapes.ReplayRequest,
    key_shapes.KeyRequest,
    AskRequest,
    ExamplesRequest,
    RuleRequest,
    TrialRequest,
)


# Class -> what the document calls it.
KNOWN_NAMES = {
    "CountersView": "Counters",
    "DocumentView": "Document",
    "JobView": "Job",
    "ProviderShown": "Provider",
    "StoredClass": "Classification",
    "StoredError": "JobError",
    "StoredFailedPage": "FailedPage",
    "StoredOptions": "JobOptions",
}


def openapi(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI document, made once."""
    if app.openapi_schema is None:
        schema = get_openapi(
            title=app.title,
            version=app.version,
            description=DESCRIPTION,
            routes=app.routes,
            openapi_version="3.1.0",
            tags=app.openapi_tags,
        )
        schema["info"]["license"] = {"name": "Apache License 2.0", "identifier": "Apache-2.0"}
        # Relative to where this document is: whatever name the service is reached by.
        schema["servers"] = [{"url": "/"}]
        components = schema.setdefault("components", {})
        for model in EXTRA_MODELS:
            add_model(components.setdefault("schemas", {}), model)
        add_type(components["schemas"], AskAnswer)
        components["securitySchemes"] = {
            "bearer": {"type": "http", "scheme": "bearer"},
            "api_key": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
        }
        # Needed only where the installation has a key.
        schema["security"] = [{}, {"bearer": []}, {"api_key": []}]
        app.openapi_schema = rename_views(schema)
        schemas = app.openapi_schema["components"]["schemas"]
        schemas["Job"]["examples"] = [examples.EXAMPLE_JOB]
        restore_examples(schemas)
        add_examples(app.openapi_schema)
    return app.openapi_schema


def restore_examples(schemas: dict[str, Any]) -> None:
    """Put the examples of the models back as they were written: FastAPI leaves out what is null in them."""
    for model in (*vars(models).values(), *vars(shapes).values(), *vars(key_shapes).values()):
        extra = model.model_config.get("json_schema_extra") if hasattr(model, "model_config") else None
        if isinstance(extra, dict) and "examples" in extra and model.__name__ in schemas:
            schemas[model.__name__]["examples"] = extra["examples"]


def rename_views(schema: dict[str, Any]) -> dict[str, Any]:
    """The document with the names that callers know for the classes that a job is made of."""
    text = json.dumps(schema)
    for name, known in KNOWN_NAMES.items():
        text = text.replace(f'"#/components/schemas/{name}"', f'"#/components/schemas/{known}"')
        text = text.replace(f'"{name}": {{', f'"{known}": {{').replace(
            f'"title": "{name}"', f'"title": "{known}"'
        )
    renamed: dict[str, Any] = json.loads(text)
    return renamed


def add_type(schemas: dict[str, Any], kind: type) -> None:
    """Add a typed dictionary that no route names as its model."""
    schema = TypeAdapter(kind).json_schema(ref_template="#/components/schemas/{model}")
    schemas.update(schema.pop("$defs", {}))
    schemas[kind.__name__] = schema


def add_model(schemas: dict[str, Any], model: type[BaseModel]) -> None:
    """Add a model, and those that it is made of, to the schemas of the document."""
    schema = model.model_json_schema(ref_template="#/components/schemas/{model}")
    schemas.update(schema.pop("$defs", {}))
    schemas[model.__name__] = schema
