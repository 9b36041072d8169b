"""Batches: handed in, listed, looked at, cancelled, read again and deleted."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Header, Query
from starlette.requests import Request
from starlette.responses import Response

from pagemill import tracing
from pagemill.desk import batches
from pagemill.entrypoints.access.caller import tenant_of
from pagemill.entrypoints.api import openapi
from pagemill.entrypoints.api.batches import shapes
from pagemill.entrypoints.api.batches.intake import BatchIntake
from pagemill.entrypoints.api.batches.receiving import receive_batch
from pagemill.entrypoints.api.batches.request_docs import BATCH_REQUEST, BATCH_RETRY_REQUEST
from pagemill.entrypoints.api.database_calls import run_query
from pagemill.entrypoints.api.jobs.events import STREAM, EventStream, known_place, starting_point
from pagemill.entrypoints.api.jobs.feed_sources import BatchLog
from pagemill.entrypoints.api.jobs.routes import checked_cursor
from pagemill.entrypoints.api.state import ApiState, api_state
from pagemill.entrypoints.api.upload.accepting import record_jobs
from pagemill.entrypoints.api.upload.submit import RETRY_AFTER, idempotency_key, refuse_early
from pagemill.entrypoints.thread_pools import run_in_thread
from pagemill.entrypoints.wire.bodies import json_body
from pagemill.entrypoints.wire.negotiation import choose_media_type
from pagemill.entrypoints.wire.responses import JSON, json_response
from pagemill.errors import (
    ArchiveBomb,
    ArchiveInvalid,
    InvalidCursor,
    JobTerminal,
    NothingToRetry,
    PagemillError,
    TooManyItems,
    ValidationFailed,
)
from pagemill.model.batches import entry_view
from pagemill.steps.accept import (
    BatchAcceptance,
    BatchSubmission,
    refuse_while_full,
)

router = APIRouter(prefix="/v1", generate_unique_id_function=openapi.operation_id)

MAX_NUMBER = 1_000_000
BATCH_STREAM_EXAMPLE = (
    'event: batch.progress\ndata: {"id": "…", "status": "processing"}\nid: 100000000042\n\n'
)


@router.post(
    "/batches",
    summary="Hand in many documents",
    status_code=202,
    response_model=None,
    responses={
        202: {
            "description": "The documents are stored and their jobs are made; items that are none are counted as `refused`.",
            "model": shapes.Batch,
            "headers": {"Location": openapi.header("The address of the batch.", "/v1/batches/…")}
            | openapi.RETRY_AFTER,
        },
        **openapi.problems(*openapi.REFUSALS, TooManyItems, ArchiveInvalid, ArchiveBomb),
    },
    openapi_extra=BATCH_REQUEST,
)
async def submit_batch(request: Request) -> Response:
    """Hand in up to 1,000 documents: as parts `files` of a form, as a ZIP or TAR archive, or as JSON with their URLs.

    Options in the query, the form or `options` are for all documents; those in `items` are for one, named by its file name
    or its number. Either the whole batch is taken or none of it, but an item that is no document is refused alone and
    never stops the others. The jobs of a batch have a lower priority than single ones, unless they are given one.
    """
    choose_media_type(request)
    with tracing.request_span("POST /v1/batches", request.headers.get("traceparent")):
        acceptance = await take_batch(request, api_state(request))
    headers = {"location": f"/v1/batches/{acceptance.batch_id}", "retry-after": RETRY_AFTER}
    if acceptance.replayed:
        headers["idempotent-replayed"] = "true"
    return Response(acceptance.answer, 202, headers, JSON)


async def take_batch(request: Request, state: ApiState) -> BatchAcceptance:
    """Take the documents in and make their jobs; nothing is left of a batch that is refused, and it is written down."""
    intake = BatchIntake(state.mill)
    try:
        return await record_jobs(state.mill, await store_batch(request, state, intake))
    except PagemillError as error:
        state.refusals.record(
            error, tenant_of(request), path="/v1/batches", filename="", size_bytes=intake.size_bytes
        )
        raise


async def store_batch(request: Request, state: ApiState, intake: BatchIntake) -> BatchSubmission:
    """Take the documents in and make them durable, or leave nothing behind."""
    key = idempotency_key(request)
    try:
        if key is None:
            refuse_while_full(state.mill, tenant_of(request))
        refuse_early(request, state, state.mill.settings.max_batch_bytes)
        return await receive_batch(request, state, intake, key)
    except BaseException:
        await asyncio.shield(run_in_thread(intake.discard))
        raise


@router.get(
    "/batches",
    summary="List batches",
    response_model=None,
    responses={
        200: {"model": shapes.BatchPage, "description": "Some batches."},
        **openapi.problems(InvalidCursor, ValidationFailed),
    },
)
async def list_batches(
    request: Request,
    cursor: Annotated[str | None, Query(description="`next_cursor` of the list before.")] = None,
    limit: Annotated[int, Query(ge=1, le=100, description="How many to list at most.")] = 20,
) -> Response:
    """The batches of this key, newest first."""
    choose_media_type(request)
    found = await run_in_thread(
        batches.list_batches,
        api_state(request).mill,
        tenant_of(request),
        cursor=checked_cursor(cursor),
        limit=limit,
    )
    return json_response({"batches": found.batches, "next_cursor": found.next_cursor})


@router.get(
    "/batches/{batch_id}",
    summary="Look at a batch",
    response_model=None,
    responses={
        200: {"model": shapes.Batch, "description": "The batch."},
        **openapi.problems(*openapi.OF_A_JOB),
    },
)
async def show_batch(
    request: Request,
    batch_id: str,
    wait: Annotated[
        float,
        Query(ge=0, allow_inf_nan=False, description="Wait up to so many seconds for the end of all items."),
    ] = 0,
) -> Response:
    """How many items are done, how many failed, and how long the rest may take.

    With `wait`, the answer is held back until all items have ended or the time is up.
    """
    choose_media_type(request)
    state = api_state(request)
    seconds = min(wait, state.mill.settings.max_wait_seconds)
    return json_response(await state.watch.wait_for_batch(request, tenant_of(request), batch_id, seconds))


@router.get(
    "/batches/{batch_id}/events",
    summary="Watch a batch",
    response_model=None,
    responses={
        200: {
            "description": "The batch each time that it has moved on.",
            "content": {STREAM: {"example": BATCH_STREAM_EXAMPLE}},
        },
        204: {"description": "The batch has ended and was seen so; don't reconnect."},
        **openapi.problems(*openapi.OF_A_JOB, ValidationFailed),
    },
)
async def batch_events(
    request: Request,
    batch_id: str,
    last_event_id: Annotated[str | None, Header(description="Where a cut stream goes on.")] = None,
) -> Response:
    """The batch as `GET /v1/batches/{id}` shows it, as server-sent events whenever it has moved on, until its end.

    The events are `batch.progress` and, as the last one, `batch.completed`, `batch.failed` or `batch.cancelled`.
    """
    choose_media_type(request, (STREAM,))
    state, log = api_state(request), BatchLog(tenant_of(request), batch_id)
    after = starting_point(None, last_event_id)
    last, ended = await run_query(log.end, state.mill)
    if ended and after == last:
        return Response(status_code=204)
    return EventStream(state.watch, log, known_place(after, last, 0))


@router.get(
    "/batches/{batch_id}/items",
    summary="List the items of a batch",
    response_model=None,
    responses={
        200: {"model": shapes.BatchEntries, "description": "Some items."},
        **openapi.problems(*openapi.OF_A_JOB, ValidationFailed),
    },
)
async def list_batch_items(
    request: Request,
    batch_id: str,
    after: Annotated[int, Query(ge=0, le=MAX_NUMBER, description="Only items after this number.")] = 0,
    limit: Annotated[int, Query(ge=1, le=1_000, description="How many to list at most.")] = 100,
) -> Response:
    """The items in the order of the request, each with its job, or with the reason why it has none."""
    choose_media_type(request)
    found = await run_in_thread(
        batches.list_items, api_state(request).mill, tenant_of(request), batch_id, after=after, limit=limit
    )
    return json_response({"items": [entry_view(entry) for entry in found]})


@router.post(
    "/batches/{batch_id}/cancel",
    summary="Stop a batch",
    status_code=202,
    response_model=None,
    responses={
        202: {"model": shapes.Batch, "description": "Its jobs are stopped."},
        **openapi.problems(*openapi.OF_A_JOB, JobTerminal),
    },
)
async def cancel_batch(request: Request, batch_id: str) -> Response:
    """Stop all items that have not ended; what has ended stays as it is."""
    choose_media_type(request)
    view = await run_in_thread(batches.cancel_batch, api_state(request).mill, tenant_of(request), batch_id)
    return json_response(view, 202)


@router.post(
    "/batches/{batch_id}/retry",
    summary="Read a batch again",
    status_code=202,
    response_model=None,
    responses={
        202: {"model": shapes.Batch, "description": "Its jobs are read again."},
        **openapi.problems(*openapi.OF_A_JOB, NothingToRetry, ValidationFailed),
    },
    openapi_extra=BATCH_RETRY_REQUEST,
)
async def retry_batch(request: Request, batch_id: str) -> Response:
    """Read again what failed, was cancelled or lacks pages; or, with `only` set to `all`, every item that has ended."""
    choose_media_type(request)
    mill = api_state(request).mill
    body = await json_body(request, shapes.BatchRetryRequest, mill.settings)
    every = body.only == "all"
    view = await run_in_thread(batches.retry_batch, mill, tenant_of(request), batch_id, every=every)
    return json_response(view, 202)


@router.delete(
    "/batches/{batch_id}",
    summary="Delete a batch",
    status_code=204,
    response_model=None,
    responses={204: {"description": "It is gone."}, **openapi.problems(*openapi.OF_A_JOB)},
)
async def delete_batch(request: Request, batch_id: str) -> Response:
    """Delete a batch with the documents and results of all its items; running ones are stopped first."""
    await run_in_thread(batches.remove_batch, api_state(request).mill, tenant_of(request), batch_id)
    return Response(status_code=204)
