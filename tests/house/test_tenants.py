"""Every statement about somebody's rows is scoped by tenant; the few that serve all tenants are named here."""

import inspect
from collections.abc import Callable, Iterator
from types import ModuleType

import pytest

from pagemill import failure_records, progress
from pagemill.db import (
    batches,
    chunks,
    class_examples,
    cleanup,
    deliveries,
    direct_uploads,
    erasure,
    events,
    idempotency,
    jobs,
    label_counts,
    new_jobs,
    pgvector,
    results,
    routing_rules,
    run_engines,
    search,
    search_index,
    vectors,
    webhooks,
)

# What carries its tenant with it.
CARRIERS = {
    "tenant",
    "claim",
    "finding",
    "job",
    "new",
    "document",
    "result",
    "gone",
    "upload",
    "read",
    "endpoint",
    "delivery",
    "batch_row",
    "wanted",
}
ACROSS_TENANTS = {
    "jobs.start": "starts the jobs of what was claimed just now",
    "jobs.job_snapshots": "is asked with a tenant for each job, and answers by these",
    "jobs.versions": "what is watched in this process",
    "jobs.lock_jobs": "holds the rows of what is written to next",
    "chunks.claim": "shares the slots between the tenants",
    "chunks.release_claims": "a worker's claims",
    "chunks.give_back_claims": "a worker's claims",
    "chunks.startable_of": "looks at what the claim chose",
    "chunks.take": "takes what the claim chose",
    "run_engines.waiting_for": "upkeep; answers with the tenants",
    "chunks.claims_where": "a worker's claims",
    "chunks.running_claim_keys": "a worker's claims",
    "chunks.backlog": "the metrics of the whole service",
    "events.append_all": "what was started just now; every line has its tenant",
    "events.is_settled_after": "a condition on every line of the log",
    "events.longest_hold_seconds": "the metrics of the whole service",
    "events.settle_restored": "upkeep after a restore",
    "events.delete_older": "upkeep by age",
    "cleanup.expired_jobs": "upkeep by age; answers with the tenants",
    "cleanup.removed_jobs_with_files": "upkeep by age; answers with the tenants",
    "cleanup.forget_tombstones": "upkeep by age",
    "cleanup.known_documents": "asks whose a file is",
    "cleanup.known_jobs": "asks whose a file is",
    "cleanup.deleted_early": "looks at what the upkeep found",
    "cleanup.living_jobs": "asks whose a job in the deletion log is; answers with the tenants",
    "cleanup.known_prefixes": "asks whose a file is",
    "batches.unfinished_batches": "upkeep; answers with the tenants",
    "batches.expired_batches": "upkeep by age; answers with the tenants",
    "batches.forget": "upkeep by age",
    "events.of_everyone": "the log as webhooks read it; every line has its tenant",
    "events.of_everyone_for_both": "the log as usage reads it; every line has its tenant",
    "events.lines_of_everyone": "the query of both",
    "events.position_before": "a place in the log of all tenants",
    "webhooks.are_any": "whether the log need be read at all",
    "webhooks.oldest_at": "where reading the log begins",
    "webhooks.subscribed_endpoints": "is asked with the tenants of the lines",
    "webhooks.by_ids": "the endpoints of what the claim chose",
    "webhooks.forget_owned": "upkeep by age",
    "batches.batch_ids": "answers with the tenant of each",
    "deliveries.claim": "shares the senders between all targets",
    "deliveries.in_flight": "counts what is being sent by target",
    "deliveries.failing_targets": "looks at what the claim found",
    "deliveries.give_back": "a sender's claims",
    "deliveries.free_lost": "upkeep of claims",
    "deliveries.next_due": "when senders have something to do",
    "deliveries.forget": "upkeep by age",
    "direct_uploads.expired_uploads": "upkeep by age; answers with the tenants",
    "erasure.tenants": "the list of tenants, for the operator",
    "search_index.compact": "upkeep of the index of all tenants",
    "search_index.full_text_feed": "puts the passages that one write adds into the full-text table",
    "search_index.unindexed_results": "upkeep; answers with the tenants",
    "search_index.next_results": "upkeep; answers with the tenants",
    "vectors.results_without_vectors": "upkeep; answers with the tenants",
    "pgvector.has_table": "whether the extension is used at all",
    "pgvector.prepare_table": "makes the table of all tenants",
    "direct_uploads.known_keys": "asks whose a file is",
    "routing_rules.everyone": "the rules of all tenants, as every process keeps them; answers with the tenants",
    "routing_rules.version": "tells whether the rules of any tenant changed, and none of what they say",
}


def statements(module: ModuleType) -> Iterator[tuple[str, Callable[..., object]]]:
    """The functions of a module that speak to the database, by name."""
    short = module.__name__.rpartition(".")[2]
    for name, function in vars(module).items():
        if inspect.isfunction(function) and function.__module__ == module.__name__:
            parameters = inspect.signature(function).parameters
            if next(iter(parameters), "") in ("conn", "tx"):
                yield f"{short}.{name}", function


MODULES = (
    jobs,
    new_jobs,
    chunks,
    results,
    idempotency,
    events,
    progress,
    failure_records,
    cleanup,
    direct_uploads,
    webhooks,
    deliveries,
    batches,
    erasure,
    run_engines,
    search,
    search_index,
    vectors,
    pgvector,
    label_counts,
    class_examples,
    routing_rules,
)
ALL = dict(pair for module in MODULES for pair in statements(module))


@pytest.mark.parametrize("name", sorted(ALL))
def test_a_statement_is_scoped_by_tenant_or_named_as_one_that_serves_all(name: str) -> None:
    scoped = bool(CARRIERS & set(inspect.signature(ALL[name]).parameters))
    assert scoped != (name in ACROSS_TENANTS), f"{name} must take a tenant, or be named with a reason"


def test_only_statements_that_exist_are_named() -> None:
    assert set(ACROSS_TENANTS) <= set(ALL)
