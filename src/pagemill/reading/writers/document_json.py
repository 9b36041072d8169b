"""document.json: everything that was read, one page per line, and beside it an index of the lines if there are many.

The schema is in document.schema.json.
"""

from dataclasses import asdict
from pathlib import Path

import orjson

from pagemill.model.formats import ARTIFACT_NAMES
from pagemill.model.page_index import index_record
from pagemill.model.pages import Page
from pagemill.model.visits import INDEX_FILE
from pagemill.model.work import WrittenArtifact
from pagemill.reading.page.page_json import page_bytes
from pagemill.reading.writers.base import Ending, Facts, HashedFile

SCHEMA = "pagemill/document@1"


class JsonWriter:
    """Writes document.json, and pages.idx if the document has more than one page."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = HashedFile(folder, ARTIFACT_NAMES["json"])
        self._index: HashedFile | None = None
        self._between = b"\n"

    def open(self, facts: Facts) -> None:
        """Write the head, up to the opening bracket of the pages."""
        head = {
            "schema": SCHEMA,
            "document": {
                "sha256": facts.sha256,
                "total_pages": facts.total_pages,
                "title": facts.title,
                "facts": facts.document_facts,
            },
        }
        self._file.write(orjson.dumps(head)[:-1] + b',"pages":[')
        if facts.total_pages > 1:
            self._index = HashedFile(self._folder, INDEX_FILE)

    def page(self, page: Page) -> None:
        """Write one page on a line of its own, and its position into the index."""
        line = page_bytes(page)
        self._file.write(self._between)
        if self._index is not None:
            self._index.write(index_record(page.number, self._file.size_bytes, len(line)))
        self._file.write(line)
        self._between = b",\n"

    def close(self, ending: Ending) -> dict[str, WrittenArtifact]:
        """Write the tail: failed pages and warnings."""
        tail = {"failed_pages": [asdict(page) for page in ending.failed], "warnings": list(ending.warnings)}
        self._file.write(b"\n]," + orjson.dumps(tail)[1:] + b"\n")
        return self._file.close() | (self._index.close() if self._index is not None else {})
