"""The labels of footnotes in Markdown: each note of a document has one of its own."""

import re

from pagemill.model.pages import Block, Span
from pagemill.reading.sources.notes import without_sign

_BLOCK = re.compile(r"#(p\d+-b\d+)")
_BRACKETS = "()[]"


class NoteLabels:
    """The labels that were given to notes so far, by the ids of their blocks."""

    def __init__(self) -> None:
        self._given: dict[str, tuple[str, str]] = {}
        self._taken: set[str] = set()

    def reference(self, text: str, span: Span) -> str | None:
        """The label for a reference to a note: its sign, or the id of the note if another note has that label."""
        found = _BLOCK.fullmatch(span.href or "")
        if found is None:
            return None
        sign = text.strip().strip(_BRACKETS)
        if found[1] not in self._given:
            label = sign if sign.isalnum() and sign.isascii() and sign not in self._taken else found[1]
            self._given[found[1]] = (label, sign)
            self._taken.add(label)
        return self._given[found[1]][0]

    def definition(self, note: Block) -> tuple[str, int] | None:
        """The label of a note, and how many characters of it are its sign; None if nothing refers to it."""
        given = self._given.get(note.id)
        return (given[0], without_sign(note.text, given[1])) if given else None
