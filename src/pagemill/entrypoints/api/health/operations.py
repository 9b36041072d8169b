"""Operations: how the service runs at this moment, in one answer for the people and pages that look after it."""

from dataclasses import asdict
from typing import Any, Literal

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response

from pagemill.desk.operations import Operations, operations
from pagemill.desk.worker_status import WorkerStatus
from pagemill.entrypoints.access.caller import require_operator
from pagemill.entrypoints.api import openapi
from pagemill.entrypoints.api.state import api_state
from pagemill.entrypoints.api.usage.routes import EXAMPLE as USAGE_EXAMPLE
from pagemill.entrypoints.api.usage.routes import UsageOfDay, usage_view
from pagemill.entrypoints.thread_pools import run_in_thread
from pagemill.entrypoints.wire.negotiation import choose_media_type
from pagemill.entrypoints.wire.responses import json_response
from pagemill.errors import DatabaseUnavailable, Forbidden
from pagemill.model.views import iso

router = APIRouter(prefix="/v1", generate_unique_id_function=openapi.operation_id)

EXAMPLE: dict[str, Any] = {
    "at": "2026-11-15T09:30:00.000Z",
    "lanes": [{"lane": "fast", "ready": 3, "running": 1, "oldest_seconds": 0.4}],
    "pages_per_minute": 5400.0,
    "minutes": [{"at": "2026-11-15T09:29:00.000Z", "pages": 5123}],
    "pages": [{"name": "read", "count": 81200}, {"name": "failed", "count": 3}],
    "jobs": [{"name": "completed", "count": 4210}, {"name": "failed", "count": 12}],
    "steps": [{"step": "extract", "count": 5310, "mean_seconds": 0.21, "p95_seconds": 0.8}],
    "providers": [{"name": "liteparse", "count": 402.5}],
    "failures": [{"name": "pdf_corrupt", "count": 12}],
    "set_backs": [{"name": "crashes", "count": 1}],
    "refusals": [{"name": "unsupported_file_type", "count": 7}],
    "workers": [
        {
            "id": "0199a3c4-7d50-7b10-8c11-0d6a52f7e9aa",
            "host": "mill-1",
            "pid": 4242,
            "lanes": ["fast", "bulk", "ocr", "remote"],
            "slots": 4,
            "state": "alive",
            "uptime_seconds": 86400.0,
            "silent_seconds": 1.2,
            "pages_per_minute": 5400.0,
            "version": "0.1.0",
            "engines": ["liteparse 2.17"],
            "trouble": "storage_full",
        }
    ],
    "slots": [
        {
            "slot": 0,
            "kept": False,
            "phase": "busy",
            "pid": 4250,
            "visits": 41,
            "rss_bytes": 212000000,
            "failed_starts": 0,
            "starts": 3,
        }
    ],
    "storage": {"documents": 4222, "documents_bytes": 1900000000, "free_bytes": 81000000000},
    "usage": USAGE_EXAMPLE["usage"],
}


class LaneState(BaseModel):
    """What waits and runs in a lane."""

    lane: str
    ready: int = Field(description="Chunks that wait.")
    running: int = Field(description="Chunks being read.")
    oldest_seconds: float = Field(description="How long the oldest of them has been waiting.")


class MinutePages(BaseModel):
    """Pages of one minute."""

    at: str = Field(description="When the minute began.")
    pages: int


class Share(BaseModel):
    """A part of a total under its name."""

    name: str
    count: float


class StepTime(BaseModel):
    """How long a step takes on one chunk."""

    step: str
    count: int
    mean_seconds: float
    p95_seconds: float = Field(description="19 of 20 take less; estimated.")


class WorkerState(BaseModel):
    """A process that does work."""

    id: str
    host: str
    pid: int
    lanes: list[str]
    slots: int
    state: Literal["alive", "silent"]
    uptime_seconds: float
    silent_seconds: float = Field(description="When it last reported.")
    pages_per_minute: float
    version: str = Field(description="The version of pagemill that it runs.")
    engines: list[str] = Field(description="The providers that it can use, with their versions.")
    trouble: str | None = Field(description="Why it pauses: the code of what is wrong with its storage.")


class SlotState(BaseModel):
    """A place for a reading process, and what that does."""

    slot: int
    kept: bool = Field(description="Kept for small documents.")
    phase: Literal["starting", "idle", "busy", "backing_off", "stopped"]
    pid: int | None
    visits: int = Field(description="How often the present process was called.")
    rss_bytes: int = Field(description="The memory that it takes.")
    failed_starts: int
    starts: int


class Storage(BaseModel):
    """What is stored and what is left."""

    documents: int
    documents_bytes: int = Field(
        description="What the documents take, without results; added up once a minute."
    )
    free_bytes: int | None = Field(description="Null if there is no telling.")


class OperationsView(BaseModel):
    """How the service runs at this moment; counts are those of this process since its start."""

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE]})

    at: str
    lanes: list[LaneState]
    pages_per_minute: float = Field(description="The present speed of all workers.")
    minutes: list[MinutePages] = Field(description="The last hour, oldest first.")
    pages: list[Share] = Field(description="Pages by outcome.")
    jobs: list[Share] = Field(description="Jobs that ended, by status.")
    steps: list[StepTime]
    providers: list[Share] = Field(description="Seconds that each provider read.")
    failures: list[Share] = Field(description="Failures of jobs and pages, by code.")
    set_backs: list[Share] = Field(description="Crashes, errors and lost workers that work recovered from.")
    refusals: list[Share] = Field(description="Requests refused before they became jobs, by code.")
    workers: list[WorkerState]
    slots: list[SlotState]
    storage: Storage
    usage: list[UsageOfDay] = Field(description="What the busiest tenants had done so far today (UTC).")


@router.get(
    "/operations",
    summary="See how the service runs",
    response_model=None,
    responses={
        200: {"model": OperationsView, "description": "How it runs at this moment."},
        **openapi.problems(Forbidden, DatabaseUnavailable),
    },
)
async def show_operations(request: Request) -> Response:
    """Backlog by lane, pages per minute, seconds per step, failures by code, workers, and storage; cheap enough to poll."""
    choose_media_type(request)
    require_operator(request)
    return json_response(
        operations_view(await run_in_thread(operations, api_state(request).mill)),
        headers={"cache-control": "no-store"},
    )


def operations_view(found: Operations) -> dict[str, object]:
    """The operations as they are shown."""
    view = asdict(found)
    view["at"] = iso(found.at)
    view["usage"] = [usage_view(row) for row in found.usage]
    view["minutes"] = [{"at": iso(one.at), "pages": one.pages} for one in found.minutes]
    view["workers"] = [worker_view(one) for one in found.workers]
    for slot in view["slots"]:
        # The key names a job, perhaps another tenant's.
        del slot["key"]
    return view


def worker_view(worker: WorkerStatus) -> dict[str, object]:
    """A worker as it is shown; one that drains is alive."""
    view = asdict(worker)
    view["state"] = "silent" if worker.state == "silent" else "alive"
    view["pages_per_minute"] = round(60 * view.pop("pages_per_second"), 1)
    return view
