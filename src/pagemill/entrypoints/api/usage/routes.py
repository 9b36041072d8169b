"""Usage at /v1/usage: jobs, pages, CPU seconds, remote calls and their price, by tenant and day."""

from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response

from pagemill.db.usage import UsageRow
from pagemill.desk.usage import show_usage
from pagemill.entrypoints.access.caller import require_operator, tenant_of
from pagemill.entrypoints.api import openapi
from pagemill.entrypoints.api.moments import Day
from pagemill.entrypoints.api.state import api_state
from pagemill.entrypoints.thread_pools import run_in_thread
from pagemill.entrypoints.wire.negotiation import choose_media_type
from pagemill.entrypoints.wire.problems import invalid
from pagemill.entrypoints.wire.responses import json_response
from pagemill.errors import Forbidden, ValidationFailed

router = APIRouter(prefix="/v1", generate_unique_id_function=openapi.operation_id)

USUAL_DAYS, MOST_DAYS = 30, 366
EXAMPLE: dict[str, Any] = {
    "usage": [
        {
            "tenant": "default",
            "day": "2026-11-15",
            "jobs": 42,
            "pages": 380,
            "cpu_seconds": 61.4,
            "remote_calls": 12,
            "price": 0.012,
        }
    ]
}


class UsageOfDay(BaseModel):
    """What a tenant had done on one day."""

    tenant: str
    day: str = Field(description="In UTC.")
    jobs: int = Field(description="Jobs that were accepted.")
    pages: int = Field(description="Pages that were read, again ones too; a result used again has none.")
    cpu_seconds: float = Field(description="CPU seconds of reading processes.")
    remote_calls: int = Field(description="Calls to providers on other machines.")
    price: float = Field(description="What they cost by `PAGEMILL_PROVIDER_CALL_PRICES`.")


class UsageList(BaseModel):
    """Usage by day."""

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE]})

    usage: list[UsageOfDay]


@router.get(
    "/usage",
    summary="See what was used",
    response_model=None,
    responses={
        200: {"model": UsageList, "description": "Days on which something was done."},
        **openapi.problems(ValidationFailed, Forbidden),
    },
)
async def list_usage(
    request: Request,
    first: Annotated[
        Day | None, Query(alias="from", description="The first day; 30 days before the last if not given.")
    ] = None,
    last: Annotated[Day | None, Query(alias="to", description="The last day; today if not given.")] = None,
    all_tenants: Annotated[
        bool, Query(description="Of all tenants, newest day first; for the operator only.")
    ] = False,
) -> Response:
    """Jobs, pages, CPU seconds, remote calls and their price by day, of this key's tenant."""
    choose_media_type(request)
    if all_tenants:
        require_operator(request)
    last = last or datetime.now(UTC).date()
    first = first or last - timedelta(days=USUAL_DAYS)
    if not 0 <= (last - first).days < MOST_DAYS:
        raise invalid(("/from", f"from is not later than to, and at most {MOST_DAYS} days are shown"))
    tenant = None if all_tenants else tenant_of(request)
    found = await run_in_thread(show_usage, api_state(request).mill, tenant, first, last)
    return json_response({"usage": [usage_view(row) for row in found]})


def usage_view(row: UsageRow) -> dict[str, object]:
    """The usage of a day as it is shown."""
    return asdict(row) | {"cpu_seconds": round(row.cpu_seconds, 3), "price": round(row.price, 6)}
