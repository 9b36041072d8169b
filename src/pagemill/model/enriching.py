"""Enriching: what is added to a document after it was joined, by enrichers that people name."""

import re
from dataclasses import dataclass
from typing import ClassVar

from pagemill.model.formats import ON_DEMAND
from pagemill.model.options import SPLIT_CHOICES, ReadingOptions
from pagemill.model.visits import FileRequest

# Formats that are made with the result if they are asked for as enrichments.
BUILT_IN = ("chunks", "entities", "facts", "parts")
# What the worker makes itself, because it needs a language model or the tenant's own examples.
CLASS, NAMES = "class", "names"
OWN = (CLASS, NAMES)
# What `extract` of a submission brings; it has an option of its own, because it needs a schema.
EXTRACTION = "extraction"
ENTITIES_FILE = ON_DEMAND["entities"].file
# What is said of a document that could not be enriched as it was asked for.
ENRICHMENT_FAILED = "enrichment_failed"
ENRICHER_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
MOST_ENRICHERS = 16


def enrichment_file(name: str) -> str:
    """The file of an enrichment, among the artifacts of the result."""
    return ON_DEMAND[name].file if name in BUILT_IN else f"enriched-{name}.json"


def wanted_enrichments(options: ReadingOptions) -> tuple[str, ...]:
    """Everything that is added beside the reading, by name."""
    parts = ("parts",) if options.split != SPLIT_CHOICES[0] else ()
    return tuple(dict.fromkeys((*options.enrich, *parts, *((EXTRACTION,) if options.extract else ()))))


@dataclass(frozen=True, slots=True)
class EnrichRequest(FileRequest):
    """Have one enricher look at document.json, and at the document itself if it is one of those that draw."""

    READS: ClassVar[tuple[str, ...]] = ("document_json", "index", "path")

    name: str
    document_json: str
    index: str | None
    scratch: str
    path: str = ""
    password: str | None = None
