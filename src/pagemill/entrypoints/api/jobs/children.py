"""The files inside of a document, as jobs of their own."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response

from pagemill.desk.children import show_family
from pagemill.entrypoints.access.caller import tenant_of
from pagemill.entrypoints.api import openapi
from pagemill.entrypoints.api.batches.shapes import BatchEntry
from pagemill.entrypoints.api.state import api_state
from pagemill.entrypoints.thread_pools import run_in_thread
from pagemill.entrypoints.wire.negotiation import choose_media_type
from pagemill.entrypoints.wire.responses import json_response
from pagemill.errors import ValidationFailed
from pagemill.model.batches import entry_view

router = APIRouter(prefix="/v1", generate_unique_id_function=openapi.operation_id)

MAX_NUMBER = 1_000_000


class JobChildren(BaseModel):
    """The files inside of a document."""

    parent_job_id: str | None = Field(description="The job of the document that this one was inside of.")
    batch_id: str | None = Field(
        description="The batch that the children are in, which can be looked at, cancelled and downloaded as a whole; "
        "null if there are no children."
    )
    children: list[BatchEntry] = Field(
        description="The files in order, each with its job or why it has none."
    )


@router.get(
    "/jobs/{job_id}/children",
    summary="List the files inside of a document",
    response_model=None,
    responses={
        200: {"model": JobChildren, "description": "Some of the files, and the job of the parent."},
        **openapi.problems(*openapi.OF_A_JOB, ValidationFailed),
    },
)
async def list_children(
    request: Request,
    job_id: str,
    after: Annotated[int, Query(ge=0, le=MAX_NUMBER, description="Only files after this number.")] = 0,
    limit: Annotated[int, Query(ge=1, le=1_000, description="How many to list at most.")] = 100,
) -> Response:
    """The jobs of the files inside of a document that was handed in with `embedded_files=process`, or of an archive.

    They are made when the document is opened. A child that fails never fails its parent.
    """
    choose_media_type(request)
    mill = api_state(request).mill
    found = await run_in_thread(show_family, mill, tenant_of(request), job_id, after=after, limit=limit)
    return json_response(
        {
            "parent_job_id": found.parent_job_id,
            "batch_id": found.batch.id if found.batch else None,
            "children": [entry_view(entry) for entry in found.entries],
        }
    )
