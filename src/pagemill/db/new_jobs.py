"""The rows of new jobs, of one document or of all documents of a batch."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import insert

from pagemill.db import events
from pagemill.db.database import Tx
from pagemill.db.events import NewEvent
from pagemill.db.prepared_statements import PreparedStatement
from pagemill.db.schema import jobs
from pagemill.model.costs import NO_COST, cost_view
from pagemill.model.events import EventType, Facts
from pagemill.model.jobs import JobRow, Result
from pagemill.model.options import ReadingOptions
from pagemill.model.states import Lane, Status, Step

INSERT = PreparedStatement(insert(jobs))
# Columns that are not part of a `JobRow`.
UNSEEN = ("traceparent", "source", "source_headers")


@dataclass(frozen=True, slots=True)
class NewJob:
    """The values of a new job."""

    id: str
    tenant: str
    document_id: str
    lane: Lane
    priority: int
    options: ReadingOptions
    metadata: Mapping[str, str]
    fingerprint: str
    password: bytes | None
    expires_at: float
    accept_seconds: float
    traceparent: str | None = None
    step: Step = Step.PLAN
    source: bytes | None = None
    source_headers: bytes | None = None


def create(tx: Tx, new: NewJob, reused: Result | None = None) -> JobRow:
    """Write the row of a pending job, with the result that it uses again if there is one."""
    return create_all(tx, [(new, reused)])[0]


def create_all(tx: Tx, wanted: Sequence[tuple[NewJob, Result | None]]) -> list[JobRow]:
    """Write the rows of pending jobs, each with the result that it uses again if there is one."""
    rows = [columns_of(tx, *one) for one in wanted]
    INSERT.run_many(
        tx.conn,
        [
            row | {name: getattr(new, name) for name in UNSEEN}
            for row, (new, _) in zip(rows, wanted, strict=True)
        ],
    )
    events.append_all(tx, EventType.ACCEPTED, [accepted_event(*one) for one in wanted])
    return [JobRow(**row) for row in rows]


def accepted_event(new: NewJob, reused: Result | None) -> NewEvent:
    """The first line about a job."""
    facts: Facts = {"document_id": new.document_id, "run": 1}
    if new.source is not None:
        facts["by_url"] = True
    if reused is not None:
        facts["reused"] = True
    return NewEvent(new.tenant, new.id, 1, facts)


def columns_of(tx: Tx, new: NewJob, reused: Result | None) -> dict[str, Any]:
    """The columns of a new job."""
    row = pending_columns(tx, new)
    return row if reused is None else row | columns_from_result(tx, reused)


def pending_columns(tx: Tx, new: NewJob) -> dict[str, Any]:
    """The columns of a job that waits for its first step."""
    return {
        "id": new.id,
        "tenant": new.tenant,
        "document_id": new.document_id,
        "lane": new.lane.value,
        "priority": new.priority,
        "options": new.options.as_dict(),
        "metadata": dict(new.metadata),
        "fingerprint": new.fingerprint,
        "password": new.password,
        "expires_at": new.expires_at,
        "created_at": tx.now,
        "seconds": {"accept": new.accept_seconds},
        "last_seq": 1,
        "run": 1,
        "version": 1,
        "status": Status.PENDING.value,
        "stage": new.step.value,
        "error": None,
        "crashes": 0,
        "errors": 0,
        "lost": 0,
        "document_pages": None,
        "total_pages": None,
        "processed_pages": 0,
        "failed_pages": [],
        "warnings": [],
        "chunks_left": 0,
        "result_id": None,
        "revision": 0,
        "reused": False,
        "started_at": None,
        "finished_at": None,
        "removed_at": None,
        "to_check": None,
        "document_facts": None,
        "classification": None,
        **cost_view(NO_COST),
    }


def columns_from_result(tx: Tx, result: Result) -> dict[str, object]:
    """What a job takes over from a result that was there before it."""
    return {
        "stage": Step.PUBLISH.value,
        "password": None,
        "reused": True,
        "result_id": result.id,
        "revision": 1,
        "document_pages": result.document_pages,
        "total_pages": result.pages,
        "processed_pages": result.pages,
        "warnings": result.warnings,
        "to_check": result.to_check,
        "document_facts": result.document_facts,
        "started_at": tx.now,
    }
