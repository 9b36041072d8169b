"""The Model Context Protocol over HTTP, called by its official client with the keys of two tenants.

The protocol's package is imported where it is used: every test process imports this file, and one runs it.
"""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from pagemill.desk import tenant_keys
from pagemill.entrypoints.api.mcp.endpoint import McpEndpoint
from pagemill.model.tenants import Scope
from tests.api.test_http import problem
from tests.mills import small_settings
from tests.samples import letter
from tests.servers import Served, served

OPERATOR = "o" * 43
TOOLS = {"submit_document", "job_status", "read_markdown", "search", "list_chunks", "list_labels"}


@dataclass(frozen=True)
class Offered:
    """A server, the keys of two tenants, one that only reads, and a job of the first."""

    server: Served
    anna: str
    bert: str
    reader: str
    job_id: str

    def call(self, key: str, tool: str, **arguments: object) -> Any:
        """What a tool answers the holder of a key."""
        return asyncio.run(self._call(key, tool, arguments))

    async def _call(self, key: str, tool: str, arguments: dict[str, Any]) -> Any:
        import mcp
        from mcp.client.streamable_http import streamable_http_client
        from mcp.shared._httpx_utils import create_mcp_http_client

        headers = {"Authorization": f"Bearer {key}"}
        async with create_mcp_http_client(headers=headers) as http:
            transport = streamable_http_client(f"{self.server.url}/mcp", http_client=http)
            async with mcp.Client(transport) as caller:
                if tool == "":
                    return {one.name for one in (await caller.list_tools()).tools}
                return await caller.call_tool(tool, arguments)


@pytest.fixture(scope="module")
def offered(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Offered]:
    """A server with two tenants, of which the first has a letter."""
    changes = {"api_key": OPERATOR, "slots": 1, "kept_slots": 0}
    with served(small_settings(tmp_path_factory.mktemp("mcp"), **changes)) as server:
        anna, bert = (
            tenant_keys.add(server.mill.db, name, "key", scopes=[Scope.READ, Scope.WRITE]).key
            for name in ("anna", "bert")
        )
        reader = tenant_keys.add(server.mill.db, "anna", "reader", scopes=[Scope.READ]).key
        headers = {"authorization": f"Bearer {anna}", "prefer": "wait=60"}
        files = {"file": ("sancho.pdf", letter("Dear Sancho,"))}
        labels = {"collection": "novels", "tags": "squire,spain", "metadata": '{"a:b": "c"}'}
        job = server.http.post("/v1/jobs", files=files, data=labels, headers=headers).json()
        yield Offered(server, anna, bert, reader, job["id"])


def test_a_model_finds_and_reads_what_its_key_may_see(offered: Offered) -> None:
    assert offered.call(offered.anna, "") == TOOLS
    status = offered.call(
        offered.anna, "job_status", job_id=offered.job_id, wait_seconds=60
    ).structured_content
    assert (status["status"], status["filename"]) == ("completed", "sancho.pdf")
    found = offered.call(offered.anna, "search", query="sancho").structured_content
    filters = {"collection": "novels", "tag": ["squire", "spain"], "metadata": {"a:b": "c"}}
    assert offered.call(offered.anna, "search", query="sancho", **filters).structured_content == found
    for others in ({"tag": ["squire", "knight"]}, {"document_class": "invoice"}, {"media_type": "image/png"}):
        assert not offered.call(offered.anna, "search", query="sancho", **others).structured_content["hits"]
    assert [(hit["job_id"], hit["page"]) for hit in found["hits"]] == [(offered.job_id, 1)]
    said = offered.call(offered.reader, "read_markdown", job_id=offered.job_id, limit=11).structured_content
    assert said["next_offset"] == 11
    chunks = offered.call(offered.reader, "list_chunks", job_id=offered.job_id).structured_content
    assert "Sancho" in chunks["chunks"][0]["text"]
    labels = offered.call(offered.anna, "list_labels").structured_content
    assert labels["collections"] == [{"name": "novels", "jobs": 1}]


def test_another_tenant_sees_nothing_of_it(offered: Offered) -> None:
    for tool in ("job_status", "read_markdown", "list_chunks"):
        answer = offered.call(offered.bert, tool, job_id=offered.job_id)
        assert answer.is_error, tool
        assert "not_found" in answer.content[0].text
    assert offered.call(offered.bert, "search", query="sancho").structured_content["hits"] == []
    labels = offered.call(offered.bert, "list_labels").structured_content
    assert labels == {"collections": [], "tags": []}
    assert offered.call(offered.bert, "job_status", job_id="../keys").is_error


def test_wrong_arguments_are_told_in_our_words(offered: Offered) -> None:
    wrong = offered.call(offered.anna, "read_markdown", offset="first")
    assert wrong.is_error
    [said] = [one.text for one in wrong.content]
    assert said.startswith("The arguments of read_markdown are wrong: job_id: is missing; offset: ")
    assert said.endswith("(validation_error)")
    assert "pydantic" not in said
    unknown = offered.call(offered.anna, "search", query="sancho", tags=["novel"])
    assert unknown.is_error
    assert unknown.content[0].text == "search has no argument 'tags'; did you mean 'tag'? (validation_error)"


def test_keys_and_their_scopes_hold(offered: Offered) -> None:
    hello = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    problem(offered.server.http.post("/mcp", json=hello), 401, "unauthorized")
    refused = offered.call(offered.reader, "submit_document", source="https://example.org/a.pdf")
    assert refused.is_error
    assert "insufficient_scope" in refused.content[0].text
    change = {"revision": 1, "blocks": [{"block": "p1-b1", "text": "Dear forger,"}]}
    path, reader = f"/v1/jobs/{offered.job_id}/corrections", {"authorization": f"Bearer {offered.reader}"}
    problem(offered.server.http.post(path, json=change, headers=reader), 403, "insufficient_scope")
    assert offered.server.http.get(path, headers=reader).json() == {"corrections": []}
    off = offered.call(offered.anna, "search", query="sancho", mode="hybrid")
    assert "vectors_not_offered" in off.content[0].text


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_no_stream_and_no_session_is_offered(offered: Offered, method: str) -> None:
    headers = {"authorization": f"Bearer {offered.anna}", "accept": "text/event-stream"}
    answer = offered.server.http.request(method, "/mcp", headers=headers)
    problem(answer, 405, "method_not_allowed")
    assert answer.headers["allow"] == "OPTIONS, POST"


def test_slices_of_texts_and_chunks() -> None:
    from pagemill.entrypoints.api.mcp.tools import slice_chunks, slice_text

    assert slice_text("Größe".encode(), 1, 3) == {"markdown": "röß", "characters": 5, "next_offset": 4}
    assert slice_text(b"", 0, 9) == {"markdown": "", "characters": 0, "next_offset": None}
    lines = '{"text": "a\u2028b"}\n{"text": "c"}\n'.encode()
    assert slice_chunks(lines, 1, 1) == {"total": 2, "chunks": [{"text": "a\u2028b"}]}
    assert slice_chunks(lines, 9, 1) == {"total": 2, "chunks": []}


def test_an_artifact_that_is_too_large_for_tools_is_refused(offered: Offered) -> None:
    from mcp.server.mcpserver.exceptions import ToolError

    from pagemill.entrypoints.api.mcp.tools import HttpTools

    context: Any = SimpleNamespace(headers={"authorization": f"Bearer {offered.reader}"})

    async def relay(scope: Any, receive: Any, send: Any) -> None:
        """Answer what the server answers."""
        headers = {name.decode(): value.decode() for name, value in scope["headers"]}
        found = offered.server.http.get(scope["path"], headers=headers)
        raw = [(name.lower().encode(), value.encode()) for name, value in found.headers.items()]
        await receive()
        await send({"type": "http.response.start", "status": found.status_code, "headers": raw})
        await send({"type": "http.response.body", "body": found.content})

    with pytest.raises(ToolError, match=r"at most 9\..*content_too_large"):
        asyncio.run(HttpTools(relay, most_bytes=9).read_markdown(offered.job_id, context))
    with pytest.raises(ToolError, match="content_too_large"):
        asyncio.run(HttpTools(relay, most_bytes=9).list_chunks(offered.job_id, context))
    assert asyncio.run(HttpTools(relay).read_markdown(offered.job_id, context))["next_offset"] is None


def test_a_transport_that_does_not_start_is_an_error_for_each_request() -> None:
    def build(_: Any) -> Any:
        def run() -> Any:
            raise RuntimeError("no transport")

        return SimpleNamespace(run=run)

    async def ask_twice() -> None:
        async def ignore(*_: Any) -> Any:
            return None

        endpoint = McpEndpoint(ignore, build)
        for _ in range(2):
            with pytest.raises(RuntimeError, match="no transport"):
                await asyncio.wait_for(endpoint({"type": "http"}, ignore, ignore), 60)
        await endpoint.close()

    asyncio.run(ask_twice())
