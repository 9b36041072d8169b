"""What the rows and files of an installation say about its jobs, read past the servers, which may be dead."""

import hashlib
import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.door import Door
from tests.cluster.cluster import Cluster
from tests.waiting import wait_for
from tests.walking import files_below

DATABASE = "pagemill.db"
FETCHED = {"document.md": "markdown", "document.json": "result"}
ENDS = ("job.completed", "job.failed", "job.cancelled")
Rows = list[tuple[object, ...]]


@dataclass(frozen=True)
class Evidence:
    """An installation as it is, whichever database and store it has."""

    ask: Callable[[str], Rows]
    file_keys: Callable[[], set[str]]

    def numbers(self, query: str) -> list[int]:
        """The numbers in the one row that a query finds."""
        [row] = self.ask(query)
        return [int(str(value)) for value in row]

    def statuses(self) -> dict[str, str]:
        """The status of every job by its id."""
        return {str(row[0]): str(row[1]) for row in self.ask("SELECT id, status FROM jobs")}


def of_folder(data_dir: Path) -> Evidence:
    """What a data folder says."""
    blobs = data_dir / "blobs"
    return Evidence(
        lambda query: asked(data_dir, query),
        lambda: {str(path.relative_to(blobs)) for path in files_below(blobs)},
    )


def of_cluster(cluster: Cluster) -> Evidence:
    """What the database and the bucket of several machines say."""
    return Evidence(cluster.asked, cluster.object_keys)


def asked(data_dir: Path, query: str) -> Rows:
    """The rows that a query finds in the database of a data folder."""
    with closing(sqlite3.connect(f"file:{data_dir / DATABASE}?mode=ro", uri=True, timeout=10)) as database:
        return database.execute(query).fetchall()


def completed_count(data_dir: Path) -> int:
    """How many jobs are completed."""
    [(count,)] = asked(data_dir, "SELECT count(*) FROM jobs WHERE status = 'completed'")
    assert isinstance(count, int)
    return count


def assert_each_completed_once(data_dir: Path, job_ids: list[str]) -> None:
    """Every one of these jobs, and no other, was completed and published exactly once, and the database is sound."""
    evidence = of_folder(data_dir)
    assert evidence.statuses() == dict.fromkeys(job_ids, "completed")
    assert_completed_once(evidence, job_ids)
    assert_logs_are_whole(evidence)
    assert asked(data_dir, "PRAGMA integrity_check") == [("ok",)]


def assert_completed_once(evidence: Evidence, job_ids: Sequence[str]) -> None:
    """I1, I2: every one of these jobs was completed and published exactly once."""
    statuses = evidence.statuses()
    assert [job_id for job_id in job_ids if statuses.get(job_id) != "completed"] == []
    ends = Counter(evidence.ask(f"SELECT job_id FROM events WHERE type IN {ENDS}"))
    assert {job_id: ends[(job_id,)] for job_id in job_ids} == dict.fromkeys(job_ids, 1)
    results = Counter(evidence.ask("SELECT substr(prefix, 12, 36) FROM results"))
    assert {job_id: results[(job_id,)] for job_id in job_ids} == dict.fromkeys(job_ids, 1)


def assert_each_run_ended_once(evidence: Evidence) -> None:
    """I2: every run of a job has one end, and every completed run that is not removed has one revision."""
    ends = evidence.ask(
        f"SELECT job_id, count(*) FROM events WHERE type IN {ENDS} OR type = 'job.retried' GROUP BY job_id"
    )
    runs = {row[0]: row[1] for row in evidence.ask("SELECT id, run FROM jobs")}
    over = {
        job_id for job_id, status in evidence.statuses().items() if status not in ("pending", "processing")
    }
    # An end and a retry for each run but the last, which has an end alone.
    assert [row for row in ends if row[0] in over and row[1] != 2 * int(str(runs[row[0]])) - 1] == []


def assert_logs_are_whole(evidence: Evidence) -> None:
    """I11: the log of each job counts from one without a gap, as far as the job's own row says."""
    # One sentence, because jobs of others may go on meanwhile.
    logs = evidence.ask(
        "SELECT jobs.id, jobs.last_seq, count(events.id), min(events.seq), max(events.seq)"
        " FROM jobs LEFT JOIN events ON events.job_id = jobs.id GROUP BY jobs.id, jobs.last_seq"
    )
    assert [row for row in logs if row[2:] != (row[1], 1, row[1])] == [], "a log has gaps"


def assert_results_are_whole(door: Door, evidence: Evidence, job_ids: Sequence[str]) -> None:
    """I3: what can be fetched of a job is what was published, to the byte."""
    query = "SELECT jobs.id, results.artifacts FROM jobs JOIN results ON results.id = jobs.result_id"
    published = {row[0]: artifacts_in(row[1]) for row in evidence.ask(query)}
    for job_id in job_ids:
        for file, path in FETCHED.items():
            body = door.get(f"/v1/jobs/{job_id}/{path}").expect(200).body
            assert hashlib.sha256(body).hexdigest() == published[job_id][file]["sha256"], (job_id, file)


def artifacts_in(column: Any) -> dict[str, dict[str, Any]]:
    """The artifacts of a result; SQLite tells them as text."""
    found: dict[str, dict[str, Any]] = json.loads(column) if isinstance(column, str) else column
    return found


def assert_attempts_are_bounded(
    evidence: Evidence, *, crashes: int = 2, errors: int = 3, lost: int = 10
) -> None:
    """I5: no chunk met more trouble of a kind than is allowed."""
    found = evidence.ask("SELECT max(crashes), max(errors), max(lost) FROM chunks")
    [worst] = [[int(str(value or 0)) for value in row] for row in found]
    assert all(count <= most for count, most in zip(worst, (crashes, errors, lost), strict=True)), worst


def claims_left(evidence: Evidence) -> list[str]:
    """Claims and permits of work that is over."""
    unfinished = "SELECT chunks.id FROM chunks JOIN jobs ON jobs.id = chunks.job_id AND jobs.run = chunks.run"
    over = "jobs.status IN ('completed', 'failed', 'cancelled')"
    claims = evidence.ask(f"{unfinished} WHERE chunks.state IN ('ready', 'running') AND {over}")
    permits = evidence.ask("SELECT key FROM permits")
    return [*(f"claim {row[0]}" for row in claims), *(f"permit {row[0]}" for row in permits)]


def assert_nothing_is_left(cluster: Cluster) -> None:
    """I8: after a look at the shards in question no claim, permit or file is left of work that is over."""
    evidence = of_cluster(cluster)
    wait_for(lambda: not claims_left(evidence), what="claims or permits are left behind")
    shards = {key.split("/")[1] for key in orphans(evidence)}
    if shards:
        cluster.remove_orphans(sorted(shards))
    assert orphans(evidence) == []


def orphans(evidence: Evidence) -> list[str]:
    """The files that no row names."""
    keys = evidence.file_keys()
    wanted = (
        "SELECT blob_key FROM documents JOIN jobs ON jobs.document_id = documents.id WHERE NOT jobs.swept"
    )
    named = {str(row[0]) for row in evidence.ask(wanted)}
    outputs_named = "SELECT prefix FROM results UNION SELECT output FROM chunks WHERE output IS NOT NULL"
    folders = {str(row[0]) for row in evidence.ask(outputs_named)}
    jobs = {str(row[0]) for row in evidence.ask("SELECT id FROM jobs WHERE NOT swept")}
    return [key for key in sorted(keys) if not is_named(key, named, folders, jobs)]


def is_named(key: str, documents: set[str], folders: set[str], jobs: set[str]) -> bool:
    """Whether a row names a file, or the folder that it lies in."""
    kind, *rest = key.split("/")
    if kind == "documents":
        return key in documents or key.removesuffix(".pdf") in documents
    if kind == "images":
        return rest[1] in jobs
    # The store's own mark lies at the top.
    return not rest or "/".join(key.split("/")[:4]) in folders


def outputs(door: Door, job_ids: Sequence[str]) -> list[tuple[bytes, bytes]]:
    """The Markdown and the JSON of each job."""
    return [
        (
            door.get(f"/v1/jobs/{job_id}/markdown").expect(200).body,
            door.get(f"/v1/jobs/{job_id}/result").expect(200).body,
        )
        for job_id in job_ids
    ]
