"""The shapes of requests that read a job again, and of the revisions that come of it."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from pagemill.model.jobs import StoredFailedPage
from pagemill.model.options import StoredOptions


class ReadAgainOptions(BaseModel):
    """How to read again; what is left out stays as it was."""

    model_config = ConfigDict(extra="forbid")

    ocr: Literal["auto", "force", "off"] | None = Field(
        None, description="Recognise text in pictures where a page needs it, on every page, or never."
    )
    mode: Literal["fast", "accurate"] | None = Field(None, description="Fast, or accurate but slower.")
    languages: list[str] | None = Field(
        None, max_length=8, description="Languages of scanned pages as ISO 639 codes; none to find them out."
    )
    render: bool | None = Field(None, description="Also render an office file to pages by LibreOffice.")


class RetryRequest(ReadAgainOptions):
    """What to read again, and how."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"only": "failed"}]})

    only: Literal["all", "failed"] = Field("all", description="All pages, or only those that failed.")
    password: str | None = Field(
        None, max_length=1_024, description="The document's password; it is not kept after a run."
    )


class PageReadRequest(ReadAgainOptions):
    """How one page is to be read again."""

    provider: str | None = Field(
        None,
        description="The provider that reads it: one that `/health` names as available; those of the job if left out.",
        max_length=100,
    )
    password: str | None = Field(
        None, description="The password of an encrypted document, which is not kept.", max_length=1_024
    )


class Revision(BaseModel):
    """A result that a job has or had."""

    revision: int
    current: bool = Field(description="Whether it is the result of the job now.")
    run: int = Field(description="The run that made it.")
    created_at: str
    options: StoredOptions = Field(description="What it was read with.")
    pages: int
    failed_pages: list[StoredFailedPage]


class Revisions(BaseModel):
    """The results that a job has and had, newest first."""

    revisions: list[Revision]
