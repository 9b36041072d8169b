"""How far a conversion is: bars on a terminal, a line now and then elsewhere."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from pagemill.entrypoints.convert.conversion import Progress
from pagemill.entrypoints.convert.submission import Outcome
from pagemill.entrypoints.output.live_line import LiveLine
from pagemill.entrypoints.output.terminal import counted, shown, watched

Teller = Callable[[Progress, Sequence[Outcome]], None]


@contextmanager
def teller(line: LiveLine) -> Iterator[Teller]:
    """What a conversion tells its progress to."""
    if not watched():
        yield plain(line)
        return
    with bar() as tell:
        yield tell


def plain(line: LiveLine) -> Teller:
    """A line every few seconds."""
    started = time.monotonic()

    def tell(progress: Progress, _new: Sequence[Outcome]) -> None:
        seconds = time.monotonic() - started
        if seconds >= line.every_seconds:
            line.show(words(progress, seconds))

    return tell


def words(progress: Progress, seconds: float) -> str:
    """Progress in words."""
    failed = f", {progress.failed:,} failed" if progress.failed else ""
    rate = progress.pages / seconds if seconds > 0 else 0.0
    done = f"{progress.done:,} of {counted(progress.files, 'file')}"
    return f"{done}{failed}, {counted(progress.pages, 'page')}, {rate:.0f} pages/s"


@contextmanager
def bar() -> Iterator[Teller]:
    """A bar over all files with the pages beside it; files that failed are named above it."""
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    console = Console(stderr=True)
    columns = (BarColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    started = time.monotonic()
    with Bars(*columns, console=console) as bars:
        row = bars.add_task("reading", total=None)

        def tell(progress: Progress, new: Sequence[Outcome]) -> None:
            for outcome in new:
                if outcome.status == "failed":
                    name = shown(outcome.source.path)
                    console.print(
                        f"failed: {name} ({outcome.code})", markup=False, highlight=False, soft_wrap=True
                    )
            text = words(progress, time.monotonic() - started)
            bars.update(row, total=progress.files, completed=progress.done, description=text)

        yield tell
