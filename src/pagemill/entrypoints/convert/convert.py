"""`pagemill convert`: what was asked, how far it is, and what came of it."""

import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import typer

from pagemill.engines import parse_chain
from pagemill.entrypoints.configuration import settings_from
from pagemill.entrypoints.convert.conversion import Conversion
from pagemill.entrypoints.convert.done_files import DoneFiles
from pagemill.entrypoints.convert.progress import Reporter, report_progress
from pagemill.entrypoints.convert.sources import STATE_FOLDER, Names, find_files
from pagemill.entrypoints.convert.submission import ConvertOptions, FileOutcome
from pagemill.entrypoints.output import logs
from pagemill.entrypoints.output.live_line import LiveLine
from pagemill.entrypoints.output.terminal import (
    EXIT_FAILED,
    EXIT_INTERRUPTED,
    answer,
    answer_json,
    format_count,
    ignore_closed_reader,
    printable_path,
    say,
)
from pagemill.errors import Refused
from pagemill.model.formats import EVERY_FORMAT
from pagemill.model.options import ReadingOptions, language_codes, page_ranges
from pagemill.settings import Settings
from pagemill.wiring import open_mill

DONE_FILES = "converted.jsonl"
MINUTE_SECONDS = 60.0
HOUR_SECONDS = 3_600.0
NO_QUOTA = 1_000_000_000
NAMED_AT_MOST = 50
# The rows of a shared installation would be swept by the short times below.
APART = {"database_url": None, "blobs_url": "", "broker_url": None}


@dataclass(frozen=True, slots=True)
class Order:
    """What was asked on the command line."""

    inputs: tuple[Path, ...]
    output: Path
    formats: str
    pages: str | None = None
    password: str | None = None
    recursive: bool = True
    keep_headers: bool = False
    again: bool = False
    slots: int | None = None
    ocr: str = "auto"
    mode: str = "fast"
    languages: str | None = None
    typography: str = "printed"
    tracked_changes: str = "final"
    render: bool = False
    providers: str | None = None


def convert(order: Order, *, as_json: bool) -> int:
    """Convert all files of an order and say what became of them; 1 if any failed."""
    started = time.monotonic()
    outcomes = convert_all(order)
    with ignore_closed_reader(sys.stdout):
        report(outcomes, order.output, time.monotonic() - started, as_json=as_json)
    return exit_code(outcomes)


def exit_code(outcomes: Sequence[FileOutcome]) -> int:
    """1 if any file failed."""
    return EXIT_FAILED if any(outcome.status == "failed" for outcome in outcomes) else 0


def convert_all(order: Order) -> list[FileOutcome]:
    """The outcome of every file of an order; ends the command if it is interrupted."""
    settings = state_settings(order)
    wanted = ConvertOptions(order.output, options_of(order, settings), order.password, order.again)
    line = LiveLine()
    logs.set_up("WARNING", settings.log_format, line, logs.secrets_of(settings))
    try:
        with interrupt_on_sigterm(), report_progress(line) as report:
            return convert_files(order, settings, wanted, report)
    except KeyboardInterrupt:
        say("Interrupted. The same command goes on where this one stopped.")
        raise typer.Exit(EXIT_INTERRUPTED) from None


def convert_files(
    order: Order, settings: Settings, wanted: ConvertOptions, report: Reporter
) -> list[FileOutcome]:
    """The outcome of every file that was asked for."""
    make_folders(settings.data_dir)
    with open_mill(settings) as mill:
        done_files = DoneFiles(settings.data_dir / DONE_FILES)
        names = Names(done_files.stems())
        sources = [
            names.source(file) for file in find_files(order.inputs, order.output, recursive=order.recursive)
        ]
        return Conversion(mill, wanted, done_files).run(sources, report)


def make_folders(state: Path) -> None:
    """Make the output folder and the one for the state inside it; Refused if that can't be."""
    try:
        state.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Refused(
            f"Nothing can be written to {printable_path(state.parent)}: {error.strerror}. Name another folder with --output."
        ) from error


def state_settings(order: Order) -> Settings:
    """The settings of the mill that works inside the output folder; what is delivered is soon forgotten there."""
    settings = settings_from(
        data_dir=order.output / STATE_FOLDER,
        slots=order.slots,
        kept_slots=0,
        max_pending_jobs=NO_QUOTA,
        max_backlog_chunks=NO_QUOTA,
        tombstone_seconds=HOUR_SECONDS,
        events_seconds=HOUR_SECONDS,
        # Files go as soon as they are delivered; the sweeper only looks after what a crash left.
        sweep_seconds=MINUTE_SECONDS,
    )
    return settings.model_copy(update=APART)


def options_of(order: Order, settings: Settings) -> ReadingOptions:
    """How the documents are to be read; a wrong word ends the command."""
    formats = tuple(dict.fromkeys(name.strip() for name in order.formats.split(",")))
    for name in formats:
        if name not in EVERY_FORMAT:
            raise typer.BadParameter(
                f"{name!r} is not one of {', '.join(EVERY_FORMAT)}.", param_hint="--format"
            )
    try:
        page_ranges(order.pages or "1")
    except ValueError as error:
        raise typer.BadParameter(f"{error}.", param_hint="--pages") from error
    chain = chain_of(order.providers, settings)
    languages = codes(order.languages)
    return ReadingOptions(
        pages=order.pages,
        formats=formats,
        providers=chain,
        keep_running_headers=order.keep_headers,
        ocr=order.ocr,
        mode=order.mode,
        languages=languages,
        typography=order.typography,
        tracked_changes=order.tracked_changes,
        render=order.render,
    )


def chain_of(providers: str | None, settings: Settings) -> tuple[str, ...]:
    """The providers that were named, otherwise those of the settings; a wrong word ends the command."""
    if not providers:
        return parse_chain(settings.providers)
    try:
        return parse_chain(providers)
    except Refused as error:
        raise typer.BadParameter(f"{error.message}.", param_hint="--providers") from error


def codes(languages: str | None) -> tuple[str, ...]:
    """The languages that were named; a wrong word ends the command."""
    try:
        return language_codes(languages or "")
    except ValueError as error:
        raise typer.BadParameter(f"{error}.", param_hint="--lang") from error


@contextmanager
def interrupt_on_sigterm() -> Iterator[None]:
    """Take a SIGTERM for a Ctrl-C, so that work is given back."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def report(outcomes: Sequence[FileOutcome], output: Path, seconds: float, *, as_json: bool) -> None:
    """Say what became of the files."""
    counts: Counter[str] = Counter(outcome.status for outcome in outcomes)
    pages = sum(outcome.pages for outcome in outcomes if outcome.status == "completed")
    if as_json:
        numbers = {status: counts[status] for status in ("completed", "unchanged", "skipped", "failed")}
        answer_json(
            {
                **numbers,
                "pages": pages,
                "seconds": round(seconds, 3),
                "files": [outcome_view(one, output) for one in outcomes],
            }
        )
        return
    for text in summary(outcomes, counts, pages, seconds):
        answer(text)


def outcome_view(outcome: FileOutcome, output: Path) -> dict[str, object]:
    """An outcome for programs."""
    error = {"code": outcome.code, "message": outcome.message} if outcome.status == "failed" else None
    return {
        "file": printable_path(outcome.source.path),
        "status": outcome.status,
        "outputs": [printable_path(output / name) for name in outcome.outputs],
        "pages": outcome.pages,
        "failed_pages": outcome.failed_pages,
        "warnings": outcome.warnings,
        "error": error,
    }


def summary(
    outcomes: Sequence[FileOutcome], counts: Mapping[str, int], pages: int, seconds: float
) -> list[str]:
    """The end of a conversion in words: what is not whole by name, then the numbers."""
    partial = [outcome for outcome in outcomes if outcome.failed_pages]
    failed = [outcome for outcome in outcomes if outcome.status == "failed"]
    lines = [
        f"incomplete: {printable_path(one.source.path)}: {lost_pages(one)}" for one in partial[:NAMED_AT_MOST]
    ]
    lines += [f"failed: {printable_path(one.source.path)}: {one.message} ({one.code})" for one in failed]
    skipped = [outcome for outcome in outcomes if outcome.status == "skipped"]
    lines += [f"skipped: {printable_path(one.source.path)}: {one.message}" for one in skipped[:NAMED_AT_MOST]]
    numbers = [work_done(counts["completed"], pages, seconds)]
    if counts["skipped"] == len(outcomes):
        numbers = ["There was no document to convert"]
    numbers += [f"{counts['unchanged']:,} done before"] if counts["unchanged"] else []
    numbers += [f"{format_count(counts['skipped'], 'other file')} skipped"] if counts["skipped"] else []
    numbers += [f"{counts['failed']:,} failed"] if counts["failed"] else []
    return [*lines, "; ".join(numbers) + "."]


def work_done(documents: int, pages: int, seconds: float) -> str:
    """How much was converted, and how fast."""
    work = f"{format_count(documents, 'document')} converted"
    if not pages or not seconds:
        return work
    speed = pages / seconds
    return f"{work}, {format_count(pages, 'page')} in {seconds:.1f} s ({speed:.{0 if speed >= 10 else 1}f} pages/s)"


def lost_pages(outcome: FileOutcome) -> str:
    """Which pages of a document could not be read."""
    numbers = ", ".join(str(page) for page in outcome.failed_pages[:10])
    more = "…" if len(outcome.failed_pages) > 10 else ""
    return f"{format_count(len(outcome.failed_pages), 'page')} could not be read: {numbers}{more}"
