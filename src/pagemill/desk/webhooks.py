"""Webhook endpoints and their deliveries: made, changed, rotated, tried out, listed and replayed."""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import TypedDict

from pagemill.adapters.outbound.targets import Target, is_internal, parse
from pagemill.db import deliveries, webhooks
from pagemill.db.database import Tx
from pagemill.errors import (
    DeliveryActive,
    FetchFailed,
    FetchTimeout,
    InvalidCursor,
    NotFound,
    UrlInvalid,
    UrlSchemeNotAllowed,
    WebhookLimit,
    WebhookUrlInvalid,
)
from pagemill.mill import Mill
from pagemill.model.ids import is_id, new_id
from pagemill.model.views import iso
from pagemill.model.webhook_payloads import example_payload
from pagemill.model.webhook_signing import new_secret
from pagemill.model.webhooks import (
    TEST_EVENT,
    Attempt,
    Delivery,
    DeliveryState,
    Endpoint,
    EndpointStatus,
    WantedEndpoint,
    new_delivery,
    new_endpoint,
)

LOCK = "webhook endpoints of "
# They are looked up while the caller waits.
MAX_SERVERS = 20


class EndpointView(TypedDict, total=False):
    """An endpoint, as people see it; the secret is there only when it was made just now."""

    id: str
    url: str
    events: list[str]
    description: str
    progress_percent: int
    progress_pages: int | None
    status: str
    disabled_reason: str | None
    failing_since: str | None
    old_secret_until: str | None
    created_at: str
    updated_at: str
    deliveries: dict[str, int]
    secret: str


class AttemptView(TypedDict):
    """One request that was sent, and how it was answered."""

    number: int
    at: str
    seconds: float
    url: str
    status: int | None
    error: str | None
    answer: str


class DeliveryView(TypedDict, total=False):
    """A delivery, as people see it; payload and attempts are there when one is looked at."""

    id: str
    endpoint_id: str
    job_id: str | None
    event: str
    state: str
    attempts: int
    next_attempt_at: str | None
    last_status: int | None
    last_error: str | None
    created_at: str
    finished_at: str | None
    payload: str
    log: list[AttemptView]


def check_url(mill: Mill, url: str) -> None:
    """Raises WebhookUrlInvalid or UrlForbiddenAddress unless an address may be notified.

    A host that can't be resolved now may be resolvable later, so it is rejected only for plain http://.
    """
    check_target(mill, target_of(url))


def check_urls(mill: Mill, urls: Iterable[str]) -> None:
    """As `check_url` for each of them; a server that several are on is looked up once."""
    targets = {(one.scheme, one.host, one.port): one for one in map(target_of, sorted(urls))}
    if len(targets) > MAX_SERVERS:
        raise WebhookUrlInvalid(f"The addresses of a batch are on at most {MAX_SERVERS} servers.")
    with ThreadPoolExecutor(MAX_SERVERS, thread_name_prefix="pagemill-webhook-check") as threads:
        # All at once, so that names that are slow to resolve don't add up; the first error is raised.
        list(threads.map(lambda target: check_target(mill, target), targets.values()))


def target_of(url: str) -> Target:
    """The target of an address; raises WebhookUrlInvalid if it can't have one."""
    try:
        return parse(url)
    except (UrlInvalid, UrlSchemeNotAllowed) as error:
        raise WebhookUrlInvalid(error.message) from error


def check_target(mill: Mill, target: Target) -> None:
    """As `check_url`, for the target of an address."""
    try:
        mill.outbound.addresses(target)
        internal = target.scheme == "https" or is_internal(
            target, mill.outbound.allowed, mill.outbound.lookup
        )
    except (FetchFailed, FetchTimeout):
        internal = target.scheme == "https"
    if not internal:
        raise WebhookUrlInvalid()


def add_endpoint(mill: Mill, tenant: str, wanted: WantedEndpoint) -> EndpointView:
    """Register an endpoint; this is the only time that its secret is shown."""
    check_url(mill, wanted.url)
    secret = new_secret()

    def write(tx: Tx) -> Endpoint:
        tx.lock(LOCK + tenant)
        if webhooks.count(tx.conn, tenant) >= mill.settings.webhook_endpoints:
            raise WebhookLimit(max_endpoints=mill.settings.webhook_endpoints)
        endpoint = new_endpoint(tenant, wanted, mill.passwords.encrypt(secret) or b"", tx.now)
        webhooks.add(tx, endpoint)
        return endpoint

    return endpoint_view(mill.db.write(write)) | {"secret": secret}


def list_endpoints(mill: Mill, tenant: str) -> list[EndpointView]:
    """The endpoints that a tenant has registered."""
    return [
        endpoint_view(one) for one in mill.db.read(lambda conn: webhooks.registered_endpoints(conn, tenant))
    ]


def show_endpoint(mill: Mill, tenant: str, endpoint_id: str) -> EndpointView:
    """An endpoint, and how many of its deliveries are in which state."""
    endpoint = mill.db.read(lambda conn: webhooks.one(conn, tenant, endpoint_id))
    if endpoint is None:
        raise NotFound
    view = endpoint_view(endpoint)
    view["deliveries"] = mill.db.read(lambda conn: deliveries.counts(conn, tenant, endpoint_id))
    return view


def change_endpoint(mill: Mill, tenant: str, endpoint_id: str, changes: dict[str, object]) -> EndpointView:
    """Change what an endpoint is sent, where, and whether; one that is enabled again starts with a clean slate."""
    if "url" in changes:
        check_url(mill, str(changes["url"]))
    if (enabled := changes.pop("enabled", None)) is not None:
        status = EndpointStatus.ACTIVE if enabled else EndpointStatus.DISABLED
        reason = None if enabled else "by request"
        changes |= {"status": status.value, "disabled_reason": reason, "failing_since": None}
    return endpoint_view(change_columns(mill, tenant, endpoint_id, changes))


def change_columns(mill: Mill, tenant: str, endpoint_id: str, changes: dict[str, object]) -> Endpoint:
    """An endpoint after a change; raises NotFound if the tenant has no such endpoint."""
    endpoint = mill.db.write(lambda tx: webhooks.change(tx, tenant, endpoint_id, **changes))
    if endpoint is None:
        raise NotFound
    return endpoint


def remove_endpoint(mill: Mill, tenant: str, endpoint_id: str) -> None:
    """Remove an endpoint; what waits for it is cancelled."""

    def write(tx: Tx) -> None:
        if not webhooks.remove(tx, tenant, endpoint_id):
            raise NotFound
        deliveries.end_pending(tx, tenant, endpoint_id, DeliveryState.CANCELLED, "endpoint_removed")

    mill.db.write(write)


def rotate_secret(mill: Mill, tenant: str, endpoint_id: str, overlap_seconds: float) -> EndpointView:
    """Give an endpoint a new secret; until the overlap is over, messages are signed with both."""
    secret = new_secret()

    def write(tx: Tx) -> Endpoint:
        endpoint = webhooks.one(tx.conn, tenant, endpoint_id)
        if endpoint is None:
            raise NotFound
        kept = {"old_secret": endpoint.secret, "old_secret_until": tx.now + overlap_seconds}
        row = webhooks.change(tx, tenant, endpoint_id, secret=mill.passwords.encrypt(secret), **kept)
        return row or endpoint

    return endpoint_view(mill.db.write(write)) | {"secret": secret}


def send_test(mill: Mill, tenant: str, endpoint_id: str) -> DeliveryView:
    """Send an endpoint a test message, signed and recorded like any other."""

    def write(tx: Tx) -> Delivery:
        endpoint = webhooks.one(tx.conn, tenant, endpoint_id)
        if endpoint is None:
            raise NotFound
        body = example_payload(tx.now, endpoint_id)
        delivery = new_delivery(
            endpoint=endpoint, job_id=None, kind=TEST_EVENT, key=f"test:{new_id()}", body=body, now=tx.now
        )
        deliveries.add_new(tx, [delivery])
        return delivery

    delivery = mill.db.write(write)
    mill.notifier.news.set()
    return delivery_view(delivery)


@dataclass(frozen=True, slots=True)
class DeliveryFilter:
    """Which deliveries somebody wants to see."""

    endpoint_id: str | None = None
    job_id: str | None = None
    state: str | None = None


def list_deliveries(
    mill: Mill, tenant: str, wanted: DeliveryFilter, *, before: str | None, limit: int
) -> list[DeliveryView]:
    """The deliveries of a tenant, newest first."""
    if before is not None and not is_id(before):
        raise InvalidCursor()
    found = mill.db.read(
        lambda conn: deliveries.list_deliveries(conn, tenant, **asdict(wanted), before=before, limit=limit)
    )
    return [delivery_view(one) for one in found]


def show_delivery(mill: Mill, tenant: str, delivery_id: str) -> DeliveryView:
    """A delivery with its payload and every attempt."""
    delivery = mill.db.read(lambda conn: deliveries.one(conn, tenant, delivery_id))
    if delivery is None:
        raise NotFound
    attempts = mill.db.read(lambda conn: deliveries.attempts(conn, tenant, delivery_id))
    view = delivery_view(delivery)
    view["payload"] = delivery.payload
    view["log"] = [attempt_view(one) for one in attempts]
    return view


def replay(mill: Mill, tenant: str, delivery_id: str) -> DeliveryView:
    """Send a delivery that has ended once more, or one that waits for its next attempt now, under the same id.

    Raises DeliveryActive while it is being sent.
    """
    show_delivery(mill, tenant, delivery_id)
    if not mill.db.write(lambda tx: deliveries.replay(tx, tenant, delivery_id)):
        raise DeliveryActive()
    mill.notifier.news.set()
    return show_delivery(mill, tenant, delivery_id)


def replay_failed(mill: Mill, tenant: str, endpoint_id: str, since: float) -> int:
    """Send everything that failed for an endpoint since a time once more; how much that is."""
    show_endpoint(mill, tenant, endpoint_id)
    count = mill.db.write(lambda tx: deliveries.replay_failed(tx, tenant, endpoint_id, since))
    mill.notifier.news.set()
    return count


def endpoint_view(endpoint: Endpoint) -> EndpointView:
    """An endpoint in the shape that people see."""
    until, failing = endpoint.old_secret_until, endpoint.failing_since
    return {
        "id": endpoint.id,
        "url": endpoint.url,
        "events": endpoint.events,
        "description": endpoint.description,
        "progress_percent": endpoint.progress_percent,
        "progress_pages": endpoint.progress_pages,
        "status": endpoint.status,
        "disabled_reason": endpoint.disabled_reason,
        "failing_since": iso(failing) if failing else None,
        "old_secret_until": iso(until) if until else None,
        "created_at": iso(endpoint.created_at),
        "updated_at": iso(endpoint.updated_at),
    }


def delivery_view(delivery: Delivery) -> DeliveryView:
    """A delivery in the shape that people see."""
    waits = delivery.state == DeliveryState.PENDING.value
    return {
        "id": delivery.id,
        "endpoint_id": delivery.endpoint_id,
        "job_id": delivery.job_id,
        "event": delivery.event_type,
        "state": delivery.state,
        "attempts": delivery.attempts,
        "next_attempt_at": iso(delivery.next_at) if waits else None,
        "last_status": delivery.last_status,
        "last_error": delivery.last_error,
        "created_at": iso(delivery.created_at),
        "finished_at": iso(delivery.finished_at) if delivery.finished_at else None,
    }


def attempt_view(attempt: Attempt) -> AttemptView:
    """An attempt in the shape that people see."""
    return {
        "number": attempt.number,
        "at": iso(attempt.at),
        "seconds": attempt.seconds,
        "url": attempt.url,
        "status": attempt.status,
        "error": attempt.error,
        "answer": attempt.excerpt,
    }
