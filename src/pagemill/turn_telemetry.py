"""The telemetry of a turn: its log lines, the traces of its documents, and its metrics."""

import logging
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

from pagemill import tracing
from pagemill.log_context import log_words
from pagemill.mill import Mill
from pagemill.model.states import Step
from pagemill.model.work import (
    Claim,
    DocumentFetched,
    DocumentJoined,
    Dropped,
    Finding,
    JobLost,
    PagesLost,
    PagesRead,
    Planned,
    Retry,
    SetBack,
    Split,
)

log = logging.getLogger("pagemill.turn")

UNCOUNTED = "none"
# What follows a set-back, as log lines say it.
CONSEQUENCES = {
    Retry: "chunk retried",
    Split: "chunk split",
    PagesLost: "pages failed",
    JobLost: "job failed",
    Dropped: "chunk dropped",
}


class Turn:
    """The claims of a turn, and the spans that represent them in the traces of their documents."""

    def __init__(self, mill: Mill, claims: Sequence[Claim]) -> None:
        self._mill = mill
        self.spans = {claim.key: span for claim in claims if (span := step_span(claim))}

    @contextmanager
    def recording(self, findings: Sequence[Finding]) -> Iterator[None]:
        """What was found is being written."""
        started = time.monotonic()
        yield
        for finding in findings if self.spans else ():
            name = "publish" if isinstance(finding, DocumentJoined) else "record"
            tracing.record_span_for(finding.claim.key, tracing.past_span(name, time.monotonic() - started))

    def finish(self, findings: Sequence[Finding]) -> None:
        """What was found is recorded: count it, and end the spans."""
        measure(self._mill, findings)
        for finding in findings if self.spans else ():
            if span := self.spans.pop(finding.claim.key, None):
                span.end(facts_of(finding), finding.code if isinstance(finding, SetBack) else None)


@contextmanager
def turn(mill: Mill, claims: Sequence[Claim]) -> Iterator[Turn]:
    """A turn under way: until it ends, log lines and spans of this thread are about its claims."""
    measure_waits(mill, claims)
    taken = Turn(mill, claims)
    with ExitStack() as stack:
        stack.enter_context(log_words(worker=mill.worker_id, **words_of(claims)))
        if len(claims) == 1 and taken.spans:
            stack.enter_context(taken.spans[claims[0].key].current())
        try:
            yield taken
        finally:
            for span in taken.spans.values():
                span.end({}, "given up")


def words_of(claims: Sequence[Claim]) -> dict[str, str]:
    """What log lines say of these claims; several documents read in one go are all named."""
    return {
        "step": claims[0].step.value,
        "job": ",".join(dict.fromkeys(claim.job_id for claim in claims)),
        "chunk": ",".join(claim.chunk_id for claim in claims),
        "tenant": ",".join(sorted({claim.tenant for claim in claims})),
    }


def step_span(claim: Claim) -> tracing.OpenSpan | None:
    """The span of a step's work on a claim, and beside it the wait that came before; None if it is not traced."""
    if not tracing.is_on():
        return None
    facts: dict[str, tracing.Fact] = {"lane": claim.lane.value, "job": claim.job_id, "chunk": claim.chunk_id}
    tracing.record_span(claim.traceparent, tracing.past_span("queue", wait_seconds(claim), **facts))
    more: dict[str, tracing.Fact] = {"tenant": claim.tenant, "run": claim.run, "fence": claim.fence}
    return tracing.open_span(claim.step.value, claim.traceparent, claim.key, facts | more)


def facts_of(finding: Finding) -> dict[str, tracing.Fact]:
    """What a span says of what was found."""
    match finding:
        case DocumentFetched(size_bytes=size_bytes):
            return {"outcome": "fetched", "size_bytes": size_bytes}
        case Planned(document_pages=pages):
            return {"outcome": "planned", "pages": pages}
        case PagesRead(pages=pages, failed=failed):
            return {"outcome": "read", "pages": pages, "failed_pages": len(failed)}
        case DocumentJoined(pages=pages, failed=failed):
            return {"outcome": "joined", "pages": pages, "failed_pages": len(failed)}
        case SetBack(claim=claim, verdict=verdict, code=code):
            return {"outcome": type(verdict).__name__, "code": code, "pages": claim.count}


def wait_seconds(claim: Claim) -> float:
    """How long a chunk was ready before it was claimed."""
    return max(claim.claimed_at - claim.due_at, 0.0)


def measure_waits(mill: Mill, claims: Sequence[Claim]) -> None:
    """Count how long these chunks have waited."""
    for claim in claims:
        mill.metrics.queue_seconds.labels(claim.lane.value).observe(wait_seconds(claim))


def measure(mill: Mill, findings: Sequence[Finding]) -> None:
    """Count what was found as metrics, and log what went wrong."""
    for finding in findings:
        mill.metrics.cpu_seconds.labels(finding.claim.step.value).inc(finding.cost.cpu_seconds)
        match finding:
            case Planned(claim=claim, seconds=seconds) | DocumentFetched(claim=claim, seconds=seconds):
                mill.metrics.step_seconds.labels(claim.step.value).observe(seconds)
            case PagesRead(claim=claim, seconds=seconds):
                mill.metrics.step_seconds.labels(claim.step.value).observe(seconds)
                measure_pages(mill, finding.pages, [page.code for page in finding.failed])
            case DocumentJoined(claim=claim):
                measure_joined(mill, finding)
            case SetBack():
                measure_set_back(mill, finding)


def measure_joined(mill: Mill, joined: DocumentJoined) -> None:
    """Count a completed document, and the pages of a short one, which were not counted before."""
    for step, seconds in joined.seconds.items():
        mill.metrics.step_seconds.labels(step).observe(seconds)
    if joined.claim.step is Step.PLAN:
        measure_pages(mill, joined.pages - len(joined.failed), [page.code for page in joined.failed])
    mill.metrics.jobs.labels("completed").inc()
    with log_words(**words_of([joined.claim])):
        log.info("document completed: pages=%d failed=%d", joined.pages, len(joined.failed))


def measure_pages(mill: Mill, read: int, codes: list[str]) -> None:
    """Count pages, and the codes of those that failed."""
    mill.metrics.count_pages(read, len(codes))
    for code in codes:
        mill.metrics.failures.labels(code).inc()


def measure_set_back(mill: Mill, finding: SetBack) -> None:
    """Count a set-back, and log it."""
    claim, verdict = finding.claim, finding.verdict
    if isinstance(verdict, Retry | Split | PagesLost | JobLost) and verdict.counter is not None:
        mill.metrics.set_backs.labels(verdict.counter).inc()
    if isinstance(verdict, Retry):
        mill.metrics.retries.labels(verdict.counter or UNCOUNTED).inc()
    if kind := crash_kind(finding):
        mill.metrics.crashes.labels(kind).inc()
    if isinstance(verdict, PagesLost):
        measure_pages(mill, 0, [verdict.code] * len(claim.pages))
    if isinstance(verdict, JobLost):
        mill.metrics.failures.labels(verdict.code).inc()
        mill.metrics.jobs.labels("failed").inc()
    with log_words(**words_of([claim])):
        log.info("%s", set_back_line(finding))


def set_back_line(finding: SetBack) -> str:
    """What went wrong with a chunk, and what is done about it, such as `chunk split after timeout`."""
    line = f"{CONSEQUENCES[type(finding.verdict)]} after {finding.code}"
    return f"{line}: {finding.message}" if finding.message else line


def crash_kind(finding: SetBack) -> str | None:
    """What a child of the press died of; None if none did."""
    match finding.code:
        case "memory_limit":
            return "memory"
        case "timeout":
            return "timeout"
        case "worker_crashed":
            return signal_name(finding.signal)
    return None


def signal_name(number: int | None) -> str:
    """The name of a signal; a child that ended by itself got none."""
    if number is None:
        return "exit"
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
