"""Labels: the metadata of a job, changed at any time; search and lists find it by the new ones at once."""

from pagemill.db import events, jobs
from pagemill.db.database import Tx
from pagemill.desk.queries import existing_job, show_job
from pagemill.mill import Mill
from pagemill.model.events import EventType
from pagemill.model.labels import LabelChange
from pagemill.model.states import Status
from pagemill.model.views import JobView


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
