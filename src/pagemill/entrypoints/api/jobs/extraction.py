"""Extraction over HTTP: the values that a JSON Schema asks of a document."""

import orjson
from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from pagemill.desk import extraction, queries
from pagemill.entrypoints.access.caller import tenant_of
from pagemill.entrypoints.api import openapi, run_models
from pagemill.entrypoints.api.artifacts.answers import MAKING_ERRORS, made_or_status, send_found
from pagemill.entrypoints.api.database_calls import run_query
from pagemill.entrypoints.api.jobs.record_schemas import check_schema
from pagemill.entrypoints.api.state import api_state
from pagemill.entrypoints.thread_pools import run_in_thread
from pagemill.entrypoints.wire.bodies import json_body
from pagemill.entrypoints.wire.negotiation import choose_media_type
from pagemill.errors import (
    ArtifactNotMade,
    ContentTooLarge,
    InvalidEncoding,
    InvalidJson,
    JobFailed,
    ModelFailed,
    ModelUnavailable,
    UnsupportedMediaType,
    ValidationFailed,
)

router = APIRouter(prefix="/v1", generate_unique_id_function=openapi.operation_id)
EXTRACT_REQUEST = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {"$ref": "#/components/schemas/ExtractRequest"},
                "examples": {
                    "invoice": {
                        "value": {
                            "schema": {"type": "object", "properties": {"total": {"type": "number"}}},
                        }
                    }
                },
            }
        },
    }
}


@router.post(
    "/jobs/{job_id}/extract",
    summary="Extract values by a JSON Schema",
    response_model=None,
    responses={
        200: {"model": run_models.Extracted, "description": "The values, each with its quote and its box."},
        **openapi.UNFINISHED,
        **openapi.problems(
            *openapi.OF_A_JOB,
            JobFailed,
            ArtifactNotMade,
            ModelFailed,
            ModelUnavailable,
            InvalidEncoding,
            InvalidJson,
            UnsupportedMediaType,
            ContentTooLarge,
            ValidationFailed,
            *MAKING_ERRORS,
        ),
    },
    openapi_extra=EXTRACT_REQUEST,
)
async def extract_values(request: Request, job_id: str) -> Response:
    """The values that a schema asks of a document: by the language model of the settings, or by rules if there is none.

    Every value comes with the words that it is taken from and their box; `grounded` is false if the document does not have
    them. The answer is kept: the same request is answered at once. 202 while it takes longer than a request waits.
    """
    choose_media_type(request)
    mill = api_state(request).mill
    wanted = await json_body(request, run_models.ExtractRequest, mill.settings)
    order = {
        "schema": await run_in_thread(check_schema, wanted.record_schema),
        "instructions": wanted.instructions,
    }
    await run_query(queries.show_job, mill, tenant_of(request), job_id)
    text = orjson.dumps(order, option=orjson.OPT_SORT_KEYS).decode()
    return send_found(request, await made_or_status(request, job_id, extraction.extract, text))
