"""The runner: claims work, has the steps do it, records what they found, and sends what follows.

It is the only place that knows all steps, and the only one with a `try` around them.
"""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from pagemill.db import chunks, jobs, progress
from pagemill.db.database import Tx
from pagemill.errors import OutageError, PagemillError, ShuttingDown
from pagemill.faultpoints import faultpoint
from pagemill.mill import Mill
from pagemill.model.messages import Message
from pagemill.model.states import Lane, Step
from pagemill.model.work import (
    Claim,
    Finding,
    JobLost,
    Joined,
    PagesLost,
    Planned,
    Read,
    Retry,
    SetBack,
    Split,
)
from pagemill.press import Press
from pagemill.steps import extract, join, plan, publish, recognise

log = logging.getLogger("pagemill.runner")
T = TypeVar("T")

POLL_SECONDS = 1.0
MOST_WAIT_SECONDS = 5.0
PRESS_SECONDS, PRESS_TICK_SECONDS = 5.0, 0.02
STEPS: dict[Step, Callable[[Mill, Sequence[Claim]], list[Finding]]] = {
    Step.PLAN: plan.plan,
    Step.EXTRACT: extract.extract,
    Step.RECOGNISE: recognise.recognise,
    Step.JOIN: join.join,
}


class Runner:
    """Threads that take turns until they are stopped."""

    def __init__(self, mill: Mill) -> None:
        self.mill = mill
        self._stopping = threading.Event()
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        """Start two threads per slot, so that one records while the other's pages are read; and one per kept slot."""
        everywhere, small_only = (Lane.FAST, Lane.BULK, Lane.OCR), (Lane.FAST,)
        settings = self.mill.settings
        crew = [everywhere] * (2 * settings.slots) + [small_only] * settings.kept_slots
        if self.mill.engines.has_remotes():
            crew += [(Lane.REMOTE,)] * settings.remote_slots
        for number, lanes in enumerate(crew):
            thread = threading.Thread(
                target=self._work, args=(lanes,), name=f"pagemill-slot-{number}", daemon=True
            )
            thread.start()
            self._threads.append(thread)

    def stop(self) -> None:
        """Take no more work, give back what is under way, and wait for the threads."""
        self._stopping.set()
        self.mill.queue.close()
        self.mill.engines.close()
        self.mill.press.stop()
        for thread in self._threads:
            thread.join()

    def _work(self, lanes: tuple[Lane, ...]) -> None:
        wait_for_press(self.mill.press, self._stopping)
        while not self._stopping.is_set():
            try:
                if not take_turn(self.mill, lanes, self._stopping):
                    self.mill.queue.wait(lanes, POLL_SECONDS)
            except OutageError as error:
                log.warning("no work is taken for now: %s", error.message)
                self._stopping.wait(POLL_SECONDS)
            except Exception:
                log.exception("a turn failed")
                self._stopping.wait(POLL_SECONDS)


def wait_for_press(press: Press, stopping: threading.Event) -> None:
    """Claim nothing before the press can do it; a press that is slow to start is not waited for without end."""
    patience = time.monotonic() + PRESS_SECONDS
    while any(slot.phase == "starting" for slot in press.state()) and time.monotonic() < patience:
        if stopping.wait(PRESS_TICK_SECONDS):
            return


def take_turn(mill: Mill, lanes: tuple[Lane, ...], stopping: threading.Event) -> bool:
    """Claim work, do it, record it and send what follows; False if there was none."""
    claims = mill.db.write(lambda tx: claim(tx, mill, lanes))
    if not claims:
        return False
    faultpoint("claim.after_commit")
    findings = work(mill, claims)
    messages = insist(lambda: record_turn(mill, findings), stopping)
    faultpoint("turn.after_record")
    measure(mill, findings)
    mill.queue.send(messages)
    return True


def claim(tx: Tx, mill: Mill, lanes: tuple[Lane, ...]) -> list[Claim]:
    """Take what is fairest to take, and mark the jobs of it as started."""
    claims = chunks.claim(tx, mill.worker_id, lanes, mill.settings.batch_documents)
    if claims:
        jobs.start(tx, {claim.job_id for claim in claims})
    return claims


def work(mill: Mill, claims: list[Claim]) -> list[Finding]:
    """Have the step do the work; whatever goes wrong becomes a set-back of these claims."""
    try:
        return STEPS[claims[0].step](mill, claims)
    except PagemillError as error:
        log.warning("step=%s job=%s: %s", claims[0].step, claims[0].job_id, error.message)
        return [mill.refused(one, error.code, error.message, retryable=error.retryable) for one in claims]
    except Exception:
        log.exception("step=%s job=%s chunk=%s", claims[0].step, claims[0].job_id, claims[0].chunk_id)
        unexpected = PagemillError()
        return [mill.refused(one, unexpected.code, unexpected.message, retryable=True) for one in claims]


def record_turn(mill: Mill, findings: Sequence[Finding]) -> list[Message]:
    """Write everything that was found; if that can't be, each finding alone, so that one does not hold up the others."""
    try:
        return mill.db.write(lambda tx: record(tx, findings))
    except OutageError:
        raise
    except Exception:
        log.exception("what was found can't be recorded together")
        return [message for finding in findings for message in record_alone(mill, finding)]


def record_alone(mill: Mill, finding: Finding) -> list[Message]:
    """Write one finding, or that it could not be written."""
    claim, unexpected = finding.claim, PagemillError()
    try:
        return mill.db.write(lambda tx: record(tx, [finding]))
    except OutageError:
        raise
    except Exception:
        log.exception("step=%s job=%s chunk=%s can't be recorded", claim.step, claim.job_id, claim.chunk_id)
        failed = mill.refused(claim, unexpected.code, unexpected.message, retryable=True)
        return mill.db.write(lambda tx: progress.set_back(tx, failed))


def record(tx: Tx, findings: Sequence[Finding]) -> list[Message]:
    """Write everything that was found, in one transaction."""
    faultpoint("turn.before_record")
    return [message for finding in findings for message in record_one(tx, finding)]


def record_one(tx: Tx, finding: Finding) -> list[Message]:
    """Write one finding in the way of its step."""
    match finding:
        case Planned():
            return plan.record(tx, finding)
        case Read():
            return extract.record(tx, finding)
        case Joined():
            return publish.publish(tx, finding)
        case SetBack():
            return progress.set_back(tx, finding)


def insist(write: Callable[[], T], stopping: threading.Event) -> T:
    """Write even if the database is away for a while: what was found is not thrown away."""
    wait_seconds = 0.1
    while True:
        try:
            return write()
        except ShuttingDown:
            raise
        except OutageError as error:
            log.warning("what was found can't be recorded yet: %s", error.message)
            if stopping.wait(wait_seconds):
                raise
            wait_seconds = min(2 * wait_seconds, MOST_WAIT_SECONDS)


def measure(mill: Mill, findings: Sequence[Finding]) -> None:
    """Count what was found on the meters, and log what went wrong."""
    for finding in findings:
        match finding:
            case Planned(claim=claim, seconds=seconds):
                mill.meters.step_seconds.labels(claim.step.value).observe(seconds)
            case Read(claim=claim, seconds=seconds):
                mill.meters.step_seconds.labels(claim.step.value).observe(seconds)
                measure_pages(mill, finding.pages, [page.code for page in finding.failed])
            case Joined(claim=claim):
                measure_joined(mill, finding)
            case SetBack():
                measure_set_back(mill, finding)


def measure_joined(mill: Mill, joined: Joined) -> None:
    """Count a document that is done; the pages of a short one were not counted before."""
    for step, seconds in joined.seconds.items():
        mill.meters.step_seconds.labels(step).observe(seconds)
    if joined.claim.step is Step.PLAN:
        measure_pages(mill, joined.pages - len(joined.failed), [page.code for page in joined.failed])
    mill.meters.jobs.labels("completed").inc()


def measure_pages(mill: Mill, read: int, codes: list[str]) -> None:
    """Count pages, and the codes of those that failed."""
    mill.meters.count_pages(read, len(codes))
    for code in codes:
        mill.meters.failures.labels(code).inc()


def measure_set_back(mill: Mill, finding: SetBack) -> None:
    """Count a set-back, and log it."""
    claim, verdict = finding.claim, finding.verdict
    if isinstance(verdict, Retry | Split | PagesLost | JobLost) and verdict.counter is not None:
        mill.meters.set_backs.labels(verdict.counter).inc()
    if isinstance(verdict, PagesLost):
        measure_pages(mill, 0, [verdict.code] * len(claim.pages))
    if isinstance(verdict, JobLost):
        mill.meters.failures.labels(verdict.code).inc()
        mill.meters.jobs.labels("failed").inc()
    log.info(
        "step=%s job=%s chunk=%s: %s, so %s (%s)",
        claim.step, claim.job_id, claim.chunk_id, finding.code, type(verdict).__name__, finding.message,
    )  # fmt: skip


def now_and_then(
    work: Callable[[], object], every_seconds: float, stopping: threading.Event, name: str
) -> threading.Thread:
    """A thread that does something again and again until it is told to stop."""

    def loop() -> None:
        while not stopping.wait(every_seconds):
            started = time.monotonic()
            try:
                work()
            except OutageError as error:
                log.warning("%s has to wait: %s", name, error.message)
            except Exception:
                log.exception("%s failed", name)
            log.debug("%s took %.3f s", name, time.monotonic() - started)

    thread = threading.Thread(target=loop, name=f"pagemill-{name}", daemon=True)
    thread.start()
    return thread
