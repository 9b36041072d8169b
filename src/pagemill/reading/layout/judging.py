"""What the models say of the lines of a page."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pagemill.model.pages import Box
from pagemill.reading.layout.features import LineArrays, frame_of
from pagemill.reading.layout.lines import TextLine
from pagemill.reading.layout.markers import (
    find_marker,
    is_leader,
    is_led_entry,
    is_lone_number,
    is_subsection,
    starts_with_bullet,
)
from pagemill.reading.layout.models import join_probabilities, role_probabilities
from pagemill.reading.layout.pieces import lines_in
from pagemill.reading.layout.roles import ROLES
from pagemill.reading.page.geometry import hull
from pagemill.reading.page.sheet import Sheet

Floats = NDArray[np.float32]
# A role that is less likely than this for a line counts for as much.
LEAST_CHANCE = 0.001
# Lines belong together from the first on; up to the second, only if they may well have the same role.
JOINED, SURELY_JOINED, SAME_ROLE = 0.5, 0.9, 0.3
# How likely it is that lines belong together if markers or leaders say that they do not.
PLAINLY_APART = 0.1
# From this on, a line of a recognised block is a heading over the rest.
LIKELY_HEADING = 0.5
# Headings whose sizes differ by this are of two levels.
OTHER_SIZE = 1.15
# The markers of a list are at one edge if they differ by less than this, in sizes of the text.
SAME_EDGE = 0.5
# A heading has no more lines than this, and what is drawn beside it is not so much higher.
LONGEST_TAGGED_LINES, TAGGED_HEIGHT = 3, 2.0
_AT = {role: at for at, role in enumerate(ROLES)}


@dataclass
class Judged:
    """The lines of a sheet and the chances of their roles."""

    sheet: Sheet
    lines: Sequence[TextLine]
    _after: dict[int, float] = field(default_factory=dict)
    _before: dict[int, float] = field(default_factory=dict)

    @cached_property
    def chances(self) -> Floats:
        """The probability of each role, a row for each line."""
        return role_probabilities(self.sheet, self.lines, self._frame)

    @cached_property
    def _frame(self) -> LineArrays:
        return frame_of(self.sheet, self.lines)

    @cached_property
    def _place(self) -> dict[int, int]:
        return {id(line): at for at, line in enumerate(self.lines)}

    @cached_property
    def _starts(self) -> dict[int, int]:
        return {id(line.words[0]): at for at, line in enumerate(self.lines)}

    def _places(self, line: TextLine) -> list[int]:
        """Where a line is among the lines of the sheet, or all those that it was put together from."""
        if (place := self._place.get(id(line))) is not None:
            return [place]
        return [self._starts[id(word)] for word in line.words if id(word) in self._starts]

    @property
    def body_size(self) -> float:
        """The size of most characters."""
        return float(self._frame.body)

    def chance(self, line: TextLine, *roles: str) -> float:
        """The probability that a line has one of the roles."""
        place = self._place.get(id(line))
        row = self._rows[self._places(line)[0] if place is None else place]
        if len(roles) == 1:
            return row[_AT[roles[0]]]
        return sum([row[_AT[role]] for role in roles])

    def mean_chance(self, lines: Sequence[TextLine], *roles: str) -> float:
        """The mean over characters of the chance that lines have one of the roles; 0 without lines."""
        characters = sum([len(line.text) for line in lines])
        chances = sum([len(line.text) * self.chance(line, *roles) for line in lines])
        return chances / characters if characters else 0.0

    def highest(self, role: str) -> float:
        """How likely a role is for the line that most likely has it."""
        return float(self.chances[:, _AT[role]].max())

    @cached_property
    def _rows(self) -> list[list[float]]:
        rows: list[list[float]] = self.chances.tolist()
        return rows

    @cached_property
    def _logs(self) -> Floats:
        """What each line says of each role, longer ones with more weight."""
        characters = np.array([min(max(len(line.text), 1), 40) for line in self.lines], np.float32)
        return np.log(np.maximum(self.chances, LEAST_CHANCE)) * characters[:, None]

    @cached_property
    def _tags(self) -> dict[int, int]:
        return {
            id(line): at
            for at, tag in enumerate(self.sheet.tags)
            if tag.kind == "heading"
            for line in _heading_lines(self.lines, tag.box)
        }

    def tag(self, line: TextLine) -> int | None:
        """Which of the file's tags says that a line is a heading or a part of it."""
        return self._tags.get(id(line))

    @cached_property
    def _list_tags(self) -> dict[int, int]:
        """The tagged list items that lines are in; of nested ones the inner."""
        tagged = [(at, tag.box) for at, tag in enumerate(self.sheet.tags) if tag.kind == "list_item"]
        tagged.sort(key=lambda one: -one[1].height)
        return {id(line): at for at, box in tagged for line in lines_in(self.lines, box)}

    def list_tag(self, line: TextLine) -> int | None:
        """Which of the file's tags says that a line is an item of a list or a part of it."""
        return self._list_tags.get(id(line))

    def role(self, lines: Iterable[TextLine]) -> str:
        """The role that suits lines of one block best; longer ones count for more."""
        places = [place for line in lines for place in self._places(line)]
        total = self._logs[places[0]] if len(places) == 1 else self._logs[places].sum(0)
        return ROLES[int(total.argmax())]

    def groups(self, lines: Sequence[TextLine]) -> list[list[TextLine]]:
        """Lines in reading order, those of one block together."""
        places = np.array([self._place[id(line)] for line in lines])
        joins = join_probabilities(self.sheet, self.lines, places, self._frame).tolist()
        groups = [[lines[0]]]
        for at, line in enumerate(lines[1:]):
            ended = (
                self._ends_entry(lines[at], line)
                or continues_list(groups[-1][0], line)
                or self._are_tagged_apart(lines[at], line)
                or self._are_two_headings(lines[at], line)
            )
            join = min(joins[at], PLAINLY_APART) if ended else joins[at]
            if are_led(lines[at], line):
                join = max(join, SURELY_JOINED)
            self._after[id(lines[at])] = self._before[id(line)] = join
            if join >= JOINED and self._is_one_block(places[at], places[at + 1], join):
                groups[-1].append(line)
            else:
                groups.append([line])
        return groups

    def _ends_entry(self, line: TextLine, after: TextLine) -> bool:
        """Whether a line ends an entry of contents: dots lead to its number, or it is that number, far off the title."""
        if is_led_entry(line.text):
            return True
        is_last = self.is_page_of_entry(line) or (is_lone_number(line.text) and is_subsection(after.text))
        return after.top > line.centre and is_last

    def is_page_of_entry(self, line: TextLine) -> bool:
        """Whether a line is the number at the end of an entry of contents."""
        return is_lone_number(line.text) and self.chance(line, "contents") >= JOINED

    def _are_tagged_apart(self, one: TextLine, other: TextLine) -> bool:
        """Whether the file says that lines are of two headings or of two items."""
        if not self.sheet.tags:
            return False
        return self.tag(one) != self.tag(other) or self.list_tag(one) != self.list_tag(other)

    def _are_two_headings(self, one: TextLine, other: TextLine) -> bool:
        """Whether lines that are likely to be headings are of two levels.

        They differ in colour or size, and the first word of the second had room beside the first.
        """
        if min(self.chance(one, "heading"), self.chance(other, "heading")) < LIKELY_HEADING:
            return False
        same_colour = not {word.colour for word in one.words}.isdisjoint(word.colour for word in other.words)
        if same_colour and max(one.size, other.size) < OTHER_SIZE * min(one.size, other.size):
            return False
        edge = max(line.right for line in self.lines if line.left < one.right and line.right > one.left)
        return one.right + other.words[0].width + other.size / 2 < edge

    def apart(self, lines: Sequence[TextLine]) -> float:
        """The chance that lines of one group belong together, and nothing before or after them does.

        It is that of the least sure place: what holds for one line holds for its neighbours too, so chances are not multiplied.
        """
        ends = 1 - self._before.get(id(lines[0]), 0.0), 1 - self._after.get(id(lines[-1]), 0.0)
        return min(*ends, *(self._after[id(line)] for line in lines[:-1]))

    def without_heading(self, lines: Sequence[TextLine]) -> list[Sequence[TextLine]]:
        """Lines that seem to be one block, with those at its beginning apart that are likely to be a heading."""
        likely = [self.chance(line, "heading") > LIKELY_HEADING for line in lines]
        first = likely.index(False) if False in likely else 0
        # A sentence that goes on with a small letter has no heading in it.
        if not first or lines[first].text[:1].islower():
            return [lines]
        return [lines[:first], lines[first:]]

    def _is_one_block(self, one: int, other: int, join: float) -> bool:
        return join >= SURELY_JOINED or float(self.chances[one] @ self.chances[other]) >= SAME_ROLE


def _heading_lines(lines: Sequence[TextLine], box: Box) -> list[TextLine]:
    """The lines of what a tag calls a heading; none if they are many, or fill little of what is tagged."""
    inside = lines_in(lines, box)
    if not inside or len(inside) > LONGEST_TAGGED_LINES:
        return []
    return inside if box.height < TAGGED_HEIGHT * hull(inside).height else []


def are_led(one: TextLine, other: TextLine) -> bool:
    """Whether dots lead from the one on to the other, which is beside it."""
    beside = one.right <= other.left and one.top < other.centre < one.bottom
    return beside and (is_leader(other.text) or (is_leader(one.text) and is_lone_number(other.text)))


def continues_list(first: TextLine, line: TextLine) -> bool:
    """Whether a line is the next item of the list whose item begins with the first: by its sign, or by a like marker
    at the same edge.
    """
    if starts_with_bullet(line.text):
        return True
    other = find_marker(line.text)
    one = find_marker(first.text) if other else None
    if one is None or other is None or abs(first.left - line.left) > SAME_EDGE * line.size:
        return False
    return other.ordered if one.ordered else one.marker == other.marker
