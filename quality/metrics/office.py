"""How much of an office file is in the Markdown that was made of it, by what its own XML says.

Words are counted as a bag; headings are paragraphs in a heading style and titles of slides; a row of a table is kept
together if one line of the Markdown has the words of all its cells.
"""

import re
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from lxml import etree  # type: ignore[import-untyped]

_WORD = re.compile(r"\w+")
_NOISE = re.compile(r"(?<!\\)</?(?:table|thead|tbody|tr|t[dh]|br|p|sup|sub)\b[^>\n]{0,300}>|\\(?=[^\w\s])")
_HEADING_STYLE = re.compile(r"(?:heading ?[1-9]|title)$", re.IGNORECASE)
_HEADING_LINE = re.compile(r"^#{1,6} (.*)$", re.MULTILINE)
LEAST_ROW_CELLS = 2
# Forms that are there a second time, and hints how to pronounce a word, which no program shows.
_UNSHOWN = ("Fallback", "rPh")


@dataclass(frozen=True, slots=True)
class OfficeTruth:
    """What the XML of an office file says."""

    headings: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    paragraphs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OfficeScore:
    """Shares from 0 to 1; None where a file has nothing of the kind."""

    words: float | None
    headings: float | None
    rows: float | None
    order: float | None


def score(truth: OfficeTruth, words: str | None, markdown: str) -> OfficeScore:
    """Compare the Markdown of a file with what the file says, and with a text of all its words if there is one."""
    plain = _NOISE.sub(" ", markdown)
    return OfficeScore(
        words=word_recall(words, plain) if words else None,
        headings=heading_recall(truth.headings, plain),
        rows=rows_kept(truth.rows, plain),
        order=order_kept(truth.paragraphs, plain),
    )


def word_recall(truth: str, text: str) -> float | None:
    """The share of the words of a text that another text has, each as often."""
    wanted, found = Counter(_words(truth)), Counter(_words(text))
    return (wanted & found).total() / wanted.total() if wanted else None


def heading_recall(headings: Sequence[str], markdown: str) -> float | None:
    """The share of the headings that are headings in the Markdown."""
    wanted = Counter(_key(one) for one in headings if _key(one))
    found = Counter(_key(one) for one in _HEADING_LINE.findall(markdown))
    return (wanted & found).total() / wanted.total() if wanted else None


def rows_kept(rows: Sequence[Sequence[str]], markdown: str) -> float | None:
    """The share of the rows whose cells are all on one line."""
    lines = [set(_words(line)) for line in markdown.splitlines()]
    wanted = [words for row in rows if (words := {word for cell in row for word in _words(cell)})]
    return sum(any(row <= line for line in lines) for row in wanted) / len(wanted) if wanted else None


def order_kept(paragraphs: Sequence[str], markdown: str) -> float | None:
    """The share of neighbouring paragraphs that follow each other in the Markdown, of those that are found once."""
    text = " ".join(_words(markdown))
    places = [text.find(key) for one in paragraphs if (key := _key(one)) and text.count(key) == 1]
    pairs = list(pairwise(places))
    return sum(a < b for a, b in pairs) / len(pairs) if pairs else None


def truth_of(file: Path) -> OfficeTruth:
    """What the XML of a file says; nothing for a format that this does not know."""
    try:
        with zipfile.ZipFile(file) as package:
            match file.suffix.lower():
                case ".docx":
                    return _docx_truth(package)
                case ".pptx":
                    return _pptx_truth(package)
                case ".xlsx" | ".xlsm":
                    return OfficeTruth(rows=tuple(_sheet_rows(package)))
    except (zipfile.BadZipFile, KeyError, etree.XMLSyntaxError):
        return OfficeTruth()
    return OfficeTruth()


def _docx_truth(package: zipfile.ZipFile) -> OfficeTruth:
    main = next(name for name in package.namelist() if re.fullmatch(r"word/document\d*\.xml", name))
    root, names = _xml(package, main), _style_names(package)
    paragraphs = [one for one in _named(root, "p") if _is_main(one)]
    heads = [one for one in paragraphs if _HEADING_STYLE.match(names.get(_style(one), _style(one)))]
    rows = [
        tuple(_text(cell) for cell in _below(row, "tc")) for row in _named(root, "tr") if _is_outer(row, "tc")
    ]
    return OfficeTruth(tuple(map(_text, heads)), tuple(_full(rows)), tuple(_text(one) for one in paragraphs))


def _pptx_truth(package: zipfile.ZipFile) -> OfficeTruth:
    slides = sorted(
        (name for name in package.namelist() if re.fullmatch(r"ppt/slides/slide\d+\.xml", name)),
        key=lambda name: int(re.sub(r"\D", "", name)),
    )
    roots = [_xml(package, name) for name in slides]
    titles = [
        _text(shape)
        for root in roots
        for shape in _named(root, "sp")
        if any(mark.get("type") in ("title", "ctrTitle") for mark in _named(shape, "ph"))
    ]
    rows = [tuple(_text(cell) for cell in _below(row, "tc")) for root in roots for row in _named(root, "tr")]
    return OfficeTruth(tuple(titles), tuple(_full(rows)))


def _sheet_rows(package: zipfile.ZipFile) -> Iterator[tuple[str, ...]]:
    """The rows of all sheets: those of their cells that hold words."""
    known = []
    if "xl/sharedStrings.xml" in package.namelist():
        known = [_text(one) for one in _named(_xml(package, "xl/sharedStrings.xml"), "si")]
    for name in package.namelist():
        if re.fullmatch(r"xl/worksheets/sheet\d+\.xml", name):
            for row in _named(_xml(package, name), "row"):
                cells = [known[int(value)] for value in _shared(row) if int(value) < len(known)]
                yield from _full([tuple(cells)])


def _shared(row: etree._Element) -> Iterator[str]:
    for cell in _named(row, "c"):
        if cell.get("t") == "s":
            yield from (value.text for value in _named(cell, "v") if value.text)


def _full(rows: Sequence[tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
    for row in rows:
        if sum(bool(cell.strip()) for cell in row) >= LEAST_ROW_CELLS:
            yield row


def _style_names(package: zipfile.ZipFile) -> dict[str, str]:
    if "word/styles.xml" not in package.namelist():
        return {}
    styles = _named(_xml(package, "word/styles.xml"), "style")
    return {
        _get(one, "styleId"): next((_get(name, "val") for name in _named(one, "name")), "") for one in styles
    }


def _style(paragraph: etree._Element) -> str:
    return next((_get(one, "val") for one in _named(paragraph, "pStyle")), "")


def _is_main(paragraph: etree._Element) -> bool:
    """Whether a paragraph is in the text itself, not in a text box or a form that is there a second time."""
    return not any(_local(one) in ("txbxContent", "Fallback", "tc") for one in paragraph.iterancestors())


def _is_outer(row: etree._Element, name: str) -> bool:
    return not any(_local(one) in (name, "Fallback") for one in row.iterancestors())


def _xml(package: zipfile.ZipFile, name: str) -> etree._Element:
    return etree.fromstring(package.read(name), etree.XMLParser(resolve_entities=False, no_network=True))


def _local(element: etree._Element) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _named(root: etree._Element, name: str) -> list[etree._Element]:
    return [one for one in root.iter() if _local(one) == name]


def _below(element: etree._Element, name: str) -> list[etree._Element]:
    return [one for one in element if _local(one) == name]


def _get(element: etree._Element, name: str) -> str:
    return next((value for key, value in element.attrib.items() if key.rpartition("}")[2] == name), "")


def _text(element: etree._Element) -> str:
    """All letters below an element, those that a program only shows in place of a better form left out."""
    pieces = []
    for one in element.iter():
        if _local(one) == "t" and not any(_local(above) in _UNSHOWN for above in one.iterancestors()):
            pieces.append(one.text or "")
        elif _local(one) in ("p", "br", "tab"):
            pieces.append(" ")
    return "".join(pieces)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _key(text: str) -> str:
    return " ".join(_words(text))
