"""The words of a finished document, page by page, without more than a page of it in memory."""

from collections.abc import Iterator
from dataclasses import dataclass

from pagemill.desk.contents import page_index
from pagemill.errors import ArtifactNotMade
from pagemill.mill import Mill
from pagemill.model.formats import ARTIFACT_NAMES
from pagemill.model.jobs import Result
from pagemill.model.page_index import RECORD
from pagemill.model.pages import Block, Kind, Page
from pagemill.reading.page.page_json import page_from
from pagemill.reading.writers.text import block_words

TableRows = list[list[str]]


@dataclass(frozen=True, slots=True)
class PageText:
    """The text of a page and the cells of its tables."""

    number: int
    text: str
    tables: list[TableRows]


def page_texts(mill: Mill, result: Result) -> Iterator[PageText]:
    """The pages of a result in order; ArtifactNotMade if the job was not asked for the JSON that has them."""
    if ARTIFACT_NAMES["json"] not in result.artifacts:
        raise ArtifactNotMade("Pages are served from the JSON, which this job was not asked for.")
    with mill.blobs.open(f"{result.prefix}/{ARTIFACT_NAMES['json']}") as document:
        for _, offset, length in RECORD.iter_unpack(page_index(mill, result, document)):
            document.seek(offset)
            yield page_text(page_from(document.read(length)))


def page_text(page: Page) -> PageText:
    """The words of one page."""
    words = filter(None, (block_words(block) for block in page.blocks))
    tables = [table_rows(block) for block in page.blocks if block.kind is Kind.TABLE]
    return PageText(page.number, "\n\n".join(words), tables)


def table_rows(block: Block) -> TableRows:
    """The cells of a table, its header first."""
    return [[cell.text for cell in row] for row in block.all_rows]
