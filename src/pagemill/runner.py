"""The runner: claims work, has the steps do it, records what they found, and sends what follows.

It is the only place that knows all steps. The `try` in `do_work` is around all of them; a step has one of its own
where less than a claim is at stake: an enricher or the files in a document cost a warning (`enrich`,
`child_documents`), a scanner or a provider has no time (`scan`, `recognise`), what was fetched in part is removed
(`fetch`). What follows is for `failures` to say in all of them.
"""

import logging
import threading
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Protocol, TypeVar

from sqlalchemy import Connection

from pagemill import failure_records, failures, result_routing, turn_telemetry
from pagemill.child_documents import Children, record_children, unpack_children
from pagemill.db import chunks, jobs, ready_work
from pagemill.db.database import Tx
from pagemill.db.lanes import claimable_lanes
from pagemill.errors import (
    DatabaseUnavailable,
    EncryptionKeyUnavailable,
    OutageError,
    PagemillError,
    ShuttingDown,
)
from pagemill.faultpoints import faultpoint
from pagemill.log_context import log_words
from pagemill.mill import Mill
from pagemill.model.messages import Message
from pagemill.model.states import Lane, Step
from pagemill.model.work import Claim, DocumentFetched, DocumentJoined, Finding, PagesRead, Planned, SetBack
from pagemill.press import Press
from pagemill.steps import accept, enrich, extract, join, plan, publish, recognise, short_document

log = logging.getLogger("pagemill.runner")
T = TypeVar("T")
NoteFindings = Callable[[Sequence[Finding]], None]

POLL_SECONDS, SHARED_POLL_SECONDS = 1.0, 10.0
MOST_WAIT_SECONDS = 5.0
# So many claims of chunks that others have to read are tried one after the other; each is of another kind.
MOST_REFUSALS = 8
PRESS_SECONDS, PRESS_TICK_SECONDS = 5.0, 0.02
STEPS: dict[Step, Callable[[Mill, Sequence[Claim]], list[Finding]]] = {
    Step.FETCH: accept.fetch,
    Step.PLAN: plan.plan,
    Step.EXTRACT: extract.extract,
    Step.RECOGNISE: recognise.recognise,
    Step.JOIN: join.join,
    Step.ENRICH: enrich.enrich,
}
RECORD_PAGES: dict[Step, Callable[[Tx, PagesRead], list[Message]]] = {
    Step.EXTRACT: extract.record,
    Step.RECOGNISE: recognise.record,
}


def turn_slots_of(mill: Mill, lanes: Collection[Lane]) -> list[tuple[Lane, ...]]:
    """The lanes of each seat where turns are taken: two seats per slot, so that one records while the other's pages
    are read; one per kept slot for small documents; and some that wait for other machines.

    Fetching a document waits for a server that may be slow, so it has seats of its own as well.
    """
    settings = mill.settings
    wide = tuple(lane for lane in (Lane.FAST, Lane.BULK, Lane.OCR) if lane in lanes)
    seats = [wide] * (2 * settings.slots) if wide else []
    if Lane.FAST in lanes:
        seats += [(Lane.FAST,)] * settings.kept_slots
    if Lane.REMOTE in lanes and mill.engines.has_remotes():
        seats += [(Lane.REMOTE,)] * settings.remote_slots
    if Lane.FETCH in lanes:
        seats += [(Lane.FETCH,)] * settings.fetch_slots
    return seats


class WorkerCrew(Protocol):
    """The threads that take turns in this process."""

    @property
    def lanes(self) -> Sequence[Lane]:
        """The lanes that work is taken from."""

    @property
    def notifies(self) -> bool:
        """Whether webhooks are sent beside the work."""

    def start(self) -> None:
        """Begin to take turns."""

    def stop(self) -> None:
        """Take no more work, and give back what is under way."""


class Runner:
    """Threads that take turns until they are stopped."""

    def __init__(self, mill: Mill, lanes: Collection[Lane] = tuple(Lane)) -> None:
        self.mill = mill
        self.lanes = tuple(lanes)
        self.notifies = Lane.NOTIFY in lanes
        self._stopping = threading.Event()
        self._threads: list[threading.Thread] = []
        # Where others work on the same rows, one look around serves all threads.
        self._poll_seconds = SHARED_POLL_SECONDS if mill.settings.is_shared else POLL_SECONDS

    def start(self) -> None:
        """Start a thread for each seat."""
        for number, lanes in enumerate(turn_slots_of(self.mill, self.lanes)):
            thread = threading.Thread(
                target=self._work, args=(lanes,), name=f"pagemill-slot-{number}", daemon=True
            )
            thread.start()
            self._threads.append(thread)
        if self.mill.settings.is_shared:
            run_periodically(self.poll, POLL_SECONDS, self._stopping, "work-poller")

    def poll(self) -> None:
        """Wake the threads for work that others have made ready."""
        self.mill.queue.wake(ready_messages(self.mill, self.lanes, len(self._threads)))

    def stop(self) -> None:
        """Take no more work, give back what is under way, and wait for the threads."""
        self._stopping.set()
        self.mill.engines.close()
        self.mill.press.stop()
        self.mill.queue.close()
        for thread in self._threads:
            thread.join()

    def _work(self, lanes: tuple[Lane, ...]) -> None:
        wait_for_press(self.mill.press, self._stopping)
        while not self._stopping.is_set():
            try:
                if not take_turn(self.mill, lanes, self._stopping):
                    self.mill.queue.wait(lanes, self._poll_seconds)
            except OutageError as error:
                log.warning("no work is taken for now: %s", error.message)
                self._stopping.wait(POLL_SECONDS)
            except Exception:
                log.exception("a turn failed")
                self._stopping.wait(POLL_SECONDS)


def ready_messages(mill: Mill, lanes: Sequence[Lane], most: int) -> list[Message]:
    """Messages for what waits in these lanes, as far as this worker may take it; up to so many per lane."""

    def look(conn: Connection) -> list[Message]:
        allowed = claimable_lanes(conn, mill.worker_id, lanes)
        return ready_work.messages(conn, allowed, mill.db.now(conn), most, mill.abilities.refused_needs())

    return mill.db.read(look)


def wait_for_press(press: Press, stopping: threading.Event) -> None:
    """Claim nothing before the press can do it; a press that is slow to start is not waited for without end."""
    patience = time.monotonic() + PRESS_SECONDS
    while any(slot.phase == "starting" for slot in press.state()) and time.monotonic() < patience:
        if stopping.wait(PRESS_TICK_SECONDS):
            return


def ignore_findings(_: Sequence[Finding]) -> None:
    """What a turn does with its findings beside recording them, unless it is asked for more: nothing."""


def take_turn(
    mill: Mill, lanes: tuple[Lane, ...], stopping: threading.Event, note: NoteFindings = ignore_findings
) -> bool:
    """Claim work, do it, record it and send what follows; False if there was none. `note` gets what was recorded."""
    if mill.pulse.is_late(mill.settings.lease_seconds):
        raise DatabaseUnavailable("The heartbeat of this worker is late, so it claims nothing.")
    if mill.backoff.is_pausing():
        return False
    claims = claim_work(mill, lanes, stopping)
    if not claims:
        return False
    try:
        mill.queue.send(do_and_record(mill, claims, stopping, note))
    except OutageError:
        raise
    except Exception:
        # Else they would stay with this worker for as long as it lives.
        mill.db.write(lambda tx: chunks.release_claims(tx, mill.worker_id, claims))
        raise
    finally:
        mill.under_way.end([claim.key for claim in claims])
    return True


def do_and_record(
    mill: Mill, claims: list[Claim], stopping: threading.Event, note: NoteFindings
) -> list[Message]:
    """Do what was claimed and record it; what follows from it."""
    faultpoint("claim.after_commit")
    with turn_telemetry.turn(mill, claims) as turn:
        mill.costs.begin(claim.key for claim in claims)
        found = do_work(mill, claims)
        note_enriching(mill, found, stopping)
        findings, children = unpack_children(mill, enrich.enrich_findings(mill, found))
        findings = [with_cost(mill, finding) for finding in findings]
        with turn.recording(findings):
            messages = write_through_outages(lambda: record_turn(mill, findings, children), stopping)
        faultpoint("turn.after_record")
        turn.finish(findings)
    note_storage(mill, findings)
    note(findings)
    return messages


def note_enriching(mill: Mill, found: Sequence[Finding], stopping: threading.Event) -> None:
    """Write down which documents are being enriched from now on, which can take longer than reading them."""
    if joined := enrich.to_enrich(found):
        write_through_outages(lambda: mill.db.write(lambda tx: enrich.record_start(tx, joined)), stopping)


def note_storage(mill: Mill, findings: Sequence[Finding]) -> None:
    """Have this worker pause if its disk or its way to the bucket spoiled the turn, and go on once a turn succeeds."""
    trouble = failures.storage_trouble_of(findings)
    if trouble is None:
        mill.backoff.note_success()
    else:
        mill.backoff.note_trouble(trouble)


def with_cost(mill: Mill, finding: Finding) -> Finding:
    """What was found, with what finding it has cost."""
    return replace(finding, cost=mill.costs.take(finding.claim.key))


def claim_work(mill: Mill, lanes: tuple[Lane, ...], stopping: threading.Event) -> list[Claim]:
    """What was claimed; if that is unknown, it is released as soon as the database is back."""
    tried: list[Claim] = []

    def note(tx: Tx) -> list[Claim]:
        tried[:] = claim_chunks(tx, mill, lanes)
        # Before the commit, so that no claim of ours is ever unknown to readers of the rows.
        mill.under_way.begin([claim.key for claim in tried])
        return tried

    try:
        return mill.db.write(note)
    except OutageError:
        if tried:
            write_through_outages(
                lambda: mill.db.write(lambda tx: chunks.release_claims(tx, mill.worker_id, tried)), stopping
            )
        raise


def claim_chunks(tx: Tx, mill: Mill, lanes: tuple[Lane, ...]) -> list[Claim]:
    """Take what is fairest to take, and mark the jobs of it as started."""
    allowed = claimable_lanes(tx.conn, mill.worker_id, lanes)
    claims = claim_fit_chunks(tx, mill, allowed)
    if claims:
        jobs.start(tx, {claim.job_id for claim in claims})
    return claims


def claim_fit_chunks(tx: Tx, mill: Mill, lanes: tuple[Lane, ...]) -> list[Claim]:
    """Take what this worker has the engines for; what it leaves to others is passed over from then on."""
    usual, abilities = mill.settings.batch_documents, mill.abilities
    for _ in range(MOST_REFUSALS):
        limit = mill.claim_size.limit(usual)
        claims = chunks.claim(tx, mill.worker_id, lanes, limit, mill.turns, abilities.refused_needs())
        mill.claim_size.note(len(claims), usual)
        fit = [one for one in claims if abilities.can_take(one.needs, mill.entries_for(one))]
        chunks.release_claims(tx, mill.worker_id, [one for one in claims if one not in fit])
        if fit or not claims:
            return fit
    return []


def do_work(mill: Mill, claims: list[Claim]) -> list[Finding]:
    """Have the step do the work; whatever goes wrong becomes a set-back of the claim that it went wrong with."""
    try:
        return STEPS[claims[0].step](mill, claims)
    except Exception as error:
        # A key is missing for one document, not for all.
        if isinstance(error, OutageError) and not isinstance(error, EncryptionKeyUnavailable):
            log.warning("step postponed, a service is unavailable: %s", error.message)
            return [failures.set_back_for_exception(one, mill.caps, error) for one in claims]
        if len(claims) > 1:
            log.warning("the step failed with one of several, so each is done alone: %s", error)
            return [finding for one in claims for finding in do_work(mill, [one])]
        return [set_back_failed_step(mill, claims[0], error)]


def set_back_failed_step(mill: Mill, claim: Claim, error: Exception) -> SetBack:
    """The set-back of a claim whose step was refused, or failed unexpectedly."""
    if isinstance(error, PagemillError):
        log.warning("the step was refused: %s", error.message)
    else:
        log.error("the step failed", exc_info=error)
    return failures.set_back_for_exception(claim, mill.caps, error)


def record_turn(mill: Mill, findings: Sequence[Finding], children: Sequence[Children] = ()) -> list[Message]:
    """Write everything that was found; if that can't be, each finding alone, so that one does not hold up the others."""
    try:
        return mill.db.write(lambda tx: record_all(tx, mill, findings, children))
    except OutageError:
        raise
    except Exception:
        log.exception("what was found can't be recorded together")
        return [message for finding in findings for message in record_alone(mill, finding, children)]


def record_all(
    tx: Tx, mill: Mill, findings: Sequence[Finding], children: Sequence[Children]
) -> list[Message]:
    """Write what was found, and the jobs of the files inside of the documents that were opened."""
    jobs.lock_jobs(tx, [finding.claim.job_id for finding in findings])
    routed = result_routing.route_results(tx, mill, findings)
    messages = record(tx, findings)
    messages += [message for one in routed for message in result_routing.run_again(tx, one)]
    return messages + [message for one in children for message in record_children(tx, mill, one)]


def record_alone(mill: Mill, finding: Finding, children: Sequence[Children] = ()) -> list[Message]:
    """Write one finding, or that it could not be written."""
    claim = finding.claim
    try:
        own = [one for one in children if one.claim.key == claim.key]
        return mill.db.write(lambda tx: record_all(tx, mill, [finding], own))
    except OutageError:
        raise
    except Exception:
        with log_words(**turn_telemetry.words_of([claim])):
            log.exception("what was found can't be recorded")
        failed = failures.set_back_unrecorded(claim, mill.caps)
        return mill.db.write(lambda tx: failure_records.record_set_back(tx, failed))


def record(tx: Tx, findings: Sequence[Finding]) -> list[Message]:
    """Write everything that was found, in one transaction."""
    faultpoint("turn.before_record")
    jobs.lock_jobs(tx, [finding.claim.job_id for finding in findings])
    return [message for finding in findings for message in record_one(tx, finding)]


def record_one(tx: Tx, finding: Finding) -> list[Message]:
    """Write one finding in the way of its step."""
    match finding:
        case DocumentFetched():
            return accept.record_fetched(tx, finding)
        case Planned():
            return plan.record(tx, finding)
        case PagesRead(claim=claim):
            return RECORD_PAGES[claim.step](tx, finding)
        case DocumentJoined():
            return publish.publish(tx, finding, short_document.chunks_read(finding))
        case SetBack():
            return failure_records.record_set_back(tx, finding)


def write_through_outages(write: Callable[[], T], stopping: threading.Event) -> T:
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


def run_periodically(
    work: Callable[[], object], every_seconds: float, stopping: threading.Event, name: str
) -> threading.Thread:
    """A thread that does something again and again until it is stopped."""

    def loop() -> None:
        level = logging.WARNING
        while not stopping.wait(every_seconds):
            started = time.monotonic()
            try:
                work()
                level = logging.WARNING
            except OutageError as error:
                log.log(level, "%s postponed, a service is unavailable: %s", name, error.message)
                # Once for each outage is enough; the same line every few seconds would fill the logs of all machines.
                level = logging.DEBUG
            except Exception:
                log.exception("%s failed", name)
            log.debug("%s took %.3f s", name, time.monotonic() - started)

    thread = threading.Thread(target=loop, name=f"pagemill-{name}", daemon=True)
    thread.start()
    return thread
