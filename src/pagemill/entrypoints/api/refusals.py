"""Refusals at the door, written to the event log beside the answer, never in its way."""

import asyncio

from pagemill.desk import commands
from pagemill.errors import PagemillError
from pagemill.mill import DEFAULT_TENANT, Mill
from pagemill.model.events import Facts


def record(mill: Mill, error: PagemillError, filename: str | None = None, size_bytes: int = 0) -> None:
    """Write down that a document was refused; what is our own fault is no refusal."""
    if error.status >= 500:
        return
    facts: Facts = {"code": error.code, "filename": filename, "size_bytes": size_bytes}
    asyncio.get_running_loop().run_in_executor(None, commands.refuse, mill, DEFAULT_TENANT, facts)
