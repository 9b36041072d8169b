"""The application: its routes in one place, and the middleware around them."""

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Route

from pagemill.adapters.oidc.configuration import OidcConfig, oidc_config
from pagemill.adapters.oidc.provider import OidcProvider
from pagemill.desk.counts_cache import CountsCache
from pagemill.engines import parse_chain
from pagemill.entrypoints import doors
from pagemill.entrypoints.access import sessions
from pagemill.entrypoints.access.admission import Admission
from pagemill.entrypoints.access.key_cache import KeyCache
from pagemill.entrypoints.access.keys import KeyCheck
from pagemill.entrypoints.api import openapi_document
from pagemill.entrypoints.api.artifacts import documents, links, lists, page_stream, pages
from pagemill.entrypoints.api.batches import results as batch_results
from pagemill.entrypoints.api.batches import routes as batch_routes
from pagemill.entrypoints.api.health import operations, probes
from pagemill.entrypoints.api.jobs import (
    children,
    corrections,
    enrichments,
    events,
    extraction,
    labels,
    revisions,
    routes,
    sockets,
)
from pagemill.entrypoints.api.jobs.watch import Watch
from pagemill.entrypoints.api.keys import routes as key_routes
from pagemill.entrypoints.api.mcp import endpoint as mcp
from pagemill.entrypoints.api.mcp.endpoint import McpEndpoint
from pagemill.entrypoints.api.search import routes as search_routes
from pagemill.entrypoints.api.state import ApiState
from pagemill.entrypoints.api.understanding import ask, classes, rules
from pagemill.entrypoints.api.upload import convert, direct, resumable, submit
from pagemill.entrypoints.api.upload.piece_storing import StoringThreads
from pagemill.entrypoints.api.usage import routes as usage_routes
from pagemill.entrypoints.api.webhooks import routes as webhook_routes
from pagemill.entrypoints.fair_threads import FairThreadPool
from pagemill.entrypoints.thread_pools import BoundedThreadPool
from pagemill.entrypoints.web import oidc_routes, session_routes
from pagemill.entrypoints.web import pages as web_pages
from pagemill.entrypoints.wire.middleware import RequestMiddleware, WebPages
from pagemill.entrypoints.wire.problems import on_error
from pagemill.entrypoints.wire.query_names import refuse_unknown_names
from pagemill.entrypoints.wire.refusals import Refusals
from pagemill.entrypoints.wire.request_metrics import RequestMetrics
from pagemill.errors import PagemillError
from pagemill.mill import Mill
from pagemill.reading.providers.installed import every_provider
from pagemill.settings import Settings

# Threads here wait for the disk and the database, so there may be more of them than cores.
BLOCKING_THREADS = 32
DRAWING_THREADS = 4
DRAWINGS_WAITING = 64
# An artifact of a long document takes minutes, in which documents must still be read.
MAKING_SHARE = 2
MAKINGS_WAITING = 64
# Each may wait for a server of embeddings, or for a rare word in a large index.
SEARCHING_THREADS = 8
SEARCHES_WAITING = 64
# A language model takes its time, and this machine only waits for it.
ASKING_THREADS = 8
QUESTIONS_WAITING = 32

# In the order in which addresses are tried.
API_PARTS = (
    submit,
    convert,
    direct,
    resumable,
    routes,
    labels,
    revisions,
    children,
    events,
    page_stream,
    sockets,
    pages,
    documents,
    lists,
    links,
    batch_results,
    batch_routes,
    enrichments,
    corrections,
    extraction,
    search_routes,
    classes,
    rules,
    ask,
    operations,
    probes,
)


def create_app(mill: Mill) -> FastAPI:
    """The API of a mill."""
    app = FastAPI(
        title="pagemill",
        version=probes.VERSION,
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        redirect_slashes=False,
    )
    app.state.api = state = api_state_for(mill)
    oidc = oidc_config(mill.settings)
    app.state.keys = keys = KeyCheck(mill.settings.api_key, KeyCache(mill.db), has_logins=oidc is not None)
    app.state.sessions = browsers = sessions.Sessions(sessions.session_secret(mill))
    app.state.oidc = None if oidc is None else login_with(mill, oidc, browsers)
    app.state.socket_tokens = tokens = sessions.socket_tokens(mill)
    app.state.admission = admission = Admission(mill.settings, mill.limits, keys, browsers)
    add_routes(app, mill.settings)
    for kind in (PagemillError, RequestValidationError, HTTPException):
        app.add_exception_handler(kind, on_error)
    requests = RequestMetrics(app.router.routes)
    mill.metrics.registry.register(requests)
    app.add_middleware(
        RequestMiddleware,
        settings=mill.settings,
        refusals=state.refusals,
        admission=admission,
        tokens=tokens,
        requests=requests,
        web=WebPages(web_pages.is_public, web_pages.not_found_page),
    )
    app.openapi = partial(openapi_document.openapi, app)  # type: ignore[method-assign]
    return app


def add_routes(app: FastAPI, settings: Settings) -> None:
    """All routes, in the order in which a request is matched with them."""
    app.router.routes[:0] = hot_routes()
    # Not `include_router`, which has every request matched twice.
    for part in API_PARTS:
        app.router.routes.extend(part.router.routes)
    app.router.routes.extend([*webhook_routes.router.routes, *key_routes.router.routes, *sockets.ROUTES])
    app.router.routes.extend(usage_routes.router.routes)
    refuse_unknown_names(app.router.routes)
    app.state.mcp = McpEndpoint(app)
    # No stream of the server and no session is offered, which the protocol has GET and DELETE answer with 405.
    app.router.routes.append(Route(mcp.PATH, app.state.mcp, methods=["POST"]))
    # Before the web pages, which share some addresses with them.
    app.router.routes.extend(doors.chosen_routes(filter(None, settings.doors.split(","))))
    app.router.routes.extend([*web_pages.ROUTES, *session_routes.ROUTES, *oidc_routes.ROUTES])


def login_with(mill: Mill, config: OidcConfig, browsers: sessions.Sessions) -> oidc_routes.OidcLogin:
    """The log-in with the provider of the settings."""
    return oidc_routes.oidc_login(mill, OidcProvider(config), sessions.login_secret(mill), browsers)


def hot_routes() -> list[BaseRoute]:
    """The two routes that are called most, once more, without FastAPI's parameters and dependencies around them.

    They are tried first; FastAPI's own routes with the same addresses are there for the documentation.
    """
    return [
        Route("/v1/jobs/{job_id}", routes.show_job, methods=["GET"]),
        Route("/v1/jobs", submit.submit_job, methods=["POST"]),
    ]


def api_state_for(mill: Mill) -> ApiState:
    """What the routes share."""
    known = {provider.name: provider.unavailable for provider in every_provider()}
    chain = parse_chain(mill.settings.providers)
    drawing = BoundedThreadPool(DRAWING_THREADS, DRAWINGS_WAITING, "pagemill-draw")
    making = BoundedThreadPool(max(mill.settings.slots // MAKING_SHARE, 1), MAKINGS_WAITING, "pagemill-make")
    searching = FairThreadPool(SEARCHING_THREADS, SEARCHES_WAITING, "pagemill-search")
    return ApiState(
        mill=mill,
        watch=Watch(mill),
        providers=known,
        default_providers=chain,
        storing=StoringThreads(),
        drawing=drawing,
        making=making,
        searching=searching,
        asking=BoundedThreadPool(ASKING_THREADS, QUESTIONS_WAITING, "pagemill-ask"),
        refusals=Refusals(mill),
        counts=CountsCache(mill),
        home_page=web_pages.show_page,
    )


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Attach the mill's notifier to the event loop for as long as it runs."""
    state: ApiState = app.state.api
    loop = asyncio.get_running_loop()
    state.mill.notifier.attach(loop)
    loop.set_default_executor(ThreadPoolExecutor(BLOCKING_THREADS, thread_name_prefix="pagemill-block"))
    watching = asyncio.create_task(app.state.admission.requests.watch())
    yield
    watching.cancel()
    await app.state.mcp.close()
    state.storing.close()
    state.drawing.close()
    state.making.close()
    state.searching.close()
    state.asking.close()
    app.state.keys.close()
    if app.state.oidc is not None:
        app.state.oidc.close()
