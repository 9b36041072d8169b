"""Routing rules: conditions that all must hold, patterns, numbers, and the order of rules."""

from typing import Any

import pytest

from pagemill.model.routing_rules import (
    RoutingRule,
    RuleConditions,
    RulesOfTenants,
    RuleSubject,
    entity_pairs,
    matching_rules,
    unmet_conditions,
)

SUBJECT = RuleSubject(
    "Invoice 17.PDF",
    "application/pdf",
    {"tags": "paid, march", "collection": "bills", "customer": "4711"},
    "invoice",
    (("iban", "DE89370400440532013000"), ("amount", "1190.60"), ("total", "1190.60")),
)


def rule(name: str, conditions: dict[str, Any], *, enabled: bool = True, stop: bool = False) -> RoutingRule:
    """A rule that tags."""
    return RoutingRule(name, "anna", 1, name, enabled, stop, conditions, {"tags": [name]}, 0.0, 0.0)


@pytest.mark.parametrize(
    "conditions",
    [
        {"filename": "invoice *.pdf"},
        {"media_type": "application/*"},
        {"tags": ["march", "april"]},
        {"collection": "bills", "metadata": {"customer": "47*"}},
        {"class": ["receipt", "invoice"]},
        {"entities": [{"type": "iban", "value": "DE*"}]},
        {"entities": [{"type": "total", "at_least": 1000, "at_most": 2000}, {"type": "amount"}]},
    ],
)
def test_a_rule_matches_what_meets_all_its_conditions(conditions: dict[str, Any]) -> None:
    assert unmet_conditions(RuleConditions.from_dict(conditions), SUBJECT) == []


@pytest.mark.parametrize(
    ("conditions", "reason"),
    [
        ({"filename": "*.eml"}, "the filename is not like *.eml"),
        ({"media_type": "image/*"}, "the media type is application/pdf, not image/*"),
        ({"tags": ["april"]}, "no tag is april"),
        ({"collection": "letters"}, "the collection is not letters"),
        ({"metadata": {"branch": "*"}}, "the metadata branch is not like *"),
        ({"class": ["letter"]}, "the class is invoice, not letter"),
        ({"entities": [{"type": "total", "at_least": 5000}]}, "no entity is total at least 5000"),
        ({"entities": [{"type": "iban", "at_least": 1}]}, "no entity is iban at least 1"),
    ],
)
def test_what_is_not_met_is_said(conditions: dict[str, Any], reason: str) -> None:
    assert unmet_conditions(RuleConditions.from_dict(conditions), SUBJECT) == [reason]


def test_every_rule_that_matches_acts_until_one_that_stops() -> None:
    rules = [
        rule("first", {"tags": ["paid"]}),
        rule("off", {"tags": ["paid"]}, enabled=False),
        rule("other", {"tags": ["april"]}, stop=True),
        rule("last", {"class": ["invoice"]}, stop=True),
        rule("never", {"tags": ["paid"]}),
    ]
    assert [one.name for one in matching_rules(rules, SUBJECT)] == ["first", "last"]


def test_rules_are_kept_apart_by_tenant_and_by_when_they_are_decided() -> None:
    known = RulesOfTenants()
    known.replace(None, [rule("by_name", {"filename": "*"}), rule("by_class", {"class": ["invoice"]})])
    assert [one.name for one in known.before("anna")] == ["by_name"]
    assert [one.name for one in known.after("anna")] == ["by_class"]
    assert known.needs("anna") == ("class",)
    assert (known.of("bert"), known.needs("bert")) == ((), ())


def test_labelled_entities_can_be_asked_for_by_their_label() -> None:
    pairs = entity_pairs([{"type": "amount", "value": "5", "label": "total"}, {"type": "date", "value": "x"}])
    assert pairs == (("amount", "5"), ("date", "x"), ("total", "5"))
