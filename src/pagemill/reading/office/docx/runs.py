"""The inside of a paragraph of Word: runs, links, fields, formulas, notes, and what is drawn."""

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Protocol

from pagemill.model.pages import Block
from pagemill.reading.office.docx.styles import Styles, is_switched_on
from pagemill.reading.office.flow import NOTE
from pagemill.reading.office.omml import latex
from pagemill.reading.office.package import Package
from pagemill.reading.office.symbol_fonts import read_symbols, symbol_character
from pagemill.reading.office.writing import PLAIN, Text, TextLook, place_link, place_name, safe_link
from pagemill.reading.office.xml_parts import (
    Element,
    attribute,
    child,
    children,
    descendants,
    is_on,
    local,
    number,
    value_of,
)

_FIELD_LINK = re.compile(r'\s*HYPERLINK\s+(\\l\s+)?"([^"]*)"', re.IGNORECASE)
# A reference to a bookmark that is a link (\h).
_FIELD_REFERENCE = re.compile(r'\s*(?:PAGE|NOTE)?REF\s+"?([^\s"\\]+)"?[^"]*\\h\b', re.IGNORECASE)
HIDDEN = "hidden_text"
LONGEST_CODE_PARAGRAPHS = 3
TICKED, UNTICKED = "☒", "☐"
# What an alternative must have for this reader to make something of it.
_KNOWN = ("t", "txbxContent", "blip", "imagedata", "chart", "oMath", "relIds", "textpath")


class Drawings(Protocol):
    """Reads what is drawn in a paragraph."""

    def read_drawing(self, element: Element) -> list[Block]:
        """The figures, text boxes and charts of a drawing."""
        ...


@dataclass(slots=True)
class Field:
    """A field of Word that is open: its code, and whether its result has begun."""

    code: str = ""
    result: bool = False
    paragraphs: int = 0


@dataclass(slots=True)
class RunContext:
    """What the runs of a document need to be understood."""

    package: Package
    part: str
    styles: Styles
    changes: str = "final"
    # Whether another document took this one in; it takes in no others itself.
    is_inserted: bool = False
    fields: list[Field] = field(default_factory=list)


@dataclass(slots=True)
class Content:
    """What a paragraph holds."""

    text: Text = field(default_factory=Text)
    drawn: list[Block] = field(default_factory=list)
    formulas: list[str] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)
    bookmarks: list[str] = field(default_factory=list)
    breaks_before: bool = False
    breaks_after: bool = False

    def begin_with(self, other: "Content") -> None:
        """Put what another paragraph holds before what this one holds."""
        self.text.runs[:0] = other.text.runs
        self.drawn[:0] = other.drawn
        self.formulas[:0] = other.formulas
        self.notes[:0] = other.notes
        self.bookmarks[:0] = other.bookmarks
        self.breaks_before = self.breaks_before or other.breaks_before


@dataclass(slots=True)
class ParagraphReader:
    """Reads one paragraph."""

    source: RunContext
    drawings: Drawings
    paragraph_style: str | None = None
    content: Content = field(default_factory=Content)
    font: str | None = None

    def read(self, paragraph: Element) -> Content:
        """What the paragraph holds."""
        self._end_lost_fields()
        self._all(paragraph, PLAIN)
        return self.content

    def _all(self, element: Element, look: TextLook) -> None:
        for one in children(element):
            read = _READERS.get(local(one))
            if read is not None:
                read(self, one, look)

    def _end_lost_fields(self) -> None:
        """Give up fields whose code goes on over several paragraphs: their end was lost, and the text goes on."""
        for one in self.source.fields:
            one.paragraphs += not one.result
        self.source.fields[:] = [
            one for one in self.source.fields if one.paragraphs <= LONGEST_CODE_PARAGRAPHS
        ]

    def _shown_field(self) -> bool:
        return all(one.result for one in self.source.fields)

    def link(self, element: Element, look: TextLook) -> None:
        """A link, whose target is a relation of this part."""
        relation = self.source.package.relations(self.source.part).get(attribute(element, "id") or "")
        href = safe_link(relation.target) if relation and relation.external else None
        href = href or place_link(attribute(element, "anchor"))
        self._all(element, replace(look, href=href) if href else look)

    def read_inserted(self, element: Element, look: TextLook) -> None:
        """Text that was added while changes were tracked."""
        if self.source.changes != "original":
            self._all(element, replace(look, change="inserted") if self.source.changes == "both" else look)

    def read_deleted(self, element: Element, look: TextLook) -> None:
        """Text that was taken out while changes were tracked."""
        if self.source.changes != "final":
            self._all(element, replace(look, change="deleted") if self.source.changes == "both" else look)

    def inside(self, element: Element, look: TextLook) -> None:
        """Something that only holds other things."""
        self._all(element, look)

    def control(self, element: Element, look: TextLook) -> None:
        """A content control; a box to tick shows whether it is."""
        box = child(element, "sdtPr", "checkbox")
        content = child(element, "sdtContent")
        if box is not None:
            ticked = is_on(child(box, "checked"))
            self.content.text.add(TICKED if ticked else UNTICKED, look)
        elif content is not None:
            self._all(content, look)

    def alternative(self, element: Element, look: TextLook) -> None:
        """The first of several forms of the same thing that can be read."""
        chosen = choose(element)
        if chosen is not None:
            self._all(chosen, look)

    def formula(self, element: Element, look: TextLook) -> None:
        """A formula in the text."""
        if made := latex(element):
            self.content.formulas.append(made)
            self.content.text.add(f"${made}$", look)

    def run(self, element: Element, look: TextLook) -> None:
        """A run of text that looks the same."""
        properties = child(element, "rPr")
        style = value_of(properties, "rStyle")
        if self._is_on(properties, style, "vanish", "hidden") and not self._shown_in_contents():
            if next(descendants(element, "t"), None) is not None:
                self.source.package.warn(HIDDEN)
            return
        look = replace(
            look,
            bold=self._is_on(properties, style, "b", "bold"),
            italic=self._is_on(properties, style, "i", "italic"),
            href=look.href or self._field_link(),
        )
        self.font = attribute(child(properties, "rFonts"), "ascii")
        for one in children(element):
            read = _RUN_READERS.get(local(one))
            if read is not None:
                read(self, one, look)

    def _is_on(self, properties: Element | None, style: str | None, name: str, switch: str) -> bool:
        own = is_switched_on(properties, name)
        if own is not None:
            return own
        styles = self.source.styles
        return styles.switch(style, switch) or (
            styles.heading_level(self.paragraph_style) is None and styles.switch(self.paragraph_style, switch)
        )

    def _shown_in_contents(self) -> bool:
        # Page numbers of a table of contents are hidden in the view for the web only.
        return any(one.code.strip().upper().startswith(("PAGEREF", "TOC")) for one in self.source.fields)

    def _field_link(self) -> str | None:
        for one in reversed(self.source.fields):
            link = _FIELD_LINK.match(one.code) if one.result else None
            if link:
                return place_link(link[2]) if link[1] else safe_link(link[2])
            reference = _FIELD_REFERENCE.match(one.code) if one.result else None
            if reference:
                return place_link(reference[1])
        return None

    def bookmark(self, element: Element, look: TextLook) -> None:
        """A place that links lead to."""
        if name := place_name(attribute(element, "name")):
            self.content.bookmarks.append(name)

    def words(self, element: Element, look: TextLook) -> None:
        """The text of a run."""
        if self._shown_field():
            self.content.text.add(read_symbols(element.text or "", self.font), look)

    def deleted_words(self, element: Element, look: TextLook) -> None:
        """The text of a run that was taken out."""
        if self.source.changes != "final":
            self.words(element, look)

    def blank(self, element: Element, look: TextLook) -> None:
        """A tab or a hyphen."""
        mark = {"tab": "\t", "ptab": "\t", "noBreakHyphen": "\u2011"}.get(local(element), "")
        if self._shown_field():
            self.content.text.add(mark, look)

    def line_break(self, element: Element, look: TextLook) -> None:
        """The end of a line, or of a page."""
        if attribute(element, "type") == "page" or local(element) == "lastRenderedPageBreak":
            self.page_break()
        elif self._shown_field():
            self.content.text.add("\n", look)

    def page_break(self) -> None:
        """A page ends here; what is before it in the paragraph belongs to the former page."""
        if self.content.text.is_empty():
            self.content.breaks_before = True
        else:
            self.content.breaks_after = True

    def symbol(self, element: Element, look: TextLook) -> None:
        """A character of a font of symbols."""
        with suppress(ValueError):
            code = int(attribute(element, "char") or "", 16)
            self.content.text.add(symbol_character(attribute(element, "font"), code), look)

    def note(self, element: Element, look: TextLook) -> None:
        """A reference to a footnote, an endnote or a comment."""
        kind = local(element).removesuffix("Reference")
        note_id = attribute(element, "id") or ""
        self.content.notes.append((kind, note_id))
        if kind != "comment":
            name = f"{kind}{note_id}"
            self.content.text.add(f"[{note_label(kind, note_id)}]", TextLook(href=NOTE + name))

    def field_mark(self, element: Element, look: TextLook) -> None:
        """The begin, the middle or the end of a field."""
        fields = self.source.fields
        match attribute(element, "fldCharType"):
            case "begin":
                fields.append(Field())
                self.content.text.add(_form_field(element), look)
            case "separate" if fields:
                fields[-1].result = True
            case "end" if fields:
                fields.pop()

    def field_code(self, element: Element, look: TextLook) -> None:
        """The code of a field, which is not shown."""
        if self.source.fields:
            self.source.fields[-1].code += element.text or ""

    def ruby(self, element: Element, look: TextLook) -> None:
        """Characters with their reading above them: the characters, then the reading in parentheses."""
        for name in ("rubyBase", "rt"):
            part = child(element, name)
            if part is not None:
                self.content.text.add("(" if name == "rt" else "", look)
                self._all(part, look)
                self.content.text.add(")" if name == "rt" else "", look)

    def drawn(self, element: Element, look: TextLook) -> None:
        """A drawing, a picture or an embedded object."""
        self.content.drawn += self.drawings.read_drawing(element)

    def run_alternative(self, element: Element, look: TextLook) -> None:
        """The first of several forms of the same thing in a run."""
        chosen = choose(element)
        for one in children(chosen) if chosen is not None else ():
            read = _RUN_READERS.get(local(one)) or _READERS.get(local(one))
            if read is not None:
                read(self, one, look)


def _form_field(element: Element) -> str:
    """What a field of a form shows that has no text of its own: whether a box is ticked, or what was chosen."""
    box, entries = child(element, "ffData", "checkBox"), child(element, "ffData", "ddList")
    if box is not None:
        ticked = child(box, "checked") if child(box, "checked") is not None else child(box, "default")
        return TICKED if is_on(ticked) else UNTICKED
    if entries is None:
        return ""
    chosen = number(value_of(entries, "result") or value_of(entries, "default"))
    listed = [attribute(one, "val") or "" for one in children(entries, "listEntry")]
    return listed[chosen] if 0 <= chosen < len(listed) else ""


def choose(element: Element) -> Element | None:
    """The form of an alternative that can be read."""
    forms = [*children(element, "Choice"), *children(element, "Fallback")]
    return next((one for one in forms if next(descendants(one, *_KNOWN), None) is not None), None)


def note_label(kind: str, note_id: str) -> str:
    """How a note is called in the text."""
    prefix = {"footnote": "", "endnote": "e", "comment": "c"}.get(kind, "")
    return f"{prefix}{note_id}"


Reader = Callable[[ParagraphReader, Element, TextLook], None]
_READERS: dict[str, Reader] = {
    "r": ParagraphReader.run,
    "hyperlink": ParagraphReader.link,
    "ins": ParagraphReader.read_inserted,
    "moveTo": ParagraphReader.read_inserted,
    "del": ParagraphReader.read_deleted,
    "moveFrom": ParagraphReader.read_deleted,
    "fldSimple": ParagraphReader.inside,
    "smartTag": ParagraphReader.inside,
    "customXml": ParagraphReader.inside,
    "dir": ParagraphReader.inside,
    "bdo": ParagraphReader.inside,
    "oMathPara": ParagraphReader.inside,
    "sdt": ParagraphReader.control,
    "bookmarkStart": ParagraphReader.bookmark,
    "oMath": ParagraphReader.formula,
    "AlternateContent": ParagraphReader.alternative,
}
_RUN_READERS: dict[str, Reader] = {
    "t": ParagraphReader.words,
    "delText": ParagraphReader.deleted_words,
    "tab": ParagraphReader.blank,
    "ptab": ParagraphReader.blank,
    "noBreakHyphen": ParagraphReader.blank,
    "br": ParagraphReader.line_break,
    "cr": ParagraphReader.line_break,
    "lastRenderedPageBreak": ParagraphReader.line_break,
    "sym": ParagraphReader.symbol,
    "footnoteReference": ParagraphReader.note,
    "endnoteReference": ParagraphReader.note,
    "commentReference": ParagraphReader.note,
    "fldChar": ParagraphReader.field_mark,
    "instrText": ParagraphReader.field_code,
    "ruby": ParagraphReader.ruby,
    "drawing": ParagraphReader.drawn,
    "pict": ParagraphReader.drawn,
    "object": ParagraphReader.drawn,
    "AlternateContent": ParagraphReader.run_alternative,
}
