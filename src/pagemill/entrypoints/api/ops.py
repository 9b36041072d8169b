"""For those who run the service: is it alive, is it ready, what is it, and what does it measure."""

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
from pagemill.entrypoints.api import docs, models
from pagemill.entrypoints.api.accepts import JSON, chosen
from pagemill.entrypoints.api.door import Door, act, answer, door_of, refuse_tenants
from pagemill.entrypoints.gauges import STARTED, of_installation, of_process, shown
from pagemill.entrypoints.web.pages import show_page
from pagemill.errors import DatabaseUnavailable, Forbidden, OutageError
from pagemill.reading.providers import every_provider

router = APIRouter(generate_unique_id_function=docs.operation_id)
VERSION = version("pagemill")
HTML = "text/html"
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
        **docs.problems(),
    },
)
async def root(request: Request) -> Response:
    """The name and version of the service, and its addresses; browsers get the web pages."""
    if chosen(request, (JSON, HTML)) == HTML:
        return await show_page(request)
    return answer({"name": "pagemill", "version": VERSION, "links": LINKS})


@router.get(
    "/health",
    summary="Is it alive?",
    response_model=None,
    responses={
        200: {"model": models.Health, "description": "It is."},
        **docs.problems(),
    },
)
async def health() -> Response:
    """200 as long as the service answers at all, with the engines that it can read with."""
    providers = await act(every_provider)
    return answer(
        {
            "status": "ok",
            "version": VERSION,
            "uptime_seconds": round(time.monotonic() - STARTED, 1),
            "providers": [asdict(provider) for provider in providers],
            "models": [model for provider in providers for model in provider.models],
        }
    )


@router.get(
    "/ready",
    summary="Does it take work?",
    response_model=None,
    responses={
        200: {"model": models.Ready, "description": "It does."},
        **docs.problems(OutageError, DatabaseUnavailable),
    },
)
async def ready(request: Request) -> Response:
    """200 if documents can be taken in and read now; 503 with the reasons if not."""
    door = door_of(request)
    reasons = await act(queries.readiness, door.mill)
    if door.watch.closing:
        reasons = [*reasons, "shutting_down"]
    if reasons:
        raise OutageError(f"Not ready: {', '.join(reasons)}.", reasons=reasons)
    return answer({"status": "ready"})


@router.get(
    "/version",
    summary="What is running?",
    response_model=None,
    responses={
        200: {"model": models.Version, "description": "The version."},
        **docs.problems(),
    },
)
async def show_version() -> Response:
    """The version of the service and of its API."""
    return answer({"name": "pagemill", "version": VERSION, "api": "v1"})


@router.get(
    "/metrics",
    summary="What does it measure?",
    response_model=None,
    responses={
        200: {"description": "Metrics for Prometheus.", "content": {"text/plain": {}}},
        **docs.problems(Forbidden),
    },
)
async def metrics(request: Request) -> Response:
    """Queue depth and age by lane, seconds per step and provider, pages, failures by code, and more."""
    refuse_tenants(request)
    return Response(await act(measured, door_of(request)), media_type=CONTENT_TYPE_LATEST)


def measured(door: Door) -> bytes:
    """What the meters counted, and how things stand now."""
    return shown(door.mill, every_gauge(door))


def every_gauge(door: Door) -> Iterator[Metric]:
    """How this process stands, those who wait at its door, and the whole installation."""
    yield from of_process(door.mill)
    yield GaugeMetricFamily("pagemill_watchers", "Long polls and event streams.", value=door.watch.count())
    yield from of_installation(door.census)
