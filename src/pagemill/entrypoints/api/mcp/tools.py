"""What a model may do with documents over HTTP: each tool is a request to the API with the caller's own key.

So a tool sees and changes what the key may see and change, and nothing else.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal, Unpack

import httpx
import orjson
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from starlette.types import ASGIApp

from pagemill import __version__
from pagemill.client.filters import DocumentFilters, query_of
from pagemill.entrypoints.tool_filters import with_filter_parameters
from pagemill.entrypoints.tool_server import ToolServer

INSTRUCTIONS = (
    "pagemill reads documents (PDF, scans, office files) and gives back Markdown, chunks and search hits with page and "
    "boxes. Hand a document in by its URL with submit_document, wait with job_status, then read it or search in everything "
    "that was read."
)
MOST_CHARACTERS, MOST_CHUNKS, MOST_WAIT_SECONDS = 100_000, 200, 60
# Artifacts are read whole for each slice of them.
MOST_BYTES = 20_000_000
AS_IT_IS = {"accept-encoding": "identity"}
# The headers that authenticate; every other header is that of the protocol.
WHO = ("authorization", "x-api-key", "cookie", "x-pagemill-web", "host", "origin")
Answer = dict[str, Any]
Json = Mapping[str, Any]


def build_server(app: ASGIApp) -> ToolServer:
    """The tools, over an application that answers the API."""
    server = ToolServer("pagemill", instructions=INSTRUCTIONS, version=__version__)
    tools = HttpTools(app)
    listed: tuple[Callable[..., Awaitable[Answer]], ...] = (
        tools.submit_document,
        tools.job_status,
        tools.read_markdown,
        tools.search,
        tools.list_chunks,
        tools.list_labels,
    )
    for tool in listed:
        server.add_tool(tool)
    return server


class HttpTools:
    """The tools; the context brings the headers of the request that calls them."""

    def __init__(self, app: ASGIApp, most_bytes: int = MOST_BYTES) -> None:
        self._app = app
        self._most_bytes = most_bytes

    async def submit_document(
        self, source: str, context: Context, collection: str | None = None, tags: list[str] | None = None
    ) -> Answer:
        """Hand in a document by its http(s) URL, and get the id of its job at once."""
        options = {"url": source, "collection": collection, "tags": tags}
        body = {name: value for name, value in options.items() if value is not None}
        return job_answer((await self._ask(context, "POST", "/v1/jobs", body=body)).json())

    async def job_status(self, job_id: str, context: Context, wait_seconds: int = 0) -> Answer:
        """The status of a job, after waiting up to wait_seconds (at most 60) for its end."""
        wait = min(max(wait_seconds, 0), MOST_WAIT_SECONDS)
        return job_answer((await self._ask(context, "GET", path_of(job_id), {"wait": wait})).json())

    async def read_markdown(
        self, job_id: str, context: Context, offset: int = 0, limit: int = 20_000
    ) -> Answer:
        """The Markdown of a finished job from a character on; next_offset is null at its end."""
        content = await self._fetch(context, f"{path_of(job_id)}/markdown")
        return await asyncio.to_thread(slice_text, content, offset, limit)

    @with_filter_parameters
    async def search(
        self,
        query: str,
        context: Context,
        limit: int = 10,
        mode: Literal["text", "vector", "hybrid"] = "text",
        **filters: Unpack[DocumentFilters],
    ) -> Answer:
        """Search in everything that was read: words, "phrases", begin*, -without; each hit has its page and boxes.

        Where the server has vectors, mode=vector finds what is near in meaning, mode=hybrid both.
        """
        asked = {"q": query, "limit": limit, "mode": mode, **query_of(filters)}
        answer: Answer = (await self._ask(context, "GET", "/v1/search", asked)).json()
        return answer

    async def list_chunks(self, job_id: str, context: Context, first: int = 1, count: int = 20) -> Answer:
        """Chunks of a finished job for retrieval, from number `first` on, up to 200, each with headings, pages and boxes."""
        content = await self._fetch(context, f"{path_of(job_id)}/chunks")
        return await asyncio.to_thread(slice_chunks, content, first, count)

    async def list_labels(self, context: Context) -> Answer:
        """The collections and tags that documents have, with how many have each."""
        answer: Answer = (await self._ask(context, "GET", "/v1/labels")).json()
        return answer

    async def _fetch(self, context: Context, path: str) -> bytes:
        """The bytes of an artifact; ToolError if they are more than a tool reads."""
        answer = await self._ask(context, "GET", path, more={"range": f"bytes=0-{self._most_bytes - 1}"})
        if answer.status_code == httpx.codes.REQUESTED_RANGE_NOT_SATISFIABLE:
            return b""
        size = int(answer.headers.get("content-range", "/0").rpartition("/")[2])
        if size > self._most_bytes:
            raise ToolError(
                f"It has {size} bytes, and tools read at most {self._most_bytes}. Search in it instead, or fetch "
                f"{path} over HTTP. (content_too_large)"
            )
        return answer.content

    async def _ask(
        self,
        context: Context,
        method: str,
        path: str,
        query: Json | None = None,
        *,
        body: Json | None = None,
        more: dict[str, str] | None = None,
    ) -> httpx.Response:
        """The answer of the API; raises ToolError, for the model, if it refuses."""
        shown = context.headers or {}
        headers = {name: shown[name] for name in WHO if name in shown} | AS_IT_IS | (more or {})
        transport = httpx.ASGITransport(self._app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            answer = await client.request(
                method, path, params=query, json=body, headers=headers, timeout=None
            )
        if answer.status_code == httpx.codes.ACCEPTED and method == "GET":
            raise ToolError("The job has not ended yet; wait with job_status. (job_not_finished)")
        if answer.is_error and answer.status_code != httpx.codes.REQUESTED_RANGE_NOT_SATISFIABLE:
            problem = answer.json()
            raise ToolError(f"{problem['detail']} ({problem['code']})")
        return answer


def slice_text(content: bytes, offset: int, limit: int) -> Answer:
    """A part of a text, and where the next one begins."""
    text = content.decode()
    start = max(offset, 0)
    end = start + min(max(limit, 1), MOST_CHARACTERS)
    following = end if end < len(text) else None
    return {"markdown": text[start:end], "characters": len(text), "next_offset": following}


def slice_chunks(content: bytes, first: int, count: int) -> Answer:
    """Some lines of a file of chunks, and how many it has."""
    lines = content.splitlines()
    start = max(first, 1) - 1
    end = start + min(max(count, 1), MOST_CHUNKS)
    return {"total": len(lines), "chunks": [orjson.loads(line) for line in lines[start:end]]}


def path_of(job_id: str) -> str:
    """The address of a job; ToolError if that is no id."""
    if not job_id.replace("-", "").isalnum():
        raise ToolError("That is not the id of a job. (not_found)")
    return f"/v1/jobs/{job_id}"


def job_answer(job: Json) -> Answer:
    """What a model needs to know of a job."""
    error = job["error"]
    return {
        "job_id": job["id"],
        "filename": job["document"]["filename"],
        "status": job["status"],
        "pages_done": job["processed_pages"],
        "pages": job["total_pages"],
        "error": None if error is None else f"{error['message']} ({error['code']})",
    }
