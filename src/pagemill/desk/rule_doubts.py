"""Names in routing rules that nothing has: a rule that can't match yet is kept, and what speaks against it is said."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from sqlalchemy import Connection

from pagemill.db import class_examples, label_counts, routing_rules
from pagemill.mill import Mill
from pagemill.model.document_types import UNKNOWN
from pagemill.model.entities import EntityType
from pagemill.model.labels import split_tags
from pagemill.model.routing_rules import RuleConditions
from pagemill.reading.entities.label_words import AMOUNTS
from pagemill.reading.facts.classifying import TYPES

Known = Mapping[str, Collection[str]]


def doubts_of(when: RuleConditions, known: Known) -> list[str]:
    """Why a rule may never match: classes, tags, collections and entities that are not known so far."""
    return [
        *unknown_names("class", when.classes, known["class"]),
        *unknown_names("tag", when.tags, known["tag"]),
        *unknown_names("collection", [when.collection] if when.collection else [], known["collection"]),
        *unknown_names("entity", [one.type for one in when.entities], known["entity"]),
    ]


def unknown_names(kind: str, names: Collection[str], known: Collection[str]) -> Iterator[str]:
    """The names that are not known, in words."""
    for name in names:
        if name not in known:
            yield WORDS[kind].format(name=name)


WORDS = {
    "class": "no class is called {name}: it has no examples, and rules find no such type",
    "tag": "no document has the tag {name} so far, and no rule adds it",
    "collection": "no document is in the collection {name} so far, and no rule puts one there",
    "entity": "{name} is no type of entity; only an entity that is labelled like this would match",
}


def known_names(
    mill: Mill, tenant: str, conditions: Sequence[RuleConditions], *, without_rule: str = ""
) -> Known:
    """The names that documents of a tenant can have, also by its rules, except one that is about to be replaced."""
    return mill.db.read(lambda conn: fetch_names(conn, mill, tenant, conditions, without_rule))


def fetch_names(
    conn: Connection, mill: Mill, tenant: str, conditions: Sequence[RuleConditions], without_rule: str
) -> Known:
    """The names by a database; labels are counted only if one of the conditions asks for them."""
    actions = [one.then for one in routing_rules.all_rules(conn, tenant) if one.id != without_rule]
    tags = label_counts.count_tags(conn, tenant) if any(one.tags for one in conditions) else {}
    asks_collection = any(one.collection for one in conditions)
    collections = label_counts.count_collections(conn, tenant) if asks_collection else {}
    return {
        "class": {UNKNOWN, *TYPES, *class_examples.count_by_class(conn, tenant)},
        "tag": {*tags, *(tag for one in actions for tag in one.tags)},
        "collection": {*collections, *(one.collection for one in actions if one.collection)},
        "entity": {*EntityType, *AMOUNTS, *split_tags(mill.settings.llm_entity_types)},
    }
