"""Routing of a submission: what rules and the tenant's usual enrichments make of it before its job is made."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pagemill.db import jobs
from pagemill.db.database import Tx
from pagemill.mill import Mill
from pagemill.model.enriching import CLASS
from pagemill.model.events import EventType
from pagemill.model.jobs import JobRow
from pagemill.model.options import ReadingOptions
from pagemill.model.routing_rules import RoutingRule, RuleSubject, matching_rules
from pagemill.model.states import Lane
from pagemill.rule_actions import add_rule_receivers, labels_by_rules, routed_facts

if TYPE_CHECKING:
    from pagemill.steps.accept.submission import Submission

BY_SUBMISSION = "submission"
LISTS = ("enrich", "languages")


def route_submission(mill: Mill, submission: "Submission") -> "tuple[Submission, list[RoutingRule]]":
    """A submission as the rules of its tenant change it, and the rules that matched."""
    tenant, upload = submission.tenant, submission.upload
    subject = RuleSubject(upload.filename, upload.media_type, submission.metadata)
    matched = matching_rules(mill.rules.before(tenant), subject)
    options = with_usual_enrichments(mill, tenant, submission.options)
    if not matched and options is submission.options:
        return submission, matched
    for rule in matched:
        options = options_by_rule(options, rule)
    lanes = [rule.then.lane for rule in matched if rule.then.lane]
    priorities = [rule.then.priority for rule in matched if rule.then.priority is not None]
    routed = replace(
        submission,
        options=options,
        metadata=labels_by_rules(submission.metadata, matched) if matched else submission.metadata,
        lane=Lane(lanes[-1]) if lanes else submission.lane,
        priority=priorities[-1] if priorities else submission.priority,
    )
    return routed, matched


def with_usual_enrichments(mill: Mill, tenant: str, options: ReadingOptions) -> ReadingOptions:
    """The options with what the tenant has added to every document, and with what its rules are decided by."""
    usual = [name.strip() for name in mill.limits.of(tenant).enrich.split(",") if name.strip()]
    wanted = tuple(dict.fromkeys((*options.enrich, *usual, *mill.rules.needs(tenant))))
    return options if wanted == options.enrich else replace(options, enrich=wanted)


def options_by_rule(options: ReadingOptions, rule: RoutingRule) -> ReadingOptions:
    """The options as a rule sets them; what it enriches with is added."""
    changes: dict[str, Any] = {
        name: tuple(value) if name in LISTS else value for name, value in rule.then.options.items()
    }
    if "enrich" in changes:
        changes["enrich"] = tuple(dict.fromkeys((*options.enrich, *changes["enrich"])))
    return replace(options, **changes)


def may_be_reused(mill: Mill, tenant: str, options: ReadingOptions) -> bool:
    """Whether a document may be answered from an earlier result.

    Not if it is classified or routed by what it says: examples and rules may be others than they were.
    """
    return CLASS not in options.enrich and not mill.rules.after(tenant)


def note_routing(tx: Tx, mill: Mill, job: JobRow, matched: list[RoutingRule]) -> JobRow:
    """Write the rules that matched into the timeline of a new job, and add what they notify."""
    if not matched:
        return job
    add_rule_receivers(tx, mill, job.tenant, job.id, matched)
    facts = routed_facts(matched, BY_SUBMISSION)
    return jobs.note(tx, job.tenant, job.id, job.run, EventType.ROUTED, facts, stage=job.stage) or job
