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

from pagemill.desk.census import Census
from pagemill.engines import checked
from pagemill.entrypoints.api import (
    artifacts,
    docs,
    events,
    jobs,
    links,
    on_demand,
    operations,
    ops,
    pages,
    submit,
    uploads,
)
from pagemill.entrypoints.api.counted import Requests
from pagemill.entrypoints.api.door import Bench, Door
from pagemill.entrypoints.api.gate import Gate
from pagemill.entrypoints.api.keys import KeyCheck
from pagemill.entrypoints.api.known_keys import KnownKeys
from pagemill.entrypoints.api.problems import on_error
from pagemill.entrypoints.api.refusals import Refusals
from pagemill.entrypoints.api.waiting import Watch
from pagemill.entrypoints.web import pages as web_pages
from pagemill.entrypoints.web import sessions
from pagemill.errors import PagemillError
from pagemill.mill import Mill
from pagemill.reading.providers import every_provider

# Threads here wait for the disk and the database, so there may be more of them than cores.
BLOCKING_THREADS = 32
DRAWING_THREADS = 4
DRAWINGS_WAITING = 64
# An artifact of a long document takes minutes, in which documents must still be read.
MAKING_SHARE = 2
MAKINGS_WAITING = 64


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
    app.state.keys = keys = KeyCheck(mill.settings.api_key, KnownKeys(mill.db))
    app.state.sessions = browsers = sessions.Sessions(sessions.session_secret(mill))
    app.router.routes[:0] = hot_routes()
    # Not `include_router`, which has every request matched twice.
    for part in (submit, uploads, jobs, events, pages, artifacts, on_demand, links, operations, ops):
        app.router.routes.extend(part.router.routes)
    app.router.routes.extend([*web_pages.ROUTES, *sessions.ROUTES])
    for kind in (PagemillError, RequestValidationError, HTTPException):
        app.add_exception_handler(kind, on_error)
    refusals = app.state.door.refusals
    requests = Requests(app.router.routes)
    mill.meters.registry.register(requests)
    app.add_middleware(
        Gate, settings=mill.settings, refusals=refusals, browsers=browsers, keys=keys, requests=requests
    )
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
    known = {provider.name: provider.unavailable for provider in every_provider()}
    chain = checked(mill.settings.providers)
    drawing = Bench(DRAWING_THREADS, DRAWINGS_WAITING, "pagemill-draw")
    making = Bench(max(mill.settings.slots // MAKING_SHARE, 1), MAKINGS_WAITING, "pagemill-make")
    return Door(mill, Watch(mill), known, chain, drawing, making, Refusals(mill), Census(mill))


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Tie the mill's bell to the event loop for as long as it runs."""
    door: Door = app.state.door
    loop = asyncio.get_running_loop()
    door.mill.bell.attach(loop)
    loop.set_default_executor(ThreadPoolExecutor(BLOCKING_THREADS, thread_name_prefix="pagemill-block"))
    yield
    door.drawing.close()
    door.making.close()
    app.state.keys.close()
