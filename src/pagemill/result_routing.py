"""Class and rules of a result: written in the transaction that publishes it, before the job ends.

A rule that asks for other options has the document read or enriched once more, in the same transaction.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pagemill.db import events, held_claims, jobs
from pagemill.db.database import Tx
from pagemill.desk.enrichments import enrich_in
from pagemill.desk.runs import NewRun, retry_in
from pagemill.errors import RequestError
from pagemill.mill import Mill
from pagemill.model.events import EventType, Facts
from pagemill.model.jobs import DocumentRow, JobRow
from pagemill.model.messages import Message
from pagemill.model.options import ReadingOptions
from pagemill.model.routing_rules import RoutingRule, RuleSubject, matching_rules
from pagemill.model.states import Status
from pagemill.model.work import NO_SIGNS, DocumentJoined, Finding
from pagemill.rule_actions import add_rule_receivers, labels_by_rules, routed_facts
from pagemill.steps.accept import options_by_rule

log = logging.getLogger("pagemill.rules")
BY_RESULT = "result"


@dataclass(frozen=True, slots=True)
class RoutedResult:
    """A job whose result matched rules that ask for other options, and how it is read with them."""

    tenant: str
    job_id: str
    how: NewRun
    reads_again: bool
    by_rules: str


def route_results(tx: Tx, mill: Mill, findings: Sequence[Finding]) -> list[RoutedResult]:
    """Write the classes of results and what rules make of them; those that are to be read again."""
    joined = [one for one in findings if isinstance(one, DocumentJoined) and one.signs != NO_SIGNS]
    return [routed for one in joined if (routed := route_result(tx, mill, one)) is not None]


def route_result(tx: Tx, mill: Mill, joined: DocumentJoined) -> RoutedResult | None:
    """As above, for one result; nothing is written if its claim was lost."""
    claim, signs = joined.claim, joined.signs
    found = jobs.find_job(tx.conn, claim.tenant, claim.job_id)
    if found is None or not held_claims.is_held(tx.conn, claim):
        return None
    job, document = found
    decided = signs.classification
    if decided is not None:
        facts: Facts = {"class": decided["name"], "by": decided["by"], "score": decided["score"]}
        jobs.note(tx, job.tenant, job.id, claim.run, EventType.CLASSIFIED, facts, classification=decided)
    subject = RuleSubject(
        document.filename,
        document.media_type,
        job.metadata,
        decided["name"] if decided else None,
        signs.entities,
    )
    matched = matching_rules(mill.rules.after(claim.tenant), subject)
    if not matched:
        return None
    labels = labels_by_rules(job.metadata, matched)
    facts_of = routed_facts(matched, BY_RESULT)
    jobs.note(tx, job.tenant, job.id, claim.run, EventType.ROUTED, facts_of, metadata=labels)
    add_rule_receivers(tx, mill, job.tenant, job.id, matched)
    return run_by_rules(mill, job, document, matched) if claim.run == 1 else None


def run_by_rules(
    mill: Mill, job: JobRow, document: DocumentRow, matched: Sequence[RoutingRule]
) -> RoutedResult | None:
    """How a document is read once more as rules ask; None if they ask for nothing that it was not read with."""
    former = ReadingOptions.from_dict(job.options)
    options = former
    for rule in matched:
        options = options_by_rule(options, rule)
    if options == former:
        return None
    reads_again = replace(options, enrich=former.enrich) != former
    lanes = [rule.then.lane for rule in matched if rule.then.lane]
    fingerprint = mill.result_fingerprint(document.sha256, options)
    how = NewRun(
        options.as_dict(),
        fingerprint,
        job.password or None,
        needs=mill.opening_needs(document.blob_key, options),
        lane=lanes[-1] if lanes and reads_again else None,
    )
    return RoutedResult(job.tenant, job.id, how, reads_again, ", ".join(rule.name for rule in matched))


def run_again(tx: Tx, routed: RoutedResult) -> list[Message]:
    """Start the run that rules ask for, if the result was published; a job that can't be read again stays as it is."""
    found = jobs.find_job(tx.conn, routed.tenant, routed.job_id)
    if found is None or found[0].status != Status.COMPLETED.value:
        return []
    try:
        messages = start_run(tx, routed)
    except RequestError as error:
        log.warning("a document can't be read again as a rule asks: %s", error.message)
        return []
    # The job goes on, so its end is not announced before that of the new run.
    facts: Facts = {"rules": routed.by_rules}
    events.change_type(
        tx, routed.tenant, routed.job_id, found[0].last_seq, kind=EventType.PUBLISHED, more=facts
    )
    return messages


def start_run(tx: Tx, routed: RoutedResult) -> list[Message]:
    """Make the job pending again with the chunk that reads or enriches its document."""
    if routed.reads_again:
        return retry_in(tx, routed.tenant, routed.job_id, "all", routed.how)
    return enrich_in(tx, routed.tenant, routed.job_id, routed.how)
