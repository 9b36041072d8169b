"""For operators: is it alive, is it ready, what is it, and what does it measure."""

import time
from collections.abc import Iterator
from dataclasses import asdict
from importlib.metadata import version

from fastapi import APIRouter
from prometheus_client import CONTENT_TYPE_LATEST
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from starlette.requests import Request
from starlette.responses import Response

from pagemill.desk import queries
from pagemill.entrypoints.access.caller import HOLDER, require_operator
from pagemill.entrypoints.api import models, openapi
from pagemill.entrypoints.api.state import ApiState, api_state
from pagemill.entrypoints.gauges import STARTED, of_installation, of_process, render_metrics
from pagemill.entrypoints.thread_pools import run_in_thread
from pagemill.entrypoints.wire.negotiation import HTML, JSON, choose_media_type
from pagemill.entrypoints.wire.responses import json_response
from pagemill.errors import DatabaseUnavailable, Forbidden, OutageError
from pagemill.reading.providers.installed import every_provider

router = APIRouter(generate_unique_id_function=openapi.operation_id)
VERSION = version("pagemill")
LINKS = {
    "openapi": "/openapi.json",
    "jobs": "/v1/jobs",
    "events": "/v1/events",
    "health": "/health",
    "ready": "/ready",
    "version": "/version",
    "metrics": "/metrics",
    "operations": "/v1/operations",
}


@router.get(
    "/",
    summary="Where to go from here",
    response_model=None,
    responses={
        200: {"model": models.Root, "description": "The addresses of this service."},
        **openapi.problems(),
    },
)
async def root(request: Request) -> Response:
    """The name and version of the service, and its addresses; browsers get the web pages."""
    if choose_media_type(request, (JSON, HTML)) == HTML:
        return await api_state(request).home_page(request)
    return json_response({"name": "pagemill", "version": VERSION, "links": LINKS})


@router.get(
    "/health",
    summary="Is it alive?",
    response_model=None,
    responses={
        200: {"model": models.Health, "description": "It is."},
        **openapi.problems(OutageError),
    },
)
async def health(request: Request) -> Response:
    """200 as long as the service answers and its workers have a heartbeat; with a key also its engines and what confines them."""
    mill = api_state(request).mill
    if mill.pulse.has_stopped(mill.settings.lease_seconds):
        raise OutageError(
            "The heartbeat of this process has stopped. Restart it.", reasons=["heartbeat_stopped"]
        )
    alive: dict[str, object] = {
        "status": "ok",
        "version": VERSION,
        "uptime_seconds": round(time.monotonic() - STARTED, 1),
    }
    if HOLDER in request.scope:
        providers = await run_in_thread(every_provider)
        alive |= {
            "sandbox": mill.press.sandbox,
            "providers": [asdict(provider) for provider in providers],
            "models": [model for provider in providers for model in provider.models],
        }
    return json_response(alive)


@router.get(
    "/ready",
    summary="Does it take work?",
    response_model=None,
    responses={
        200: {"model": models.Ready, "description": "It does."},
        **openapi.problems(OutageError, DatabaseUnavailable),
    },
)
async def ready(request: Request) -> Response:
    """200 if documents can be taken in and read now; 503 with the reasons if not."""
    state = api_state(request)
    reasons = await run_in_thread(queries.readiness, state.mill)
    if state.watch.closing:
        reasons = [*reasons, "shutting_down"]
    if reasons:
        raise OutageError(f"Not ready: {', '.join(reasons)}.", reasons=reasons)
    return json_response({"status": "ready"})


@router.get(
    "/version",
    summary="What is running?",
    response_model=None,
    responses={
        200: {"model": models.Version, "description": "The version."},
        **openapi.problems(),
    },
)
async def show_version() -> Response:
    """The version of the service and of its API."""
    return json_response({"name": "pagemill", "version": VERSION, "api": "v1"})


@router.get(
    "/metrics",
    summary="What does it measure?",
    response_model=None,
    responses={
        200: {"description": "Metrics for Prometheus.", "content": {"text/plain": {}}},
        **openapi.problems(Forbidden),
    },
)
async def metrics(request: Request) -> Response:
    """Queue depth and age by lane, seconds per step and provider, pages, failures by code, and more."""
    require_operator(request)
    return Response(await run_in_thread(metrics_text, api_state(request)), media_type=CONTENT_TYPE_LATEST)


def metrics_text(state: ApiState) -> bytes:
    """What the metrics counted, and the state now."""
    return render_metrics(state.mill, every_gauge(state))


def every_gauge(state: ApiState) -> Iterator[Metric]:
    """The state of this process, the requests that wait, and the whole installation."""
    yield from of_process(state.mill)
    yield GaugeMetricFamily(
        "pagemill_watchers", "Long polls, event streams and WebSockets.", value=state.watch.count()
    )
    yield from of_installation(state.counts)
