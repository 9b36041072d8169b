"""Search: the route, the filters in its query, and the labels that they go by."""

import asyncio
import re
from collections.abc import Coroutine
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from pagemill.db.search import SearchFilter
from pagemill.desk.labels import count_labels
from pagemill.desk.search import find_passages
from pagemill.desk.search_limit import SearchLimit
from pagemill.entrypoints.access.caller import holder_of, tenant_of
from pagemill.entrypoints.api import openapi
from pagemill.entrypoints.api.jobs.routes import seconds
from pagemill.entrypoints.api.jobs.watch import RETRY_AFTER_SECONDS, wait_for_disconnect
from pagemill.entrypoints.api.search.shapes import MAX_LABEL, SearchParameters, SearchResults, UsedLabels
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
from pagemill.model.labels import COLLECTION
from pagemill.model.search_queries import SearchQuery, parse_query
from pagemill.model.tenants import Holder

T = TypeVar("T")
router = APIRouter(prefix="/v1", generate_unique_id_function=openapi.operation_id)
# A name may have a colon behind a backslash.
LABEL = re.compile(r"(?P<name>(?:\\:|[^:])*):(?P<value>.*)", re.DOTALL)


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
    query, wanted = checked_query(parameters.q), filter_of(tenant_of(request), parameters)
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


def filter_of(tenant: str, parameters: SearchParameters) -> SearchFilter:
    """Which documents of a tenant are searched."""
    collection = {COLLECTION: parameters.collection} if parameters.collection is not None else {}
    return SearchFilter(
        tenant,
        job_id=parameters.job_id,
        media_type=parameters.media_type,
        created_after=seconds(parameters.created_after),
        created_before=seconds(parameters.created_before),
        tag=parameters.tag,
        document_class=parameters.document_class,
        metadata=parse_labels(parameters.metadata) | collection,
    )


def checked_query(text: str) -> SearchQuery:
    """What is searched for; ValidationFailed if it is nothing."""
    try:
        return parse_query(text.replace("\0", " "))
    except ValueError as error:
        raise invalid(("/q", str(error))) from None


def parse_labels(texts: list[str]) -> dict[str, str]:
    """The metadata that is asked for."""
    pairs = [(LABEL.fullmatch(text), text) for text in texts]
    for found, text in pairs:
        if found is None or len(text) > MAX_LABEL:
            raise invalid(("/metadata", f"{text[:40]!r} is not of the form name:value"))
    labels = [found for found, _ in pairs if found]
    return {one["name"].replace("\\:", ":").strip(): one["value"].strip() for one in labels}
