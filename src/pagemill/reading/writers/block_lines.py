"""blocks.jsonl: one line of JSON for each block."""

from pathlib import Path

import orjson

from pagemill.model.formats import ON_DEMAND
from pagemill.model.pages import Page
from pagemill.model.work import WrittenArtifact
from pagemill.reading.page.page_json import block_json
from pagemill.reading.writers.base import Ending, Facts, HashedFile


class BlockLinesWriter:
    """Writes blocks.jsonl: each block as in document.json, the number of its page in front."""

    def __init__(self, folder: Path) -> None:
        self._file = HashedFile(folder, ON_DEMAND["blocks"].file)

    def open(self, _: Facts) -> None:
        """JSON Lines has no head."""

    def page(self, page: Page) -> None:
        """Write the blocks of a page."""
        for block in page.blocks:
            self._file.write(
                orjson.dumps({"page": page.number, **block_json(block)}, option=orjson.OPT_APPEND_NEWLINE)
            )

    def close(self, _: Ending) -> dict[str, WrittenArtifact]:
        """Close the file; the last line has its end already."""
        return self._file.close()
