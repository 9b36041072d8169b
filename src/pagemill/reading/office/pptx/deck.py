"""A presentation as pages: one for each slide, with its notes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from pagemill.errors import DocumentCorrupt, PagemillError
from pagemill.model.pages import Block, Kind, Origin, Page, PageError
from pagemill.reading.office.package import MACROS, Package, main_part
from pagemill.reading.office.pptx.placeholders import Ancestry, placeholder_of
from pagemill.reading.office.pptx.shapes import EMU_PER_POINT, Shape, ShapeReader, with_box
from pagemill.reading.office.pptx.slide_text import SlideText
from pagemill.reading.office.writing import Text
from pagemill.reading.office.xml_parts import Element, attribute, child, children, descendants, number

PROVIDER = "office"
HIDDEN_SLIDE = "hidden_slide"
DEFAULT_SIZE = (9_144_000, 6_858_000)
# Shapes whose tops differ by less than this share of the slide are side by side.
SAME_ROW_SHARE = 0.04
# A title that is not marked as one begins in this share of the slide, and is no longer than this.
TITLE_SHARE, LONGEST_TITLE = 0.25, 120


@dataclass
class Deck:
    """A presentation, read slide by slide."""

    package: Package
    _parents: dict[str, Element | None] = field(default_factory=dict)

    @cached_property
    def _main(self) -> str:
        return main_part(self.package, "ppt/presentation.xml")

    @cached_property
    def _root(self) -> Element:
        if self.package.related_parts(self._main, "vbaProject"):
            self.package.warn(MACROS)
        return self.package.xml(self._main)

    @cached_property
    def slides(self) -> list[str]:
        """The parts of the slides in the order in which they are shown."""
        listed = child(self._root, "sldIdLst")
        ids = map(_relation_id, children(listed)) if listed is not None else ()
        parts = (self.package.target(self._main, relation_id) for relation_id in ids)
        return [part for part in parts if part is not None]

    @cached_property
    def size(self) -> tuple[float, float]:
        """The width and height of all slides, in points."""
        found = child(self._root, "sldSz")
        width = number(attribute(found, "cx"), DEFAULT_SIZE[0])
        height = number(attribute(found, "cy"), DEFAULT_SIZE[1])
        return width / EMU_PER_POINT, height / EMU_PER_POINT

    @property
    def total_pages(self) -> int:
        """How many slides there are."""
        return len(self.slides)

    def pages(self, numbers: Sequence[int]) -> Iterator[Page]:
        """The slides with these numbers; one that is damaged fails alone."""
        for one in numbers:
            try:
                yield self._page(one)
            except DocumentCorrupt as error:
                yield self._failed_page(one, error)

    def _failed_page(self, page: int, error: PagemillError) -> Page:
        return Page(page, *self.size, PROVIDER, confidence=0.0, error=PageError(error.code, error.message))

    def _page(self, page: int) -> Page:
        part = self.slides[page - 1]
        root = self.package.xml(part)
        shapes = self._shapes(root, part)
        blocks = [
            block
            for shape in reading_order(with_title(shapes, self.size[1]), self.size[1])
            for block in with_box(shape)
            if _says(block)
        ]
        extra = [*self._comments(part), *self._notes(part)]
        warnings = (HIDDEN_SLIDE,) if attribute(root, "show") in ("0", "false") else ()
        named = tuple(_name_block(block, page, at, part) for at, block in enumerate([*blocks, *extra], 1))
        return Page(page, *self.size, PROVIDER, named, warnings=warnings)

    def _shapes(self, root: Element, part: str) -> list[Shape]:
        tree = child(root, "cSld", "spTree")
        layout_part = next(iter(self.package.related_parts(part, "slideLayout")), None)
        layout = self._parent(layout_part)
        master_part = (
            next(iter(self.package.related_parts(layout_part, "slideMaster")), None) if layout_part else None
        )
        reader = ShapeReader(self.package, part, Ancestry(layout, self._parent(master_part)))
        return list(reader.shapes(tree)) if tree is not None else []

    def _parent(self, part: str | None) -> Element | None:
        """A layout or a master, which many slides share."""
        if part is None:
            return None
        if part not in self._parents:
            self._parents[part] = self.package.xml_if_any(part)
        return self._parents[part]

    def _notes(self, part: str) -> Iterator[Block]:
        """The notes of the speaker."""
        for notes_part in self.package.related_parts(part, "notesSlide"):
            root = self.package.xml_if_any(notes_part)
            for shape in descendants(root, "sp") if root is not None else ():
                own = placeholder_of(shape)
                if own is not None and own.kind == "body":
                    words = SlideText(self.package, notes_part).words(child(shape, "txBody"))
                    for line in words.split("\n") if words else ():
                        yield Block(
                            "",
                            Kind.PARAGRAPH,
                            text=line,
                            role="speaker_notes",
                            origin=Origin(part=notes_part),
                        )

    def _comments(self, part: str) -> Iterator[Block]:
        """What people wrote beside the slide."""
        for comments_part in self.package.related_parts(part, "comments"):
            root = self.package.xml_if_any(comments_part)
            for one in descendants(root, "cm") if root is not None else ():
                text = Text()
                for piece in descendants(one, "text", "t"):
                    text.add(f" {piece.text or ''}")
                yield Block(
                    "", Kind.FOOTNOTE, text=text.plain(), role="comment", origin=Origin(part=comments_part)
                )


def _relation_id(element: Element) -> str | None:
    """The id of a relation, which shares its local name with the number of the slide."""
    return next((value for key, value in element.attrib.items() if key.endswith("}id")), None)


def with_title(shapes: Sequence[Shape], height: float) -> Sequence[Shape]:
    """The shapes, with a title if none is marked as one: a line at the top in a font larger than all others."""
    texts = [shape for shape in shapes if any(block.text for block in shape.blocks)]
    is_known = all(shape.font_size or shape.blocks[0].kind is Kind.FIGURE for shape in texts)
    if len(texts) < 2 or not is_known or any(shape.title for shape in shapes):
        return shapes
    first = min(texts, key=_top)
    largest = max(shape.font_size or 0 for shape in texts if shape is not first)
    if not _is_line_at_top(first, height) or (first.font_size or 0) <= largest:
        return shapes
    words = Block("", Kind.HEADING, text=" ".join(first.blocks[0].text.split()))
    heading = replace(first, blocks=[words], title=True)
    return [heading if shape is first else shape for shape in shapes]


def _is_line_at_top(shape: Shape, height: float) -> bool:
    words = [block for block in shape.blocks if block.text]
    return (
        words == shape.blocks
        and [block.kind for block in words] == [Kind.PARAGRAPH]
        and len(words[0].text) <= LONGEST_TITLE
        and shape.box is not None
        and shape.box.y < height * TITLE_SHARE
    )


def reading_order(shapes: Sequence[Shape], height: float) -> list[Shape]:
    """The shapes as people read them: the title, then from the top, and from the left where they are side by side."""
    titles = [shape for shape in shapes if shape.title]
    rest = [shape for shape in shapes if not shape.title and shape.blocks]
    rows: list[list[Shape]] = []
    for shape in sorted(rest, key=_top):
        if rows and _top(shape) - _top(rows[-1][0]) <= SAME_ROW_SHARE * height:
            rows[-1].append(shape)
        else:
            rows.append([shape])
    return [*titles, *(shape for row in rows for shape in sorted(row, key=_left))]


def _top(shape: Shape) -> float:
    return shape.box.y if shape.box else 0.0


def _left(shape: Shape) -> float:
    return shape.box.x if shape.box else 0.0


def _says(block: Block) -> bool:
    return bool(block.text or block.rows or block.header or block.kind is Kind.FIGURE)


def _name_block(block: Block, page: int, count: int, part: str) -> Block:
    level = (1 if page == 1 else 2) if block.kind is Kind.HEADING else block.level
    origin = block.origin or Origin(part=part)
    return replace(block, id=f"p{page}-b{count}", level=level, origin=replace(origin, index=count))
