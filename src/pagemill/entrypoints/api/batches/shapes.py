"""The shapes of batches, for requests and for the documentation of answers."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from pagemill.entrypoints.api.examples import EXAMPLE_ID, EXAMPLE_URL
from pagemill.entrypoints.api.upload.json_options import RequestedOptions
from pagemill.model.costs import CostView

EXAMPLE_BATCH: dict[str, Any] = {
    "id": EXAMPLE_ID,
    "status": "completed",
    "name": "invoices of March",
    "metadata": {},
    "total": 3,
    "counts": {
        "pending": 0,
        "processing": 0,
        "completed": 2,
        "failed": 0,
        "cancelled": 0,
        "refused": 1,
        "removed": 0,
    },
    "total_pages": 12,
    "processed_pages": 12,
    "eta_seconds": 0.0,
    "cost": {"cpu_seconds": 1.9, "remote_calls": 0, "price": 0.0},
    "run": 1,
    "created_at": "2026-11-15T09:30:00.000Z",
    "finished_at": "2026-11-15T09:30:04.200Z",
    "expires_at": "2026-11-22T09:30:00.000Z",
    "parent_job_id": None,
    "links": {"self": f"/v1/batches/{EXAMPLE_ID}", "items": f"/v1/batches/{EXAMPLE_ID}/items"},
}


class BatchUrl(RequestedOptions):
    """A document of a batch by its URL; its own options come before those for all."""

    url: str = Field(description="Where the document is fetched from.", repr=False)
    headers: dict[str, str] = Field(default_factory=dict, description="Headers for that server.", repr=False)


class BatchRequest(BaseModel):
    """A batch of documents by their URLs, or of all objects below a prefix of a bucket."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "oneOf": [
                {"required": ["items"], "properties": {"items": {"minItems": 1}}},
                {"required": ["prefix"], "properties": {"prefix": {"type": "string", "minLength": 1}}},
            ],
            "examples": [
                {
                    "items": [{"url": EXAMPLE_URL}, {"url": EXAMPLE_URL, "pages": "1"}],
                    "options": {"ocr": "off"},
                }
            ],
        },
    )

    items: list[BatchUrl] = Field(default_factory=list, description="The documents.")
    prefix: str | None = Field(
        None,
        description="Instead of items: a prefix in a bucket, such as `s3://inbox/march/`, whose objects are the documents.",
    )
    options: RequestedOptions = Field(
        default_factory=RequestedOptions, description="Options for all of them."
    )
    name: str = Field("", max_length=200, description="What the batch is called, for display.")
    metadata: dict[str, str] = Field(default_factory=dict, description="Your own labels of the batch.")


class BatchRetryRequest(BaseModel):
    """What of a batch is read again."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"only": "failed"}]})

    only: Literal["all", "failed"] = Field(
        "failed", description="What failed, was cancelled or lacks pages; or all items."
    )


class Batch(BaseModel):
    """Documents that were handed in together."""

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE_BATCH]})

    id: str
    status: Literal["pending", "processing", "completed", "failed", "cancelled"] = Field(
        description="`completed` if all items have ended and at least one of them well; `failed` if none did."
    )
    name: str
    metadata: dict[str, str]
    total: int = Field(description="How many items there are, with those that were refused.")
    counts: dict[str, int] = Field(
        description="Items by status, `total` together; `refused` ones are no documents and have no job, the jobs of "
        "`removed` ones were deleted."
    )
    total_pages: int = Field(description="Pages of the documents that were opened so far.")
    processed_pages: int
    eta_seconds: float | None = Field(
        description="How long it may still take; null while it can't be estimated."
    )
    cost: CostView = Field(description="What all items have cost so far.")
    run: int = Field(description="Raised by each retry of the batch.")
    created_at: str
    finished_at: str | None
    expires_at: str
    parent_job_id: str | None = Field(
        None, description="The job of the document whose files these are; null for any other."
    )
    links: dict[str, str]


class BatchPage(BaseModel):
    """Some batches, newest first."""

    batches: list[Batch]
    next_cursor: str | None = Field(description="Ask with this `cursor` for more; null at the end.")


class BatchEntry(BaseModel):
    """One item of a batch."""

    number: int = Field(description="Its place in the request, from 1 on.")
    name: str
    job_id: str | None = Field(description="Its job; null if it was refused.")
    status: str = Field(
        description="That of its job; `refused` if it has none, `removed` if the job was deleted."
    )
    error: dict[str, object] | None
    total_pages: int | None
    processed_pages: int
    link: str | None


class BatchEntries(BaseModel):
    """Some items of a batch."""

    items: list[BatchEntry]
