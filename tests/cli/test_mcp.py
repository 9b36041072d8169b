"""The tools of the Model Context Protocol, called by its official client: in this process, and once over stdin and stdout.

The protocol's package is imported where it is used: every test process imports this file, and one runs it.
"""

import asyncio
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from pagemill.client import Client
from pagemill.desk import tenant_keys
from pagemill.entrypoints.cli.remote.mcp_tools import MOST_CHUNKS, DocumentTools, build_server
from pagemill.model.tenants import Scope
from tests.mills import small_settings
from tests.samples import letter
from tests.servers import Served, served

OPERATOR = "o" * 43


@dataclass(frozen=True)
class Offered:
    """A server, the keys of two tenants, and a folder with a document."""

    server: Served
    anna: str
    bert: str
    folder: Path

    def call(self, key: str, tool: str, **arguments: object) -> Any:
        """What a tool answers a tenant."""
        return asyncio.run(self._call(key, tool, arguments))

    async def _call(self, key: str, tool: str, arguments: dict[str, Any]) -> Any:
        import mcp

        with Client(self.server.url, key) as client:
            async with mcp.Client(build_server(client, [self.folder])) as caller:
                return await caller.call_tool(tool, arguments)


@pytest.fixture(scope="module")
def offered(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Offered]:
    """A server with two tenants."""
    folder = tmp_path_factory.mktemp("papers")
    (folder / "sancho.pdf").write_bytes(letter("Dear Sancho,"))
    changes = {"api_key": OPERATOR, "slots": 1, "kept_slots": 0}
    with served(small_settings(tmp_path_factory.mktemp("offered"), **changes)) as server:
        anna, bert = (
            tenant_keys.add(server.mill.db, name, "key", scopes=[Scope.READ, Scope.WRITE]).key
            for name in ("anna", "bert")
        )
        yield Offered(server, anna, bert, folder)


@pytest.fixture(scope="module")
def job_id(offered: Offered) -> str:
    """A document of Anna's that was handed in with a tool, and read."""
    handed = offered.call(
        offered.anna, "submit_document", source=str(offered.folder / "sancho.pdf"), tags=["squire"]
    )
    found = offered.call(
        offered.anna, "job_status", job_id=handed.structured_content["job_id"], wait_seconds=120
    )
    assert found.structured_content["status"] == "completed"
    return str(found.structured_content["job_id"])


def test_a_search_goes_by_filters(offered: Offered, job_id: str) -> None:
    def found(**filters: object) -> list[str]:
        answer = offered.call(offered.anna, "search", query="sancho", **filters)
        assert not answer.is_error, answer.content
        return [hit["job_id"] for hit in answer.structured_content["hits"]]

    assert found(tag=["squire"], media_type="application/pdf", metadata={"tags": "squire"}) == [job_id]
    assert found(tag=["squire", "knight"]) == []
    assert found(document_class="invoice") == []
    assert found(created_before="2001-01-01") == []


def test_a_document_is_handed_in_read_and_found(offered: Offered, job_id: str) -> None:
    read = offered.call(offered.anna, "read_markdown", job_id=job_id).structured_content
    assert "Dear Sancho," in read["markdown"]
    assert (read["characters"], read["next_offset"]) == (len(read["markdown"]), None)
    piece = offered.call(offered.anna, "read_markdown", job_id=job_id, offset=2, limit=5).structured_content
    assert (piece["markdown"], piece["next_offset"]) == (read["markdown"][2:7], 7)
    [hit] = offered.call(offered.anna, "search", query="sancho", tag="squire").structured_content["hits"]
    assert (hit["job_id"], hit["filename"], hit["page"]) == (job_id, "sancho.pdf", 1)
    assert hit["boxes"][0]["box"]
    chunks = offered.call(offered.anna, "list_chunks", job_id=job_id).structured_content
    assert chunks["total"] == len(chunks["chunks"])
    assert "Sancho" in chunks["chunks"][0]["text"]
    assert (
        offered.call(offered.anna, "list_chunks", job_id=job_id, first=99).structured_content["chunks"] == []
    )


@pytest.mark.parametrize(("count", "listed"), [(-1, 1), (3, 3), (10**9, MOST_CHUNKS)])
def test_so_many_chunks_are_listed_at_once(count: int, listed: int) -> None:
    lines = [b'{"text": "Sancho"}\n'] * (2 * MOST_CHUNKS)
    client = SimpleNamespace(artifact=lambda *_: nullcontext(lines))
    answer = DocumentTools(cast(Client, cast(Any, client)), []).list_chunks("job", count=count)
    assert (answer["total"], len(answer["chunks"])) == (2 * MOST_CHUNKS, listed)


def test_another_tenant_sees_nothing_of_it(offered: Offered, job_id: str) -> None:
    assert offered.call(offered.bert, "search", query="sancho").structured_content["hits"] == []
    for tool in ("job_status", "read_markdown", "list_chunks"):
        refused = offered.call(offered.bert, tool, job_id=job_id)
        assert refused.is_error
        assert "(not_found)" in refused.content[0].text


def test_what_cant_be_done_is_answered_with_the_reason(offered: Offered, tmp_path: Path) -> None:
    outside = tmp_path / "outside.pdf"
    outside.write_bytes(letter())
    for source in (outside, offered.folder / ".." / "outside.pdf"):
        refused = offered.call(offered.anna, "submit_document", source=str(source))
        assert refused.is_error
        assert "--folder" in refused.content[0].text
    missing = offered.call(offered.anna, "submit_document", source=str(offered.folder / "none.pdf"))
    assert missing.is_error
    assert "none.pdf" in missing.content[0].text
    wrong = offered.call(offered.anna, "search", limit="many").content[0].text
    assert wrong.startswith("The arguments of search are wrong: query: is missing; limit: ")
    assert "pydantic" not in wrong
    empty = offered.call(offered.anna, "search", query="-only")
    assert empty.is_error
    assert "(validation_error)" in empty.content[0].text


def test_the_command_speaks_the_protocol_over_stdin_and_stdout(offered: Offered, job_id: str) -> None:
    import mcp
    from mcp.client.stdio import StdioServerParameters

    words = ["-m", "pagemill", "mcp", "--server", offered.server.url, "--folder", str(offered.folder)]
    command = StdioServerParameters(
        command=sys.executable, args=words, env={"PAGEMILL_API_KEY": offered.anna}
    )

    async def talk() -> tuple[set[str], Any]:
        async with mcp.Client(command) as caller:
            tools = await caller.list_tools()
            return {tool.name for tool in tools.tools}, await caller.call_tool("search", {"query": "sancho"})

    names, found = asyncio.run(talk())
    assert names == {"submit_document", "job_status", "read_markdown", "search", "list_chunks"}
    assert [hit["job_id"] for hit in found.structured_content["hits"]] == [job_id]
