"""Labels: the metadata of a job, changed at any time; search and lists find it by the new ones at once."""

from collections.abc import Mapping
from typing import TypedDict

from sqlalchemy import Connection

from pagemill.db import events, jobs, label_counts
from pagemill.db.database import Tx
from pagemill.desk.queries import existing_job, show_job
from pagemill.mill import Mill
from pagemill.model.events import EventType
from pagemill.model.labels import LabelChange
from pagemill.model.states import Status
from pagemill.model.views import JobView

MOST_LABELS = 1_000


class CountedLabel(TypedDict):
    """A collection or a tag, and how many jobs have it."""

    name: str
    jobs: int


class CountedLabels(TypedDict):
    """The labels that jobs have, most used first."""

    collections: list[CountedLabel]
    tags: list[CountedLabel]


def count_labels(mill: Mill, tenant: str) -> CountedLabels:
    """The collections and tags of a tenant's jobs."""

    def query(conn: Connection) -> CountedLabels:
        return {
            "collections": in_order(label_counts.count_collections(conn, tenant)),
            "tags": in_order(label_counts.count_tags(conn, tenant)),
        }

    return mill.db.read(query)


def in_order(counts: Mapping[str, int]) -> list[CountedLabel]:
    """Labels with their counts, most used first, then by name."""
    ordered = sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:MOST_LABELS]
    return [{"name": name, "jobs": count} for name, count in ordered]


def change_labels(mill: Mill, tenant: str, job_id: str, change: LabelChange) -> JobView:
    """Change the metadata of a job, whatever its status; the job as it is then."""
    mill.db.write(lambda tx: change_labels_in(tx, tenant, job_id, change))
    return show_job(mill, tenant, job_id)


def change_labels_in(tx: Tx, tenant: str, job_id: str, change: LabelChange) -> None:
    """Write the labels and the event, which does not repeat them; labels that are there already change nothing."""
    jobs.lock_jobs(tx, [job_id])
    job, _ = existing_job(tx.conn, tenant, job_id)
    labels = change.apply(job.metadata)
    if labels == job.metadata:
        return
    changed = jobs.change(
        tx, tenant=tenant, job_id=job_id, allowed=Status, of_run=None, changes={"metadata": labels}
    )
    assert changed is not None, "the job is there and locked by this transaction"
    events.append(tx, tenant=tenant, job_id=job_id, seq=changed.last_seq, kind=EventType.LABELLED)
