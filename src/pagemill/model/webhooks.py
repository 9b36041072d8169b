"""Webhooks: who is notified of which events, and what became of each delivery."""

import fnmatch
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from urllib.parse import urlsplit

from pagemill.model.events import EventType
from pagemill.model.ids import new_id

DEFAULT_EVENTS = (EventType.COMPLETED.value, EventType.FAILED.value, EventType.CANCELLED.value)
# The address of a batch hears of the ends of its documents, and of its own.
DEFAULT_BATCH_EVENTS = (
    *DEFAULT_EVENTS,
    EventType.BATCH_COMPLETED.value,
    EventType.BATCH_FAILED.value,
    EventType.BATCH_CANCELLED.value,
)
TEST_EVENT = "webhook.test"
PROGRESS_EVENT, PAGE_EVENT = "job.progress", "job.page"
# Lines of the log about these are sent as they are.
SENT_FAMILIES = ("job.", "chunk.", "batch.")
# Everything that is sent, which is what a receiver may subscribe to; a pattern such as `job.*` stands for several.
WEBHOOK_EVENTS = (
    *(kind.value for kind in EventType if kind.value.startswith(SENT_FAMILIES)),
    PROGRESS_EVENT,
    PAGE_EVENT,
    TEST_EVENT,
)


class EndpointStatus(StrEnum):
    """Whether an endpoint is sent anything."""

    ACTIVE = "active"
    DISABLED = "disabled"


class DeliveryState(StrEnum):
    """Where a delivery is: `pending` waits for its next attempt, `cancelled` had its endpoint deleted."""

    PENDING = "pending"
    SENDING = "sending"
    DELIVERED = "delivered"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An address that is notified of events of a tenant, or of one job or batch, its owner."""

    id: str
    tenant: str
    owner_id: str | None
    url: str
    events: list[str]
    description: str
    progress_percent: int
    progress_pages: int | None
    secret: bytes = field(repr=False)
    old_secret: bytes | None = field(repr=False)
    old_secret_until: float | None
    status: str
    disabled_reason: str | None
    failing_since: float | None
    created_at: float
    updated_at: float

    def wants(self, kind: str) -> bool:
        """Whether the endpoint is subscribed to a type of event; messages for each page must be asked for by name."""
        if kind == PAGE_EVENT:
            return kind in self.events
        return any(fnmatch.fnmatchcase(kind, pattern) for pattern in self.events)


@dataclass(frozen=True, slots=True)
class WantedEndpoint:
    """What somebody asks of an endpoint."""

    url: str
    events: Sequence[str] = DEFAULT_EVENTS
    description: str = ""
    progress_percent: int = 10
    progress_pages: int | None = None


@dataclass(frozen=True, slots=True)
class Delivery:
    """One event for one endpoint; its id is the `webhook-id` of every attempt."""

    id: str
    tenant: str
    endpoint_id: str
    target: str
    job_id: str | None
    event_type: str
    event_key: str
    payload: str = field(repr=False)
    state: str
    attempts: int
    fence: int
    worker_id: str | None
    next_at: float
    created_at: float
    finished_at: float | None
    last_status: int | None
    last_error: str | None


@dataclass(frozen=True, slots=True)
class Attempt:
    """One request that was sent for a delivery, and how it was answered."""

    delivery_id: str
    tenant: str
    number: int
    at: float
    seconds: float
    url: str
    status: int | None
    error: str | None
    excerpt: str


def is_event_pattern(text: str) -> bool:
    """Whether a pattern matches anything that receivers may subscribe to."""
    return any(fnmatch.fnmatchcase(kind, text) for kind in WEBHOOK_EVENTS)


def new_endpoint(
    tenant: str, wanted: WantedEndpoint, encrypted: bytes, now: float, *, owner_id: str | None = None
) -> Endpoint:
    """An endpoint that is made now; its secret is kept encrypted."""
    return Endpoint(
        id=new_id(),
        tenant=tenant,
        owner_id=owner_id,
        url=wanted.url,
        events=list(wanted.events),
        description=wanted.description,
        progress_percent=wanted.progress_percent,
        progress_pages=wanted.progress_pages,
        secret=encrypted,
        old_secret=None,
        old_secret_until=None,
        status=EndpointStatus.ACTIVE.value,
        disabled_reason=None,
        failing_since=None,
        created_at=now,
        updated_at=now,
    )


def new_delivery(
    endpoint: Endpoint, job_id: str | None, kind: str, key: str, body: str, now: float
) -> Delivery:
    """A delivery that is due at once."""
    return Delivery(
        id=new_id(),
        tenant=endpoint.tenant,
        endpoint_id=endpoint.id,
        target=target_of(endpoint),
        job_id=job_id,
        event_type=kind,
        event_key=key,
        payload=body,
        state=DeliveryState.PENDING.value,
        attempts=0,
        fence=0,
        worker_id=None,
        next_at=now,
        created_at=now,
        finished_at=None,
        last_status=None,
        last_error=None,
    )


def target_of(endpoint: Endpoint) -> str:
    """What the limit on requests at once counts: addresses that came with jobs or batches are counted by their server."""
    return endpoint.id if endpoint.owner_id is None else urlsplit(endpoint.url).netloc.lower()
