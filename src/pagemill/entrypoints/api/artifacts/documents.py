"""The whole document in each format: made with the result, or on demand when it is first asked for."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from pagemill.desk import contents, on_demand
from pagemill.entrypoints.access.caller import tenant_of
from pagemill.entrypoints.api import openapi
from pagemill.entrypoints.api.artifacts.answers import (
    MAKING_ERRORS,
    made_or_status,
    result_or_status,
    send_found,
)
from pagemill.entrypoints.api.database_calls import run_query
from pagemill.entrypoints.api.password_header import DRAWING, PASSWORD_HEADER, password_of
from pagemill.entrypoints.api.state import api_state
from pagemill.entrypoints.wire.negotiation import choose_media_type
from pagemill.entrypoints.wire.problems import invalid
from pagemill.errors import (
    ArtifactNotMade,
    JobFailed,
    PagemillError,
    RangeNotSatisfiable,
    ValidationFailed,
)
from pagemill.model.formats import BY_NAME, TABLE, Format
from pagemill.model.passages import DEFAULT_SIZE, MAX_SIZE, MIN_SIZE, PassageOptions

router = APIRouter(prefix="/v1", generate_unique_id_function=openapi.operation_id)
Content = dict[str, object]
# For pages that would go on to show the image or text of an older revision.
Revision = Annotated[
    int | None,
    Query(
        ge=0,
        le=2**53,
        description="Changes nothing; the newest revision is sent in any case. It makes addresses differ for browsers.",
    ),
]
BINARY: Content = {"schema": {"type": "string", "format": "binary"}}


def file_responses(
    media_type: str, whole: Content, part: Content, *errors: type[PagemillError]
) -> openapi.Responses:
    """The responses of a route that answers with a file, whole or in part."""
    return {
        200: {"description": "The artifact.", "content": {media_type: whole}, "headers": openapi.ETAG},
        206: {"description": "The range that was asked for.", "content": {media_type: part}},
        **openapi.UNFINISHED,
        **openapi.NOT_MODIFIED,
        **openapi.problems(*openapi.OF_A_JOB, JobFailed, ArtifactNotMade, RangeNotSatisfiable, *errors),
    }


def on_demand_responses(media_type: str, *errors: type[PagemillError]) -> openapi.Responses:
    """The responses of a route that answers with a file that is made on demand."""
    return file_responses(media_type, BINARY, BINARY, *MAKING_ERRORS, *errors)


def responses_of(one: Format) -> openapi.Responses:
    """The responses of the route of a format."""
    if one.on_demand:
        refusals = (*(DRAWING if one.drawn else ()), *((ValidationFailed,) if one.takes_cuts else ()))
        if one.example:
            return file_responses(
                one.bare_media_type, {"example": one.example}, {}, *MAKING_ERRORS, *refusals
            )
        return on_demand_responses(one.bare_media_type, *refusals)
    return file_responses(one.bare_media_type, {"example": one.example}, {})


def route_of(one: Format) -> Callable[..., Awaitable[Response]]:
    """What answers at the address of a format."""
    if one.takes_cuts:
        return send_chunks
    send = send_on_demand if one.on_demand else send_joined

    async def send_format(request: Request, job_id: str, revision: Revision = None) -> Response:
        del revision
        choose_media_type(request, (one.bare_media_type,))
        return await send(request, job_id, one)

    return send_format


async def send_joined(request: Request, job_id: str, one: Format) -> Response:
    """A format that is made with the result."""
    mill, tenant = api_state(request).mill, tenant_of(request)
    found = run_query(contents.artifact, mill, tenant, job_id, one.name)
    return send_found(request, await result_or_status(request, job_id, found))


async def send_chunks(
    request: Request,
    job_id: str,
    by: Annotated[
        Literal["section", "page", "fixed"],
        Query(description="Where chunks begin: at headings, at pages, or wherever one is full."),
    ] = "section",
    size: Annotated[
        int, Query(ge=MIN_SIZE, le=MAX_SIZE, description="The tokens of a chunk with its headings, at most.")
    ] = DEFAULT_SIZE,
    overlap: Annotated[
        int,
        Query(
            ge=0, description="How many tokens of a full chunk the next one repeats; up to half of `size`."
        ),
    ] = 0,
    revision: Revision = None,
) -> Response:
    """The chunks of a document, cut as the query says."""
    del revision
    one = BY_NAME["chunks"]
    choose_media_type(request, (one.bare_media_type,))
    try:
        cut = PassageOptions(by, size, overlap)
    except ValueError as error:
        raise invalid(("/overlap", str(error))) from None
    return await send_on_demand(request, job_id, one, variant=cut.variant)


async def send_on_demand(request: Request, job_id: str, one: Format, **options: str | None) -> Response:
    """A format that is made when it is first asked for."""
    more = options | ({"password": password_of(request)} if one.drawn else {})
    return send_found(request, await made_or_status(request, job_id, on_demand.artifact, one.name, **more))


def add_routes() -> None:
    """Add a route for each format of the table."""
    for one in TABLE:
        if one.operation:
            router.add_api_route(
                f"/jobs/{{job_id}}/{one.route}",
                route_of(one),
                name=one.operation,
                summary=one.summary,
                description=one.description,
                response_model=None,
                responses=responses_of(one),
                openapi_extra=PASSWORD_HEADER if one.drawn else None,
                methods=["GET"],
            )


add_routes()
