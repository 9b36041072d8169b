"""Enrichers of our own that work in the worker, because they ask a language model or know the tenant's documents."""

from collections.abc import Iterable, Mapping
from functools import partial
from threading import Event
from typing import Any

from pagemill.language_model import chat_config, cost_of, open_chat, price_of, require_chat
from pagemill.mill import Mill
from pagemill.model.enriching import CLASS, ENTITIES_FILE, EXTRACTION, NAMES, enrichment_file
from pagemill.model.extraction import Extraction, ExtractionOrder, ModelUse, extraction_row
from pagemill.model.work import Claim
from pagemill.reading.extraction.by_model import extract_by_model
from pagemill.reading.extraction.by_rules import extract_by_rules
from pagemill.reading.extraction.grounding import passages_of
from pagemill.reading.extraction.names import find_names
from pagemill.reading.facts.document_features import document_features
from pagemill.reading.stored_document import StoredDocument
from pagemill.remote_pages import Interrupted, interruptible

CLASS_SCHEMA = "pagemill/class@1"
NAMES_SCHEMA = "pagemill/names@1"
MODEL = "model"
# What each of them is made from, beside the JSON.
MADE_FROM = {CLASS: ("parts",), NAMES: ("entities",), EXTRACTION: ("facts", "entities")}
# The JSON of formats that were made before, by name.
Held = Mapping[str, dict[str, Any]]


def run_own_enricher(
    mill: Mill, claim: Claim, name: str, document: StoredDocument, held: Held
) -> dict[str, dict[str, Any]]:
    """One of our own enrichments as files by name; `held` has what it is made from.

    Raises Interrupted if the claim is taken away or the service stops while a language model is asked.
    """
    if name == CLASS:
        return {enrichment_file(CLASS): class_signs(document, held)}
    if name == NAMES:
        return add_names(mill, claim, document, held)
    found = extract_values(mill, claim, document, held)
    return {enrichment_file(EXTRACTION): extraction_row(found, price_of(mill, found.use))}


def made_from(mill: Mill, name: str) -> tuple[str, ...]:
    """What an enrichment of ours is made from, beside the JSON; a language model needs no more for an extraction."""
    if name == EXTRACTION and chat_config(mill.settings) is not None:
        return ()
    return MADE_FROM[name]


def class_signs(document: StoredDocument, held: Held) -> dict[str, Any]:
    """What the class of a document is decided by: its type by rules, and its features."""
    return {
        "schema": CLASS_SCHEMA,
        "type": held["parts"]["type"],
        "features": document_features(document),
    }


def add_names(mill: Mill, claim: Claim, document: StoredDocument, held: Held) -> dict[str, dict[str, Any]]:
    """Have the language model find names, and put them among the entities of the document."""
    config = require_chat(mill.settings)
    types = [kind.strip() for kind in mill.settings.llm_entity_types.split(",") if kind.strip()]
    use = ModelUse()
    with interruptible(mill, claim) as stop, open_chat(config, partial(go_on_unless, stop)) as model:
        try:
            rows = list(find_names(model, types, passages_of(document.pages())))
        finally:
            use = model.use
            mill.costs.add(claim.key, cost_of(mill, use))
    names = {"schema": NAMES_SCHEMA, "engine": config.model, "entities": rows}
    cost = {
        "calls": use.calls,
        "prompt_tokens": use.prompt_tokens,
        "completion_tokens": use.completion_tokens,
    }
    return {
        enrichment_file(NAMES): {**names, "cost": {**cost, "price": price_of(mill, use)}},
        ENTITIES_FILE: with_names(held["entities"], rows),
    }


def go_on_unless(stop: Event) -> None:
    """Raises Interrupted if the claim was taken away or the service stops."""
    if stop.is_set():
        raise Interrupted


def with_names(entities: dict[str, Any], rows: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """The entities of a document with the names that it has."""
    known = [one for one in entities["entities"] if one.get("source") != MODEL]
    return {**entities, "entities": [*known, *(row for row in rows if row["grounded"])]}


def extract_values(mill: Mill, claim: Claim, document: StoredDocument, held: Held) -> Extraction:
    """The values that a job was asked for, by the language model or by rules."""
    order = ExtractionOrder.from_json(claim.options.extract or "{}")
    config = chat_config(mill.settings)
    if config is None:
        return extract_by_rules(order, held["facts"], held["entities"]["entities"])
    with interruptible(mill, claim) as stop, open_chat(config, partial(go_on_unless, stop)) as model:
        try:
            return extract_by_model(model, order, passages_of(document.pages()))
        finally:
            mill.costs.add(claim.key, cost_of(mill, model.use))
