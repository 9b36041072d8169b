"""Routing rules: what a tenant wants done with documents that meet conditions.

Rules are tried in order, and every one that matches acts; one that says `stop` ends the trying. What follows from the
submission is decided when it is accepted, what needs the class or the entities when the result is there.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from pagemill.model.labels import COLLECTION, TAGS

MOST_RULES = 100
CLASS, ENTITIES = "class", "entities"
NUMBER = re.compile(r"-?\d+(\.\d+)?")


@dataclass(frozen=True, slots=True)
class EntityCondition:
    """That the document has an entity of a type, with a value like a pattern or within bounds."""

    type: str
    value: str | None = None
    at_least: float | None = None
    at_most: float | None = None

    def holds(self, kind: str, value: str) -> bool:
        """Whether an entity meets the condition."""
        if kind != self.type or (self.value is not None and not is_like(value, self.value)):
            return False
        if self.at_least is None and self.at_most is None:
            return True
        if not NUMBER.fullmatch(value):
            return False
        lowest = self.at_least if self.at_least is not None else float("-inf")
        highest = self.at_most if self.at_most is not None else float("inf")
        return lowest <= float(value) <= highest

    def words(self) -> str:
        """The condition in words."""
        bounds = (("like", self.value), ("at least", self.at_least), ("at most", self.at_most))
        return " ".join([self.type, *(f"{word} {value}" for word, value in bounds if value is not None)])


@dataclass(frozen=True, slots=True)
class RuleConditions:
    """What a rule asks of a document; all of it must hold, and what is empty asks nothing."""

    classes: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    filename: str | None = None
    media_type: str | None = None
    collection: str | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)
    entities: tuple[EntityCondition, ...] = ()

    @property
    def needs(self) -> tuple[str, ...]:
        """The enrichments that the conditions need; none if the submission is enough."""
        return ((CLASS,) if self.classes else ()) + ((ENTITIES,) if self.entities else ())

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> "RuleConditions":
        """Conditions as they are stored."""
        return cls(
            classes=tuple(stored.get("class", ())),
            tags=tuple(stored.get("tags", ())),
            filename=stored.get("filename"),
            media_type=stored.get("media_type"),
            collection=stored.get("collection"),
            metadata=stored.get("metadata", {}),
            entities=tuple(EntityCondition(**one) for one in stored.get("entities", ())),
        )


@dataclass(frozen=True, slots=True)
class RuleActions:
    """What a rule does with a document that meets its conditions."""

    options: Mapping[str, Any] = field(default_factory=dict)
    lane: str | None = None
    priority: int | None = None
    webhook_url: str | None = None
    push_to: str | None = None
    tags: tuple[str, ...] = ()
    collection: str | None = None

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> "RuleActions":
        """Actions as they are stored."""
        return cls(**{**stored, "tags": tuple(stored.get("tags", ()))})


@dataclass(frozen=True, slots=True)
class RoutingRule:
    """A rule of a tenant as it is stored."""

    id: str
    tenant: str
    position: int
    name: str
    enabled: bool
    stop: bool
    conditions: dict[str, Any]
    actions: dict[str, Any]
    created_at: float
    updated_at: float

    @property
    def when(self) -> RuleConditions:
        """What the rule asks."""
        return RuleConditions.from_dict(self.conditions)

    @property
    def then(self) -> RuleActions:
        """What the rule does."""
        return RuleActions.from_dict(self.actions)


@dataclass(frozen=True, slots=True)
class RuleSubject:
    """What is known of a document when rules are tried; class and entities are None before it was read."""

    filename: str
    media_type: str
    metadata: Mapping[str, str]
    document_class: str | None = None
    entities: Sequence[tuple[str, str]] | None = None

    @property
    def tags(self) -> set[str]:
        """The tags of the document."""
        return {tag.strip() for tag in self.metadata.get(TAGS, "").split(",")} - {""}


def is_like(text: str, pattern: str) -> bool:
    """Whether a text is like a pattern with * and ?, whatever the case."""
    return fnmatchcase(text.casefold(), pattern.casefold())


def unmet_conditions(when: RuleConditions, subject: RuleSubject) -> list[str]:
    """Why a rule does not match, in words; nothing if it does."""
    found = [*unmet_labels(when, subject)]
    if when.classes and subject.document_class not in when.classes:
        found.append(f"the class is {subject.document_class or 'not known'}, not {' or '.join(when.classes)}")
    known = subject.entities or ()
    found += [
        f"no entity is {one.words()}"
        for one in when.entities
        if not any(one.holds(kind, value) for kind, value in known)
    ]
    return found


def unmet_labels(when: RuleConditions, subject: RuleSubject) -> Iterable[str]:
    """As above, for what came with the document."""
    if when.filename is not None and not is_like(subject.filename, when.filename):
        yield f"the filename is not like {when.filename}"
    if when.media_type is not None and not is_like(subject.media_type, when.media_type):
        yield f"the media type is {subject.media_type or 'not known'}, not {when.media_type}"
    if when.collection is not None and subject.metadata.get(COLLECTION) != when.collection:
        yield f"the collection is not {when.collection}"
    if when.tags and not subject.tags & set(when.tags):
        yield f"no tag is {' or '.join(when.tags)}"
    for name, pattern in when.metadata.items():
        if name not in subject.metadata or not is_like(subject.metadata[name], pattern):
            yield f"the metadata {name} is not like {pattern}"


def entity_pairs(entities: Sequence[Mapping[str, Any]]) -> tuple[tuple[str, str], ...]:
    """The entities of a document as type and value; one with a label, such as a total, also as that."""
    pairs = [(str(one["type"]), str(one["value"])) for one in entities]
    labelled = [(str(one["label"]), str(one["value"])) for one in entities if one.get("label")]
    return tuple(dict.fromkeys((*pairs, *labelled)))


def matching_rules(rules: Sequence[RoutingRule], subject: RuleSubject) -> list[RoutingRule]:
    """The rules that match in order, up to and with one that stops."""
    found: list[RoutingRule] = []
    for rule in rules:
        if rule.enabled and not unmet_conditions(rule.when, subject):
            found.append(rule)
            if rule.stop:
                break
    return found


class RulesOfTenants:
    """The rules of every tenant as they were read last; any thread may ask."""

    def __init__(self) -> None:
        self._of: Mapping[str, tuple[RoutingRule, ...]] = {}
        # That of the rows that were read last.
        self.version: tuple[float, ...] | None = None

    def of(self, tenant: str) -> tuple[RoutingRule, ...]:
        """The rules of a tenant that are in force, in order."""
        return self._of.get(tenant, ())

    def before(self, tenant: str) -> list[RoutingRule]:
        """Those that are decided by the submission."""
        return [rule for rule in self.of(tenant) if not rule.when.needs]

    def after(self, tenant: str) -> list[RoutingRule]:
        """Those that are decided by the result."""
        return [rule for rule in self.of(tenant) if rule.when.needs]

    def needs(self, tenant: str) -> tuple[str, ...]:
        """The enrichments that the rules of a tenant are decided by."""
        return tuple(dict.fromkeys(name for rule in self.of(tenant) for name in rule.when.needs))

    def replace(self, version: tuple[float, ...] | None, rules: Iterable[RoutingRule]) -> None:
        """Take over what the rows say."""
        found: dict[str, tuple[RoutingRule, ...]] = {}
        for rule in rules:
            if rule.enabled:
                found[rule.tenant] = (*found.get(rule.tenant, ()), rule)
        self._of, self.version = found, version
