"""A folder of documents with a `manifest.jsonl` that says where the true reading of each is."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson

# What a person has read or what the page was made from; other truths say what some engine printed.
OFFICE = "office_truth"
TRUSTED = ("human", "exact", "tool output, reviewed")


@dataclass(frozen=True, slots=True)
class Truth:
    """A file with the true reading of a document."""

    path: Path
    kind: str
    quality: str

    @property
    def trusted(self) -> bool:
        """Whether a person vouches for it."""
        return self.quality.startswith(TRUSTED)

    def text(self) -> str:
        """The file."""
        return self.path.read_text("utf-8")


@dataclass(frozen=True, slots=True)
class Document:
    """A document of the corpus; `pages_of` is the category of the one that its pages were taken from, if they were."""

    name: str
    path: Path
    category: str
    source: str
    truths: tuple[Truth, ...] = ()
    password: str | None = None
    group: str = ""
    pages_of: str = ""

    @property
    def trusted(self) -> bool:
        """Whether a person vouches for its truth, or there is none to vouch for; an office file holds its own."""
        return all(truth.trusted for truth in self.truths) or self.category == OFFICE


def documents(
    folder: Path, categories: Sequence[str], limit: int | None = None, *, untrusted: bool = False
) -> list[Document]:
    """The documents of those categories, at most `limit` of each; `untrusted` takes in those of doubtful truth."""
    lines = (folder / "manifest.jsonl").read_bytes().splitlines()
    rows = [row for row in map(orjson.loads, lines) if row["category"] in categories]
    found = [_document(folder, row) for row in rows]
    return [
        document for category in categories for document in _some(found, category, limit, untrusted=untrusted)
    ]


def _some(found: Sequence[Document], category: str, limit: int | None, *, untrusted: bool) -> list[Document]:
    """Those that fit, or so many of them from all over the list."""
    fit = [one for one in found if one.category == category and (untrusted or one.trusted)]
    count = min(limit or len(fit), len(fit))
    return [fit[index * len(fit) // count] for index in range(count)]


def _document(folder: Path, row: dict[str, object]) -> Document:
    truths = row.get("truth") or []
    assert isinstance(truths, list)
    password = row.get("password")
    return Document(
        name=str(row["file"]),
        path=folder / str(row["file"]),
        category=str(row["category"]),
        source=_short(str(row.get("source", ""))),
        truths=tuple(Truth(folder / truth["file"], truth["kind"], truth["quality"]) for truth in truths),
        password=str(password) if password else None,
        group=str(row.get("group", "")),
    )


def _short(source: str) -> str:
    """The source without remarks in brackets."""
    return source.partition(" (")[0]
