"""The application: its routes in one place, and what stands around them."""

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Route

from pagemill.entrypoints.api import artifacts, docs, events, jobs, ops, pages, submit
from pagemill.entrypoints.api.door import Bench, Door
from pagemill.entrypoints.api.gate import Gate
from pagemill.entrypoints.api.problems import on_error
from pagemill.entrypoints.api.refusals import Refusals
from pagemill.entrypoints.api.waiting import Watch
from pagemill.errors import PagemillError
from pagemill.mill import Mill
from pagemill.reading.providers import every_provider

# Threads here wait for the disk and the database, so there may be more of them than cores.
BLOCKING_THREADS = 32
DRAWING_THREADS = 4
DRAWINGS_WAITING = 64


def create_app(mill: Mill) -> FastAPI:
    """The API of a mill."""
    app = FastAPI(
        title="pagemill",
        version=ops.VERSION,
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        redirect_slashes=False,
    )
    app.state.door = door_for(mill)
    app.router.routes[:0] = hot_routes()
    # Not `include_router`, which has every request matched twice.
    for part in (submit, jobs, events, pages, artifacts, ops):
        app.router.routes.extend(part.router.routes)
    for kind in (PagemillError, RequestValidationError, HTTPException):
        app.add_exception_handler(kind, on_error)
    app.add_middleware(Gate, settings=mill.settings, refusals=app.state.door.refusals)
    app.openapi = partial(docs.openapi, app)  # type: ignore[method-assign]
    return app


def hot_routes() -> list[BaseRoute]:
    """The two routes that are called most, once more, without FastAPI's parameters and dependencies around them.

    They are tried first; FastAPI's own routes with the same addresses are there for the documentation.
    """
    return [
        Route("/v1/jobs/{job_id}", jobs.show_job, methods=["GET"]),
        Route("/v1/jobs", submit.submit_job, methods=["POST"]),
    ]


def door_for(mill: Mill) -> Door:
    """What the routes share."""
    usable = frozenset(provider.name for provider in every_provider() if provider.unavailable is None)
    chain = tuple(name.strip() for name in mill.settings.providers.split(",") if name.strip())
    drawing = Bench(DRAWING_THREADS, DRAWINGS_WAITING, "pagemill-draw")
    return Door(mill, Watch(mill), usable, chain, drawing, Refusals(mill))


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Tie the mill's bell to the event loop for as long as it runs."""
    door: Door = app.state.door
    loop = asyncio.get_running_loop()
    door.mill.bell.attach(loop)
    loop.set_default_executor(ThreadPoolExecutor(BLOCKING_THREADS, thread_name_prefix="pagemill-block"))
    yield
    door.drawing.close()
