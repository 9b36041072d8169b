"""What publishing a document brings to the search index: its chunks as passages, with their words normalised."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any

import orjson

from pagemill.model.passages import IndexedPassage
from pagemill.model.search_words import spaced_words

# A longer document is indexed after it was published, piece by piece, so that no other writer waits long for it.
MOST_AT_ONCE = 400


@dataclass(frozen=True, slots=True)
class IndexFeed:
    """Passages for the index, and whether they are all that the document has."""

    passages: tuple[IndexedPassage, ...]
    complete: bool


def feed_from(lines: Iterable[bytes]) -> IndexFeed:
    """All passages of a document of usual length, none of a longer one; `lines` are those of chunks.jsonl."""
    found = list(islice(lines, MOST_AT_ONCE + 1))
    if len(found) > MOST_AT_ONCE:
        return IndexFeed((), complete=False)
    return IndexFeed(tuple(map(passage_from, found)), complete=True)


def passage_from(line: bytes) -> IndexedPassage:
    """The passage in a line of chunks.jsonl."""
    row: dict[str, Any] = orjson.loads(line)
    return IndexedPassage(
        number=int(row["id"][1:]),
        text=row["text"],
        headings=row["headings"],
        places=[(one["start"], one["page"], one["block"], one["box"]) for one in row["boxes"]],
        words=spaced_words(" ".join((*row["headings"], row["text"]))),
    )
