"""`pagemill convert` without an output folder: what is made of the files goes to stdout."""

import os
import shutil
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import typer

from pagemill.entrypoints.convert.convert import Order, convert_all, exit_code, summary
from pagemill.entrypoints.convert.submission import FileOutcome
from pagemill.entrypoints.output.terminal import ignore_closed_reader, say
from pagemill.model.formats import EVERY_FORMAT

TEXT_FORMATS = (
    "markdown",
    "json",
    "text",
    "html",
    "markdown_det",
    "blocks",
    "chunks",
    "entities",
    "facts",
    "parts",
)


def convert_to_stdout(order: Order) -> int:
    """Convert the files of an order and print what was made, in the order of the files; 1 if any failed."""
    check_printable(order)
    with TemporaryDirectory(prefix="pagemill-") as folder:
        outcomes = convert_all(replace(order, output=Path(folder)))
        with ignore_closed_reader(sys.stdout):
            print_outputs(in_order(outcomes, order.inputs), Path(folder))
    for line in summary(outcomes, Counter(one.status for one in outcomes), 0, 0.0)[:-1]:
        say(line)
    return exit_code(outcomes)


def check_printable(order: Order) -> None:
    """End the command if what was asked for is no text, or comes from a folder."""
    unknown = [name for name in order.formats.split(",") if name.strip() not in EVERY_FORMAT]
    if unknown:
        raise typer.BadParameter(
            f"{unknown[0]!r} is not one of {', '.join(EVERY_FORMAT)}.", param_hint="--format"
        )
    if order.formats not in TEXT_FORMATS:
        raise typer.BadParameter(
            f"Only one of {', '.join(TEXT_FORMATS)} can go to stdout. Name a folder for the rest.",
            param_hint="--output",
        )
    if any(path.is_dir() for path in order.inputs):
        raise typer.BadParameter("Name a folder for what is made of a folder.", param_hint="--output")


def in_order(outcomes: Sequence[FileOutcome], inputs: Sequence[Path]) -> list[FileOutcome]:
    """The outcomes in the order in which their files were named."""
    places = {os.path.abspath(path): place for place, path in enumerate(inputs)}
    return sorted(outcomes, key=lambda one: places[str(one.source.path)])


def print_outputs(outcomes: Sequence[FileOutcome], folder: Path) -> None:
    """Copy the files that were made to stdout, an empty line between them."""
    for number, name in enumerate(name for outcome in outcomes for name in outcome.outputs):
        if number:
            sys.stdout.buffer.write(b"\n")
        with (folder / name).open("rb") as file:
            shutil.copyfileobj(file, sys.stdout.buffer)
    sys.stdout.buffer.flush()
