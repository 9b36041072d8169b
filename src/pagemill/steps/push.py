"""Push: the result of a job is copied to a folder or a bucket that was named with it, or for all jobs.

A push is a delivery like a webhook: written from the log, claimed, tried on the same schedule, and shown in the same
list. Pushing twice puts the same files in the same places.
"""

import io
from functools import partial
from typing import BinaryIO

import orjson

from pagemill.adapters.blobs.result_copies import put_file
from pagemill.adapters.outbound.client import Reply
from pagemill.db import jobs, results
from pagemill.errors import Gone
from pagemill.mill import Mill
from pagemill.model.formats import TABLE
from pagemill.model.jobs import DocumentRow, JobRow, Result
from pagemill.model.options import ReadingOptions
from pagemill.model.push_targets import PushTarget, check_push_target
from pagemill.model.views import job_view
from pagemill.model.webhooks import Delivery

# Put last, so that who sees it finds everything else.
JOB_FILE = "job.json"
DONE = 200


def push_result(mill: Mill, delivery: Delivery, url: str) -> Reply:
    """Put the files of a job's result below `url`/`job id`, and last what the job says of itself."""
    target = check_push_target(url, mill.settings.push_prefixes, delivery.tenant)
    job, document, result = job_to_push(mill, delivery)
    names = [] if result is None else files_to_push(job, result)
    for name in names:
        assert result is not None, "files belong to a result"
        copy_file(mill, target, f"{job.id}/{name}", f"{result.prefix}/{name}")
    content = orjson.dumps(job_view(job, document), option=orjson.OPT_INDENT_2)
    put_file(
        target, f"{job.id}/{JOB_FILE}", partial(io.BytesIO, content), mill.settings.blobs_timeout_seconds
    )
    return Reply(DONE, {}, ", ".join([*names, JOB_FILE]).encode())


def files_to_push(job: JobRow, result: Result) -> list[str]:
    """The files of the formats that the job was asked for, as far as they were made with the result."""
    asked = set(ReadingOptions.from_dict(job.options).formats)
    return sorted(one.file for one in TABLE if one.name in asked and one.file in result.artifacts)


def job_to_push(mill: Mill, delivery: Delivery) -> tuple[JobRow, DocumentRow, Result | None]:
    """A job with its document and, if it has one, its result; Gone if it was removed."""
    found = mill.db.read(lambda conn: jobs.find_job(conn, delivery.tenant, delivery.job_id or ""))
    if found is None or found[0].removed_at is not None:
        raise Gone()
    job, document = found
    result_id = job.result_id
    if result_id is None or not job.is_over:
        return job, document, None
    return job, document, mill.db.read(lambda conn: results.one(conn, job.tenant, result_id))


def copy_file(mill: Mill, target: PushTarget, name: str, key: str) -> None:
    """Copy a stored file to its place."""

    def open_file() -> BinaryIO:
        return mill.blobs.open(key)

    put_file(target, name, open_file, mill.settings.blobs_timeout_seconds)
