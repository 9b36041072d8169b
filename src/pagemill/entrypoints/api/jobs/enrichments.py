"""Enrichments over HTTP: what was added to a result, and having more added without reading again."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from pagemill.desk import enrichments
from pagemill.entrypoints.access.caller import tenant_of
from pagemill.entrypoints.api import openapi, run_models
from pagemill.entrypoints.api.artifacts.answers import result_or_status, send_found
from pagemill.entrypoints.api.artifacts.documents import file_responses
from pagemill.entrypoints.api.database_calls import run_query
from pagemill.entrypoints.api.jobs.routes import NEW_RUN, retry_after
from pagemill.entrypoints.api.state import api_state
from pagemill.entrypoints.thread_pools import run_in_thread
from pagemill.entrypoints.wire.bodies import json_body
from pagemill.entrypoints.wire.negotiation import choose_media_type
from pagemill.entrypoints.wire.problems import invalid
from pagemill.entrypoints.wire.responses import json_response
from pagemill.errors import ArtifactNotMade
from pagemill.model.enriching import BUILT_IN
from pagemill.model.formats import BY_NAME
from pagemill.reading.enricher import enricher_names

router = APIRouter(prefix="/v1", generate_unique_id_function=openapi.operation_id)
# Enrichers that are installed make JSON; of our own, `chunks` makes lines of JSON.
MEDIA_TYPES = tuple(
    dict.fromkeys(("application/json", *(BY_NAME[name].bare_media_type for name in BUILT_IN)))
)


ENRICH_REQUEST = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {"$ref": "#/components/schemas/EnrichAgainRequest"},
                "examples": {"entities": {"value": {"enrich": ["entities"]}}},
            }
        },
    }
}


@router.post(
    "/jobs/{job_id}/enrich",
    summary="Add to a result without reading again",
    status_code=202,
    response_model=None,
    responses={**NEW_RUN, **openapi.problems(ArtifactNotMade)},
    openapi_extra=ENRICH_REQUEST,
)
async def enrich_job(request: Request, job_id: str) -> Response:
    """Run enrichers over the result of a job that has ended; what they make is published as the next revision.

    The document is not read again. The former result stays readable until then, and can be restored.
    """
    choose_media_type(request)
    mill = api_state(request).mill
    wanted = await json_body(request, run_models.EnrichAgainRequest, mill.settings)
    known = enricher_names()
    faults = [
        (f"/enrich/{place}", f"{name[:40]!r} is not one of {', '.join(known)}")
        for place, name in enumerate(wanted.enrich)
        if name not in known
    ]
    if faults:
        raise invalid(*faults)
    names = tuple(dict.fromkeys(wanted.enrich))
    view = await run_in_thread(
        enrichments.enrich_again, mill, tenant_of(request), job_id, names, wanted.password or None
    )
    return json_response(view, 202, {"location": f"/v1/jobs/{job_id}", "retry-after": retry_after(view)})


def enrichment_responses() -> openapi.Responses:
    """The responses of the route of an enrichment, in every media type that one may have."""
    responses = file_responses(MEDIA_TYPES[0], {"example": {"words": 128}}, {})
    for status in (200, 206):
        responses[status]["content"].update({other: {} for other in MEDIA_TYPES[1:]})
    return responses


@router.get(
    "/jobs/{job_id}/enrichments/{name}",
    summary="Get what an enricher added",
    response_model=None,
    responses=enrichment_responses(),
)
async def get_enrichment(request: Request, job_id: str, name: str) -> Response:
    """What an enricher made of the document, as it was published with the present revision."""
    choose_media_type(request, MEDIA_TYPES)
    found = run_query(enrichments.enrichment, api_state(request).mill, tenant_of(request), job_id, name)
    return send_found(request, await result_or_status(request, job_id, found))
