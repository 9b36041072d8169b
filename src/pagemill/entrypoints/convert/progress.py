"""How far a conversion is: bars on a terminal, a line now and then elsewhere."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from pagemill.entrypoints.convert.conversion import ConversionProgress
from pagemill.entrypoints.convert.submission import FileOutcome
from pagemill.entrypoints.output.live_line import LiveLine
from pagemill.entrypoints.output.terminal import format_count, is_watched, printable_path

Reporter = Callable[[ConversionProgress, Sequence[FileOutcome]], None]


@contextmanager
def report_progress(line: LiveLine) -> Iterator[Reporter]:
    """What a conversion reports its progress to."""
    if not is_watched():
        yield line_reporter(line)
        return
    with bar_reporter() as report:
        yield report


def line_reporter(line: LiveLine) -> Reporter:
    """A line every few seconds."""
    started = time.monotonic()

    def report(progress: ConversionProgress, _new: Sequence[FileOutcome]) -> None:
        seconds = time.monotonic() - started
        if seconds >= line.every_seconds:
            line.show(progress_text(progress, seconds))

    return report


def progress_text(progress: ConversionProgress, seconds: float) -> str:
    """Progress in words."""
    failed = f", {progress.failed:,} failed" if progress.failed else ""
    rate = progress.pages / seconds if seconds > 0 else 0.0
    done = f"{progress.done:,} of {format_count(progress.files, 'file')}"
    return f"{done}{failed}, {format_count(progress.pages, 'page')}, {rate:.0f} pages/s"


@contextmanager
def bar_reporter() -> Iterator[Reporter]:
    """A bar over all files with the pages beside it; files that failed are named above it."""
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    console = Console(stderr=True)
    columns = (BarColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    started = time.monotonic()
    with Bars(*columns, console=console) as bars:
        row = bars.add_task("reading", total=None)

        def report(progress: ConversionProgress, new: Sequence[FileOutcome]) -> None:
            for outcome in new:
                if outcome.status == "failed":
                    name = printable_path(outcome.source.path)
                    console.print(
                        f"failed: {name} ({outcome.code})", markup=False, highlight=False, soft_wrap=True
                    )
            text = progress_text(progress, time.monotonic() - started)
            bars.update(row, total=progress.files, completed=progress.done, description=text)

        yield report
