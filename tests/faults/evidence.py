"""What a data folder says about its jobs, read past the server, which may be dead."""

import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

from bench.door import Door

DATABASE = "pagemill.db"


def asked(data_dir: Path, query: str) -> list[tuple[object, ...]]:
    """The rows that a query finds in the database of a data folder."""
    with closing(sqlite3.connect(f"file:{data_dir / DATABASE}?mode=ro", uri=True, timeout=10)) as database:
        return database.execute(query).fetchall()


def completed_count(data_dir: Path) -> int:
    """How many jobs are completed."""
    [(count,)] = asked(data_dir, "SELECT count(*) FROM jobs WHERE status = 'completed'")
    assert isinstance(count, int)
    return count


def assert_each_completed_once(data_dir: Path, job_ids: list[str]) -> None:
    """Every one of these jobs, and no other, was completed and published exactly once."""
    statuses = {row[0]: row[1] for row in asked(data_dir, "SELECT id, status FROM jobs")}
    assert statuses == dict.fromkeys(job_ids, "completed")
    ends = Counter(asked(data_dir, "SELECT job_id, type FROM events WHERE type = 'job.completed'"))
    assert ends == Counter({(job_id, "job.completed"): 1 for job_id in job_ids})
    [(results,)] = asked(data_dir, "SELECT count(*) FROM results")
    assert results == len(job_ids)
    sequences = asked(data_dir, "SELECT job_id, count(*), min(seq), max(seq) FROM events GROUP BY job_id")
    assert [row for row in sequences if row[2:] != (1, row[1])] == [], "the log of a job has gaps"
    assert asked(data_dir, "PRAGMA integrity_check") == [("ok",)]


def outputs(door: Door, job_ids: list[str]) -> list[tuple[bytes, bytes]]:
    """The Markdown and the JSON of each job."""
    return [
        (
            door.get(f"/v1/jobs/{job_id}/markdown").expect(200).body,
            door.get(f"/v1/jobs/{job_id}/result").expect(200).body,
        )
        for job_id in job_ids
    ]
