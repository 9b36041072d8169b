"""What is known of pages beside their text: who read them, how, how surely and how large they are."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, BinaryIO

import orjson

from pagemill.desk.contents import PageList, artifact, list_pages, page_index
from pagemill.mill import Mill
from pagemill.model.formats import ARTIFACT_NAMES
from pagemill.model.jobs import Result
from pagemill.model.page_index import find_page
from pagemill.model.pages import OFFICE, RENDERED, needs_check

# What comes before a page's contents nearly always fits; where it doesn't, the whole page is read.
HEAD_BYTES = 1_024
CONTENTS = b',"fields":['


@dataclass(frozen=True, slots=True)
class KnownFacts:
    """Facts of a page in the newest result; `fell_back` if another provider was tried before."""

    width: float
    height: float
    provider: str
    route: str
    confidence: float
    fell_back: bool
    to_check: bool
    has_image: bool


def list_known_pages(
    mill: Mill, tenant: str, job_id: str, *, first: int, limit: int
) -> tuple[PageList, dict[int, KnownFacts]]:
    """Some pages of a job, and the facts of those that are in its newest result."""
    found = list_pages(mill, tenant, job_id, first=first, limit=limit)
    if found.result is None or ARTIFACT_NAMES["json"] not in found.result.artifacts:
        return found, {}
    return found, dict(facts_of(mill, found.result, [page.number for page in found.pages]))


def document_facts(mill: Mill, tenant: str, job_id: str) -> object:
    """What the document of a finished job says of itself, from the first line of its JSON; None if it says nothing."""
    place = artifact(mill, tenant, job_id, "json")
    with mill.blobs.open(place.key) as document:
        head = orjson.loads(document.readline().rstrip() + b"]}")["document"]
    return head.get("facts")


def facts_of(mill: Mill, result: Result, numbers: Sequence[int]) -> Iterator[tuple[int, KnownFacts]]:
    """The facts of these pages, read from the beginning of each."""
    with mill.blobs.open(f"{result.prefix}/{ARTIFACT_NAMES['json']}") as document:
        index = page_index(mill, result, document)
        for number in numbers:
            place = find_page(index, number)
            if place is not None:
                yield number, facts_in(head(document, *place))


def head(document: BinaryIO, offset: int, length: int) -> dict[str, Any]:
    """What comes before a page's contents."""
    document.seek(offset)
    start = document.read(min(length, HEAD_BYTES))
    end = start.find(CONTENTS)
    whole = start[:end] + b"}" if end >= 0 else start + document.read(length - len(start))
    members: dict[str, Any] = orjson.loads(whole)
    return members


def facts_in(members: dict[str, Any]) -> KnownFacts:
    """The facts among the members of a page."""
    confidence, fell_back = members["confidence"], bool(members["tries"])
    return KnownFacts(
        width=members["width"],
        height=members["height"],
        provider=members["provider"],
        route=members["route"],
        confidence=confidence,
        fell_back=fell_back,
        to_check=needs_check(
            failed=members["error"] is not None, tried_before=fell_back, confidence=confidence
        ),
        has_image=members["provider"] != OFFICE or members["reason"] == RENDERED,
    )


def page_views(found: PageList, facts: dict[int, KnownFacts]) -> list[dict[str, object]]:
    """The pages as they are listed."""
    return [
        {
            "number": page.number,
            "state": page.state,
            "facts": asdict(facts[page.number]) if page.number in facts else None,
        }
        for page in found.pages
    ]
