"""The results of a batch in one answer: an archive or lines of JSON, made while they are sent."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from io import RawIOBase
from pathlib import PurePath
from typing import Annotated, Any, BinaryIO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import orjson
from fastapi import APIRouter, Query
from pydantic import AfterValidator
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from pagemill.desk import batches
from pagemill.entrypoints.access.caller import tenant_of
from pagemill.entrypoints.api import openapi
from pagemill.entrypoints.api.batches.entry_results import (
    IN_ARCHIVE,
    IN_LINES,
    EntryResult,
    every_entry,
    line_content,
    open_result,
)
from pagemill.entrypoints.api.batches.shapes import Batch
from pagemill.entrypoints.api.state import api_state
from pagemill.entrypoints.thread_pools import run_in_thread
from pagemill.entrypoints.wire.negotiation import choose_media_type
from pagemill.entrypoints.wire.responses import HEAD_ONLY, json_response
from pagemill.errors import ContentTooLarge, Overloaded, ValidationFailed
from pagemill.mill import Mill
from pagemill.model.batches import EntryError
from pagemill.model.filenames import content_disposition
from pagemill.model.formats import ARTIFACT_NAMES, BY_NAME, NDJSON, ZIP
from pagemill.model.states import ACTIVE

router = APIRouter(prefix="/v1", generate_unique_id_function=openapi.operation_id)

PIECE_BYTES = 262_144
# What is ready is not kept longer than this, however slowly the rest comes.
GATHER_SECONDS = 0.5
# Deflate at its quickest takes half the time of its usual level, for a tenth more bytes.
QUICKEST = 1
# A longer text is fetched by its own address.
MAX_CONTENT_BYTES = 20_000_000
TOO_LONG: EntryError = {
    "code": ContentTooLarge.code,
    "message": "The content is too long for a line. Fetch it at the address of its job.",
}
DATE = (1980, 1, 1, 0, 0, 0)
FILE_MODE = 0o644 << 16
# Between two looks for room among the threads that make something.
TURN_SECONDS = 0.2
Runner = Callable[[Callable[[Iterator[bytes]], bytes], Iterator[bytes]], Awaitable[bytes]]


def check_form(known: tuple[str, ...]) -> Callable[[str], str]:
    """A check that a query asks for one of these formats."""

    def check(form: str) -> str:
        if form not in known:
            raise ValueError(f"should be one of {', '.join(known)}")
        return form

    return check


def form_query(known: tuple[str, ...]) -> Any:
    """The documentation of the format that a query asks for."""
    return Query(
        alias="format", description="What is given of each item.", json_schema_extra={"enum": list(known)}
    )


InArchive = Annotated[str, AfterValidator(check_form(IN_ARCHIVE)), form_query(IN_ARCHIVE)]
InLines = Annotated[str, AfterValidator(check_form(IN_LINES)), form_query(IN_LINES)]


@router.get(
    "/batches/{batch_id}/archive.zip",
    summary="Get the results of a batch in one file",
    response_model=None,
    responses={
        200: {
            "description": "An archive with a file per item that could be read, and `items.ndjson` about all of them.",
            "content": {ZIP: {"schema": {"type": "string", "format": "binary"}}},
        },
        202: {
            "description": "Some items have not ended yet.",
            "model": Batch,
            "headers": openapi.RETRY_AFTER,
        },
        **openapi.problems(*openapi.OF_A_JOB, ValidationFailed),
    },
)
async def get_batch_archive(request: Request, batch_id: str, form: InArchive = "markdown") -> Response:
    """The results of all items as a ZIP archive that is made while it is sent; 202 while some have not ended.

    Formats that are made on demand are made now, one after the other; items that they can't be made of say why in
    `items.ndjson`.
    """
    choose_media_type(request, (ZIP,))
    mill, tenant = api_state(request).mill, tenant_of(request)
    view = await run_in_thread(batches.look_at_batch, mill, tenant, batch_id)
    if view["status"] in ACTIVE:
        return json_response(view, 202, {"retry-after": "1"})
    headers = {"content-disposition": content_disposition(f"{view['name'] or 'batch'}-{form}.zip", ZIP)}
    return GeneratedFile(
        lambda: archive_pieces(mill, tenant, batch_id, form), ZIP, headers, runner_for(request, form)
    )


@router.get(
    "/batches/{batch_id}/results.ndjson",
    summary="Stream the results of a batch",
    response_model=None,
    responses={
        200: {
            "description": "A line per item, with its `content` once it was read.",
            "content": {
                NDJSON: {"example": '{"number":1,"name":"a.pdf","status":"completed","content":"# A"}\n'}
            },
        },
        **openapi.problems(*openapi.OF_A_JOB, ValidationFailed),
    },
)
async def stream_batch_results(request: Request, batch_id: str, form: InLines = "markdown") -> Response:
    """Every item as a line of JSON, with what was read in it if it has ended well.

    `content` is null otherwise, and `error` says why: also `artifact_not_made` for a format that the batch did not ask for.
    """
    choose_media_type(request, (NDJSON,))
    mill, tenant = api_state(request).mill, tenant_of(request)
    await run_in_thread(batches.show_batch, mill, tenant, batch_id)
    return GeneratedFile(
        lambda: result_lines(mill, tenant, batch_id, form), NDJSON, {}, runner_for(request, form)
    )


def runner_for(request: Request, form: str) -> Runner:
    """What has the pieces of an answer made: what is made on demand waits for room among the threads for that."""
    if form in ARTIFACT_NAMES:
        return run_in_thread
    making = api_state(request).making

    async def make_in_turn(command: Callable[[Iterator[bytes]], bytes], pieces: Iterator[bytes]) -> bytes:
        while True:
            try:
                return await making.run(command, pieces)
            except Overloaded:
                await asyncio.sleep(TURN_SECONDS)

    return make_in_turn


class GeneratedFile(Response):
    """Sends what a generator makes, which runs in threads and only as fast as it is read."""

    def __init__(
        self,
        make: Callable[[], Iterator[bytes]],
        media_type: str,
        headers: dict[str, str],
        run: Runner,
    ) -> None:
        super().__init__(
            None, 200, {"cache-control": "private, no-cache", "content-type": media_type, **headers}
        )
        del self.headers["content-length"]
        self._make = make
        self._run = run

    async def __call__(self, scope: Scope, _receive: Receive, send: Send) -> None:
        """Send it piece by piece."""
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        if HEAD_ONLY in scope:
            return
        pieces = self._make()
        try:
            while piece := await self._run(gather_piece, pieces):
                await send({"type": "http.response.body", "body": piece, "more_body": True})
        finally:
            pieces.close()  # type: ignore[attr-defined]
        await send({"type": "http.response.body", "body": b""})


def gather_piece(pieces: Iterator[bytes]) -> bytes:
    """The next pieces as one that is worth a way through a thread and the network; nothing at their end."""
    gathered, size_bytes, late = [], 0, time.monotonic() + GATHER_SECONDS
    for piece in pieces:
        gathered.append(piece)
        size_bytes += len(piece)
        if size_bytes >= PIECE_BYTES or (size_bytes and time.monotonic() > late):
            break
    return b"".join(gathered)


class Outlet(RawIOBase):
    """What is written is kept until it is taken; an archive can be written to it without going back."""

    def __init__(self) -> None:
        self._kept: list[bytes] = []

    def writable(self) -> bool:
        """It can be written to."""
        return True

    def write(self, piece: bytes) -> int:  # type: ignore[override]
        """Keep some bytes."""
        self._kept.append(bytes(piece))
        return len(piece)

    def take(self) -> bytes:
        """What was written since the last time."""
        taken = b"".join(self._kept)
        self._kept.clear()
        return taken


def archive_pieces(mill: Mill, tenant: str, batch_id: str, form: str) -> Iterator[bytes]:
    """An archive of the results, piece by piece; memory does not grow with it."""
    outlet, lines, suffix = Outlet(), [], PurePath(BY_NAME[form].file).suffix
    with ZipFile(outlet, "w", ZIP_DEFLATED) as archive:
        for one in every_entry(mill, tenant, batch_id, form):
            opened = open_result(mill, tenant, one, form)
            name = f"{one.entry.number:04d}-{PurePath(one.entry.name).stem}{suffix}"
            lines.append(orjson.dumps(one.view() | {"file": name if opened else None}))
            if opened is None:
                continue
            file, size_bytes = opened
            with file:
                if size_bytes <= PIECE_BYTES:
                    archive.writestr(member_of(name), file.read(), compresslevel=QUICKEST)
                else:
                    yield from large_member(archive, name, file, outlet)
            if ready := outlet.take():
                yield ready
        archive.writestr(member_of("items.ndjson"), b"\n".join(lines) + b"\n")
    yield outlet.take()


def large_member(archive: ZipFile, name: str, file: BinaryIO, outlet: Outlet) -> Iterator[bytes]:
    """Add a file to the archive piece by piece; what is ready of it meanwhile."""
    with archive.open(member_of(name), "w", force_zip64=True) as member:
        while piece := file.read(PIECE_BYTES):
            member.write(piece)
            yield outlet.take()


def member_of(name: str) -> ZipInfo:
    """A member that is the same whenever it is made."""
    member = ZipInfo(name, DATE)
    member.compress_type, member.external_attr = ZIP_DEFLATED, FILE_MODE
    return member


def result_lines(mill: Mill, tenant: str, batch_id: str, form: str) -> Iterator[bytes]:
    """A line per item; one that was read and has no content here says why."""
    for one in every_entry(mill, tenant, batch_id, form):
        opened = open_result(mill, tenant, one, form)
        is_too_long = opened is not None and opened[1] > MAX_CONTENT_BYTES
        shown = EntryResult(one.entry, None, TOO_LONG) if is_too_long else one
        line = shown.view() | {"content": content_of(opened, form)}
        yield orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE)


def content_of(opened: tuple[BinaryIO, int] | None, form: str) -> object:
    """The text of a result, or its JSON as it is; None if there is none, or too much of it for a line."""
    if opened is None:
        return None
    file, size_bytes = opened
    with file:
        if size_bytes > MAX_CONTENT_BYTES:
            return None
        content = file.read()
    return line_content(content, form)
