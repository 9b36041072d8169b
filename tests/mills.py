"""A mill at work in this process, and what tests do with it."""

from dataclasses import replace
from pathlib import Path

from pagemill.desk.contents import artifact
from pagemill.desk.queries import job_events, show_job
from pagemill.mill import DEFAULT_TENANT, Mill
from pagemill.model.options import ReadingOptions
from pagemill.model.views import JobView
from pagemill.settings import Settings
from pagemill.steps.accept import Acceptance, IncomingDocument, Submission, accept_submission
from tests import waiting

# Many tests take it from here.
wait_for = waiting.wait_for


def small_settings(folder: Path, **changes: object) -> Settings:
    """Settings with short times and one process for reading, for a mill in a folder."""
    small = {
        "slots": 1,
        "kept_slots": 0,
        "heartbeat_seconds": 0.5,
        "sweep_seconds": 0.5,
        "watch_seconds": 0.1,
        "port": 0,
    }
    return Settings.model_validate({"data_dir": folder} | small | changes)


def shared_settings(folder: Path, **changes: object) -> Settings:
    """Settings for a mill that many tests share: as small, but swept seldom, for every sweep takes CPU from the tests."""
    return small_settings(folder, **{"sweep_seconds": 5.0, "heartbeat_seconds": 2.0} | changes)


def submission(
    mill: Mill,
    document: bytes,
    options: ReadingOptions | None = None,
    **asked: object,
) -> Submission:
    """A document in the store, and what is asked of it."""
    incoming = IncomingDocument(mill.blobs, mill.settings.max_file_bytes)
    incoming.filename = "sample.pdf"
    incoming.write_all([document])
    incoming.commit()
    upload = replace(incoming.stored_upload(), seconds=0.01)
    return Submission(DEFAULT_TENANT, upload, options or ReadingOptions(), {}, **asked)  # type: ignore[arg-type]


def hand_in(
    mill: Mill,
    document: bytes,
    options: ReadingOptions | None = None,
    **asked: object,
) -> Acceptance:
    """Make a job of a document and wake the workers."""
    asked_for = submission(mill, document, options, **asked)
    return accept_submission(mill, asked_for)


def finished(mill: Mill, job_id: str) -> JobView:
    """The job after its end."""
    wait_for(lambda: show_job(mill, DEFAULT_TENANT, job_id)["finished_at"] is not None)
    return show_job(mill, DEFAULT_TENANT, job_id)


def made(mill: Mill, job_id: str, name: str = "markdown") -> bytes:
    """The bytes of an artifact."""
    with mill.blobs.open(artifact(mill, DEFAULT_TENANT, job_id, name).key) as file:
        return file.read()


def events_of(mill: Mill, job_id: str) -> list[str]:
    """What happened to a job, in order."""
    return [event.type for event in job_events(mill, DEFAULT_TENANT, job_id, 0)]
