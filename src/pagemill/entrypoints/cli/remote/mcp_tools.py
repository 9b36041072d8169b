"""`pagemill mcp`: a running server as tools of the Model Context Protocol, over stdin and stdout.

Every tool calls the server with the key of the command, so that it sees and changes what belongs to the tenant of that key, and
nothing else.
"""

from collections.abc import Callable
from dataclasses import asdict
from functools import wraps
from importlib.util import find_spec
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeVar, Unpack

import orjson

from pagemill.client import ApiError, Client, Job, Options
from pagemill.client.filters import DocumentFilters
from pagemill.entrypoints.tool_filters import with_filter_parameters
from pagemill.errors import Refused

if TYPE_CHECKING:
    from mcp.server import MCPServer

INSTRUCTIONS = (
    "pagemill reads documents (PDF, scans, office files) and gives back Markdown, chunks and search hits with page and "
    "boxes. Hand a document in with submit_document, wait with job_status, then read it or search in everything that was read."
)
MOST_CHARACTERS = 100_000
MOST_CHUNKS = 200
MOST_WAIT_SECONDS = 300.0
Answer = dict[str, Any]
P = ParamSpec("P")
R = TypeVar("R")


def build_server(client: Client, folders: list[Path]) -> "MCPServer":
    """The tools, on a server of the protocol; documents are handed in from below these folders."""
    if find_spec("mcp") is None:
        raise Refused("The Model Context Protocol needs its package: pip install 'pagemill[mcp]'.")
    from pagemill import __version__
    from pagemill.entrypoints.tool_server import ToolServer

    server = ToolServer("pagemill", instructions=INSTRUCTIONS, version=__version__)
    tools = DocumentTools(client, [folder.resolve() for folder in folders])
    for tool in (
        tools.submit_document,
        tools.job_status,
        tools.read_markdown,
        tools.search,
        tools.list_chunks,
    ):
        server.add_tool(with_reasons(tool))
    return server


def with_reasons(tool: Callable[P, R]) -> Callable[P, R]:
    """The tool, with the server's refusals shown to the model."""
    from mcp.server.mcpserver.exceptions import ToolError

    @wraps(tool)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return tool(*args, **kwargs)
        except ApiError as error:
            raise ToolError(f"{error.detail} ({error.code})") from error
        except (OSError, ValueError) as error:
            raise ToolError(str(error)) from error

    # That of the method, which `self` was bound to.
    run.__signature__ = signature(tool)  # type: ignore[attr-defined]
    return run


class DocumentTools:
    """What a model may do with documents."""

    def __init__(self, client: Client, folders: list[Path]) -> None:
        self._client = client
        self._folders = folders

    def submit_document(
        self, source: str, collection: str | None = None, tags: list[str] | None = None
    ) -> Answer:
        """Hand in a document, a path of a file or an http(s) URL, and get the id of its job at once."""
        options = Options(collection=collection, tags=tuple(tags or ()) or None)
        if source.startswith(("http://", "https://")):
            return job_answer(self._client.submit_url(source, options))
        return job_answer(self._client.submit(self._find_file(source), options))

    def job_status(self, job_id: str, wait_seconds: float = 0) -> Answer:
        """The status of a job, after waiting up to wait_seconds (at most 300) for its end."""
        seconds = min(max(wait_seconds, 0.0), MOST_WAIT_SECONDS)
        return job_answer(self._client.wait(job_id, timeout_seconds=seconds))

    def read_markdown(self, job_id: str, offset: int = 0, limit: int = 20_000) -> Answer:
        """The Markdown of a finished job from a character on; next_offset is null at its end."""
        text = self._fetch(job_id, "markdown").decode()
        start = max(offset, 0)
        end = start + min(max(limit, 1), MOST_CHARACTERS)
        following = end if end < len(text) else None
        return {"markdown": text[start:end], "characters": len(text), "next_offset": following}

    @with_filter_parameters
    def search(
        self,
        query: str,
        limit: int = 10,
        mode: Literal["text", "vector", "hybrid"] = "text",
        **filters: Unpack[DocumentFilters],
    ) -> Answer:
        """Search in everything that was read: words, "phrases", begin*, -without; each hit has its page and boxes.

        Where the server has vectors, mode=vector finds what is near in meaning, mode=hybrid both.
        """
        answer = self._client.search(query, limit=limit, mode=mode, **filters)
        hits = [
            {
                "job_id": hit.job_id,
                "filename": hit.filename,
                "page": hit.page,
                "chunk": hit.chunk,
                "headings": list(hit.headings),
                "snippet": hit.snippet,
                "boxes": [asdict(box) for box in hit.boxes],
            }
            for hit in answer.hits
        ]
        return {"total": answer.total, "matched": answer.matched, "hits": hits}

    def list_chunks(self, job_id: str, first: int = 1, count: int = 20) -> Answer:
        """Chunks of a finished job for retrieval, from number `first` on, up to 200, each with headings, pages and boxes."""
        lines = self._fetch(job_id, "chunks").splitlines()
        start = max(first, 1) - 1
        end = start + min(max(count, 1), MOST_CHUNKS)
        return {"total": len(lines), "chunks": [orjson.loads(line) for line in lines[start:end]]}

    def _fetch(self, job_id: str, name: str) -> bytes:
        with self._client.artifact(job_id, name) as pieces:
            return b"".join(pieces)

    def _find_file(self, source: str) -> Path:
        """The file of a path; ValueError if it is not below one of the folders."""
        path = Path(source).expanduser().resolve()
        if not any(path.is_relative_to(folder) for folder in self._folders):
            below = ", ".join(map(str, self._folders))
            raise ValueError(f"Documents are handed in from below {below}; --folder allows others.")
        return path


def job_answer(job: Job) -> Answer:
    """What a model needs to know of a job."""
    failure = None if job.error is None else f"{job.error.message} ({job.error.code})"
    pages = {"pages_done": job.processed_pages, "pages": job.total_pages}
    return {
        "job_id": job.id,
        "filename": job.document.filename,
        "status": job.status,
        **pages,
        "error": failure,
    }
