"""What the commands against a server do."""

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Unpack

import typer

from pagemill.client import ApiError, Client, Event, Job, Options
from pagemill.client.filters import ListFilters
from pagemill.client.models import ARTIFACTS
from pagemill.entrypoints.cli.remote.inputs import expand_inputs
from pagemill.entrypoints.cli.remote.selection import JobSelection, find_ids
from pagemill.entrypoints.output.hints import HINTS
from pagemill.entrypoints.output.live_line import LiveLine
from pagemill.entrypoints.output.terminal import (
    EXIT_FAILED,
    EXIT_UNREACHABLE,
    answer,
    answer_json,
    complain,
    format_count,
    format_size,
    ignore_closed_reader,
    printable_path,
    say,
    say_skipped,
    table,
)
from pagemill.model.formats import BY_NAME

RETRIES = 2
FOLLOW_SECONDS = 1.0
IMAGES = "images"
NO_MATCH = "No job matches."


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """Which server is called, and in which form the answer is shown."""

    server: str
    api_key: str | None
    as_json: bool


@contextmanager
def connect(hand: ServerOptions) -> Iterator[Client]:
    """A client for the server; what it refuses ends the command with one line and an exit code."""
    check(hand)
    with Client(hand.server, hand.api_key or None, retries=RETRIES) as client:
        try:
            yield client
        except ApiError as error:
            complain(advice(error, hand))
            raise typer.Exit(EXIT_UNREACHABLE if error.status is None else EXIT_FAILED) from error


def check(hand: ServerOptions) -> None:
    """End the command if there can be no such server or key."""
    if not hand.server.startswith(("http://", "https://")):
        raise typer.BadParameter(
            f"Write the whole address, such as http://127.0.0.1:8080, not {hand.server!r}.",
            param_hint="--server",
        )
    if hand.api_key and not (hand.api_key.isascii() and hand.api_key.isprintable()):
        raise typer.BadParameter("A key has only printable ASCII characters.", param_hint="--api-key")


def advice(error: ApiError, hand: ServerOptions) -> str:
    """What went wrong and what to do about it."""
    if error.status is None:
        return f"{error.detail} Start one with `pagemill serve`, or name another with --server or PAGEMILL_SERVER."
    if error.status == 401:
        wrong = "does not know this API key. Give another" if hand.api_key else "wants an API key. Give it"
        return f"The server {wrong} with --api-key or in PAGEMILL_API_KEY. ({error.code})"
    if error.code == "not_found":
        lists = "`pagemill jobs`, `batches list`, `rules list` and `webhooks list` show"
        return f"{error.detail} {lists} what is at {hand.server}. ({error.code})"
    return f"{HINTS.get(error.code, error.detail)} ({error.code})"


def submit(
    hand: ServerOptions, documents: Sequence[str], options: Options, headers: Mapping[str, str], *, wait: bool
) -> int:
    """Hand in documents and show their jobs; 1 if any was refused or failed."""
    jobs: list[Job] = []
    refused: list[dict[str, str]] = []
    found = expand_inputs(documents, say_skipped)
    if not found:
        raise typer.BadParameter("There is no document in it.", param_hint="FILE|FOLDER|URL")
    with connect(hand) as client:
        for job in submit_each(client, found, options, headers, refused):
            jobs.append(job)
            if not hand.as_json:
                with ignore_closed_reader(sys.stdout):
                    answer(job.id)
        if wait:
            jobs = [follow_job(client, job, hand) for job in jobs]
    if hand.as_json:
        with ignore_closed_reader(sys.stdout):
            answer_json({"jobs": [asdict(job) for job in jobs], "refused": refused})
    return EXIT_FAILED if refused or any(job.status == "failed" for job in jobs) else 0


def submit_each(
    client: Client,
    documents: Sequence[str | Path],
    options: Options,
    headers: Mapping[str, str],
    refused: list[dict[str, str]],
) -> Iterator[Job]:
    """The jobs of the documents that the server takes, one by one; the others are added to `refused`."""
    for document in documents:
        try:
            if isinstance(document, str):
                job = client.submit_url(document, options, headers=headers)
            else:
                job = client.submit(document, options)
        except (ApiError, OSError) as error:
            refused.append(refusal(document, error))
        else:
            yield job


def parse_headers(lines: Sequence[str]) -> dict[str, str]:
    """Headers from lines such as `Authorization: Bearer KEY`."""
    parted = [line.partition(":") for line in lines]
    if not all(colon and name.strip() for name, colon, _ in parted):
        raise typer.BadParameter("Write a header as NAME: VALUE.", param_hint="--header")
    return {name.strip(): value.strip() for name, _, value in parted}


def refusal(file: str | Path, error: ApiError | OSError) -> dict[str, str]:
    """A document that was not taken, and why; a server that is not there or wants another key ends it all."""
    if isinstance(error, ApiError) and error.status in (None, 401):
        raise error
    code = error.code if isinstance(error, ApiError) else "file_unreadable"
    complain(f"{printable_path(file)}: {why(error)} ({code})")
    return {"file": printable_path(file), "code": code, "message": why(error)}


def why(error: ApiError | OSError) -> str:
    """Why a document could not be handed in."""
    if isinstance(error, ApiError):
        return error.detail
    return f"{error.strerror or error}."


def follow_job(client: Client, job: Job, hand: ServerOptions) -> Job:
    """The job at its end, with its progress shown on the way."""
    line = LiveLine(every_seconds=5.0)
    try:
        over = client.wait(job.id, progress=lambda now: None if now.is_over else line.show(progress(now)))
    finally:
        line.end()
    if not hand.as_json:
        say(progress(over))
    return over


def progress(job: Job) -> str:
    """A job in one line."""
    pages = (
        f"{job.processed_pages:,} of {format_count(job.total_pages, 'page')}"
        if job.total_pages
        else job.stage
    )
    place = f", {job.queue_position} ahead" if job.queue_position else ""
    lost = f", {format_count(len(job.failed_pages), 'page')} failed" if job.failed_pages else ""
    wrong = f": {reason(job)}" if job.error else ""
    return f"{printable_path(job.document.filename)}: {job.status}, {pages}{place}{lost}{wrong}"


def reason(job: Job) -> str:
    """Why a job failed; empty if it did not."""
    return f"{HINTS.get(job.error.code, job.error.message)} ({job.error.code})" if job.error else ""


def jobs(
    hand: ServerOptions,
    *,
    status: str | None,
    filename: str | None,
    limit: int,
    **filters: Unpack[ListFilters],
) -> None:
    """List jobs."""
    with connect(hand) as client:
        matching = client.jobs(status=status, filename=filename, page_size=min(limit, 100), **filters)
        found = list(islice(matching, limit))
    if hand.as_json:
        answer_json({"jobs": [asdict(job) for job in found]})
        return
    head = ("ID", "STATUS", "PAGES", "CREATED", "FILE")
    for line in table(head, (row(job) for job in found), numbers={"PAGES"}):
        answer(line)


def row(job: Job) -> tuple[str, ...]:
    """A job as a row of the list."""
    pages = f"{job.processed_pages}/{job.total_pages if job.total_pages is not None else '?'}"
    return job.id, job.status, pages, job.created_at, printable_path(job.document.filename)


def status(hand: ServerOptions, job_id: str, *, watch: bool) -> int:
    """Show a job, followed to its end if asked; 1 if it failed."""
    with connect(hand) as client:
        job = client.job(job_id)
        if watch:
            job = follow_job(client, job, hand)
    if hand.as_json:
        answer_json(asdict(job))
    else:
        for line in job_lines(job):
            answer(line)
    return EXIT_FAILED if job.status == "failed" else 0


def job_lines(job: Job) -> list[str]:
    """A job in some lines."""
    seconds = ", ".join(f"{step} {spent:.2f} s" for step, spent in job.seconds.items())
    facts = {
        "job": job.id,
        "document": f"{printable_path(job.document.filename)}, {format_size(job.document.size_bytes)}",
        "status": f"{job.status} ({job.stage})",
        "pages": f"{job.processed_pages:,} of {'?' if job.total_pages is None else f'{job.total_pages:,}'}",
        "ahead": str(job.queue_position) if job.queue_position else "",
        "ready in": f"{job.eta_seconds:.0f} s" if job.eta_seconds else "",
        "seconds": seconds,
        "warnings": ", ".join(job.warnings),
        "error": reason(job),
        "expires": job.expires_at,
    }
    lines = [f"{name + ':':<10} {value}" for name, value in facts.items() if value]
    return lines + [f"page {lost.page}: {lost.message} ({lost.code})" for lost in job.failed_pages]


def result(hand: ServerOptions, job_id: str, name: str, output: Path | None, password: str | None) -> None:
    """Fetch an artifact into a file or onto stdout; images go into a folder."""
    names = (*ARTIFACTS, IMAGES)
    if name not in names:
        raise typer.BadParameter(f"{name!r} is not one of {', '.join(names)}.", param_hint="--format")
    if name == IMAGES and output is None:
        raise typer.BadParameter("Name a folder for the images.", param_hint="--output")
    if not BY_NAME[name].is_text and name != IMAGES and output is None and sys.stdout.isatty():
        raise typer.BadParameter(f"{name} is no text to look at. Name a file for it.", param_hint="--output")
    with connect(hand) as client:
        if name == IMAGES and output is not None:
            fetch_images(client, job_id, output, password)
        elif output is not None:
            client.download(job_id, name, output, password=password)
        else:
            client.download(job_id, name, sys.stdout.buffer, password=password)
            sys.stdout.buffer.flush()


def pages(hand: ServerOptions, job_id: str, *, first: int, follow: bool) -> None:
    """Print the pages of a job, one JSON object per line."""
    with connect(hand) as client, ignore_closed_reader(sys.stdout):
        for page in client.page_lines(job_id, first=first, follow=follow):
            answer(json.dumps(page, ensure_ascii=False, separators=(",", ":")))


def fetch_images(client: Client, job_id: str, folder: Path, password: str | None) -> None:
    """Fetch the images of all figures into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for image in client.images(job_id):
        # The name comes from a server; only its last part may say where a file goes.
        client.download(job_id, f"{IMAGES}/{image.name}", folder / Path(image.name).name, password=password)


def each(hand: ServerOptions, selection: JobSelection, act: Callable[[Client, str], object]) -> int:
    """Do something to several jobs; those that refuse are named and the rest is done all the same."""
    done: list[object] = []
    refused: list[dict[str, str]] = []
    with connect(hand) as client:
        ids = find_ids(client, selection)
        for job_id in ids:
            try:
                done.append(act(client, job_id))
            except ApiError as error:
                if error.status is None:
                    raise
                complain(f"{job_id}: {advice(error, hand)}")
                refused.append({"id": job_id, "code": error.code, "message": error.detail})
    if hand.as_json:
        answer_json({"jobs": done, "refused": refused})
    elif not ids:
        say(NO_MATCH)
    return EXIT_FAILED if refused else 0


def cancel(hand: ServerOptions, selection: JobSelection) -> int:
    """Stop jobs; 1 if any could not be stopped."""

    def act(client: Client, job_id: str) -> object:
        job = client.cancel(job_id)
        if not hand.as_json:
            say(f"{job_id}: {job.status}")
        return asdict(job)

    return each(hand, selection, act)


def delete(hand: ServerOptions, selection: JobSelection, *, confirmed: bool) -> int:
    """Remove jobs; 1 if any could not be removed. Those that a filter finds are counted and asked about first."""
    if selection.is_filter and not confirmed:
        with connect(hand) as client:
            count = len(find_ids(client, selection))
        if not count:
            say(NO_MATCH)
            return 0
        typer.confirm(
            f"Delete {format_count(count, 'job')} with documents and results?", abort=True, err=True
        )

    def act(client: Client, job_id: str) -> object:
        client.delete(job_id)
        if not hand.as_json:
            say(f"{job_id}: deleted")
        return {"id": job_id, "status": "deleted"}

    return each(hand, selection, act)


def retry(hand: ServerOptions, selection: JobSelection, *, only: str, password: str | None) -> int:
    """Have jobs done again; 1 if any could not be. Of a single one, JSON has the job itself."""

    def act(client: Client, job_id: str) -> object:
        job = client.retry(job_id, only=only, password=password)
        if not hand.as_json:
            say(f"{job.id}: {job.status}, run {job.run}")
        return asdict(job)

    if len(selection.ids) != 1:
        return each(hand, selection, act)
    with connect(hand) as client:
        job = act(client, selection.ids[0])
    if hand.as_json:
        answer_json(job)
    return 0


def events(hand: ServerOptions, job_id: str | None, *, follow: bool) -> None:
    """Show the log of one job or of all."""
    with connect(hand) as client:
        for event in lines_of(client, job_id, follow=follow):
            answer(json.dumps(asdict(event)) if hand.as_json else event_text(event))


def lines_of(client: Client, job_id: str | None, *, follow: bool) -> Iterator[Event]:
    """The lines of the log that were asked for."""
    if job_id is None:
        return client.log(look_again_seconds=FOLLOW_SECONDS if follow else None)
    return client.events(job_id) if follow else client.history(job_id)


def event_text(event: Event) -> str:
    """An event in one line."""
    facts = " ".join(
        f"{name}={printable_path(str(value))}" for name, value in event.facts.items() if value is not None
    )
    return f"{event.at} {event.type:<15} {event.job_id or '-'} {facts}".rstrip()
