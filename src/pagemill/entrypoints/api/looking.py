"""How a question to the database is asked from the event loop."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Concatenate, ParamSpec, TypeVar

from pagemill.mill import Mill

P = ParamSpec("P")
T = TypeVar("T")


async def look(query: Callable[Concatenate[Mill, P], T], mill: Mill, *args: P.args, **kwargs: P.kwargs) -> T:
    """Ask at once if the database and the files are on this machine, where a hop to a thread would take longer.

    A database or a bucket across a network is asked in a thread, so that nobody else waits for it.
    """
    threads = mill.db.threads
    if threads is None and mill.blobs.is_near:
        return query(mill, *args, **kwargs)
    asked = partial(query, mill, *args, **kwargs)
    return await asyncio.get_running_loop().run_in_executor(threads, asked)
