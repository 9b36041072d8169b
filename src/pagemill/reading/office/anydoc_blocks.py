"""Documents that anydoc reads (ODT, ODP, RTF, EPUB, DOC, PPT), in our blocks. It is never asked to use the network."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import anydoc

from pagemill.errors import (
    ArchiveBomb,
    DocumentCorrupt,
    DocumentTooLarge,
    PagemillError,
    PasswordRequired,
)
from pagemill.model.pages import Block, Cell, Kind, Origin
from pagemill.reading.office.docx.numbering import format_number
from pagemill.reading.office.docx.word_tables import cell_text
from pagemill.reading.office.flow import NOTE, Flow
from pagemill.reading.office.writing import (
    PLAIN,
    Text,
    TextLook,
    only_link,
    place_link,
    place_name,
    safe_link,
    table,
    text_block,
)

_FORMATS = {
    "lower_alpha": "lowerLetter",
    "upper_alpha": "upperLetter",
    "lower_roman": "lowerRoman",
    "upper_roman": "upperRoman",
}
TICKED, UNTICKED = "☒", "☐"


def read_anydoc(raw: bytes, format_: str) -> Flow:
    """The blocks of a document; its troubles in our words."""
    try:
        document = anydoc.to_document(raw, format_)
    except anydoc.ConvertError as error:
        raise trouble(error) from error
    named = dict.fromkeys(name for block in document.blocks for name in _note_names(block))
    labels = {name: str(count) for count, name in enumerate(named, 1)}
    reader = AnydocReader(document, {note.id: note for note in document.notes}, labels, Flow())
    reader.add(document.blocks)
    return reader.flow


def trouble(error: Exception) -> PagemillError:
    """Why anydoc refused a document."""
    match error:
        case anydoc.EncryptedError():
            return PasswordRequired()
        case anydoc.ResourceLimitError():
            known = DocumentTooLarge if "bytes" not in error.limit else ArchiveBomb
            return known(limit=error.limit)
        case _:
            return DocumentCorrupt()


@dataclass(slots=True)
class AnydocReader:
    """Turns anydoc's blocks into ours; `labels` are the numbers of the notes, in the order in which they are referred to."""

    document: anydoc.Document
    notes: dict[str, anydoc.Note]
    labels: dict[str, str]
    flow: Flow

    def add(self, blocks: Sequence[anydoc.Block]) -> None:
        """Add blocks to the flow, each with the notes that it refers to."""
        for one in blocks:
            self.flow.mark(*_places(one))
            self.flow.add(*self.blocks(one))
            for name in _note_names(one):
                self._note(name)

    def blocks(self, block: anydoc.Block, depth: int = 0) -> Iterator[Block]:
        """One of anydoc's blocks; a list becomes an entry for each of its points."""
        match block.kind:
            case "heading" | "paragraph":
                yield from self._words(block)
            case "list" if block.list is not None:
                yield from self._list(block.list, depth)
            case "table" if block.table is not None:
                yield from self._table(block.table)
            case "block_quote":
                for inner in block.blocks or ():
                    yield from self.blocks(inner, depth)
            case "code_block":
                yield Block("", Kind.CODE, text=block.text or "", lang=block.lang)
            case "rule":
                yield Block("", Kind.RULE)
            case "math":
                yield Block("", Kind.FORMULA, text=block.text or "")

    def _words(self, block: anydoc.Block) -> Iterator[Block]:
        text = Text()
        figures: list[Block] = []
        self._inlines(block.content or (), text, figures, PLAIN)
        if not text.is_empty():
            made = text_block(Kind.HEADING if block.kind == "heading" else Kind.PARAGRAPH, text, block.level)
            yield replace(made, bold=False, italic=False) if block.kind == "heading" else made
        yield from figures

    def _inlines(
        self, inlines: Sequence[anydoc.Inline], text: Text, figures: list[Block], look: TextLook
    ) -> None:
        for one in inlines:
            match one.kind:
                case "text":
                    style = one.style
                    bold, italic = (style.bold, style.italic) if style else (False, False)
                    text.add(one.text or "", replace(look, bold=bold, italic=italic))
                case "link":
                    href = _link(one.target)
                    self._inlines(one.content or (), text, figures, replace(look, href=href))
                case "image":
                    figures += self._figure(one)
                case "note_ref":
                    label = self.labels.get(one.note_id or "", one.note_id)
                    text.add(f"[{label}]", TextLook(href=f"{NOTE}{label}"))
                case "line_break":
                    text.add("\n")
                case "math":
                    text.add(f"${one.text}$")
                case "checkbox":
                    text.add(TICKED if one.checked else UNTICKED)

    def _figure(self, inline: anydoc.Inline) -> list[Block]:
        source = inline.source
        if source is None or source.kind != "asset" or source.asset_id is None:
            return [Block("", Kind.FIGURE, text=inline.alt)] if inline.alt else []
        asset = self.document.assets[source.asset_id]
        return [Block("", Kind.FIGURE, text=inline.alt or "", origin=Origin(part=asset.origin_part))]

    def _list(self, entries: anydoc.List, depth: int) -> Iterator[Block]:
        ordered = entries.marker != "bullet"
        for count, entry in enumerate(entries.items, entries.start):
            marker = entry.marker_label or (_marker(entries.marker, count) if ordered else None)
            first = True
            for inner in entry.blocks:
                for made in self.blocks(inner, depth + 1):
                    if first and made.kind is Kind.PARAGRAPH:
                        yield replace(made, kind=Kind.LIST_ITEM, level=depth, ordered=ordered, marker=marker)
                        first = False
                    else:
                        yield made

    def _table(self, found: anydoc.Table) -> Iterator[Block]:
        """A table; one that only frames something is that."""
        cells = [slot.cell for row in found.grid for slot in row if slot.cell is not None]
        if len(cells) == 1:
            for inner in cells[0].blocks:
                yield from self.blocks(inner)
            return
        rows = [[self._cell(slot) for slot in row] for row in found.grid]
        made = table(rows, header_rows=found.header_rows)
        if made is not None:
            yield made
        for one in cells:
            for inner in one.blocks:
                yield from (block for block in self.blocks(inner) if block.kind is Kind.FIGURE)

    def _cell(self, slot: anydoc.CellSlot) -> Cell:
        if slot.cell is None:
            return Cell("")
        blocks = [made for inner in slot.cell.blocks for made in self.blocks(inner)]
        height, width = slot.cell.row_span, slot.cell.col_span
        return Cell(cell_text(blocks), row_span=height, column_span=width, href=only_link(blocks))

    def _note(self, name: str) -> None:
        note = self.notes.pop(name, None)
        if note is None:
            return
        blocks = [made for inner in note.blocks for made in self.blocks(inner)]
        label = self.labels.get(name, name)
        words = f"[{label}] {cell_text(blocks)}"
        self.flow.add_note(label, Block("", Kind.FOOTNOTE, text=words, marker=label, role=note.kind))


def _link(target: anydoc.LinkTarget | None) -> str | None:
    if target is None:
        return None
    return safe_link(target.value) if target.kind == "external" else place_link(target.value)


def _places(block: anydoc.Block) -> Iterator[str]:
    """The names of all places inside of a block."""
    anchors = [block.anchor, *(one.anchor for one in block.content or ())]
    yield from (name for anchor in anchors if (name := place_name(anchor)))
    for inner in block.blocks or ():
        yield from _places(inner)
    for entry in block.list.items if block.list else ():
        for inner in entry.blocks:
            yield from _places(inner)


def _marker(kind: str, count: int) -> str:
    return f"{format_number(count, _FORMATS.get(kind, 'decimal'))}."


def _note_names(block: anydoc.Block) -> Iterator[str]:
    """The names of all notes that a block refers to, in order."""
    yield from _inline_notes(block.content or ())
    for inner in block.blocks or ():
        yield from _note_names(inner)
    for entry in block.list.items if block.list else ():
        for inner in entry.blocks:
            yield from _note_names(inner)
    for row in block.table.grid if block.table else ():
        for slot in row:
            for inner in slot.cell.blocks if slot.cell else ():
                yield from _note_names(inner)


def _inline_notes(inlines: Sequence[anydoc.Inline]) -> Iterator[str]:
    for one in inlines:
        if one.kind == "note_ref" and one.note_id:
            yield one.note_id
        yield from _inline_notes(one.content or ())
