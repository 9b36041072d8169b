"""What the engine takes lines for: each line is given the hint whose box it is in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from pagemill.reading.page.sheet import Hint

if TYPE_CHECKING:
    from pagemill.reading.layout.lines import TextLine

HINT_SLACK = 2.0


def note_hints(lines: Sequence[TextLine], hints: Sequence[Hint]) -> None:
    """Give each line the smallest hint whose box its middle is in."""
    sized = sorted(
        [at for at, hint in enumerate(hints) if hint.kind != "figure"],
        key=lambda at: hints[at].box.width * hints[at].box.height,
    )
    if not lines or not sized:
        return
    boxes = [hints[at].box for at in sized]
    edges = np.array([(box.x, box.y, box.right, box.bottom) for box in boxes], np.float64)
    edges += (-HINT_SLACK, -HINT_SLACK, HINT_SLACK, HINT_SLACK)
    middles = np.array([((line.left + line.right) / 2, line.centre) for line in lines])[:, None]
    inside = np.all((middles >= edges[:, :2]) & (middles <= edges[:, 2:]), axis=2)
    known = [*sized, -1]
    places = np.where(np.any(inside, axis=1), np.argmax(inside, axis=1), len(sized))
    for line, at in zip(lines, places.tolist(), strict=True):
        line.hint = known[at]


def note_headings(lines: Sequence[TextLine], hints: Sequence[Hint]) -> None:
    """Give the hints of headings to all of their lines; the engine's box is that of the first line only."""
    for at, hint in enumerate(hints):
        if hint.kind == "heading":
            _note_whole_heading(lines, at, hint)


def _note_whole_heading(lines: Sequence[TextLine], at: int, hint: Hint) -> None:
    """Give the hint of a heading to the lines below its first that are part of its text."""
    whole = _squeeze(hint.text)
    own = [line for line in lines if line.hint == at]
    rest = whole.removeprefix("".join(_squeeze(line.text) for line in own))
    if not own or not rest or len(rest) == len(whole):
        return
    for line in lines:
        if line.hint != -1 or line.top <= own[-1].top:
            continue
        words = _squeeze(line.text)
        if words and rest.startswith(words):
            line.hint, rest = at, rest[len(words) :]


def _squeeze(text: str) -> str:
    return "".join(filter(str.isalnum, text))
