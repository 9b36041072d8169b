"""Routing rules of a tenant: listed, made, changed, removed, and tried on a job without doing anything."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from typing_extensions import TypedDict

from pagemill.db import class_examples, routing_rules
from pagemill.db.database import Tx
from pagemill.desk.classes import features_of_job
from pagemill.desk.extraction import made_json
from pagemill.desk.on_demand import FinishedJob, finished_job
from pagemill.desk.rule_doubts import doubts_of, known_names
from pagemill.desk.webhooks import check_url
from pagemill.errors import NotFound, OutageError, TooManyRules
from pagemill.mill import Mill
from pagemill.model.document_types import DocumentType
from pagemill.model.ids import new_id
from pagemill.model.labelled_classes import StoredClass, decide_class
from pagemill.model.push_targets import check_push_target
from pagemill.model.routing_rules import (
    CLASS,
    ENTITIES,
    MOST_RULES,
    RoutingRule,
    RuleConditions,
    RuleSubject,
    entity_pairs,
    unmet_conditions,
)
from pagemill.model.views import iso
from pagemill.press import Press
from pagemill.tenant_settings import refresh_rules

log = logging.getLogger("pagemill.rules")


class RuleView(TypedDict):
    """A rule as people see it."""

    id: str
    name: str
    position: int
    enabled: bool
    stop: bool
    when: dict[str, Any]
    then: dict[str, Any]
    created_at: str
    updated_at: str


class NewRuleView(RuleView):
    """A rule that was made or changed just now."""

    warnings: list[str]
    """Why it may never match: names that nothing has so far."""


class RuleTrial(TypedDict):
    """What a rule would do with a document."""

    id: str
    name: str
    decided_by: str
    matches: bool
    acts: bool
    unmet: list[str]
    warnings: list[str]
    then: dict[str, Any]


class RuleTrials(TypedDict):
    """What rules would do with a document, and what they were tried on."""

    job_id: str
    classification: StoredClass | None
    rules: list[RuleTrial]


@dataclass(frozen=True, slots=True)
class WantedRule:
    """What somebody asks of a rule; without a position it comes last, or stays where it is."""

    name: str
    conditions: dict[str, Any]
    actions: dict[str, Any]
    position: int | None = None
    enabled: bool = True
    stop: bool = False


def rule_view(rule: RoutingRule) -> RuleView:
    """A rule in the shape that people see."""
    return {
        "id": rule.id,
        "name": rule.name,
        "position": rule.position,
        "enabled": rule.enabled,
        "stop": rule.stop,
        "when": rule.conditions,
        "then": rule.actions,
        "created_at": iso(rule.created_at),
        "updated_at": iso(rule.updated_at),
    }


def list_rules(mill: Mill, tenant: str) -> list[RuleView]:
    """The rules of a tenant, in the order in which they are tried."""
    return [rule_view(rule) for rule in mill.db.read(lambda conn: routing_rules.all_rules(conn, tenant))]


def show_rule(mill: Mill, tenant: str, rule_id: str) -> RuleView:
    """A rule of a tenant."""
    found = mill.db.read(lambda conn: routing_rules.one(conn, tenant, rule_id))
    if found is None:
        raise NotFound()
    return rule_view(found)


def check_addresses(mill: Mill, tenant: str, wanted: WantedRule) -> None:
    """Raises what a submission gets for a webhook or a folder that may not be used."""
    if url := wanted.actions.get("webhook_url"):
        check_url(mill, url)
    if folder := wanted.actions.get("push_to"):
        check_push_target(folder, mill.settings.push_prefixes, tenant)


def add_rule(mill: Mill, tenant: str, wanted: WantedRule) -> NewRuleView:
    """Make a rule; it holds for what is handed in from now on."""
    check_addresses(mill, tenant, wanted)
    warnings = warnings_of(mill, tenant, wanted)

    def write(tx: Tx) -> RoutingRule:
        if routing_rules.count(tx.conn, tenant) >= MOST_RULES:
            raise TooManyRules(max_rules=MOST_RULES)
        last = routing_rules.last_position(tx.conn, tenant)
        rule = rule_of(new_id(), tenant, wanted, last + 1, tx.now)
        routing_rules.add(tx, rule)
        return rule

    rule = mill.db.write(write)
    try_to_refresh(mill)
    return {**rule_view(rule), "warnings": warnings}


def warnings_of(mill: Mill, tenant: str, wanted: WantedRule, rule_id: str = "") -> list[str]:
    """What speaks against a rule's ever matching; asked before it is written, so that an outage leaves nothing behind."""
    when = RuleConditions.from_dict(wanted.conditions)
    return doubts_of(when, known_names(mill, tenant, [when], without_rule=rule_id))


def try_to_refresh(mill: Mill) -> None:
    """Have this process follow changed rules at once; if the database is away, it reads them with the next refresh."""
    try:
        refresh_rules(mill)
    except OutageError as error:
        log.warning("changed rules can't be read yet: %s", error.message)


def rule_of(rule_id: str, tenant: str, wanted: WantedRule, position: int, now: float) -> RoutingRule:
    """A rule that is made now."""
    return RoutingRule(
        id=rule_id,
        tenant=tenant,
        position=position if wanted.position is None else wanted.position,
        name=wanted.name,
        enabled=wanted.enabled,
        stop=wanted.stop,
        conditions=wanted.conditions,
        actions=wanted.actions,
        created_at=now,
        updated_at=now,
    )


def change_rule(mill: Mill, tenant: str, rule_id: str, wanted: WantedRule) -> NewRuleView:
    """Replace what a rule asks and does."""
    show_rule(mill, tenant, rule_id)
    check_addresses(mill, tenant, wanted)
    warnings = warnings_of(mill, tenant, wanted, rule_id)

    def write(tx: Tx) -> RoutingRule:
        former = routing_rules.one(tx.conn, tenant, rule_id)
        if former is None:
            raise NotFound()
        new = rule_of(rule_id, tenant, wanted, former.position, tx.now)
        routing_rules.replace(tx, replace(new, created_at=former.created_at))
        return replace(new, created_at=former.created_at)

    rule = mill.db.write(write)
    try_to_refresh(mill)
    return {**rule_view(rule), "warnings": warnings}


def remove_rule(mill: Mill, tenant: str, rule_id: str) -> None:
    """Remove a rule; what it did stays."""
    if not mill.db.write(lambda tx: routing_rules.remove(tx, tenant, rule_id)):
        raise NotFound()
    try_to_refresh(mill)


def try_rules(mill: Mill, tenant: str, job_id: str, drafts: Sequence[WantedRule], press: Press) -> RuleTrials:
    """What rules would do with a finished job: those of the tenant, or drafts of them. Nothing is changed."""
    done = finished_job(mill, tenant, job_id)
    rules = [rule_of("", tenant, one, place, 0.0) for place, one in enumerate(drafts)]
    rules = rules or mill.db.read(lambda conn: routing_rules.all_rules(conn, tenant))
    needs = {need for rule in rules for need in rule.when.needs}
    decided = class_now(mill, done, press) if CLASS in needs else done.job.classification
    entities = made_json(mill, done, "entities", press)["entities"] if ENTITIES in needs else []
    subject = RuleSubject(
        done.document.filename,
        done.document.media_type,
        done.job.metadata,
        decided["name"] if decided else None,
        entity_pairs(entities),
    )
    return {"job_id": job_id, "classification": decided, "rules": trials_of(mill, tenant, rules, subject)}


def class_now(mill: Mill, done: FinishedJob, press: Press) -> StoredClass:
    """The class that a finished job would get now."""
    tenant, kind = done.job.tenant, made_json(mill, done, "parts", press)["type"]
    by_rules = DocumentType(kind["name"], kind["score"], tuple(kind["reasons"]))
    features = features_of_job(mill, tenant, done.job.id)
    examples = mill.db.read(lambda conn: class_examples.all_examples(conn, tenant))
    return decide_class(by_rules, features, [one for one in examples if one.job_id != done.job.id])


def trials_of(mill: Mill, tenant: str, rules: Sequence[RoutingRule], subject: RuleSubject) -> list[RuleTrial]:
    """What each rule would do; one after another that stops, of those decided at the same time, does not act."""
    tried = [(rule, unmet_conditions(rule.when, subject)) for rule in rules]
    conditions = [rule.when for rule, unmet in tried if unmet]
    known = known_names(mill, tenant, conditions) if conditions else {}
    stopped: set[str] = set()
    found: list[RuleTrial] = []
    for rule, unmet in tried:
        decided_by = "result" if rule.when.needs else "submission"
        acts = not unmet and rule.enabled and decided_by not in stopped
        if acts and rule.stop:
            stopped.add(decided_by)
        found.append(
            {
                "id": rule.id,
                "name": rule.name,
                "decided_by": decided_by,
                "matches": not unmet,
                "acts": acts,
                "unmet": unmet,
                "warnings": doubts_of(rule.when, known) if unmet else [],
                "then": rule.actions,
            }
        )
    return found
