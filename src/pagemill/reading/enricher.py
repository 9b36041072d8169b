"""Enrichers: what people add to documents after they were read, found by their entry points, like providers."""

import logging
import os
from functools import cache
from hashlib import sha256
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Protocol

import orjson

from pagemill.errors import Refused
from pagemill.model.abilities import ENRICHER
from pagemill.model.artifacts import MadeFile
from pagemill.model.enriching import BUILT_IN, ENRICHER_NAME, EXTRACTION, OWN, enrichment_file
from pagemill.reading.stored_document import StoredDocument

log = logging.getLogger("pagemill.enrich")
GROUP = "pagemill.enrichers"
# Enrichers without an installed package, as `name=module:Class,...`; they win over installed ones.
ENRICHERS_VARIABLE = "PAGEMILL_ENRICHER_MODULES"


class Enricher(Protocol):
    """Makes something of a document that was read; one instance serves many documents, so that models stay warm.

    One whose attribute `needs_network` is true works in the worker, every other in the press, which has no network.
    """

    name: str

    def version(self) -> str:
        """What decides what comes out; a result is used again only if it is the same."""
        ...

    def available(self) -> str | None:
        """None if it can be used here, otherwise what is missing."""
        ...

    def enrich(self, document: StoredDocument) -> object:
        """What is added: anything that JSON can hold."""
        ...


def enricher_names() -> tuple[str, ...]:
    """Every enricher by name: the formats that are built in, our own, and those of packages."""
    own = (*BUILT_IN, *OWN)
    named = (name for name in _points() if ENRICHER_NAME.fullmatch(name) and name not in (*own, EXTRACTION))
    return (*own, *sorted(named))


def packaged_enrichers(names: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the enrichers that come from packages, which not every machine may have."""
    return tuple(name for name in names if name not in (*BUILT_IN, *OWN))


def enrichers_version(names: tuple[str, ...]) -> tuple[str, ...]:
    """The versions of those enrichers that come from packages."""
    return tuple(f"{name}-{version_of(name)}" for name in packaged_enrichers(names))


def enricher_entries(names: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the enrichers from packages that can be used here, with their versions, as rows of workers name them."""
    versions = ((name, version_of(name)) for name in packaged_enrichers(names))
    return tuple(f"{ENRICHER}{name} {version}" for name, version in versions if version)


def version_of(name: str) -> str:
    """The version of an enricher; empty if it can't be used here."""
    try:
        return load_enricher(name).version()
    except Exception:
        # Code of others, which may raise anything.
        log.warning("enricher %s: version() failed", name, exc_info=True)
        return ""


def needs_network(name: str) -> bool:
    """Whether an enricher asks other machines, and so can't work in the press."""
    if name in BUILT_IN:
        return False
    try:
        return bool(getattr(load_enricher(name), "needs_network", False))
    except Refused:
        return False


@cache
def load_enricher(name: str) -> Enricher:
    """The enricher of that name, ready to use; Refused says why there is none."""
    point = _points().get(name)
    if point is None:
        raise Refused(f"there is no enricher {name!r}; known are {', '.join(enricher_names())}")
    try:
        made: Enricher = point.load()()
        reason = made.available()
    except Exception as error:
        # Code of others, which may raise anything.
        raise Refused(f"the enricher {name!r} can't be loaded: {error}") from error
    if reason:
        raise Refused(f"the enricher {name!r} can't be used here: {reason}")
    return made


def run_enricher(name: str, document: StoredDocument, folder: Path) -> tuple[MadeFile, ...]:
    """Have an enricher of a package look at a document, and write what it made into a folder."""
    raw = orjson.dumps(load_enricher(name).enrich(document), option=orjson.OPT_NON_STR_KEYS)
    file = enrichment_file(name)
    (folder / file).write_bytes(raw)
    return (MadeFile(file, len(raw), sha256(raw).hexdigest()),)


@cache
def _points() -> dict[str, EntryPoint]:
    installed = {point.name: point for point in entry_points(group=GROUP)}
    pairs = (pair.partition("=") for pair in os.environ.get(ENRICHERS_VARIABLE, "").split(",") if pair)
    return installed | {name: EntryPoint(name, target, GROUP) for name, _, target in pairs}
