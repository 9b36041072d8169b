"""The first provider: LiteParse, which reads the text layer and finds headings, lists, tables and figures."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.metadata import version
from importlib.util import find_spec

from pagemill.errors import DocumentError
from pagemill.model.pages import Block, Box, FormField, Kind, Page
from pagemill.reading.clean import clean, garbage_in, solid_length
from pagemill.reading.page.block_parts import number_blocks, words_of
from pagemill.reading.page.geometry import is_inside
from pagemill.reading.pdf.inspection import too_large
from pagemill.reading.pdf.raw_scan import hints
from pagemill.reading.pdf.traits import traits
from pagemill.reading.provider import Refusal, unread_page
from pagemill.reading.routing.hidden import HiddenSigns, hidden_runs, letters_of
from pagemill.reading.routing.look import Look
from pagemill.reading.routing.route import HIDDEN_TEXT, OCR_LAYER, route_page, with_hidden_text_warning
from pagemill.reading.routing.words import words_certainty
from pagemill.reading.sources.inline import literal_links
from pagemill.reading.sources.level_texts import are_upside_down
from pagemill.reading.sources.liteparse_blocks import Printed, block_of
from pagemill.reading.sources.liteparse_native import NativeField, NativePage, NativeText, parse
from pagemill.reading.sources.native_sheet import NativeSheet
from pagemill.reading.sources.notes import with_references
from pagemill.reading.sources.recover import LEAST_LOST, EngineText, lost_pieces, paragraphs
from pagemill.reading.sources.sizes import Sizes
from pagemill.reading.sources.text_layer import box_of

# LiteParse lays a grid over the page; beyond this, the grid takes minutes and gigabytes.
LARGEST_POINTS = 1_000_000.0
# A table's box ends with its text; its border is a little further out.
BORDER_POINTS = 12.0
LARGEST_LOOKED_AT_BYTES = 4_000_000
PUSHBUTTON = "pushbutton"
# Some files have a whole help text there.
LONGEST_LABEL, CUT = 200, " …"
WORDLESS = (Kind.TABLE, Kind.FIGURE, Kind.RULE)
CHECKABLE = ("checkbox", "radio")


class LiteParseProvider:
    """Reads pages with LiteParse and puts their blocks in order."""

    name = "liteparse"
    # Whether its blocks say how sure they are.
    rates_layout = True

    def arrange(self, page: Page, sheet: NativeSheet, look: Look) -> list[Block]:
        """The blocks of a routed page as its reader sees them."""
        # Only the press arranges pages; other processes ask which version this is, and go without numpy.
        from pagemill.reading.read_page import arrange_blocks

        return arrange_blocks(page, sheet, look)

    def version(self) -> str:
        """The version of LiteParse."""
        return version("liteparse")

    def available(self) -> str | None:
        """None if LiteParse is installed."""
        return None if find_spec("liteparse") else "the package liteparse is not installed"

    def read(self, path: str, pages: Sequence[int], password: str | None) -> Iterator[Page]:
        """Read the pages in one call."""
        errors = dict.fromkeys(oversized_pages(path, password, pages), "the page is too large")
        result = parse(path, [page for page in pages if page not in errors], password)
        signs = HiddenSigns(traits(path).invisible_text, HIDDEN_TEXT in hints(path).warnings)
        found = {native.page_num: native for native in result.pages}
        errors |= {error.page_num: error.message for error in result.page_errors}
        with Look(path, password) as look:
            for number in pages:
                native = found.pop(number, None)
                why = errors.get(number, "the page is not there")
                yield self.read_one(native, look, signs) if native else unread_page(self.name, number, why)

    def read_one(self, native: NativePage, look: Look, signs: HiddenSigns) -> Page:
        """Our page from LiteParse's; one that we stumble over goes to the next provider alone."""
        try:
            return page_of(native, look, signs, self)
        except MemoryError:
            # Not the page's fault but the press's limit; the press says so itself.
            raise
        except Exception as error:
            return unread_page(self.name, native.page_num, f"{type(error).__name__}: {error}")


class PlainLiteParseProvider(LiteParseProvider):
    """Reads pages with LiteParse and leaves its blocks as they are: the quickest way, without further structure."""

    name = "liteparse-plain"
    rates_layout = False

    def arrange(self, page: Page, _: NativeSheet, __: Look) -> list[Block]:
        """The blocks as they are."""
        return list(page.blocks)


def oversized_pages(path: str, password: str | None, pages: Sequence[int]) -> set[int]:
    """The pages that LiteParse would need too much time and memory for.

    In a large file the look itself takes too much; there, the limits of the press find such a page.
    """
    if len(pages) > 1 and os.path.getsize(path) > LARGEST_LOOKED_AT_BYTES:
        return set()
    try:
        return too_large(path, password, pages, LARGEST_POINTS)
    except DocumentError as error:
        raise Refusal(error.message) from error


def page_of(native: NativePage, look: Look, signs: HiddenSigns, provider: LiteParseProvider) -> Page:
    """Our page from LiteParse's; it is looked at in any case if its text may be invisible or be on a picture."""
    sheet = NativeSheet(native)
    texts = sheet.texts
    printed = " ".join([text.text for text in texts])
    page = Printed(Sizes.of(texts), literal_links(printed))
    found = [block for raw in native.blocks or () if has_content(block := block_of(raw, page))]
    solid, garbage = solid_length(printed), garbage_in(printed)
    lost = recover_text(texts, found, solid)
    fields = tuple(field_of(field) for field in native.form_fields or () if field.field_type != PUSHBUTTON)
    engine = Page(
        number=native.page_num,
        width=round(native.width, 2),
        height=round(native.height, 2),
        provider=provider.name,
        blocks=tuple(with_lost(without_borders(found), lost)),
        label=native.page_label,
        confidence=confidence(solid, sum(solid_length(block.text) for block in lost), garbage),
        fields=fields,
    )
    on_picture = bool(native.complexity and native.complexity.full_page_image)
    suspicious, upside_down = on_picture or signs.invisible, are_upside_down(texts)
    way = route_page(engine, printed, look, suspicious=suspicious, upside_down=upside_down)
    hidden = () if on_picture or way.reason == OCR_LAYER else _hidden(way, sheet, look, signs)
    # Where nothing is seen at all, the font may be one that can't be drawn.
    if hidden and len(hidden) < sum(letters_of(text) > 0 for text in texts):
        sheet.leave_out(hidden)
    blocks = without_values(provider.arrange(way, sheet, look), fields)
    if way.reason == OCR_LAYER:
        blocks = [rated_by_words(block) for block in blocks]
    sure = confidence(solid, 0, garbage) * layout_confidence(blocks)
    read = replace(
        way,
        blocks=tuple(with_references(number_blocks(native.page_num, blocks))),
        confidence=min(way.confidence, round(sure, 2)) if provider.rates_layout else way.confidence,
    )
    return with_hidden_text_warning(read) if hidden or sheet.has_unseen_words else read


def _hidden(way: Page, sheet: NativeSheet, look: Look, signs: HiddenSigns) -> list[NativeText]:
    """The runs that can't be seen, which are not printed."""
    unsure = signs.layers or HIDDEN_TEXT in way.warnings
    return hidden_runs(sheet.native, sheet.texts, look, unsure=unsure)


def recover_text(texts: Sequence[NativeText], blocks: Sequence[Block], solid: int) -> list[Block]:
    """Paragraphs of the text that is on the page but in no block."""
    printed = [words for block in blocks for words in words_of(block)]
    missing = solid - solid_length(" ".join(printed))
    if missing < LEAST_LOST:
        return []
    pieces = [EngineText(clean(text.text), box_of(text), text.rotation) for text in texts]
    whole = paragraphs(lost_pieces(pieces, printed, missing))
    return [Block("", Kind.PARAGRAPH, piece.box, piece.text) for piece in whole]


def without_values(blocks: list[Block], fields: Sequence[FormField]) -> list[Block]:
    """The blocks without those that only show the value of a form field, which the field itself has."""
    values = [("".join(field.value.split()), field.box) for field in fields if field.value and field.box]
    if not values:
        return blocks
    every = "\n".join([value for value, _ in values])
    return [block for block in blocks if not is_value(block, every, values)]


def is_value(block: Block, every: str, values: Sequence[tuple[str, Box]]) -> bool:
    """Whether a block is in a field and says what its value says, or a part of it."""
    words = "".join(block.text.split())
    if not words or words not in every:
        return False
    return any(
        words in value and block.box is not None and is_inside(block.box, box) for value, box in values
    )


def without_borders(blocks: list[Block]) -> list[Block]:
    """The blocks without the lines that are drawn around and in tables."""
    tables = [block.box for block in blocks if block.kind is Kind.TABLE and block.box]
    if not tables:
        return blocks
    ruled = [Box(t.x, t.y - BORDER_POINTS, t.width, t.height + 2 * BORDER_POINTS) for t in tables]
    return [
        b
        for b in blocks
        if b.kind is not Kind.RULE or not any(b.box and is_inside(b.box, table) for table in ruled)
    ]


def has_content(block: Block) -> bool:
    """Whether a block that should have words has some."""
    return bool(block.text) or block.kind in WORDLESS


def with_lost(blocks: Sequence[Block], lost: Sequence[Block]) -> list[Block]:
    """The blocks with recovered ones put in above the first block that is below them."""
    result = list(blocks)
    for block in lost:
        place = next((at for at, other in enumerate(result) if is_above(block.box, other.box)), len(result))
        result.insert(place, block)
    return result


def is_above(upper: Box | None, lower: Box | None) -> bool:
    """Whether one box ends above another that it overlaps sideways."""
    if upper is None or lower is None:
        return False
    return upper.bottom <= lower.y + 2 and upper.x < lower.right and lower.x < upper.right


def confidence(solid: int, lost: int, garbage: int) -> float:
    """Between 0 and 1: less where text had no place in the layout or says nothing."""
    return round(max(0.0, 1 - (lost / 2 + garbage) / solid), 2) if solid else 1.0


def layout_confidence(blocks: Sequence[Block]) -> float:
    """The share of characters that are expected to be in blocks that are right, as far as blocks say how sure they are."""
    rated = [(block.confidence, text_length(block)) for block in blocks if block.confidence is not None]
    characters = sum(count for _, count in rated)
    return sum(sure * count for sure, count in rated) / characters if characters else 1.0


def rated_by_words(block: Block) -> Block:
    """A block of somebody's recognition, of which nothing but its words says how sure they are."""
    if not (words := " ".join(words_of(block))):
        return block
    return replace(block, confidence=round(words_certainty(words), 3))


def text_length(block: Block) -> int:
    """How many characters a block has."""
    return sum(map(solid_length, words_of(block)))


def label_of(text: str) -> str:
    """The label of a field in one line; a long one is cut at a space, or anywhere in scripts without spaces."""
    label = " ".join(clean(text).split())
    if len(label) <= LONGEST_LABEL:
        return label
    most = LONGEST_LABEL - len(CUT)
    space = label.rfind(" ", most // 2, most + 1)
    return f"{label[: space if space > 0 else most]}{CUT}"


def field_of(field: NativeField) -> FormField:
    """Our form field from LiteParse's."""
    value = ", ".join(field.selected_options) or field.value
    label = label_of(field.alternate_name or "")
    return FormField(
        name=clean(field.name or label),
        kind=field.field_type,
        value=clean(value) if value else None,
        checked=bool(field.checked) if field.field_type in CHECKABLE else None,
        options=tuple(clean(option) for option in field.options),
        box=box_of(field.rect) if field.rect else None,
        label=label or None,
    )
