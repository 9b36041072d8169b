"""Request bodies: taken piece by piece, at a pace, and never more than is wanted."""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from typing import TypeVar

import orjson
from pydantic import BaseModel, ValidationError
from starlette.requests import Request
from starlette.types import Message

from pagemill.entrypoints.wire.problems import invalid_model
from pagemill.errors import (
    BodyIncomplete,
    ContentTooLarge,
    InvalidEncoding,
    InvalidJson,
    RequestError,
    UnsupportedMediaType,
    UploadTooSlow,
)
from pagemill.settings import Settings

MAX_JSON_BYTES = 1_000_000
LENGTH_DIGITS = 18
# All integers up to it are floating-point numbers of their own.
LARGEST_EXACT = 2**53
# The escape of U+0000, which PostgreSQL can't store; behind an escaped backslash it is none.
ZERO_CHARACTER = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")
M = TypeVar("M", bound=BaseModel)
TakePiece = Callable[[bytes], Awaitable[None] | None]


class Pace:
    """Gives up on a body that arrives too slowly, looking once per window and not at every piece.

    While a piece is being stored the caller has nothing to answer for.
    """

    def __init__(self, settings: Settings, limit: asyncio.Timeout) -> None:
        self.size_bytes = 0
        self.is_storing = False
        self._limit = limit
        self._window_seconds = settings.upload_window_seconds
        self._least = settings.min_upload_rate * settings.upload_window_seconds
        self._before = 0
        self._loop = asyncio.get_running_loop()
        self._timer = self._loop.call_later(self._window_seconds, self._look)

    def _look(self) -> None:
        if self.size_bytes - self._before < self._least and not self.is_storing:
            self._limit.reschedule(self._loop.time())
            return
        self._before = self.size_bytes
        self._timer = self._loop.call_later(self._window_seconds, self._look)

    def stop(self) -> None:
        """Look no more."""
        self._timer.cancel()


async def read_body(
    receive: Callable[[], Awaitable[Message]], take_piece: TakePiece, settings: Settings
) -> None:
    """Feed every piece of a body; BodyIncomplete if the caller leaves, UploadTooSlow if it dawdles.

    A piece whose taking is awaited is taken before the next one is read.
    """
    try:
        async with asyncio.timeout(None) as limit:
            pace = Pace(settings, limit)
            try:
                await read_pieces(receive, take_piece, pace)
            finally:
                pace.stop()
    except TimeoutError as error:
        raise UploadTooSlow() from error


async def read_pieces(receive: Callable[[], Awaitable[Message]], take_piece: TakePiece, pace: Pace) -> None:
    """Feed every piece of a body, counting its bytes."""
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise BodyIncomplete()
        piece = message.get("body", b"")
        pace.size_bytes += len(piece)
        taking = take_piece(piece)
        if taking is not None:
            pace.is_storing = True
            await taking
            pace.is_storing = False
        more = message.get("more_body", False)


async def json_body(
    request: Request, model: type[M], settings: Settings, max_bytes: int = MAX_JSON_BYTES
) -> M:
    """The JSON body of a request in its model; an empty body has all defaults."""
    if request.headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
        raise UnsupportedMediaType(
            "Compressed bodies are not taken. Send the JSON as it is.", accepted=["application/json"]
        )
    if length_of(request) > max_bytes:
        raise ContentTooLarge(max_bytes=max_bytes)
    body = bytearray()

    def take_piece(piece: bytes) -> None:
        body.extend(piece)
        if len(body) > max_bytes:
            raise ContentTooLarge(max_bytes=max_bytes)

    await read_body(request.receive, take_piece, settings)
    if not body:
        return parse_json(b"{}", model)
    if media_type_of(request) != "application/json":
        raise UnsupportedMediaType(accepted=["application/json"])
    return parse_json(bytes(body), model)


def parse_json(body: bytes, model: type[M]) -> M:
    """A JSON text in its model."""
    if zero := ZERO_CHARACTER.search(body):
        raise InvalidEncoding(
            f"The body has the character U+0000 at byte {zero.end() - 6}, which no text has.",
            offset=zero.end() - 6,
        )
    try:
        # As the OpenAPI document has it: 0 is no boolean, and "1" no number.
        return model.model_validate_json(json.dumps(load_json(body)), strict=True)
    except orjson.JSONDecodeError as error:
        raise json_error(body, error) from error
    except RecursionError as error:
        raise nested_too_deep() from error
    except ValidationError as error:
        raise invalid_model(error) from error


def nested_too_deep() -> InvalidJson:
    """What to say of JSON that has too many levels."""
    return InvalidJson("The JSON is nested too deep.", offset=0)


def load_json(text: bytes | str) -> object:
    """The value of a JSON text; orjson.JSONDecodeError if it is none, InvalidJson if a name is in an object twice."""
    orjson.loads(text)
    try:
        # The parser above keeps the last of several values with the same name, without a word.
        return json.loads(
            text, object_pairs_hook=refuse_duplicates, parse_float=whole_number, parse_int=orjson.loads
        )
    except RecursionError as error:
        raise nested_too_deep() from error


def whole_number(text: str) -> float:
    """A number with a fraction or an exponent; JSON Schema takes 2.0 for an integer."""
    number = float(text)
    return int(number) if number.is_integer() and abs(number) <= LARGEST_EXACT else number


def refuse_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """The pairs as a dictionary; InvalidJson if two have the same name."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise InvalidJson(f"The JSON has the name {twice[:100]!r} more than once in one object.", offset=0)
    return found


def json_error(body: bytes, error: orjson.JSONDecodeError) -> RequestError:
    """What to say of a body that is no JSON: whether its bytes are no UTF-8, or what they say is wrong."""
    try:
        body.decode("utf-8")
    except UnicodeDecodeError as wrong:
        return InvalidEncoding(f"The body is not UTF-8 at byte {wrong.start}.", offset=wrong.start)
    # JSON begins with two characters of ASCII, which are bytes without a zero in UTF-8 alone.
    if b"\0" in body[:2]:
        return InvalidEncoding("The body is UTF-16 or UTF-32. Send it as UTF-8.", offset=0)
    if "surrogate" in error.msg:
        return InvalidEncoding(f"The body has half a character at byte {error.pos}.", offset=error.pos)
    return InvalidJson(f"The body is not valid JSON at byte {error.pos}: {error.msg}.", offset=error.pos)


def length_of(request: Request) -> int:
    """The declared length of a body; 0 if it is not declared."""
    declared = request.headers.get("content-length", "").lstrip("0")
    # A longer number is cut off: what is left of it is still more than anybody takes.
    return int(declared[:LENGTH_DIGITS]) if declared.isdecimal() else 0


def media_type_of(request: Request) -> str:
    """The declared type of a body, without parameters."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()
