"""Search: the route, and the labels that documents are found by."""

import asyncio
from collections.abc import Coroutine
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from pagemill.desk.labels import count_labels
from pagemill.desk.search import find_passages
from pagemill.desk.search_limit import SearchLimit
from pagemill.entrypoints.access.caller import holder_of, tenant_of
from pagemill.entrypoints.api import openapi
from pagemill.entrypoints.api.filter_parameters import filter_of
from pagemill.entrypoints.api.jobs.watch import RETRY_AFTER_SECONDS, wait_for_disconnect
from pagemill.entrypoints.api.search.shapes import SearchParameters, SearchResults, UsedLabels
from pagemill.entrypoints.api.state import ApiState, api_state
from pagemill.entrypoints.thread_pools import run_in_thread
from pagemill.entrypoints.wire.negotiation import choose_media_type
from pagemill.entrypoints.wire.problems import invalid
from pagemill.entrypoints.wire.responses import json_response
from pagemill.errors import (
    ModelFailed,
    ModelUnavailable,
    NotAcceptable,
    Overloaded,
    QuotaExceeded,
    SearchNotOffered,
    SearchTimeout,
    ValidationFailed,
    VectorsNotOffered,
)
from pagemill.model.search_queries import SearchQuery, parse_query
from pagemill.model.tenants import Holder

T = TypeVar("T")
router = APIRouter(prefix="/v1", generate_unique_id_function=openapi.operation_id)


@router.get(
    "/search",
    summary="Search in everything that was read",
    response_model=None,
    responses={
        200: {"model": SearchResults, "description": "What was found, best first."},
        **openapi.problems(
            SearchNotOffered,
            VectorsNotOffered,
            ValidationFailed,
            QuotaExceeded,
            ModelFailed,
            ModelUnavailable,
            Overloaded,
            SearchTimeout,
        ),
    },
)
async def search_documents(request: Request, parameters: Annotated[SearchParameters, Query()]) -> Response:
    """Search in all results of the tenant, for words in any script; accents and case make no difference.

    If no chunk has all words, those that have some of the rarer ones are answered (`matched` is `any`). Each hit names the
    job, the chunk, the page and the boxes of what was found. With `mode=vector` chunks are found by their meaning, with
    `mode=hybrid` by both.
    """
    choose_media_type(request)
    query, wanted = checked_query(parameters.q), filter_of(tenant_of(request), parameters, parameters.job_id)
    state = api_state(request)
    time_limit = SearchLimit(state.mill.settings.search_seconds)
    admit_search(state, holder_of(request))
    running = state.searching.run(
        wanted.tenant,
        find_passages,
        state.mill,
        wanted,
        query,
        offset=parameters.offset,
        limit=parameters.limit,
        mode=parameters.mode,
        time_limit=time_limit,
    )
    found = await answer_unless_gone(request, running)
    if found is None:
        time_limit.cancel()
        # Sent to nobody, and counted: nginx has this number for callers that leave.
        return Response(status_code=499)
    return json_response(found)


@router.get(
    "/labels",
    summary="List collections and tags",
    response_model=None,
    responses={
        200: {"model": UsedLabels, "description": "The labels that jobs have, most used first."},
        **openapi.problems(NotAcceptable),
    },
)
async def list_labels(request: Request) -> Response:
    """The collections and tags of the jobs of the tenant, with how many jobs have each."""
    choose_media_type(request)
    return json_response(await run_in_thread(count_labels, api_state(request).mill, tenant_of(request)))


def admit_search(state: ApiState, holder: Holder) -> None:
    """Raises QuotaExceeded if too many searches of a tenant run or wait; the operator is held to no tenant's limit."""
    most = state.mill.settings.max_tenant_searches
    if state.searching.present(holder.tenant) >= most and not holder.is_operator:
        raise QuotaExceeded(
            "Too many searches of this tenant run or wait for their turn. Wait for their answers.",
            max_tenant_searches=most,
            retry_after_seconds=RETRY_AFTER_SECONDS,
        )


async def answer_unless_gone(request: Request, running: Coroutine[Any, Any, T]) -> T | None:
    """What is answered; None if the caller leaves before, and what it waited for is cancelled."""
    answer = asyncio.ensure_future(running)
    gone = asyncio.ensure_future(wait_for_disconnect(request.receive))
    try:
        await asyncio.wait((answer, gone), return_when=asyncio.FIRST_COMPLETED)
        return answer.result() if answer.done() else None
    finally:
        gone.cancel()
        answer.cancel()


def checked_query(text: str) -> SearchQuery:
    """What is searched for; ValidationFailed if it is nothing."""
    try:
        return parse_query(text.replace("\0", " "))
    except ValueError as error:
        raise invalid(("/q", str(error))) from None
