"""The join: page files in, artifacts out, in two passes that never hold more than a few pages.

The first pass surveys the document. The second takes out running headers, settles heading levels, mends the seams
between pages and feeds the writers.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from pagemill.model.options import ASCII, TYPOGRAPHY_CHOICES
from pagemill.model.pages import Block, Kind, Page
from pagemill.model.work import PageFailure, WrittenArtifact
from pagemill.reading.document.heading_levels import level_of
from pagemill.reading.document.running import LEAST_PAGES
from pagemill.reading.document.seams import seamless
from pagemill.reading.document.survey import Survey, survey
from pagemill.reading.document.typography import ascii_page, ascii_text
from pagemill.reading.page.page_files import Tally
from pagemill.reading.writers import Ending, Facts, opened_writers


class PageSource(Protocol):
    """Where the pages of a document come from; they are asked for twice."""

    def pages(self) -> Iterable[Page]:
        """All pages in order."""
        ...


@dataclass(frozen=True, slots=True)
class PagesAtHand:
    """The pages of a document so short that they need not go through a file."""

    kept: Sequence[Page]

    def pages(self) -> Iterable[Page]:
        """All pages in order."""
        return self.kept


@dataclass(frozen=True, slots=True)
class Joined:
    """What the join made."""

    artifacts: dict[str, WrittenArtifact]
    pages: int
    failed: tuple[PageFailure, ...]
    warnings: tuple[str, ...]
    to_check: tuple[int, ...] = ()


def join(
    source: PageSource,
    facts: Facts,
    formats: Sequence[str],
    folder: Path,
    *,
    keep_running: bool,
    typography: str = TYPOGRAPHY_CHOICES[0],
) -> Joined:
    """Write the artifacts of a document into a folder."""
    # Nothing of a letter comes again.
    found = survey(source.pages(), keep_running=keep_running or facts.total_pages < LEAST_PAGES)
    in_ascii = typography == ASCII
    title = ascii_text(found.title) if found.title and in_ascii else found.title
    writers = opened_writers(formats, folder, replace(facts, title=title))
    tally = Tally()
    whole = seamless(settle_pages(source.pages(), found), found.body_size)
    for page in map(ascii_page, whole) if in_ascii else whole:
        tally.add(page)
        for writer in writers:
            writer.page(page)
    ending = Ending(tally.failed, (*facts.warnings, *tally.warnings))
    artifacts = {name: artifact for writer in writers for name, artifact in writer.close(ending).items()}
    return Joined(artifacts, tally.pages, tuple(tally.failed), tuple(ending.warnings), tuple(tally.to_check))


def settle_pages(pages: Iterable[Page], found: Survey) -> Iterator[Page]:
    """Each page without running headers and with heading levels that hold for the whole document."""
    for page in pages:
        running = found.running.in_(page)
        kept = [block for block in page.blocks if block.id not in running]
        blocks = found.slides.with_levels(page, kept) if found.slides.is_deck else _with_levels(kept, found)
        yield page if blocks == page.blocks else replace(page, blocks=blocks)


def _with_levels(blocks: Sequence[Block], found: Survey) -> tuple[Block, ...]:
    return tuple([_level(block, found) for block in blocks])


def _level(block: Block, found: Survey) -> Block:
    if block.kind is not Kind.HEADING:
        return block
    level = level_of(block, found.levels)
    return block if level == block.level else replace(block, level=level)
