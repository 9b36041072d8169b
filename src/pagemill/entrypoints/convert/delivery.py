"""What the mill made of a file, written to where it was asked for."""

import errno

from pagemill.desk.queries import show_job
from pagemill.entrypoints.convert.done_files import DoneFile, DoneFiles, options_key
from pagemill.entrypoints.convert.outputs import Outputs
from pagemill.entrypoints.convert.submission import ConvertOptions, FileOutcome, RunningJob, remove_job
from pagemill.entrypoints.output.hints import HINTS
from pagemill.errors import DocumentError, Gone, LimitError, StorageFull
from pagemill.mill import DEFAULT_TENANT, Mill
from pagemill.model.states import Status
from pagemill.model.views import JobView


def deliver(mill: Mill, wanted: ConvertOptions, done_files: DoneFiles, flight: RunningJob) -> FileOutcome:
    """Write the outputs of a job that has ended, note the file as done, and let the mill forget the job."""
    try:
        job = show_job(mill, DEFAULT_TENANT, flight.job_id)
    except Gone as error:
        return FileOutcome(flight.source, "failed", code=error.code, message=error.message)
    outcome = (
        write_outputs(mill, wanted, flight, job)
        if job["status"] == Status.COMPLETED
        else failure(flight, job)
    )
    if outcome.status == "completed":
        done_files.add(done_file(wanted, flight, outcome))
    remove_job(mill, flight.job_id)
    return outcome


def write_outputs(mill: Mill, wanted: ConvertOptions, flight: RunningJob, job: JobView) -> FileOutcome:
    """The outcome of a job that was completed, with its outputs in place."""
    try:
        outputs = Outputs(mill, wanted, flight).write()
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StorageFull from error
        reason = f"The output can't be written: {error.strerror or error}."
        return FileOutcome(flight.source, "failed", code="output_unwritable", message=reason)
    except (DocumentError, LimitError) as error:
        return FileOutcome(
            flight.source, "failed", code=error.code, message=HINTS.get(error.code, error.message)
        )
    failed = tuple(page["page"] for page in job["failed_pages"])
    return FileOutcome(
        source=flight.source,
        status="completed",
        outputs=outputs,
        pages=job["processed_pages"],
        failed_pages=failed,
        warnings=tuple(job["warnings"]),
    )


def failure(flight: RunningJob, job: JobView) -> FileOutcome:
    """The outcome of a job that has no result."""
    error = job["error"]
    if error is None:
        return FileOutcome(
            flight.source, "failed", code=job["status"], message=f"The job is {job['status']}."
        )
    return FileOutcome(
        flight.source, "failed", code=error["code"], message=HINTS.get(error["code"], error["message"])
    )


def done_file(wanted: ConvertOptions, flight: RunningJob, outcome: FileOutcome) -> DoneFile:
    """The line for a file that is done."""
    stamp = flight.stamp
    return DoneFile(
        path=str(flight.source.path),
        stem=flight.source.stem,
        size_bytes=stamp.size_bytes,
        modified_ns=stamp.modified_ns,
        sha256=flight.sha256,
        asked=options_key(wanted.options),
        outputs=outcome.outputs,
        pages=outcome.pages,
        failed_pages=outcome.failed_pages,
        warnings=outcome.warnings,
    )
