"""The running text of lines, with what is emphasised, raised or lowered in it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from pagemill.model.pages import Script, Span
from pagemill.reading.layout.lines import TextLine, is_glued
from pagemill.reading.layout.markers import is_lone_bullet
from pagemill.reading.layout.wording import Vocabulary, join_between
from pagemill.reading.page.sheet import TypedRun, Word

# A heading at the beginning of a paragraph ends with a full stop or colon.
_RUN_IN = re.compile(r".{2,60}?(?<!\.)[^\W\d][.:](?=\s)")
# Characters are raised or lowered if they are so much smaller than their line, and their baseline so far off, in sizes.
SMALL, OFF_BASELINE = 0.85, 0.08


@dataclass(slots=True)
class Composed:
    """Text as it grows, and the runs of it that are set otherwise than the rest."""

    text: str = ""
    spans: list[Span] = field(default_factory=list)

    def add(self, word: Word, between: str, script: Script | None) -> None:
        """Append a word, as it is printed, after what is between it and the text before."""
        self.text += between
        for run in word.printed or (TypedRun(word.text, bool(word.bold), bool(word.italic)),):
            start, raised = len(self.text), run.script or script
            self.text += run.text
            if run.bold or run.italic or raised or run.href:
                self._mark(Span(start, len(self.text), run.bold, run.italic, run.href, script=raised))

    def add_run(self, text: str, word: Word, between: str) -> None:
        """Append the text of words that are all set as the first of them is."""
        start = len(self.text) + len(between)
        self.text += between + text
        if word.bold or word.italic:
            self._mark(Span(start, len(self.text), bool(word.bold), bool(word.italic)))

    def _mark(self, span: Span) -> None:
        last = self.spans[-1] if self.spans else None
        if last and is_same_style(last, span) and self.text[last.end : span.start].strip() == "":
            self.spans[-1] = replace(last, end=span.end)
        else:
            self.spans.append(span)

    def shorten(self, characters: int) -> None:
        """Take characters off the end: the hyphen of a broken word."""
        if characters:
            self.text = self.text[:-characters]
            end = len(self.text)
            self.spans = [replace(s, end=min(s.end, end)) for s in self.spans if s.start < end]


def compose_text(lines: Sequence[TextLine], vocabulary: Vocabulary) -> Composed:
    """The text of lines that follow each other, words that were broken at their ends mended."""
    whole = Composed()
    for line in lines:
        between, hyphen = join_between(whole.text, line.text, vocabulary) if whole.text else ("", 0)
        whole.shorten(hyphen)
        _append(whole, line, between)
    return whole


def with_run_in(whole: Composed, lines: Sequence[TextLine]) -> Composed:
    """The text with only its first words bold, where the engine says no more than that its first line begins so."""
    if (
        len(lines) < 2
        or any(word.printed for word in lines[0].words)
        or lines[0].bold < 1.0
        or lines[1].bold > 0.0
        or len({w.run for w in lines[0].words}) > 1
    ):
        return whole
    match = _RUN_IN.match(whole.text)
    first = len(lines[0].text)
    kept = [span for span in whole.spans if span.start >= first or not span.bold]
    bold = [Span(0, match.end(), bold=True)] if match else []
    return Composed(whole.text, [*bold, *kept])


def _append(whole: Composed, line: TextLine, between: str) -> None:
    if line.is_one_run and not any(word.printed for word in line.words):
        # The type of a run is that of its first word.
        whole.add_run(line.text, line.words[0], between)
        return
    whole.add(line.words[0], between, script_of(line.words[0], line))
    for before, word in pairwise(line.words):
        whole.add(word, "" if is_glued(before, word) else " ", script_of(word, line))


def script_of(word: Word, line: TextLine) -> Script | None:
    """Whether a word is raised above its line or lowered below it."""
    if word.size > SMALL * line.size or line.is_recognised or is_lone_bullet(word.text):
        return None
    off = line.baseline - word.baseline
    if abs(off) < OFF_BASELINE * line.size:
        return None
    return Script.ABOVE if off > 0 else Script.BELOW


def is_same_style(one: Span, other: Span) -> bool:
    """Whether two runs are set alike."""
    return (one.bold, one.italic, one.href, one.script) == (
        other.bold,
        other.italic,
        other.href,
        other.script,
    )


def common_style(whole: Composed) -> tuple[bool, bool, tuple[Span, ...]]:
    """Whether all of the text is bold or italic, and the spans that are left."""
    if not whole.spans and whole.text:
        return False, False, ()
    solid = len(whole.text.replace(" ", ""))
    bold = _count_covered(whole, "bold") >= solid
    italic = _count_covered(whole, "italic") >= solid
    return bold, italic, tuple(_without(whole.spans, bold=bold, italic=italic))


def _count_covered(whole: Composed, style: str) -> int:
    spans = [span for span in whole.spans if getattr(span, style)]
    return sum(len(whole.text[span.start : span.end].replace(" ", "")) for span in spans)


def _without(spans: Sequence[Span], *, bold: bool, italic: bool) -> Iterator[Span]:
    for span in spans:
        left = replace(span, bold=span.bold and not bold, italic=span.italic and not italic)
        if left.bold or left.italic or left.script or left.href:
            yield left
