"""Deliver: lines of the log become webhook deliveries, and deliveries become signed requests.

The log is the outbox: a line is written in the transaction of what happened, and reading it twice makes the same
delivery. A delivery is claimed, sent and recorded; if the sender dies in between, it is sent again under the same id.
"""

import logging
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from sqlalchemy import Connection

from pagemill import __version__
from pagemill.adapters.outbound.client import Call
from pagemill.adapters.outbound.posting import Reply
from pagemill.adapters.outbound.targets import is_internal, parse
from pagemill.db import batches, deliveries, events, jobs, log_positions, webhooks
from pagemill.db.database import Tx
from pagemill.errors import Gone, PagemillError, PushNotAllowed, UrlForbiddenAddress, WebhookUrlInvalid
from pagemill.faultpoints import faultpoint
from pagemill.mill import DEFAULT_TENANT, Mill
from pagemill.model.events import EventRow, EventType, Facts
from pagemill.model.jobs import DocumentRow, JobRow
from pagemill.model.push_targets import is_push_target
from pagemill.model.redaction import excerpt
from pagemill.model.webhook_payloads import batch_message, is_concerned, messages
from pagemill.model.webhook_schedule import next_wait, parse_schedule, retry_after_seconds
from pagemill.model.webhook_signing import signed_headers
from pagemill.model.webhooks import Attempt, Delivery, DeliveryState, Endpoint, new_delivery

log = logging.getLogger("pagemill.webhooks")
# Has the result of a job put where a delivery says.
Push = Callable[[Mill, Delivery, str], Reply]

READER = "webhooks"
BATCH_EVENTS = frozenset(
    {
        EventType.BATCH_ACCEPTED,
        EventType.BATCH_COMPLETED,
        EventType.BATCH_FAILED,
        EventType.BATCH_CANCELLED,
    }
)
BATCH = 500
FIRST_SUCCESS, LAST_SUCCESS, GONE = 200, 299, 410
LONGEST_ANSWER_BYTES = 64_000
# What another attempt can't change.
FINAL_ERRORS = frozenset({UrlForbiddenAddress.code, PushNotAllowed.code, Gone.code})


def fan_out(mill: Mill) -> bool:
    """Make deliveries of the next lines of the log; whether there may be more lines."""
    waits = mill.db.read(has_work)
    return waits and mill.db.write(lambda tx: fan_out_in(tx, mill.settings.public_url))


def has_work(conn: Connection) -> bool:
    """Whether there is a line that an endpoint may want; a cheap look before the write."""
    if not webhooks.are_any(conn):
        return False
    place = log_positions.position(conn, READER)
    return place is None or bool(events.of_everyone(conn, place, 1))


def fan_out_in(tx: Tx, base_url: str) -> bool:
    """Make deliveries of the next lines, and note in the same transaction how far the log was read."""
    tx.lock(READER)
    place = log_positions.position(tx.conn, READER)
    if place is None:
        # Lines from before the first endpoint are of no interest to it.
        place = starting_place(tx)
    lines = events.of_everyone(tx.conn, place, BATCH)
    if lines:
        deliveries.add_new(tx, list(new_deliveries(tx, lines, base_url)))
        place = events.LogPosition(lines[-1].xid, lines[-1].id)
    log_positions.advance(tx, DEFAULT_TENANT, READER, place)
    return len(lines) == BATCH


def starting_place(tx: Tx) -> events.LogPosition:
    """Where reading begins: early enough for every endpoint, because lines older than an endpoint are left out."""
    oldest = webhooks.oldest_at(tx.conn)
    return events.position_before(tx.conn, tx.now if oldest is None else oldest)


def new_deliveries(tx: Tx, lines: Sequence[EventRow], base_url: str) -> Iterable[Delivery]:
    """What the endpoints are to be sent for these lines."""
    of_jobs = [line for line in lines if line.job_id is not None]
    receivers = receivers_of(tx.conn, lines)
    for line in (one for one in lines if one.type in BATCH_EVENTS):
        for endpoint in receivers.of_batch(line):
            if endpoint.wants(line.type.value) and line.at >= endpoint.created_at:
                yield new_delivery(endpoint, None, *batch_message(line, base_url), tx.now)
    concerned = [
        (line, endpoint)
        for line in of_jobs
        for endpoint in receivers.of_job(line)
        if is_concerned(endpoint, line.type) and line.at >= endpoint.created_at
    ]
    found = jobs_of(tx.conn, [line for line, _ in concerned])
    for line, endpoint in concerned:
        if (job := found.get((line.tenant, line.job_id or ""))) is not None:
            for kind, key, body in messages(line, *job, endpoint, base_url):
                yield new_delivery(
                    endpoint=endpoint, job_id=line.job_id, kind=kind, key=key, body=body, now=tx.now
                )


@dataclass(frozen=True, slots=True)
class LineReceivers:
    """The endpoints that lines of the log may be for: by their tenant and owner, with the batches that jobs are in."""

    by_owner: Mapping[tuple[str, str | None], Sequence[Endpoint]]
    batch_ids: Mapping[tuple[str, str], str]

    def of_batch(self, line: EventRow) -> Sequence[Endpoint]:
        """Those of a line about a batch."""
        batch_id = str(line.facts.get("batch_id"))
        return [*self.by_owner.get((line.tenant, None), ()), *self.by_owner.get((line.tenant, batch_id), ())]

    def of_job(self, line: EventRow) -> Sequence[Endpoint]:
        """Those of a line about a job; an address that the job and its batch have both is notified for the job alone."""
        own = self.by_owner.get((line.tenant, line.job_id), ())
        urls = {endpoint.url for endpoint in own}
        batch_id = self.batch_ids.get((line.tenant, line.job_id or ""))
        of_batch = self.by_owner.get((line.tenant, batch_id), ()) if batch_id else ()
        rest = (endpoint for endpoint in of_batch if endpoint.url not in urls)
        return [*self.by_owner.get((line.tenant, None), ()), *own, *rest]


def receivers_of(conn: Connection, lines: Sequence[EventRow]) -> LineReceivers:
    """The endpoints that these lines may be for."""
    job_ids = {line.job_id for line in lines if line.job_id is not None}
    batch_ids = batches.batch_ids(conn, job_ids)
    over = {str(line.facts.get("batch_id")) for line in lines if line.type in BATCH_EVENTS}
    by_owner: defaultdict[tuple[str, str | None], list[Endpoint]] = defaultdict(list)
    owners = {*job_ids, *batch_ids.values(), *over}
    for endpoint in webhooks.subscribed_endpoints(conn, {line.tenant for line in lines}, owners):
        by_owner[endpoint.tenant, endpoint.owner_id].append(endpoint)
    return LineReceivers(by_owner, batch_ids)


def jobs_of(conn: Connection, lines: Iterable[EventRow]) -> dict[tuple[str, str], tuple[JobRow, DocumentRow]]:
    """The jobs that lines are about, with their documents, by tenant and id; one look for each tenant."""
    wanted: defaultdict[str, set[str]] = defaultdict(set)
    for line in lines:
        wanted[line.tenant].add(line.job_id or "")
    return {
        (tenant, job_id): job
        for tenant, job_ids in wanted.items()
        for job_id, job in jobs.find_jobs(conn, tenant, job_ids).items()
    }


class SigningEndpoint:
    """An endpoint whose secrets are decrypted once for all that it is sent in a row."""

    def __init__(self, mill: Mill, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self._decrypt = cache(mill.passwords.decrypt)

    def valid_secrets(self, now: float) -> list[str]:
        """The secrets that messages are signed with, the newest first."""
        encrypted, endpoint = [self.endpoint.secret], self.endpoint
        if endpoint.old_secret is not None and now < (endpoint.old_secret_until or 0.0):
            encrypted.append(endpoint.old_secret)
        return [self._decrypt(one) or "" for one in encrypted]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one attempt: an answer, or the reason why there is none."""

    delivery: Delivery
    url: str
    at: float
    seconds: float
    reply: Reply | None
    error: str | None

    @property
    def is_success(self) -> bool:
        """Whether the receiver has taken the delivery."""
        return self.reply is not None and FIRST_SUCCESS <= self.reply.status <= LAST_SUCCESS

    @property
    def is_gone(self) -> bool:
        """Whether the receiver says that it wants nothing more."""
        return self.reply is not None and self.reply.status == GONE


def send(mill: Mill, delivery: Delivery, signer: "SigningEndpoint", now: float, push: Push) -> Outcome:
    """Send a delivery once, or push what it is about; what goes wrong is an outcome, too."""
    endpoint, body, started = signer.endpoint, delivery.payload.encode(), time.monotonic()
    headers = {
        "Content-Type": "application/json",
        "User-Agent": f"pagemill/{__version__}",
        **signed_headers(signer.valid_secrets(now), delivery.id, int(now), body),
    }
    seconds = mill.settings.webhook_timeout_seconds
    try:
        if is_push_target(endpoint.url):
            reply = push(mill, delivery, endpoint.url)
        else:
            refuse_plain_http(mill, endpoint.url)
            reply = mill.outbound.post(Call(endpoint.url, headers, body, seconds, LONGEST_ANSWER_BYTES))
        error = None if FIRST_SUCCESS <= reply.status <= LAST_SUCCESS else f"status_{reply.status}"
    except PagemillError as refused:
        reply, error = None, refused.code
    except Exception:
        # Tried again like any other; else it would stay with this sender for as long as it lives.
        log.exception("a delivery failed in an unexpected way")
        reply, error = None, PagemillError.code
    faultpoint("webhook.after_send")
    return Outcome(
        delivery=delivery,
        url=endpoint.url,
        at=now,
        seconds=round(time.monotonic() - started, 3),
        reply=reply,
        error=error,
    )


def refuse_plain_http(mill: Mill, url: str) -> None:
    """Raises WebhookUrlInvalid for http:// unless it leads into a network that the operator allows."""
    target = parse(url)
    if target.scheme == "http" and not is_internal(target, mill.outbound.allowed, mill.outbound.lookup):
        mill.outbound.addresses(target)
        raise WebhookUrlInvalid("Webhooks on the public internet need https://.")


def record(tx: Tx, mill: Mill, outcome: Outcome) -> bool:
    """Write down what came of an attempt and when the next one is due; False if somebody else has the delivery."""
    delivery = outcome.delivery
    state, next_at = what_follows(mill, outcome)
    attempt = Attempt(
        delivery_id=delivery.id,
        tenant=delivery.tenant,
        number=delivery.attempts + 1,
        at=outcome.at,
        seconds=outcome.seconds,
        url=outcome.url,
        status=outcome.reply.status if outcome.reply else None,
        error=outcome.error,
        excerpt=excerpt(outcome.reply.body) if outcome.reply else "",
    )
    if not deliveries.record(tx, delivery, attempt, state, next_at):
        return False
    if outcome.is_success:
        webhooks.mark_working(tx, delivery.tenant, delivery.endpoint_id)
    else:
        note_failure(tx, mill, outcome)
    return True


def what_follows(mill: Mill, outcome: Outcome) -> tuple[DeliveryState, float]:
    """The state of a delivery after an attempt, and when it is due again."""
    if outcome.is_success:
        return DeliveryState.DELIVERED, outcome.at
    if outcome.is_gone or outcome.error in FINAL_ERRORS:
        return DeliveryState.FAILED, outcome.at
    requested_seconds = (
        retry_after_seconds(outcome.reply.headers.get("retry-after"), outcome.at) if outcome.reply else None
    )
    wait = next_wait(
        parse_schedule(mill.settings.webhook_schedule),
        outcome.delivery.attempts + 1,
        asked_seconds=requested_seconds,
        most_seconds=mill.settings.webhook_retry_after_seconds,
    )
    return (DeliveryState.FAILED, outcome.at) if wait is None else (DeliveryState.PENDING, outcome.at + wait)


def note_failure(tx: Tx, mill: Mill, outcome: Outcome) -> None:
    """Disable an endpoint that wants nothing more, or that has taken nothing for days."""
    tenant, endpoint_id = outcome.delivery.tenant, outcome.delivery.endpoint_id
    since = webhooks.mark_failing(tx, tenant, endpoint_id, outcome.at)
    if outcome.is_gone:
        disable(tx, tenant, endpoint_id, "gone")
    elif outcome.at - since >= mill.settings.webhook_disable_seconds:
        disable(tx, tenant, endpoint_id, "failing")


def disable(tx: Tx, tenant: str, endpoint_id: str, reason: str) -> None:
    """Send an endpoint nothing more, end what waits for it, and write the event of it."""
    if webhooks.disable(tx, tenant, endpoint_id, reason):
        ended = deliveries.end_pending(tx, tenant, endpoint_id, DeliveryState.FAILED, "endpoint_disabled")
        facts: Facts = {"endpoint_id": endpoint_id, "reason": reason, "deliveries_ended": ended}
        events.append_loose(tx, tenant, EventType.WEBHOOK_DISABLED, facts)
        log.warning("webhook endpoint %s is disabled: %s", endpoint_id, reason)
