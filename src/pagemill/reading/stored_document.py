"""A finished document as it is stored, page by page."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import orjson

from pagemill.model.document_facts import facts_from
from pagemill.model.page_index import RECORD, find_page, index_from
from pagemill.model.pages import Page
from pagemill.reading.page.page_json import page_from
from pagemill.reading.writers.base import Facts

INDEX_RECORDS = 1_024


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """document.json and the index beside it, if it has one; never more than a page of it is in memory."""

    document_json: str
    index: str | None

    def pages(self) -> Iterator[Page]:
        """All pages in order."""
        with open(self.document_json, "rb") as file:
            for _, offset, length in self._records():
                file.seek(offset)
                yield page_from(file.read(length))

    def page(self, number: int) -> Page | None:
        """One page, or None if the document has no such page."""
        with open(self.document_json, "rb") as file:
            index = Path(self.index).read_bytes() if self.index else index_from(file)
            place = find_page(index, number)
            if place is None:
                return None
            file.seek(place[0])
            return page_from(file.read(place[1]))

    def facts(self) -> Facts:
        """What is known of the document as a whole, which is before the first page."""
        with open(self.document_json, "rb") as file:
            head = orjson.loads(file.readline().rstrip() + b"]}")["document"]
        known = facts_from(head["facts"]) if head.get("facts") else None
        return Facts(head["total_pages"], head["sha256"], title=head["title"], document_facts=known)

    def _records(self) -> Iterator[tuple[int, int, int]]:
        with open(self.index or self.document_json, "rb") as file:
            if self.index is None:
                yield from RECORD.iter_unpack(index_from(file))
                return
            while piece := file.read(RECORD.size * INDEX_RECORDS):
                yield from RECORD.iter_unpack(piece)
