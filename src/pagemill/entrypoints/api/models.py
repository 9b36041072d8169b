"""The shapes of the API, for its documentation; that of a job is in `model/views.py`."""

from typing import Literal, NotRequired

from pydantic import BaseModel, ConfigDict, Field, with_config

from pagemill.entrypoints.api.examples import EXAMPLE_ID
from pagemill.model.pages import Route
from pagemill.model.views import DESCRIBED, JobView


@with_config(DESCRIBED)
class ExpandedJob(JobView):
    """A job, with what was asked to come with it."""

    expanded: NotRequired[dict[str, object] | None]
    """What `expand` asked for, by name; null for what is not there or too large. Left out without `expand`."""


class JobPage(BaseModel):
    """Some jobs, newest first."""

    jobs: list[JobView]
    next_cursor: str | None = Field(description="Ask with this `cursor` for more; null at the end.")
    counts: dict[str, int] | None = Field(
        None, description="The number of matching jobs by status; only if `counts` was asked for."
    )


class Event(BaseModel):
    """One line of the event log."""

    id: int = Field(description="Counts all lines.")
    type: str
    job_id: str | None
    seq: int | None = Field(description="Counts the lines of one job; the id of a server-sent event.")
    at: str
    facts: dict[str, object]


class JobEvents(BaseModel):
    """Lines of one job's log."""

    events: list[Event]


class EventPage(BaseModel):
    """Some lines of the event log, oldest first."""

    events: list[Event]
    next_cursor: str = Field(description="Ask with this `cursor` for what comes next, now or later.")


class ResumableUploadState(BaseModel):
    """How far a resumable upload has come."""

    upload_id: str
    filename: str
    size_bytes: int | None = Field(description="Null while the client has not said how long it is.")
    offset_bytes: int = Field(description="How many bytes are stored; go on from here.")
    complete: bool = Field(description="Hand it in with `upload_id` at `POST /v1/jobs`.")
    expires_at: str


class PageFacts(BaseModel):
    """Who read a page, how, how surely, and how large it is."""

    width: float = Field(description="In points.")
    height: float
    provider: str
    route: Route
    confidence: float
    fell_back: bool = Field(description="Another provider was tried before.")
    to_check: bool = Field(description="A person should look at it.")
    has_image: bool = Field(
        description="Whether there is an image of it; office files have some if they are rendered."
    )


class PageState(BaseModel):
    """A page and how far it is."""

    number: int
    state: Literal["waiting", "draft", "final", "failed"]
    facts: PageFacts | None = Field(description="Of the newest result; null while the page is in none.")


class PageStates(BaseModel):
    """Some pages of a job."""

    pages: list[PageState]
    total: int | None = Field(
        description="How many pages are to be read; null until the document was opened."
    )


class Artifact(BaseModel):
    """Something that can be had of a job."""

    name: str
    media_type: str
    size_bytes: int | None = Field(description="Null for what has not been requested yet.")
    link: str


class Artifacts(BaseModel):
    """Everything that can be had of a job."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "artifacts": [
                        {
                            "name": "markdown",
                            "media_type": "text/markdown; charset=utf-8",
                            "size_bytes": 5120,
                            "link": f"/v1/jobs/{EXAMPLE_ID}/markdown",
                        },
                        {
                            "name": "layout",
                            "media_type": "application/pdf",
                            "size_bytes": None,
                            "link": f"/v1/jobs/{EXAMPLE_ID}/layout.pdf",
                        },
                    ]
                }
            ]
        }
    )

    artifacts: list[Artifact]


class Table(BaseModel):
    """A table of the document."""

    name: str
    page: int
    caption: str
    rows: int
    columns: int
    size_bytes: int
    link: str


class Tables(BaseModel):
    """The tables of a document."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "tables": [
                        {
                            "name": "p3-b4.csv",
                            "page": 3,
                            "caption": "Table 1: Yields",
                            "rows": 12,
                            "columns": 4,
                            "size_bytes": 640,
                            "link": f"/v1/jobs/{EXAMPLE_ID}/tables/p3-b4.csv",
                        },
                    ]
                }
            ]
        }
    )

    tables: list[Table]


class Image(BaseModel):
    """A figure of the document."""

    name: str
    page: int
    caption: str
    box: tuple[float, float, float, float] = Field(json_schema_extra={"items": {"type": "number"}})
    link: str


class Images(BaseModel):
    """The figures of a document."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "images": [
                        {
                            "name": "p3-b2.png",
                            "page": 3,
                            "caption": "Figure 1: The mill",
                            "box": [72, 90, 300, 180],
                            "link": f"/v1/jobs/{EXAMPLE_ID}/images/p3-b2.png",
                        },
                    ]
                }
            ]
        }
    )

    images: list[Image]


class ProviderShown(BaseModel):
    """An engine that reads pages."""

    name: str
    version: str | None = Field(description="Null if the provider can't be used here.")
    unavailable: str | None = Field(description="Why it can't be used; null if it can.")
    models: list[str] = Field(description="Files of models that it has here.")


class Health(BaseModel):
    """The service is alive."""

    status: Literal["ok"]
    version: str
    uptime_seconds: float
    sandbox: str | None = Field(
        default=None,
        description="What confines the reading processes, such as `landlock+seccomp`; or `none`. Only with a key.",
    )
    providers: list[ProviderShown] | None = Field(default=None, description="Only with a key.")
    models: list[str] | None = Field(
        default=None, description="Files of models that any provider has here. Only with a key."
    )


class UploadRequest(BaseModel):
    """What is going to be uploaded; all of it may be left out."""

    model_config = ConfigDict(extra="forbid")

    filename: str | None = Field(default=None, description="The name of the document, for display.")
    size_bytes: int | None = Field(
        default=None,
        ge=0,
        le=2**53,
        description="Its size; a file that is too large is then refused at once.",
    )


class Upload(BaseModel):
    """Where a document may be sent, past the service."""

    upload_id: str = Field(
        description="Hand it in with `POST /v1/jobs?upload_id=…` once the document is there."
    )
    url: str = Field(description="Secret: anyone who has it can upload a document.")
    method: Literal["PUT"]
    headers: dict[str, str] = Field(description="Headers that must be sent with it.")
    expires_at: str = Field(description="The link works until then.")


class ArtifactLink(BaseModel):
    """A link to a file in the blob store."""

    url: str = Field(description="Secret: anyone who has it can fetch the file.")
    expires_at: str = Field(description="The link works until then.")
    filename: str
    media_type: str
    size_bytes: int
    sha256: str = Field(description="What the bytes must have, to compare with.")


class Ready(BaseModel):
    """The service takes and does work."""

    status: Literal["ready"]


class Version(BaseModel):
    """What is running."""

    name: Literal["pagemill"]
    version: str
    api: Literal["v1"]


class Root(BaseModel):
    """Where to go from here."""

    name: Literal["pagemill"]
    version: str
    links: dict[str, str]


class Fault(BaseModel):
    """A field that is at fault."""

    pointer: str = Field(description="A JSON pointer to the field.")
    detail: str


class Problem(BaseModel):
    """An error (RFC 9457). Further members hold its details."""

    model_config = ConfigDict(extra="allow")

    type: str
    title: str
    status: int
    detail: str = Field(description="What is wrong and what to do.")
    code: str = Field(description="Stable; meant for programs.")
    retryable: bool = Field(description="Whether the same request may work later; see Retry-After.")
    errors: list[Fault] = Field(
        default=[], description="The fields that are at fault, for validation errors."
    )
