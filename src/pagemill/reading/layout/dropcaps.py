"""Drop caps: a large letter beside the first lines of a text is put before its first word."""

from collections.abc import Sequence
from dataclasses import replace

from pagemill.reading.layout.lines import TextLine

LEAST_RATIO = 1.7
# A letter and the quotation mark before it.
LONGEST_CAP = 2
MOST_LINES_BESIDE = 4


def with_drop_caps(lines: Sequence[TextLine]) -> list[TextLine]:
    """The lines, with each drop cap made the first word of the line that it is beside."""
    lines = _taken_out(lines)
    caps = [line for line in lines if _may_be_cap(line)]
    result = [line for line in lines if line not in caps]
    for cap in caps:
        first = _first_beside(cap, result)
        if first is None:
            result.append(cap)
            continue
        place = result.index(first)
        result[place] = _add_cap(cap, first)
    return result


def _taken_out(lines: Sequence[TextLine]) -> list[TextLine]:
    """The lines, with a drop cap that the engine read into a lower line put before the line that it begins."""
    result = list(lines)
    for line in lines:
        letter = line.words[0].text
        if (
            len(line.words) > 1
            and len(letter) == 1
            and letter.isupper()
            and not line.words[1].text[0].isupper()
        ):
            rest = TextLine(line.words[1:], line.hint)
            first = _first_above(rest, lines)
            if first:
                result[result.index(first)] = _add_cap(TextLine(line.words[:1]), first)
                result[result.index(line)] = rest
    return result


def _first_above(rest: TextLine, lines: Sequence[TextLine]) -> TextLine | None:
    """The first of the lines right above that begin at the same place, if it begins within a word."""
    above = [
        line
        for line in lines
        if abs(line.left - rest.left) < rest.size / 4
        and 0 < rest.centre - line.centre < MOST_LINES_BESIDE * 1.5 * rest.size
    ]
    first = min(above, key=lambda line: line.top, default=None)
    return first if first and first.text[:1].islower() else None


def _may_be_cap(line: TextLine) -> bool:
    text = line.text
    return len(text) <= LONGEST_CAP and text[-1:].isalpha() and text[-1:].isupper()


def _first_beside(cap: TextLine, lines: Sequence[TextLine]) -> TextLine | None:
    """The uppermost of the smaller lines that begin right of a large letter."""
    beside = [
        line
        for line in lines
        if cap.size >= LEAST_RATIO * line.size
        and cap.top - line.size < line.centre < cap.bottom
        and 0 <= line.left - cap.right + line.size < 2.5 * line.size
    ]
    return min(beside, key=lambda line: line.top, default=None)


def _add_cap(cap: TextLine, first: TextLine) -> TextLine:
    letter, word = cap.words[0], first.words[0]
    glued = word.text[:1].islower() or word.text.isupper()
    size, top, bottom, baseline = word.size, word.top, word.bottom, word.baseline
    head = [
        replace(
            letter, size=size, top=top, bottom=bottom, baseline=baseline, bold=word.bold, italic=word.italic
        )
    ]
    if glued:
        head[0] = replace(head[0], text=letter.text + word.text, right=word.right, run=word.run)
        return TextLine([*head, *first.words[1:]], first.hint)
    return TextLine([*head, *first.words], first.hint)
