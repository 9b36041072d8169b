"""Escapes for Markdown, only where a character would otherwise change the meaning.

Most are backslashes. What could begin a tag or an entity is written as an entity: not every program that shows
Markdown takes a backslash before these, and some take up a link without a look at it.
"""

import re

_SPECIAL = re.compile(r"[\\*_`<&\[~]")
_CELL_SPECIAL = re.compile(r"[\\*_`<&\[~|\n]")
_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_ENTITY = re.compile(r"&#?\w{1,31};")
_NO_TAG = re.compile(r"<[\s\d=]")
_ENTITIES = {"<": "&lt;", "&": "&amp;"}
_LINE_START = re.compile(
    r"(?P<mark>#{1,6}(?=\s|$)|>|[-+*](?=\s|$)|`{3}|~{3}|={1,}\s*$|-+\s*$|(?:[-*_]\s*){3,}$|\[[^\]]+\]:)"
    r"|(?P<number>\d{1,9})(?P<dot>[.)])(?=\s|$)"
)


def inline(text: str, *, styled: bool = False) -> str:
    """Running text; `styled` says that emphasis is around it, which stars would disturb."""
    if not _SPECIAL.search(text):
        return text
    out = []
    for at, character in enumerate(text):
        if character in "\\*_`<&[~" and _matters(text, at, character, styled=styled):
            out.append(_ENTITIES.get(character, f"\\{character}"))
        else:
            out.append(character)
    return "".join(out)


def line_start(text: str) -> str:
    """A line of text, so that its beginning does not look like a heading, a list or a rule."""
    match = _LINE_START.match(text)
    if match is None:
        return text
    if match["number"]:
        return f"{match['number']}\\{text[match.end('number') :]}"
    return f"\\{text}"


def cell(text: str) -> str:
    """The text of a cell in a table of pipes."""
    if not _CELL_SPECIAL.search(text):
        return text.strip()
    return inline(text).replace("|", "\\|").replace("\n", "<br>").strip()


def _matters(text: str, at: int, character: str, *, styled: bool) -> bool:
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    if character == "\\":
        return not after or after in _PUNCTUATION or after == "\n"
    if character == "*":
        return styled or (text.count("*") > 1 and not (_blank(before) and _blank(after)))
    if character == "_":
        inside = before.isalnum() and after.isalnum()
        return (styled or text.count("_") > 1) and not inside and not (_blank(before) and _blank(after))
    if character == "`":
        return text.count("`") > 1
    if character == "<":
        return _NO_TAG.match(text, at) is None
    if character == "&":
        return _ENTITY.match(text, at) is not None
    if character == "[":
        return after == "^" or "](" in text[at:]
    return after == "~" and text.count("~~") > 1


def _blank(text: str) -> bool:
    return not text or text.isspace()
