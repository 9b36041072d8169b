"""Plain text and what is close to it: paragraphs, code, subtitles, reStructuredText and AsciiDoc."""

import re
from collections.abc import Iterator, Sequence

from pagemill.model.pages import Block, Kind
from pagemill.reading.office.flow import Flow
from pagemill.reading.office.writing import heading, tidy

_CUE = re.compile(r"((?:\d{1,3}:)?\d{1,2}:\d{2}[.,]\d{3})\s+-->\s+")
_TAGS = re.compile(r"<[^<>]{0,200}>|\{\\[^{}]{0,100}\}")
_UNDERLINE = re.compile(r"([=\-~^\"'`#*+:._<>])\1{2,}\s*$")
_EQUALS = re.compile(r"(={1,6})\s+(\S.*)$")
_ENTRY = re.compile(r"(\s*)([-*+•]|\d{1,4}[.)]|#\.|\*{1,5}|\.{1,5})\s+(\S.*)$")
# Code of more lines is cut, so that a page of it can be shown.
CODE_LINES = 200
SPACES_PER_LEVEL = 2


def paragraphs(text: str) -> Flow:
    """Text whose paragraphs are apart by blank lines; a form feed begins a page."""
    flow = Flow()
    for at, page in enumerate(_lines(text).split("\f")):
        if at:
            flow.break_page()
        flow.add(*(Block("", Kind.PARAGRAPH, text=tidy(one)) for one in re.split(r"\n\s*\n", page)))
    return flow


def code(text: str, lang: str | None) -> Flow:
    """Text that is kept line by line."""
    flow = Flow()
    lines = _lines(text).rstrip("\n").split("\n")
    for first in range(0, len(lines), CODE_LINES):
        flow.add(Block("", Kind.CODE, text="\n".join(lines[first : first + CODE_LINES]), lang=lang))
    return flow


def subtitles(text: str) -> Flow:
    """The cues of WebVTT or SubRip, each with the time at which it begins."""
    flow = Flow()
    for piece in re.split(r"\n\s*\n", _lines(text)):
        lines = piece.strip().split("\n")
        at = next((at for at, line in enumerate(lines) if _CUE.match(line.strip())), None)
        if at is None:
            continue
        start = _CUE.match(lines[at].strip())
        words = tidy(_TAGS.sub("", " ".join(lines[at + 1 :])))
        if words and start:
            flow.add(Block("", Kind.PARAGRAPH, text=f"[{start[1].replace(',', '.')}] {words}", role="cue"))
    return flow


def light_markup(text: str) -> Flow:
    """reStructuredText or AsciiDoc: headings, lists, code and paragraphs; all other markup stays as it is."""
    flow, ranks = Flow(), list[str]()
    for piece in _pieces(_lines(text).split("\n")):
        flow.add(*_piece_blocks(piece, ranks))
    return flow


def _pieces(lines: Sequence[str]) -> Iterator[list[str]]:
    """Lines between blank ones; those between fences are kept together."""
    piece: list[str] = []
    fence: str | None = None
    for line in lines:
        bare = line.rstrip()
        if fence is None and bare in ("----", "....", "```") and not piece:
            fence, piece = bare, [bare]
        elif fence is not None:
            piece.append(bare)
            if bare == fence:
                yield piece
                fence, piece = None, []
        elif not bare:
            yield piece
            piece = []
        else:
            piece.append(bare)
    yield piece


def _piece_blocks(piece: list[str], ranks: list[str]) -> Iterator[Block]:
    if not piece:
        return
    if piece[0] in ("----", "....", "```"):
        yield Block("", Kind.CODE, text="\n".join(piece[1:-1] if piece[-1] == piece[0] else piece[1:]))
        return
    rest = piece
    if len(rest) >= 3 and _UNDERLINE.match(rest[0]) and _UNDERLINE.match(rest[2]):
        yield heading(rest[1], _rank(ranks, rest[0][0] * 2))
        rest = rest[3:]
    elif (
        len(rest) >= 2
        and _UNDERLINE.match(rest[1])
        and not _UNDERLINE.match(rest[0])
        and len(rest[1].strip()) >= len(rest[0].strip()) - 1
    ):
        yield heading(rest[0], _rank(ranks, rest[1][0]))
        rest = rest[2:]
    elif equals := _EQUALS.match(rest[0]):
        yield heading(equals[2], len(equals[1]))
        rest = rest[1:]
    yield from _entries_or_paragraph(rest)


def _rank(ranks: list[str], mark: str) -> int:
    """The level of a heading: its kind of line, in the order in which they are used."""
    if mark not in ranks:
        ranks.append(mark)
    return ranks.index(mark) + 1


def _entries_or_paragraph(lines: list[str]) -> Iterator[Block]:
    if not lines:
        return
    if not _ENTRY.match(lines[0]):
        yield Block("", Kind.PARAGRAPH, text=tidy("\n".join(lines)))
        return
    entry: list[str] = []
    for line in lines:
        if _ENTRY.match(line) and entry:
            yield _entry(entry)
            entry = []
        entry.append(line)
    yield _entry(entry)


def _entry(lines: list[str]) -> Block:
    match = _ENTRY.match(lines[0])
    if match is None:
        return Block("", Kind.PARAGRAPH, text=tidy("\n".join(lines)))
    mark = match[2]
    nested = len(mark) - 1 if (len(mark) > 1 and set(mark) <= {"*"}) or set(mark) <= {"."} else 0
    words = tidy(" ".join((match[3], *(line.strip() for line in lines[1:]))))
    ordered = mark[0].isdigit() or mark[0] in "#."
    marker = mark if mark[0].isdigit() else None
    level = nested or min(len(match[1]) // SPACES_PER_LEVEL, 8)
    return Block(
        "", Kind.LIST_ITEM, text=words, level=level, ordered=ordered and marker is not None, marker=marker
    )


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
