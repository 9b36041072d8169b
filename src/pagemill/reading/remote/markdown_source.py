"""Markdown as models write it, made ready for a parser: cut at tables and code, with formulas and odd tags mended."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

_FENCE = re.compile(r"(`{3,}|~{3,})[ \t]*([^`]*)")
_TABLE = re.compile(r"<table\b.*?(?:</table\s*>|\Z)", re.DOTALL | re.IGNORECASE)
# The lengths bound the work that an opening without its end can cause.
_DISPLAY = re.compile(
    r"(?:\\\[(?P<bracketed>(?:(?!\\\[).){1,4000}?)\\\]|\$\$(?P<dollars>.{1,4000}?)\$\$)(?:[ \t]*\((?P<number>\w[\w.]{0,9})\))?",
    re.DOTALL,
)
_INLINE = re.compile(r"\\\(((?:(?!\\\().){1,1000}?)\\\)", re.DOTALL)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_HEADING = re.compile(r"<h([1-6])\b[^<>]*>((?:(?!<h[1-6]).){0,2000}?)</h\1\s*>", re.DOTALL | re.IGNORECASE)
_BULLET = re.compile(r"<li\b[^<>]*>", re.IGNORECASE)
_RULE = re.compile(r"<hr\b[^<>]*>", re.IGNORECASE)
# Tags around paragraphs. Their contents are Markdown as often as not, which a parser would not look at.
_WRAPPERS = re.compile(
    r"</?(?:article|aside|blockquote|body|center|div|dl|figcaption|figure|footer|header|html|main|ol|p|page_number"
    r"|section|ul|watermark)\b[^<>]*>|</li\s*>",
    re.IGNORECASE,
)
_WRAPPED = re.compile(r"\A\s*(`{3,}|~{3,})(?:markdown|md|yaml)[ \t]*\n(.*?)\n?(?:\1[ \t]*)?\Z", re.DOTALL)
MARKDOWN = ("markdown", "md")


class Sort(Enum):
    """What a piece of the source is."""

    PROSE = "prose"
    CODE = "code"
    TABLE = "table"


@dataclass(frozen=True, slots=True)
class Stretch:
    """A piece of the source: prose in Markdown, the contents of a fence with its language, or an HTML table."""

    sort: Sort
    text: str
    lang: str = ""


def stretches(source: str) -> Iterator[Stretch]:
    """The pieces of the source in order."""
    for stretch in _cut_at_fences(source):
        if stretch.sort is Sort.PROSE:
            yield from _cut_at_tables(stretch.text)
        elif stretch.lang in MARKDOWN or (stretch.lang == "html" and "<table" in stretch.text):
            yield from stretches(stretch.text)
        else:
            yield stretch


def _cut_at_fences(source: str) -> Iterator[Stretch]:
    """Prose and code in turn; a fence that is left open runs to the end."""
    lines: list[str] = []
    fence = lang = ""
    for line in source.split("\n"):
        mark = _FENCE.fullmatch(line)
        if mark and not fence:
            yield Stretch(Sort.PROSE, "\n".join(lines))
            fence, lang, lines = mark[1], mark[2].strip().lower(), []
        elif mark and mark[1].startswith(fence) and not mark[2].strip():
            yield Stretch(Sort.CODE, "\n".join(lines), lang)
            fence, lines = "", []
        else:
            lines.append(line)
    yield Stretch(Sort.CODE if fence else Sort.PROSE, "\n".join(lines), lang if fence else "")


def _cut_at_tables(prose: str) -> Iterator[Stretch]:
    at = 0
    for match in _TABLE.finditer(prose):
        yield Stretch(Sort.PROSE, mend_prose(prose[at : match.start()]))
        yield Stretch(Sort.TABLE, match[0])
        at = match.end()
    yield Stretch(Sort.PROSE, mend_prose(prose[at:]))


def unwrap_fence(source: str) -> str:
    """The source without a fence around all of it, as chatty models put there."""
    match = _WRAPPED.match(source)
    return match[2] if match else source


def mend_prose(prose: str) -> str:
    """The prose with formulas between dollars and without tags that would hide Markdown from the parser."""
    if "<" in prose:
        prose = _COMMENT.sub("", prose)
        prose = _HEADING.sub(_hashes, prose)
        prose = _RULE.sub("\n\n---\n\n", prose)
        prose = _BULLET.sub("\n- ", prose)
        prose = _WRAPPERS.sub(_gap, prose)
    if "\\[" in prose or "$$" in prose:
        prose = _DISPLAY.sub(_display, prose)
    return with_dollars(prose)


def with_dollars(text: str) -> str:
    """The text with the formulas in its lines between dollars."""
    return _INLINE.sub(_between_dollars, text) if "\\(" in text else text


def _hashes(match: re.Match[str]) -> str:
    return f"\n\n{'#' * int(match[1])} {' '.join(match[2].split())}\n\n"


def _gap(match: re.Match[str]) -> str:
    return " " if _line_before(match).lstrip().startswith("|") else "\n\n"


def _line_before(match: re.Match[str]) -> str:
    return match.string[match.string.rfind("\n", 0, match.start()) + 1 : match.start()]


def _display(match: re.Match[str]) -> str:
    """A formula that begins a line is a block of its own; one inside a line goes with the text."""
    formula = " ".join((match["bracketed"] or match["dollars"]).split())
    if match["number"]:
        formula += f" \\tag{{{match['number']}}}"
    if _line_before(match).strip(" \t>"):
        return f"${formula}$"
    return f"\n\n$$\n{formula}\n$$\n\n"


def _between_dollars(match: re.Match[str]) -> str:
    return f"${' '.join(match[1].split())}$"
