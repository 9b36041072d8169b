"""What a visit wrote for the search index, read before its folder is handed over."""

from pathlib import Path

from pagemill.mill import Mill
from pagemill.model.formats import ON_DEMAND
from pagemill.model.index_feed import IndexFeed, feed_from
from pagemill.model.work import Claim
from pagemill.press import Done, Outcome

CHUNKS, JSON = "chunks", "json"


def formats_with_chunks(mill: Mill, claim: Claim) -> tuple[str, ...]:
    """The formats that the press writes: those of the job, the JSON if enrichers follow, and chunks if they are searched."""
    asked = claim.options.formats
    if claim.options.enrich and JSON not in asked:
        asked = (*asked, JSON)
    return (*asked, CHUNKS) if mill.settings.search and CHUNKS not in asked else asked


def read_feed(mill: Mill, folder: Path, outcome: Outcome) -> IndexFeed | None:
    """The passages that a visit wrote into a folder; None if it did not end well, or nothing is to be indexed."""
    file = folder / ON_DEMAND[CHUNKS].file
    if not isinstance(outcome, Done) or not mill.settings.search or not file.exists():
        return None
    with file.open("rb") as lines:
        return feed_from(lines)
