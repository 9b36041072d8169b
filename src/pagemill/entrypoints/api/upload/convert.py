"""POST /v1/convert: a document in, one format of it out as the body of the answer."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from pagemill import tracing
from pagemill.entrypoints.access.caller import holder_of, tenant_of
from pagemill.entrypoints.api import openapi
from pagemill.entrypoints.api.artifacts.answers import MAKING_ERRORS
from pagemill.entrypoints.api.artifacts.documents import send_joined, send_on_demand
from pagemill.entrypoints.api.jobs.watch import is_over
from pagemill.entrypoints.api.password_header import DRAWING
from pagemill.entrypoints.api.state import api_state
from pagemill.entrypoints.api.upload.submit import RETRY_AFTER, query_fields, take_document
from pagemill.entrypoints.wire.negotiation import choose_media_type, preferred_wait
from pagemill.entrypoints.wire.problems import invalid
from pagemill.entrypoints.wire.responses import json_response
from pagemill.errors import ArtifactNotMade, JobFailed
from pagemill.model.formats import BY_NAME, TABLE, Format

router = APIRouter(prefix="/v1", generate_unique_id_function=openapi.operation_id)

FORMAT = "format"
USUAL_WAIT_SECONDS = 30.0
# Images have no file that holds them all.
OFFERED = {one.name: one for one in TABLE if one.operation}
# The first of those that share a media type: Markdown is plain, and a PDF has its layout drawn in.
BY_MEDIA_TYPE = {
    media_type: next(one for one in OFFERED.values() if one.bare_media_type == media_type)
    for media_type in dict.fromkeys(one.bare_media_type for one in OFFERED.values())
}


@router.post(
    "/convert",
    summary="Convert a document in one call",
    response_model=None,
    responses={
        200: {
            "description": "The document in the format that was asked for. `Location` is its job.",
            "content": {media_type: {} for media_type in BY_MEDIA_TYPE},
            "headers": openapi.LOCATION,
        },
        202: {
            "description": "It takes longer than the wait; the job goes on.",
            "content": openapi.JOB_CONTENT,
            "headers": openapi.LOCATION | openapi.RETRY_AFTER,
        },
        **openapi.problems(*openapi.REFUSALS, JobFailed, ArtifactNotMade, *MAKING_ERRORS, *DRAWING),
    },
    openapi_extra=openapi.CONVERT_REQUEST,
)
async def convert_document(request: Request) -> Response:
    """Hand in a document as at `POST /v1/jobs` and get one format of it as the body of the answer.

    The format is that of `format` in the query, or that of the `Accept` header, or Markdown. If the job has not ended after
    30 seconds, or after the N of `Prefer: wait=N`, the answer is 202 with the job, which goes on: fetch the format at its
    own address then. A repeated call with the same `Idempotency-Key` waits for the same job.
    """
    fields = query_fields(request)
    wanted = wanted_format(request, dict(fields).get(FORMAT))
    with tracing.request_span("POST /v1/convert", request.headers.get("traceparent")):
        state, rest = api_state(request), [field for field in fields if field[0] != FORMAT]
        acceptance = await take_document(request, state, rest)
    headers = {"location": f"/v1/jobs/{acceptance.job_id}"}
    seconds = preferred_wait(request, state.mill.settings.max_wait_seconds)
    if seconds is None:
        seconds = min(USUAL_WAIT_SECONDS, state.mill.settings.max_wait_seconds)
    else:
        headers["preference-applied"] = f"wait={seconds:.0f}"
    patience = 0.0 if state.watch.is_full(holder_of(request)) else seconds
    view = await state.watch.wait_for_job(request, tenant_of(request), acceptance.job_id, patience, is_over)
    if not is_over(view):
        return json_response(view, 202, {**headers, "retry-after": RETRY_AFTER})
    send = send_on_demand if wanted.on_demand else send_joined
    response = await send(request, acceptance.job_id, wanted)
    response.headers.update(headers)
    return response


def wanted_format(request: Request, name: str | None) -> Format:
    """The format that a caller wants; ValidationFailed or NotAcceptable if there is none such."""
    if name is None:
        return BY_MEDIA_TYPE[choose_media_type(request, tuple(BY_MEDIA_TYPE))]
    if name not in OFFERED:
        raise invalid((f"/{FORMAT}", f"{name[:100]!r} is not one of {', '.join(OFFERED)}"))
    return BY_NAME[name]
