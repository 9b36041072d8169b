"""Push: the result of a job is copied to a folder or a bucket that was named with it, or for all jobs.

A push is a delivery like a webhook: written from the log, claimed, tried on the same schedule, and shown in the same
list. Pushing twice puts the same files in the same places.
"""

import io
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import BinaryIO

import orjson

from pagemill.adapters.blobs.result_copies import put_file
from pagemill.adapters.outbound.posting import Reply
from pagemill.db import jobs, results
from pagemill.desk import on_demand
from pagemill.errors import Gone, PagemillError, PushFailed
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


@dataclass(frozen=True, slots=True)
class Push:
    """A push under way: the names of the files that are in their place, and what was left out, with the error codes."""

    mill: Mill
    target: PushTarget
    job: JobRow
    names: list[str] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)

    def copy(self, name: str, key: str) -> None:
        """Copy a stored file to its place."""

        def open_file() -> BinaryIO:
            return self.mill.blobs.open(key)

        self.put(name, open_file)

    def put(self, name: str, open_file: Callable[[], BinaryIO]) -> None:
        """Put a file below the folder of the job."""
        path, seconds = f"{self.job.id}/{name}", self.mill.settings.blobs_timeout_seconds
        put_file(self.target, path, open_file, seconds)
        self.names.append(name)

    @contextmanager
    def leave_out(self, name: str) -> Iterator[None]:
        """Note what can't be made of this job; raises what may be better later, so that the push is tried again."""
        try:
            yield
        except (Gone, PushFailed):
            raise
        except PagemillError as error:
            if error.retryable:
                raise
            self.left_out[name] = error.code
            log.warning("%s is not pushed: %s", name, error.message, extra={"job": self.job.id})


def push_result(mill: Mill, delivery: Delivery, url: str) -> Reply:
    """Put the files of a job's result below `url`/`job id`, and last what the job says of itself."""
    target = check_push_target(url, mill.settings.push_prefixes, delivery.tenant)
    job, document, result = job_to_push(mill, delivery)
    push = Push(mill, target, job)
    if result is not None:
        push_files(push, document, result)
    content = {**job_view(job, document), "left_out": push.left_out}
    push.put(JOB_FILE, partial(io.BytesIO, orjson.dumps(content, option=orjson.OPT_INDENT_2)))
    return Reply(DONE, {}, reply_text(push).encode())


def reply_text(push: Push) -> str:
    """What was left out and what was pushed; in this order, because only the beginning is kept with a delivery."""
    left_out = ", ".join(f"{name} ({code})" for name, code in push.left_out.items())
    return (f"left out: {left_out}; " if left_out else "") + ", ".join(push.names)


def push_files(push: Push, document: DocumentRow, result: Result) -> None:
    """Push the formats that the job was asked for: first those that are stored, then those that are made now."""
    requested = sorted(set(ReadingOptions.from_dict(push.job.options).formats) & BY_NAME.keys())
    stored = [name for name in requested if BY_NAME[name].file in result.artifacts]
    stored = [name for name in stored if not on_demand.counted_variant(push.mill, name)]
    for name in stored:
        push.copy(BY_NAME[name].file, f"{result.prefix}/{BY_NAME[name].file}")
    for name in requested:
        one = BY_NAME[name]
        if name not in stored and one.on_demand and not (one.needs_pages and is_office(document.blob_key)):
            with push.leave_out(name):
                push_made(push, name)


def push_made(push: Push, name: str) -> None:
    """Make a format and push its file, or those of its figures; a figure that can't be made is left out alone."""
    mill, job = push.mill, push.job
    if name in on_demand.ONE_FILE:
        made = on_demand.artifact(mill, job.tenant, job.id, name, press=mill.press)
        push.copy(BY_NAME[name].file, made.key)
        return
    for figure in on_demand.list_files(mill, job.tenant, job.id, name, press=mill.press):
        with push.leave_out(f"{name}/{figure.name}"):
            made = on_demand.image(mill, job.tenant, job.id, figure.name, press=mill.press)
            push.copy(f"{name}/{figure.name}", made.key)


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
