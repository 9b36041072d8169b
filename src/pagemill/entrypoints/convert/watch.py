"""`pagemill watch`: reads what comes into a folder, for as long as it runs."""

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pagemill.entrypoints.convert.conversion import Conversion
from pagemill.entrypoints.convert.convert import (
    DONE_FILES,
    Order,
    interrupt_on_sigterm,
    lost_pages,
    make_folders,
    options_of,
    outcome_view,
    state_settings,
)
from pagemill.entrypoints.convert.done_files import DoneFiles
from pagemill.entrypoints.convert.sources import SourceFile
from pagemill.entrypoints.convert.submission import ConvertOptions, FileOutcome
from pagemill.entrypoints.convert.watched_folder import After, FreshNames, WatchedFolder
from pagemill.entrypoints.output import logs
from pagemill.entrypoints.output.live_line import LiveLine
from pagemill.entrypoints.output.terminal import (
    answer,
    answer_json_line,
    drop_if_unread,
    format_count,
    printable_path,
    say,
)
from pagemill.errors import Refused
from pagemill.wiring import open_mill

LOOK_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class WatchOrder:
    """What was asked on the command line."""

    order: Order
    after: After
    settle_seconds: float
    as_json: bool

    @property
    def folder(self) -> Path:
        """The folder that is watched."""
        return self.order.inputs[0]


def watch(watch_order: WatchOrder) -> int:
    """Read what comes into a folder until the command is interrupted."""
    order = watch_order.order
    if not watch_order.folder.is_dir():
        raise Refused(f"{printable_path(watch_order.folder)} is not a folder.")
    refuse_output_inside(watch_order.folder, order.output)
    settings = state_settings(order)
    wanted = ConvertOptions(order.output, options_of(order, settings), order.password, order.again)
    logs.set_up("WARNING", settings.log_format, LiveLine(), logs.secrets_of(settings))
    make_folders(settings.data_dir)
    try:
        with interrupt_on_sigterm(), open_mill(settings) as mill:
            done_files = DoneFiles(settings.data_dir / DONE_FILES)
            say(f"Watching {printable_path(watch_order.folder)}. Ctrl-C stops it.")
            follow_folder(watch_order, Conversion(mill, wanted, done_files), done_files)
    except KeyboardInterrupt:
        say("Stopped. The same command goes on where this one stopped.")
    return 0


def refuse_output_inside(folder: Path, output: Path) -> None:
    """Raises Refused if what is made would come into the folder that is watched."""
    if output.resolve().is_relative_to(folder.resolve()):
        raise Refused(
            f"{printable_path(output)} is in the folder that is watched. Name a folder outside of it for what is made."
        )


def follow_folder(watch_order: WatchOrder, conversion: Conversion, done_files: DoneFiles) -> None:
    """Hand files to a conversion as they become ready, and put them away when they are done."""
    order = watch_order.order
    folder = WatchedFolder(
        watch_order.folder, order.output, recursive=order.recursive, settle_seconds=watch_order.settle_seconds
    )
    names = FreshNames(order.output, done_files)

    def find_more() -> Sequence[SourceFile]:
        return [names.source(file) for file in folder.ready()]

    def put_away(outcomes: Sequence[FileOutcome]) -> None:
        for outcome in outcomes:
            folder.settle(outcome, watch_order.after)
            with drop_if_unread(sys.stdout):
                report_outcome(watch_order, outcome)

    present = [SourceFile(file.path, "", False) for file in folder.present()]
    conversion.follow(present, every(LOOK_SECONDS, find_more), put_away)


def every(seconds: float, find: Callable[[], Sequence[SourceFile]]) -> Callable[[], Sequence[SourceFile]]:
    """A search that looks no more often than this, because a look at a large folder costs."""
    next_at = 0.0

    def find_now_and_then() -> Sequence[SourceFile]:
        nonlocal next_at
        if time.monotonic() < next_at:
            return ()
        found = find()
        next_at = time.monotonic() + seconds
        return found

    return find_now_and_then


def report_outcome(watch_order: WatchOrder, outcome: FileOutcome) -> None:
    """Say what became of a file."""
    if watch_order.as_json:
        answer_json_line(outcome_view(outcome, watch_order.order.output))
        return
    name = printable_path(outcome.source.path)
    if outcome.status == "failed":
        answer(f"failed: {name}: {outcome.message} ({outcome.code})")
    elif outcome.status == "skipped":
        answer(f"skipped: {name}: {outcome.message}")
    else:
        remark = f"; {lost_pages(outcome)}" if outcome.failed_pages else ""
        answer(f"done: {name}: {format_count(outcome.pages, 'page')}{remark}")
