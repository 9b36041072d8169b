"""The body of a Word document as blocks: paragraphs, headings, lists, tables, notes and what is drawn."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from pagemill.model.pages import Block, Kind, Origin
from pagemill.reading.office.docx.drawn import read_drawing
from pagemill.reading.office.docx.inserted import inserted_blocks
from pagemill.reading.office.docx.numbering import Numbering
from pagemill.reading.office.docx.runs import Content, ParagraphReader, RunContext, choose, note_label
from pagemill.reading.office.docx.word_tables import cell_text, read_table
from pagemill.reading.office.flow import Flow
from pagemill.reading.office.writing import PLAIN, Text, place_name, text_block
from pagemill.reading.office.xml_parts import (
    Element,
    attribute,
    child,
    children,
    is_on,
    local,
    number,
    value_of,
)

# List entries without a list of their own: what the styles of Word are called.
MOST_LIST_DEPTH = 8
NO_LIST = "0"
DROP_CAPS = ("drop", "margin")


@dataclass(slots=True)
class BodyReader:
    """Reads blocks into a flow, in the order of the file."""

    source: RunContext
    numbering: Numbering
    notes: dict[tuple[str, str], Element] = field(default_factory=dict)
    flow: Flow = field(default_factory=Flow)
    inside: bool = False
    # The large letter before a paragraph that begins with it.
    initial: Content = field(default_factory=Content)

    def read(self, element: Element) -> Flow:
        """All blocks below an element."""
        self._read_children(element)
        self._add_initial()
        return self.flow

    def _read_children(self, element: Element) -> None:
        for one in children(element):
            match local(one):
                case "p":
                    self._paragraph(one)
                case "tbl":
                    self._add_initial()
                    self.flow.add(*read_table(one, self, self.source.changes))
                case "sdt":
                    content = child(one, "sdtContent")
                    if content is not None:
                        self._read_children(content)
                case "ins" | "moveTo" if self.source.changes != "original":
                    self._read_children(one)
                case "del" | "moveFrom" if self.source.changes != "final":
                    self._read_children(one)
                case "customXml" | "smartTag":
                    self._read_children(one)
                case "AlternateContent":
                    chosen = choose(one)
                    if chosen is not None:
                        self._read_children(chosen)
                case "oMathPara" | "oMath":
                    self._loose_formula(one)
                case "altChunk":
                    self._add_initial()
                    self.flow.add(*inserted_blocks(self.source, attribute(one, "id")))
                case "bookmarkStart":
                    self._mark([place_name(attribute(one, "name")) or ""])

    def read_apart(self, element: Element) -> list[Block]:
        """The blocks of a cell, a text box or a note, which are not part of the flow themselves."""
        apart = replace(self, flow=Flow(), inside=True, initial=Content())
        flow = apart.read(element)
        inside = [name for block in flow.blocks if block.origin for name in block.origin.bookmarks]
        self._mark([*inside, *flow.pending_names])
        for _, notes in sorted(flow.notes.items()):
            for name, block in notes:
                self.flow.add_note(name, block)
        return flow.blocks

    def read_drawing(self, element: Element) -> list[Block]:
        """The figures, text boxes and charts of a drawing."""
        return read_drawing(element, self)

    def _paragraph(self, element: Element) -> None:
        properties = child(element, "pPr")
        style = value_of(properties, "pStyle")
        content = ParagraphReader(self.source, self, style).read(element)
        content.breaks_before |= is_on(child(properties, "pageBreakBefore"))
        content.begin_with(self.initial)
        self.initial = Content()
        if attribute(child(properties, "framePr"), "dropCap") in DROP_CAPS:
            self.initial = content
            return
        self._add(content, properties, style)

    def _add_initial(self) -> None:
        """Add a large letter that no paragraph follows as a paragraph of its own."""
        if self.initial != Content():
            content, self.initial = self.initial, Content()
            self._add(content)

    def _add(self, content: Content, properties: Element | None = None, style: str | None = None) -> None:
        if content.breaks_before:
            self.flow.break_page()
        block = self._block(content, properties, style)
        self._mark(content.bookmarks)
        if block.text:
            self.flow.add(block)
        for kind, note_id in content.notes:
            self._note(kind, note_id)
        self.flow.add(*content.drawn)
        section = child(properties, "sectPr")
        if content.breaks_after or (section is not None and value_of(section, "type") in (None, "nextPage")):
            self.flow.break_page()

    def _mark(self, names: Sequence[str]) -> None:
        """Set bookmarks on the next block; Word's own begin with an underscore."""
        self.flow.mark(*(name for name in names if name.startswith("_")))
        self.flow.mark(*(name for name in names if name and not name.startswith("_")), named=True)

    def _block(self, content: Content, properties: Element | None, style: str | None) -> Block:
        styles, text = self.source.styles, content.text
        if len(content.formulas) == 1 and text.plain() == f"${content.formulas[0]}$":
            return Block("", Kind.FORMULA, text=content.formulas[0])
        outline = value_of(properties, "outlineLvl")
        level = styles.heading_level(style) if outline is None else _outline_level(outline)
        list_id, depth = self._list(properties, style)
        marker = self.numbering.marker(list_id, depth) if list_id and not text.is_empty() else None
        if level is not None:
            return replace(text_block(Kind.HEADING, text, min(level, 6)), bold=False, italic=False)
        if list_id:
            return replace(text_block(Kind.LIST_ITEM, text, depth), ordered=marker is not None, marker=marker)
        if styles.is_caption(style):
            return text_block(Kind.CAPTION, text)
        if styles.is_code(style):
            return Block("", Kind.CODE, text=text.plain())
        return text_block(Kind.PARAGRAPH, text)

    def _list(self, properties: Element | None, style: str | None) -> tuple[str | None, int]:
        """The list that a paragraph belongs to, if any, and how deep."""
        list_id, depth = self.source.styles.numbering(style)
        own = child(properties, "numPr")
        if own is not None:
            list_id = value_of(own, "numId") or list_id
            depth = number(value_of(own, "ilvl"), depth)
        if list_id == NO_LIST:
            return None, 0
        return list_id, min(max(depth, 0), MOST_LIST_DEPTH)

    def _note(self, kind: str, note_id: str) -> None:
        """Put a note at the end of the page; one that is referred to twice is there once."""
        element = self.notes.pop((kind, note_id), None)
        if element is None:
            return
        words = cell_text(self.read_apart(element))
        author = attribute(element, "author")
        author_mark = f" {author}:" if kind == "comment" and author else ""
        text = Text()
        text.add(f"[{note_label(kind, note_id)}]{author_mark} {words}")
        role = "comment" if kind == "comment" else kind
        block = Block(
            "",
            Kind.FOOTNOTE,
            text=text.plain(),
            marker=note_label(kind, note_id),
            role=role,
            origin=Origin(part=self.source.part),
        )
        self.flow.add_note(f"{kind}{note_id}", block)

    def _loose_formula(self, element: Element) -> None:
        self._add_initial()
        reader = ParagraphReader(self.source, self)
        (reader.inside if local(element) == "oMathPara" else reader.formula)(element, PLAIN)
        self.flow.add(*(Block("", Kind.FORMULA, text=one) for one in reader.content.formulas))


def _outline_level(outline: str) -> int | None:
    level = number(outline, 9)
    return level + 1 if 0 <= level < 9 else None
