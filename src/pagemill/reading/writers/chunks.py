"""chunks.jsonl: the passages of a document for retrieval, one per line, each with its pages and boxes."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import orjson

from pagemill.model.formats import ON_DEMAND
from pagemill.model.pages import Page
from pagemill.model.passages import Passage, PassageOptions
from pagemill.model.work import WrittenArtifact
from pagemill.reading.passages import ExactPacker, Packer
from pagemill.reading.tokenizer import Tokenizer
from pagemill.reading.writers.base import Ending, Facts, HashedFile
from pagemill.reading.writers.text import BodyText


class ChunksWriter:
    """Writes chunks.jsonl; each line is held until it is known whether one follows."""

    def __init__(
        self,
        folder: Path,
        options: PassageOptions,
        tokenizer: Tokenizer | None = None,
        body: BodyText | None = None,
    ) -> None:
        self._file = HashedFile(folder, ON_DEMAND["chunks"].file)
        self._packer = ExactPacker(options, tokenizer) if tokenizer else Packer(options, body=body)
        self._tokens_by = "tokenizer" if tokenizer else "estimate"
        self._held: Passage | None = None

    def open(self, _: Facts) -> None:
        """Lines have no head."""

    def page(self, page: Page) -> None:
        """Write the passages that the page completes."""
        self._write(self._packer.add(page))

    def close(self, _: Ending) -> dict[str, WrittenArtifact]:
        """Write what is left."""
        self._write(self._packer.finish())
        if self._held is not None:
            self._file.write(chunk_line(self._held, self._tokens_by, is_last=True))
        return self._file.close()

    def _write(self, passages: Iterable[Passage]) -> None:
        for passage in passages:
            if self._held is not None:
                self._file.write(chunk_line(self._held, self._tokens_by, is_last=False))
            self._held = passage


def chunk_name(number: int) -> str:
    """The id of a passage in its document."""
    return f"c{number}"


def chunk_line(passage: Passage, tokens_by: str, *, is_last: bool) -> bytes:
    """A passage as a line of JSON."""
    row: dict[str, Any] = {
        "id": chunk_name(passage.number),
        "text": passage.text,
        "embed_text": passage.embed_text,
        "headings": passage.headings,
        "pages": passage.pages,
        "blocks": list(dict.fromkeys([block for _, _, block, _ in passage.places if block])),
        "boxes": boxes_json(passage),
        "start": passage.start,
        "end": passage.end,
        "overlap": passage.overlap,
        "tokens": passage.tokens,
        "tokens_by": tokens_by,
        "previous": chunk_name(passage.number - 1) if passage.number > 1 else None,
        "next": None if is_last else chunk_name(passage.number + 1),
    }
    return orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE)


def boxes_json(passage: Passage) -> list[dict[str, Any]]:
    """Where the passage is printed, each box once, with the character that begins there."""
    boxes: dict[tuple[int, str | None, tuple[float, float, float, float] | None], int] = {}
    for start, page, block, box in passage.places:
        # A tuple, which is compared in a fifth of the time that a box takes.
        boxes.setdefault((page, block, box.sides if box else None), start)
    return [
        {"page": page, "block": block, "box": box, "start": start}
        for (page, block, box), start in boxes.items()
    ]
