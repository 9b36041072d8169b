"""Pages and blocks: what was read, and where on the page it was.

Boxes are in points (1/72 inch), origin at the top left of the page as a reader sees it.
Pages are counted from 1.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

# What is said of a document when it is opened; every other warning is that of a page.
DOCUMENT_WARNINGS = frozenset(
    "active_content embedded_files embedded_files_limit embedded_files_unread external_resource_blocked hidden_text"
    " macros_not_run not_rendered not_scanned odd_page_size pages_beyond_end repaired xfa_unsupported".split()
)

# Who reads files that have no printed pages, and the reason of pages that were rendered all the same.
OFFICE, RENDERED = "office", "rendered"
# The warning that a document was to be rendered and was not.
NOT_RENDERED = "not_rendered"

# A page that should have been recognised, but no provider was allowed or able to.
OCR_NEEDED = "ocr_needed"
# A page that could not be recognised, though a provider tried.
OCR_FAILED = "ocr_failed"
# Where the text of a figure on a printed page comes from: what its author says that it shows, or the words that are drawn in it.
ALT_TEXT, LABELS = "alt_text", "labels"

# Pages that are expected to have less of their text in blocks that are right are worth a look by a person.
CHECKED_BELOW = 0.7
MOST_TO_CHECK = 1_000


def lacks_text(warnings: Collection[str], ocr: str) -> bool:
    """Whether pages should have been recognised and were not, for want of an engine or because it failed."""
    return OCR_FAILED in warnings or (OCR_NEEDED in warnings and ocr != "off")


class Kind(StrEnum):
    """What a block is."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST_ITEM = "list_item"
    TABLE = "table"
    FIGURE = "figure"
    CODE = "code"
    RULE = "rule"
    CAPTION = "caption"
    FOOTNOTE = "footnote"
    FORMULA = "formula"
    HEADER = "header"
    FOOTER = "footer"


class Route(StrEnum):
    """How a page is read."""

    TEXT = "text"
    OCR = "ocr"
    MIXED = "mixed"
    BLANK = "blank"
    NATIVE = "native"


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle on a page, in points from its top left corner."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """The distance of the right edge from the left of the page."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """The distance of the lower edge from the top of the page."""
        return self.y + self.height

    @property
    def sides(self) -> tuple[float, float, float, float]:
        """The box as it is written in JSON."""
        return self.x, self.y, self.width, self.height


def box_around(boxes: Sequence[Box]) -> Box:
    """The smallest box around some, of which there is at least one."""
    left, top = min([box.x for box in boxes]), min([box.y for box in boxes])
    # What `right` and `bottom` are, without a call for each box.
    right, bottom = max([box.x + box.width for box in boxes]), max([box.y + box.height for box in boxes])
    return Box(left, top, round(right - left, 2), round(bottom - top, 2))


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table; `box` is missing where nothing is printed.

    A cell that spans more is in its first place; the places that it covers hold empty cells. `value` is there
    where the file says what the text means: a number, a truth value, or a date or time in ISO 8601, which
    `value_type` tells apart. `href` is where the link in the cell leads.
    """

    text: str
    box: Box | None = None
    row_span: int = 1
    column_span: int = 1
    value: bool | int | float | str | None = None
    value_type: str | None = None
    href: str | None = None


class Script(StrEnum):
    """Where small characters are beside their line: raised above it or lowered below."""

    ABOVE = "sup"
    BELOW = "sub"


@dataclass(frozen=True, slots=True)
class Span:
    """A run of a block's text, from `start` up to `end`, that is emphasised, a link, raised or lowered, or was changed.

    `change` is `inserted` or `deleted` where a document keeps track of its changes and both were asked for.
    """

    start: int
    end: int
    bold: bool = False
    italic: bool = False
    href: str | None = None
    change: str | None = None
    script: Script | None = None

    def behind(self, by: int) -> "Span":
        """The same run behind so many more characters."""
        return replace(self, start=self.start + by, end=self.end + by)


@dataclass(frozen=True, slots=True)
class Part:
    """Where a block goes on after its own page; `first_row` is the first of a table's rows that is there."""

    page: int
    box: Box | None = None
    first_row: int | None = None


Rows = tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a block comes from in a file that has no printed pages.

    `part` is the file inside the package, for a figure that of its image; `path` are the headings above the block;
    `sheet` and `cells` are the sheet of a workbook and the range in it; `index` counts blocks from the start.
    `bookmarks` are the names that links inside of the document have for the block.
    """

    part: str | None = None
    path: tuple[str, ...] = ()
    sheet: str | None = None
    cells: str | None = None
    index: int | None = None
    bookmarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Block:
    """One piece of a page. Fields that don't apply to its kind keep their defaults.

    `level` is the rank of a heading (1 to 6) or the depth of a list item (from 0); `confidence` is the chance that its text and
    its structure are right, where that is known. The text of a figure is its alternative text, or the words that
    are drawn in it. `role` says more than the kind: `speaker_notes`, `comment`, `text_box`, `chart`, `email_header`; for a
    figure on a printed page where its text comes from: `alt_text` or `labels`. Of a table that has a header,
    `header_rows` counts the rows that name the columns: the header and, if more than one, the first of `rows`.
    """

    id: str
    kind: Kind
    box: Box | None = None
    text: str = ""
    level: int | None = None
    bold: bool = False
    italic: bool = False
    ordered: bool = False
    marker: str | None = None
    lang: str | None = None
    header: tuple[Cell, ...] = ()
    rows: Rows = ()
    font_size: float | None = None
    spans: tuple[Span, ...] = ()
    parts: tuple[Part, ...] = ()
    confidence: float | None = None
    role: str | None = None
    origin: Origin | None = None
    header_rows: int = 1

    @property
    def all_rows(self) -> Rows:
        """The rows of a table, its header first."""
        return (self.header, *self.rows) if self.header else self.rows

    @property
    def cells(self) -> list[Cell]:
        """The cells of a table, row by row."""
        return [cell for row in self.all_rows for cell in row]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text that was recognised in an image, and how sure the recogniser is.

    `words` is where each word begins and ends, as shares of the line's width, if the recogniser tells.
    """

    text: str
    box: Box
    confidence: float = 1.0
    words: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Try:
    """One provider's try at a page: how sure it was, or why it failed."""

    provider: str
    confidence: float = 0.0
    message: str | None = None


@dataclass(frozen=True, slots=True)
class FormField:
    """An AcroForm field and the value filled in; `label` is what the file calls it where people read its name."""

    name: str
    kind: str
    value: str | None = None
    checked: bool | None = None
    options: tuple[str, ...] = ()
    box: Box | None = None
    label: str | None = None

    @property
    def shown_name(self) -> str:
        """The name for people."""
        return self.label or self.name


@dataclass(frozen=True, slots=True)
class CorrectedFact:
    """What a person says of a fact: its value, or that it is none.

    `type` is that of an entity, or the name or label of a pair; `text` is what is printed.
    """

    type: str
    text: str
    value: str | None = None
    block: str | None = None
    remove: bool = False


@dataclass(frozen=True, slots=True)
class PageError:
    """Why a page could not be read."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Page:
    """What was read on one page, by whom, how and why so, and how sure they are.

    `tries` has every provider's try before the one that is kept. `lines` are there where text was recognised.
    `pictures` are those that may hold words, for the next provider; they are not stored. `turned` is how many degrees
    clockwise the page was turned to be upright.
    """

    number: int
    width: float
    height: float
    provider: str
    blocks: tuple[Block, ...] = ()
    label: str | None = None
    confidence: float = 1.0
    warnings: tuple[str, ...] = ()
    fields: tuple[FormField, ...] = ()
    error: PageError | None = None
    tries: tuple[Try, ...] = ()
    route: Route = Route.TEXT
    reason: str = ""
    lines: tuple[Line, ...] = ()
    turned: int = 0
    pictures: tuple[Box, ...] = ()
    corrected_facts: tuple[CorrectedFact, ...] = ()
    # Where the print does not count any more, because a person changed or removed what was read there.
    corrected_boxes: tuple[Box, ...] = ()


def needs_check(*, failed: bool, tried_before: bool, confidence: float) -> bool:
    """Whether a person should look at a page: none or not the first provider could read it, or much is likely to be wrong."""
    return failed or tried_before or confidence < CHECKED_BELOW
