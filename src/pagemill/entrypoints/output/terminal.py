"""What people and programs see: answers on stdout, everything else on stderr."""

import json
import os
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

EXIT_FAILED = 1
EXIT_UNREACHABLE = 3
EXIT_REFUSED = 4
EXIT_INTERRUPTED = 130

UNITS = ((1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "kB"))


def open_missing() -> None:
    """Open those of stdout and stderr that were closed when the process began, with no one to read them."""
    # In this order, so that each gets its own number again, before a socket or the database gets it.
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))


def give_up(stream: TextIO) -> None:
    """Write nothing more to a stream: what is left in its buffer would fail again at every flush, the last one at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


@contextmanager
def ignore_closed_reader(stream: TextIO) -> Iterator[None]:
    """Go on after the reader of a stream has gone, because the work matters more than the report."""
    try:
        yield
    except BrokenPipeError:
        give_up(stream)


@contextmanager
def drop_if_unread(stream: TextIO) -> Iterator[None]:
    """Outlive the reader of a stream: what can't be written is left out, and after a broken pipe all of it is."""
    try:
        with ignore_closed_reader(stream):
            yield
    except OSError:
        # A full disk or a terminal that went away: the stream may come back, so it is kept.
        return


def answer(text: str) -> None:
    """Print a line of the answer."""
    print(text, flush=True)


def answer_json(value: object) -> None:
    """Print the answer for programs."""
    print(json.dumps(value, indent=2, default=str), flush=True)


def answer_json_line(value: object) -> None:
    """Print one of several answers for programs, on a line of its own."""
    print(json.dumps(value, default=str), flush=True)


def say(text: str) -> None:
    """Write a message for people, which is not the answer, to stderr."""
    with drop_if_unread(sys.stderr):
        print(text, file=sys.stderr, flush=True)


def say_skipped(path: Path, reason: str) -> None:
    """Write to stderr that a file is left out, and why."""
    say(f"skipped: {printable_path(path)}: {reason}")


def complain(text: str) -> None:
    """Write to stderr what went wrong."""
    say(f"pagemill: {text}")


def is_watched() -> bool:
    """Whether someone looks at stderr, so that lines may be drawn over."""
    return sys.stderr.isatty()


def printable_path(path: Path | str) -> str:
    """A path that is safe to print, whatever bytes its name is made of."""
    whole = str(path).encode("utf-8", "replace").decode()
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in whole)


def table(
    head: Sequence[str], rows: Iterable[Sequence[str]], numbers: Collection[str] = frozenset()
) -> list[str]:
    """Rows under their heads in columns as wide as needed; those whose head is among the numbers are set flush right."""
    lines = [head, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    sides = [">" if name in numbers else "<" for name in head]
    return ["  ".join(map(pad_cell, line, sides, widths)).rstrip() for line in lines]


def pad_cell(cell: str, side: str, width: int) -> str:
    """A cell in its column."""
    return f"{cell:{side}{width}}"


def format_count(number: int, noun: str) -> str:
    """A number with its noun, as in `1 page` and `1,200 pages`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def format_size(size_bytes: int) -> str:
    """A size in the unit that suits it."""
    for unit_bytes, name in UNITS:
        if size_bytes >= unit_bytes:
            return f"{size_bytes / unit_bytes:.1f} {name}"
    return f"{size_bytes} B"
