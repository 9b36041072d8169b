"""What the commands against a server do."""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path

import typer

from pagemill.client import ApiError, Client, Event, Job, Options
from pagemill.client.client import ARTIFACTS
from pagemill.entrypoints.cli.live import LiveLine
from pagemill.entrypoints.cli.screen import (
    EXIT_FAILED,
    EXIT_UNREACHABLE,
    answer,
    answer_json,
    complain,
    counted,
    say,
    shown,
    sized,
    table,
)

RETRIES = 2
FOLLOW_SECONDS = 1.0
IMAGES = "images"


@dataclass(frozen=True, slots=True)
class Hand:
    """Which server is called, and in which form the answer is shown."""

    server: str
    api_key: str | None
    as_json: bool


@contextmanager
def connected(hand: Hand) -> Iterator[Client]:
    """A client for the server; what it refuses ends the command with one line and an exit code."""
    with Client(hand.server, hand.api_key or None, retries=RETRIES) as client:
        try:
            yield client
        except ApiError as error:
            complain(advice(error, hand))
            raise typer.Exit(EXIT_UNREACHABLE if error.status is None else EXIT_FAILED) from error


def advice(error: ApiError, hand: Hand) -> str:
    """What went wrong and what to do about it."""
    if error.status is None:
        return f"{error.detail} Start one with `pagemill serve`, or name another with --server or PAGEMILL_SERVER."
    if error.status == 401 and not hand.api_key:
        return f"{error.detail} Give it with --api-key or in PAGEMILL_API_KEY. ({error.code})"
    return str(error)


def submit(hand: Hand, files: Sequence[Path], options: Options, *, wait: bool) -> int:
    """Hand in documents and show their jobs; 1 if any was refused or failed."""
    jobs: list[Job] = []
    refused: list[dict[str, str]] = []
    with connected(hand) as client:
        for file in files:
            try:
                jobs.append(handed_in(client, file, options, hand))
            except (ApiError, OSError) as error:
                refused.append(refusal(file, error))
        if wait:
            jobs = [followed(client, job, hand) for job in jobs]
    if hand.as_json:
        answer_json({"jobs": [asdict(job) for job in jobs], "refused": refused})
    return EXIT_FAILED if refused or any(job.status == "failed" for job in jobs) else 0


def handed_in(client: Client, file: Path, options: Options, hand: Hand) -> Job:
    """The job of a document that the server took."""
    job = client.submit(file, options)
    if not hand.as_json:
        answer(job.id)
    return job


def refusal(file: Path, error: ApiError | OSError) -> dict[str, str]:
    """A document that was not taken, and why; a server that is not there ends it all."""
    if isinstance(error, ApiError) and error.status is None:
        raise error
    code = error.code if isinstance(error, ApiError) else "file_unreadable"
    reason = error.detail if isinstance(error, ApiError) else error.strerror or str(error)
    complain(f"{shown(file)}: {reason} ({code})")
    return {"file": shown(file), "code": code, "message": reason}


def followed(client: Client, job: Job, hand: Hand) -> Job:
    """The job at its end, with its progress shown on the way."""
    line = LiveLine(every_seconds=5.0)
    try:
        over = client.wait(job.id, progress=lambda now: line.show(progress(now)))
    finally:
        line.end()
    if not hand.as_json:
        say(progress(over))
    return over


def progress(job: Job) -> str:
    """A job in one line."""
    pages = f"{job.processed_pages:,} of {counted(job.total_pages, 'page')}" if job.total_pages else job.stage
    place = f", {job.queue_position} ahead" if job.queue_position else ""
    lost = f", {counted(len(job.failed_pages), 'page')} failed" if job.failed_pages else ""
    wrong = f": {job.error.message} ({job.error.code})" if job.error else ""
    return f"{shown(job.document.filename)}: {job.status}, {pages}{place}{lost}{wrong}"


def jobs(hand: Hand, *, status: str | None, filename: str | None, limit: int) -> None:
    """List jobs."""
    with connected(hand) as client:
        found = list(islice(client.jobs(status=status, filename=filename, page_size=min(limit, 100)), limit))
    if hand.as_json:
        answer_json({"jobs": [asdict(job) for job in found]})
        return
    for line in table(("ID", "STATUS", "PAGES", "CREATED", "FILE"), (row(job) for job in found)):
        answer(line)


def row(job: Job) -> tuple[str, ...]:
    """A job as a row of the list."""
    pages = f"{job.processed_pages}/{job.total_pages if job.total_pages is not None else '?'}"
    return job.id, job.status, pages, job.created_at, shown(job.document.filename)


def status(hand: Hand, job_id: str, *, watch: bool) -> int:
    """Show a job, followed to its end if asked; 1 if it failed."""
    with connected(hand) as client:
        job = client.job(job_id)
        if watch:
            job = followed(client, job, hand)
    if hand.as_json:
        answer_json(asdict(job))
    else:
        for line in told(job):
            answer(line)
    return EXIT_FAILED if job.status == "failed" else 0


def told(job: Job) -> list[str]:
    """A job in some lines."""
    seconds = ", ".join(f"{step} {spent:.2f} s" for step, spent in job.seconds.items())
    facts = {
        "job": job.id,
        "document": f"{shown(job.document.filename)}, {sized(job.document.size_bytes)}",
        "status": f"{job.status} ({job.stage})",
        "pages": f"{job.processed_pages:,} of {'?' if job.total_pages is None else f'{job.total_pages:,}'}",
        "ahead": str(job.queue_position) if job.queue_position else "",
        "ready in": f"{job.eta_seconds:.0f} s" if job.eta_seconds else "",
        "seconds": seconds,
        "warnings": ", ".join(job.warnings),
        "error": f"{job.error.message} ({job.error.code})" if job.error else "",
        "expires": job.expires_at,
    }
    lines = [f"{name + ':':<10} {value}" for name, value in facts.items() if value]
    return lines + [f"page {lost.page}: {lost.message} ({lost.code})" for lost in job.failed_pages]


def result(hand: Hand, job_id: str, name: str, output: Path | None, password: str | None) -> None:
    """Fetch an artifact into a file or onto stdout; images go into a folder."""
    names = (*ARTIFACTS, IMAGES)
    if name not in names:
        raise typer.BadParameter(f"{name!r} is not one of {', '.join(names)}.", param_hint="--format")
    if name == IMAGES and output is None:
        raise typer.BadParameter("Name a folder for the images.", param_hint="--output")
    with connected(hand) as client:
        if name == IMAGES and output is not None:
            fetch_images(client, job_id, output, password)
        elif output is not None:
            client.download(job_id, name, output, password=password)
        else:
            client.download(job_id, name, sys.stdout.buffer, password=password)
            sys.stdout.buffer.flush()


def fetch_images(client: Client, job_id: str, folder: Path, password: str | None) -> None:
    """Fetch the images of all figures into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for image in client.images(job_id):
        # The name comes from a server; only its last part may say where a file goes.
        client.download(job_id, f"{IMAGES}/{image.name}", folder / Path(image.name).name, password=password)


def each(hand: Hand, job_ids: Sequence[str], act: Callable[[Client, str], object]) -> int:
    """Do something to several jobs; those that refuse are named and the rest is done all the same."""
    done: list[object] = []
    refused: list[dict[str, str]] = []
    with connected(hand) as client:
        for job_id in job_ids:
            try:
                done.append(act(client, job_id))
            except ApiError as error:
                if error.status is None:
                    raise
                complain(f"{job_id}: {error}")
                refused.append({"id": job_id, "code": error.code, "message": error.detail})
    if hand.as_json:
        answer_json({"jobs": done, "refused": refused})
    return EXIT_FAILED if refused else 0


def cancel(hand: Hand, job_ids: Sequence[str]) -> int:
    """Stop jobs; 1 if any could not be stopped."""

    def act(client: Client, job_id: str) -> object:
        job = client.cancel(job_id)
        if not hand.as_json:
            say(f"{job_id}: {job.status}")
        return asdict(job)

    return each(hand, job_ids, act)


def delete(hand: Hand, job_ids: Sequence[str]) -> int:
    """Remove jobs; 1 if any could not be removed."""

    def act(client: Client, job_id: str) -> object:
        client.delete(job_id)
        if not hand.as_json:
            say(f"{job_id}: deleted")
        return {"id": job_id, "status": "deleted"}

    return each(hand, job_ids, act)


def retry(hand: Hand, job_id: str, *, only: str, password: str | None) -> None:
    """Have a job done again."""
    with connected(hand) as client:
        job = client.retry(job_id, only=only, password=password)
    if hand.as_json:
        answer_json(asdict(job))
    else:
        say(f"{job.id}: {job.status}, run {job.run}")


def events(hand: Hand, job_id: str | None, *, follow: bool) -> None:
    """Show the log of one job or of all."""
    with connected(hand) as client:
        for event in lines_of(client, job_id, follow=follow):
            answer(json.dumps(asdict(event)) if hand.as_json else in_words(event))


def lines_of(client: Client, job_id: str | None, *, follow: bool) -> Iterator[Event]:
    """The lines of the log that were asked for."""
    if job_id is None:
        return client.log(look_again_seconds=FOLLOW_SECONDS if follow else None)
    return client.events(job_id) if follow else client.history(job_id)


def in_words(event: Event) -> str:
    """An event in one line."""
    facts = " ".join(
        f"{name}={shown(str(value))}" for name, value in event.facts.items() if value is not None
    )
    return f"{event.at} {event.type:<15} {event.job_id or '-'} {facts}".rstrip()
