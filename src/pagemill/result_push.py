"""Push: the result of a job is copied to a folder or a bucket that was named with it, or for all jobs.

A push is a delivery like a webhook: written from the log, claimed, tried on the same schedule, and shown in the same
list. Pushing twice puts the same files in the same places.
"""

import io
import logging
from collections.abc import Iterator
from functools import partial
from typing import BinaryIO

import orjson

from pagemill.adapters.blobs.result_copies import put_file
from pagemill.adapters.outbound.client import Reply
from pagemill.db import jobs, results
from pagemill.desk import on_demand
from pagemill.errors import Gone, PagemillError
from pagemill.mill import Mill
from pagemill.model.file_types import is_office
from pagemill.model.formats import BY_NAME
from pagemill.model.jobs import DocumentRow, JobRow, Result
from pagemill.model.options import ReadingOptions
from pagemill.model.push_targets import PushTarget, check_push_target
from pagemill.model.views import job_view
from pagemill.model.webhooks import Delivery

log = logging.getLogger("pagemill.webhooks")

# Put last, so that who sees it finds everything else.
JOB_FILE = "job.json"
DONE = 200


def push_result(mill: Mill, delivery: Delivery, url: str) -> Reply:
    """Put the files of a job's result below `url`/`job id`, and last what the job says of itself."""
    target = check_push_target(url, mill.settings.push_prefixes, delivery.tenant)
    job, document, result = job_to_push(mill, delivery)
    files = {} if result is None else dict(files_to_push(mill, job, document, result))
    for name, key in files.items():
        copy_file(mill, target, f"{job.id}/{name}", key)
    content = orjson.dumps(job_view(job, document), option=orjson.OPT_INDENT_2)
    put_file(
        target, f"{job.id}/{JOB_FILE}", partial(io.BytesIO, content), mill.settings.blobs_timeout_seconds
    )
    return Reply(DONE, {}, ", ".join([*files, JOB_FILE]).encode())


def files_to_push(
    mill: Mill, job: JobRow, document: DocumentRow, result: Result
) -> Iterator[tuple[str, str]]:
    """The files of the formats that the job was asked for, and where they lie; what is made on demand is made now."""
    for name in sorted(set(ReadingOptions.from_dict(job.options).formats) & BY_NAME.keys()):
        one = BY_NAME[name]
        if one.file in result.artifacts:
            yield one.file, f"{result.prefix}/{one.file}"
        elif one.on_demand and not (one.needs_pages and is_office(document.blob_key)):
            yield from made_files(mill, job, name)


def made_files(mill: Mill, job: JobRow, name: str) -> Iterator[tuple[str, str]]:
    """The file of a format that is made on demand, or those of its figures; none if it can't be made of this job."""
    try:
        if name in on_demand.ONE_FILE:
            made = on_demand.artifact(mill, job.tenant, job.id, name, press=mill.press)
            yield BY_NAME[name].file, made.key
            return
        for figure in on_demand.list_files(mill, job.tenant, job.id, name, press=mill.press):
            made = on_demand.image(mill, job.tenant, job.id, figure.name, press=mill.press)
            yield f"{name}/{figure.name}", made.key
    except PagemillError as error:
        # One whose password is gone, say; what may be better later is tried again with the push.
        if error.retryable:
            raise
        log.warning("%s is not pushed: %s", name, error.message, extra={"job": job.id})


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
