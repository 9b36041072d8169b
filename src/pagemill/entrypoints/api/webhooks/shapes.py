"""The shapes of webhooks: what is sent to the routes, and what they answer."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, WithJsonSchema

from pagemill.entrypoints.api.examples import EXAMPLE_ID
from pagemill.model.webhooks import DEFAULT_EVENTS, SENT_FAMILIES, WEBHOOK_EVENTS, is_event_pattern

MOST_OVERLAP_SECONDS = 7 * 86_400
EXAMPLE_ENDPOINT: dict[str, Any] = {
    "id": EXAMPLE_ID,
    "url": "https://app.example/hooks/pagemill",
    "events": list(DEFAULT_EVENTS),
    "description": "The billing system",
    "progress_percent": 10,
    "progress_pages": None,
    "status": "active",
    "disabled_reason": None,
    "failing_since": None,
    "old_secret_until": None,
    "created_at": "2026-11-15T09:30:00.000Z",
    "updated_at": "2026-11-15T09:30:00.000Z",
}
EXAMPLE_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


def check_pattern(text: str) -> str:
    """A type of event or a pattern that matches one."""
    if not is_event_pattern(text):
        raise ValueError(
            f"Unknown event type. Known types: {', '.join(WEBHOOK_EVENTS)}, and patterns such as job.*"
        )
    return text


EVENT_PATTERNS = (*WEBHOOK_EVENTS, *(f"{family}*" for family in SENT_FAMILIES), "*")
Pattern = Annotated[
    str, AfterValidator(check_pattern), WithJsonSchema({"type": "string", "enum": list(EVENT_PATTERNS)})
]
Patterns = Annotated[
    list[Pattern],
    Field(min_length=1, max_length=20, description="Types of events, or patterns such as `job.*`."),
]
Url = Annotated[str, Field(max_length=2_048, description="Where the events are sent.")]
Description = Annotated[str, Field(max_length=200, description="Your own words, for the list.")]
Percent = Annotated[
    int, Field(ge=1, le=100, description="`job.progress` is sent at steps of so many percent.")
]
Pages = Annotated[
    int | None, Field(ge=1, le=2**31 - 1, description="`job.progress` is sent every so many pages instead.")
]


class EndpointRequest(BaseModel):
    """An endpoint that is to be registered."""

    model_config = ConfigDict(extra="forbid")

    url: Url
    events: Patterns = list(DEFAULT_EVENTS)
    description: Description = ""
    progress_percent: Percent = 10
    progress_pages: Pages = None


class EndpointChange(BaseModel):
    """What is to be changed of an endpoint; what is left out stays."""

    model_config = ConfigDict(extra="forbid")

    url: Url | None = None
    events: Patterns | None = None
    description: Description | None = None
    progress_percent: Percent | None = None
    progress_pages: Pages = None
    enabled: bool | None = Field(default=None, description="Whether the endpoint is sent anything.")


class RotateRequest(BaseModel):
    """How long the former secret stays valid."""

    model_config = ConfigDict(extra="forbid")

    overlap_seconds: float = Field(
        default=86_400.0,
        strict=True,
        ge=0,
        le=MOST_OVERLAP_SECONDS,
        description="Messages are signed with both secrets so long.",
    )


class ReplayRequest(BaseModel):
    """Which failed deliveries are to be sent once more."""

    model_config = ConfigDict(extra="forbid")

    since: str = Field(
        description="Those made since this time, as in `2026-11-15T09:30:00Z`.",
        max_length=40,
        json_schema_extra={"format": "date-time"},
    )


class EndpointShown(BaseModel):
    """An address that is notified of events."""

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE_ENDPOINT]})

    id: str
    url: str
    events: list[str]
    description: str
    progress_percent: int
    progress_pages: int | None
    status: Literal["active", "disabled"]
    disabled_reason: str | None = Field(description="`gone`, `failing` or `by request`.")
    failing_since: str | None = Field(description="Since when it has taken no delivery.")
    old_secret_until: str | None = Field(description="Until when messages carry two signatures.")
    created_at: str
    updated_at: str
    deliveries: dict[str, int] | None = Field(default=None, description="How many are in which state.")


class EndpointMade(EndpointShown):
    """An endpoint with its secret, which is shown this once."""

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE_ENDPOINT | {"secret": EXAMPLE_SECRET}]})

    secret: str = Field(description="`whsec_…`: keep it; it verifies the signatures.")


class EndpointList(BaseModel):
    """The endpoints of a tenant."""

    webhooks: list[EndpointShown]


class JobSecret(BaseModel):
    """The secret for addresses that come with jobs."""

    secret: str


class AttemptShown(BaseModel):
    """One request that was sent, and how it was answered."""

    number: int
    at: str
    seconds: float
    url: str
    status: int | None
    error: str | None
    answer: str = Field(description="The beginning of the answer, with secrets taken out.")


class DeliveryShown(BaseModel):
    """One event for one endpoint."""

    id: str = Field(description="The `webhook-id` of every attempt.")
    endpoint_id: str
    job_id: str | None
    event: str
    state: Literal["pending", "sending", "delivered", "failed", "cancelled"]
    attempts: int
    next_attempt_at: str | None
    last_status: int | None
    last_error: str | None
    created_at: str
    finished_at: str | None
    payload: str | None = Field(default=None, description="The body that is sent.")
    log: list[AttemptShown] | None = Field(default=None, description="Every attempt, in order.")


class DeliveryPage(BaseModel):
    """Some deliveries, newest first."""

    deliveries: list[DeliveryShown]
    next_cursor: str | None


class Replayed(BaseModel):
    """How many deliveries are sent once more."""

    replayed: int
