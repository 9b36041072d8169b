"""Questions over HTTP: answered as a whole, or as a stream of server-sent events."""

from collections.abc import AsyncIterator
from threading import Event
from typing import Any

import orjson
from fastapi import APIRouter
from pydantic import ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from pagemill.desk import questions
from pagemill.entrypoints.access.caller import tenant_of
from pagemill.entrypoints.api import openapi
from pagemill.entrypoints.api.examples import EXAMPLE_ID
from pagemill.entrypoints.api.filter_parameters import BodyFilters, filter_of
from pagemill.entrypoints.api.state import api_state
from pagemill.entrypoints.api.understanding.documentation import BODY_ERRORS
from pagemill.entrypoints.api.webhooks.routes import body_of
from pagemill.entrypoints.thread_streams import ThreadedStream
from pagemill.entrypoints.wire.bodies import json_body
from pagemill.entrypoints.wire.negotiation import choose_media_type
from pagemill.entrypoints.wire.responses import json_response
from pagemill.errors import (
    ArtifactNotMade,
    Gone,
    JobFailed,
    JobNotFinished,
    ModelFailed,
    ModelNotConfigured,
    ModelUnavailable,
    NotFound,
    PagemillError,
    SearchNotOffered,
)
from pagemill.model.document_filters import FILTERS

router = APIRouter(prefix="/v1", generate_unique_id_function=openapi.operation_id)
JSON, STREAM = "application/json", "text/event-stream"
Piece = str | questions.AskAnswer
EXAMPLE: dict[str, Any] = {"question": "When is the invoice due?", "job_id": EXAMPLE_ID}
STREAM_EXAMPLE = 'event: delta\ndata: {"text":"On 3 May"}\n\nevent: answer\ndata: {"answered":true}\n\n'


class AskRequest(BodyFilters):
    """A question, and the documents that it is asked of: one job, or those that the filters let through."""

    model_config = ConfigDict(
        extra="forbid", populate_by_name=True, json_schema_extra={"examples": [EXAMPLE]}
    )

    question: str = Field(min_length=1, max_length=2_000)
    job_id: str | None = Field(None, max_length=36, description=FILTERS["job_id"].help)


@router.post(
    "/ask",
    summary="Ask a question of documents",
    response_model=None,
    responses={
        200: {
            "description": "The answer with its citations, or why there is none; as a stream, `delta` events with its text as "
            "it comes, then one `answer` event with all of it, or one `error` event.",
            "content": {
                JSON: {"schema": {"$ref": "#/components/schemas/AskAnswer"}},
                STREAM: {"example": STREAM_EXAMPLE},
            },
        },
        **openapi.problems(
            ModelNotConfigured,
            ModelFailed,
            ModelUnavailable,
            SearchNotOffered,
            NotFound,
            Gone,
            JobNotFinished,
            JobFailed,
            ArtifactNotMade,
            *BODY_ERRORS,
        ),
    },
    openapi_extra=body_of("AskRequest", EXAMPLE),
)
async def ask_question(request: Request) -> Response:
    """Have the language model of the settings answer a question from one document, or from those that filters let through.

    Every citation was found in the document, with its page and boxes. Without one there is no answer: `answered` is false,
    with the reason. With `Accept: text/event-stream` the answer comes as it is written, once something supports it.
    """
    form = choose_media_type(request, (JSON, STREAM))
    state = api_state(request)
    body = await json_body(request, AskRequest, state.mill.settings)
    wanted = filter_of(tenant_of(request), body, body.job_id)
    if form == JSON:
        return json_response(await state.asking.run(questions.ask_whole, state.mill, wanted, body.question))
    stopping = Event()
    pieces = questions.ask(state.mill, wanted, body.question, stopping)
    stream = ThreadedStream(state.asking, pieces, stopping)
    try:
        # Before the first piece an error can still be answered as one.
        return AnswerResponse(await stream.next(), stream)
    except BaseException:
        stream.stop()
        raise


class AnswerResponse(StreamingResponse):
    """An answer as it comes; the model is asked for no more once the client is gone."""

    def __init__(self, first: Piece | None, stream: ThreadedStream[Piece]) -> None:
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        super().__init__(send_pieces(first, stream), media_type=STREAM, headers=headers)
        self._stream = stream

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it, as far as there is somebody to send it to."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._stream.stop()


async def send_pieces(first: Piece | None, stream: ThreadedStream[Piece]) -> AsyncIterator[bytes]:
    """The pieces as events."""
    piece = first
    try:
        while piece is not None:
            yield event_of(piece)
            piece = await stream.next()
    except PagemillError as error:
        yield sse("error", {"code": error.code, "message": error.message})


def event_of(piece: Piece) -> bytes:
    """A piece as an event."""
    return sse("delta", {"text": piece}) if isinstance(piece, str) else sse("answer", {**piece})


def sse(name: str, value: dict[str, Any]) -> bytes:
    """An event of a stream."""
    return b"event: " + name.encode() + b"\ndata: " + orjson.dumps(value) + b"\n\n"
