"""The first pass of the join: small statistics over all pages of a document."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from pagemill.model.pages import Kind, Page, Route
from pagemill.reading.document.heading_levels import Rank, heading_levels, rank_of
from pagemill.reading.document.running import RunningTexts
from pagemill.reading.document.slides import Slides

# A document has a handful of font sizes; damaged ones may have any number.
MOST_SIZES = 1_000


@dataclass(slots=True)
class Survey:
    """What the whole document says about its pages."""

    running: RunningTexts
    slides: Slides = field(default_factory=Slides)
    levels: dict[Rank, int] = field(default_factory=dict)
    body_size: float = 0.0
    title: str | None = None


def survey(pages: Iterable[Page], *, keep_running: bool) -> Survey:
    """Look at every page once."""
    found, headings, body = Survey(RunningTexts()), Counter[Rank](), Counter[float]()
    count = 0
    for page in pages:
        count += 1
        # What an office file repeats at the edges of its pages is not among its blocks.
        if not keep_running and page.route is not Route.NATIVE:
            found.running.add(page)
        found.title = found.title or _first_heading(page)
        found.slides.add(page)
        _count_sizes(page, headings, body)
    found.body_size, found.levels = _commonest(body), heading_levels(headings)
    found.running.settle(count, found.body_size)
    found.slides.settle()
    return found


def _first_heading(page: Page) -> str | None:
    return next((block.text for block in page.blocks if block.kind is Kind.HEADING and block.text), None)


def _count_sizes(page: Page, headings: Counter[Rank], body: Counter[float]) -> None:
    for block in page.blocks:
        if block.font_size is None:
            continue
        if block.kind is Kind.HEADING and len(headings) < MOST_SIZES and (rank := rank_of(block)):
            headings[rank] += 1
        elif block.kind is Kind.PARAGRAPH and len(body) < MOST_SIZES:
            body[block.font_size] += len(block.text)


def _commonest(sizes: Counter[float]) -> float:
    """The size of most text; the smaller one if two are equally common."""
    return min(sizes, key=lambda size: (-sizes[size], size), default=0.0)
