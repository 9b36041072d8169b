"""The route that changes the labels of a job."""

from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response

from pagemill.desk.labels import change_labels
from pagemill.entrypoints.access.caller import tenant_of
from pagemill.entrypoints.api import openapi
from pagemill.entrypoints.api.state import api_state
from pagemill.entrypoints.thread_pools import run_in_thread
from pagemill.entrypoints.wire.bodies import json_body
from pagemill.entrypoints.wire.negotiation import choose_media_type
from pagemill.entrypoints.wire.problems import invalid
from pagemill.entrypoints.wire.responses import json_response
from pagemill.errors import (
    ContentTooLarge,
    InvalidEncoding,
    InvalidJson,
    MetadataTooLarge,
    UnsupportedMediaType,
    ValidationFailed,
)
from pagemill.model.labels import COLLECTION, TAGS, LabelChange, collection_entry, tags_entry
from pagemill.model.views import JobView

router = APIRouter(prefix="/v1", generate_unique_id_function=openapi.operation_id)
EXAMPLE: dict[str, Any] = {"collection": "bills", "tags": ["paid", "march"], "metadata": {"customer": "4711"}}


class LabelsRequest(BaseModel):
    """Labels to change; what is left out stays as it is, and null removes."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [EXAMPLE], "minProperties": 1})

    collection: str | None = Field(
        None, description="The collection that the document belongs to; null for none."
    )
    tags: list[str] | None = Field(
        None, description="All tags of the document, instead of those that it has; null for none."
    )
    metadata: dict[str, str | None] = Field(
        default_factory=dict, description="Entries of the metadata to set; null removes one."
    )

    def change(self) -> LabelChange:
        """What is changed; ValidationFailed names a label that can't be, or says that there is nothing."""
        if not self.model_fields_set:
            raise invalid(("", "there is nothing to change"))
        entries = dict(self.metadata)
        try:
            if TAGS in self.model_fields_set:
                entries[TAGS] = tags_entry(self.tags or ())
            if COLLECTION in self.model_fields_set:
                entries[COLLECTION] = collection_entry(self.collection or "")
        except ValueError as error:
            raise invalid(("/tags" if "tags" in str(error) else "/collection", str(error))) from None
        return LabelChange(entries)


@router.patch(
    "/jobs/{job_id}",
    summary="Change the labels of a job",
    response_model=None,
    responses={
        200: {"model": JobView, "description": "The job as it is now."},
        **openapi.problems(
            *openapi.OF_A_JOB,
            InvalidEncoding,
            InvalidJson,
            UnsupportedMediaType,
            ContentTooLarge,
            MetadataTooLarge,
            ValidationFailed,
        ),
    },
    openapi_extra=openapi.LABELS_REQUEST,
)
async def label_job(request: Request, job_id: str) -> Response:
    """Change the collection, the tags and other metadata of a job, at any time; lists and search go by them at once."""
    choose_media_type(request)
    mill = api_state(request).mill
    wanted = await json_body(request, LabelsRequest, mill.settings)
    return json_response(
        await run_in_thread(change_labels, mill, tenant_of(request), job_id, wanted.change())
    )
