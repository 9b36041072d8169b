"""Footnotes: a sign that was set apart from its note, and the raised signs in the text that refer to notes."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from pagemill.model.pages import Block, Kind, Script, Span

_NOTE_SIGN = re.compile(r"[(\[]?(\d{1,3}|[*∗†‡§¶]{1,3}|[a-z](?=[\s.)]))[)\]]?[.]?\s*")
_LONE_SIGN = re.compile(r"\d{1,3}|[*∗†‡§¶]{1,3}")
_SIGNS = re.compile(r"[^\s,;]+")
# A sign is beside its note if their tops differ by less, in points.
BESIDE_POINTS = 8.0


def sign_of(text: str) -> str | None:
    """The sign that a note begins with."""
    found = _NOTE_SIGN.match(text)
    return found[1] if found else None


def without_sign(text: str, sign: str) -> int:
    """How many characters of a note are its sign and what parts it from the note."""
    found = _NOTE_SIGN.match(text)
    return found.end() if found and found[1] == sign else 0


def with_signs(blocks: Sequence[Block]) -> list[Block]:
    """The blocks, with signs that were taken for texts of their own put before their notes."""
    whole: list[Block] = []
    for block in blocks:
        if whole and block.kind is Kind.FOOTNOTE and _is_sign_of(whole[-1], block):
            whole[-1] = _sign(whole[-1].text, block)
        else:
            whole.append(block)
    return whole


def _is_sign_of(sign: Block, note: Block) -> bool:
    if not _LONE_SIGN.fullmatch(sign.text) or _NOTE_SIGN.match(note.text) or not (sign.box and note.box):
        return False
    return abs(sign.box.y - note.box.y) < BESIDE_POINTS and sign.box.x <= note.box.x


def _sign(sign: str, note: Block) -> Block:
    by = len(sign) + 1
    moved = tuple(span.behind(by) for span in note.spans)
    raised = Span(0, len(sign), script=Script.ABOVE)
    return replace(note, text=f"{sign} {note.text}", spans=(raised, *moved))


def with_references(blocks: Sequence[Block]) -> list[Block]:
    """The blocks, which have their ids, with raised signs made links to the notes that begin with them."""
    notes: dict[str, str] = {}
    for block in blocks:
        if block.kind is Kind.FOOTNOTE and (sign := sign_of(block.text)):
            notes.setdefault(sign, block.id)
    return [_referring(block, notes) for block in blocks] if notes else list(blocks)


def _referring(block: Block, notes: Mapping[str, str]) -> Block:
    if block.kind is Kind.FOOTNOTE or not any(span.script is Script.ABOVE for span in block.spans):
        return block
    spans = tuple(part for span in block.spans for part in _parts(span, block.text, notes))
    return block if spans == block.spans else replace(block, spans=spans)


def _parts(span: Span, text: str, notes: Mapping[str, str]) -> Iterator[Span]:
    """A raised span, or the signs in it one by one if there is a note for each."""
    signs = list(_SIGNS.finditer(text, span.start, span.end))
    known = bool(signs) and all(sign[0].strip("()[]") in notes for sign in signs)
    if span.script is not Script.ABOVE or span.href or not known:
        yield span
        return
    at = span.start
    for sign in signs:
        if sign.start() > at:
            yield replace(span, start=at, end=sign.start())
        yield replace(span, start=sign.start(), end=sign.end(), href=f"#{notes[sign[0].strip('()[]')]}")
        at = sign.end()
