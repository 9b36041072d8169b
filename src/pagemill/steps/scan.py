"""Scan: documents are looked at for malware as the first part of the plan, before anything opens them."""

import io
import logging
import tempfile
from collections.abc import Sequence
from pathlib import Path

from sqlalchemy import Connection

from pagemill import failures
from pagemill.adapters.scanners.base import Scanner, ScanVerdict
from pagemill.db import events, jobs
from pagemill.db.database import Tx
from pagemill.errors import MalwareDetected, PagemillError, ScanFailed, ScannerUnavailable, StoredFileMissing
from pagemill.mill import Mill
from pagemill.model.events import EventType, Facts
from pagemill.model.paths import quarantine_key
from pagemill.model.work import Claim, Retry, SetBack
from pagemill.progress import with_warnings

log = logging.getLogger("pagemill.scan")

NOT_SCANNED = "not_scanned"
# What becomes of the bytes of an infected document, by PAGEMILL_SCANNER_FOUND.
FATES = {"quarantine": "quarantined", "delete": "deleted"}


def refuse_malware(mill: Mill, head: bytes) -> None:
    """Raises MalwareDetected if the scanner knows bytes that are no document; they are refused in any case."""
    if mill.scanner is None:
        return
    try:
        verdict = scan_bytes(mill.scanner, head)
    except (ScannerUnavailable, ScanFailed):
        return
    if verdict.found:
        mill.metrics.scans.labels("infected").inc()
        raise MalwareDetected(f"{verdict.scanner} found {verdict.found} in the file.")


def scan_bytes(scanner: Scanner, head: bytes) -> ScanVerdict:
    """What a scanner finds in some bytes."""
    if not scanner.needs_file:
        return scanner.scan(io.BytesIO(head))
    with tempfile.NamedTemporaryFile(prefix="pagemill-scan-") as file:
        file.write(head)
        file.flush()
        return scanner.scan(Path(file.name))


def scan_documents(mill: Mill, claims: Sequence[Claim]) -> dict[str, SetBack]:
    """Scan the documents of these claims; set-backs by claim for those that must not be opened, or not yet."""
    if mill.scanner is None:
        return {}
    found = {claim.key: scan_document(mill, mill.scanner, claim) for claim in claims}
    return {key: set_back for key, set_back in found.items() if set_back is not None}


def scan_document(mill: Mill, scanner: Scanner, claim: Claim) -> SetBack | None:
    """Scan one document; its set-back unless it may be opened."""
    try:
        verdict = verdict_on(mill, scanner, claim)
    except (ScannerUnavailable, ScanFailed) as error:
        return set_back_unscanned(mill, claim, error)
    facts: Facts = {"verdict": "clean", "scanner": verdict.scanner}
    if verdict.found is None:
        note_scan(mill, claim, facts)
        return None
    fate = FATES[mill.settings.scanner_found]
    note_scan(mill, claim, facts | {"verdict": "infected", "signature": verdict.found, "bytes": fate})
    log.warning("malware found: %s", verdict.found, extra={"job": claim.job_id, "tenant": claim.tenant})
    contain(mill, claim)
    message = f"The scanner found {verdict.found} in the document, whose bytes were {fate}."
    return failures.set_back_for_error(claim, mill.caps, MalwareDetected.code, message, retryable=False)


def verdict_on(mill: Mill, scanner: Scanner, claim: Claim) -> ScanVerdict:
    """What the scanner finds, or what it found before the bytes were taken out of reach."""
    try:
        if scanner.needs_file:
            with mill.blobs.local(claim.blob_key, claim.sha256) as path:
                return scanner.scan(existing_file(path))
        with mill.blobs.open(claim.blob_key) as document:
            return scanner.scan(document)
    except StoredFileMissing:
        known = mill.db.read(lambda conn: last_scan(conn, claim))
        if known.get("verdict") != "infected":
            raise
        return ScanVerdict(str(known["signature"]), str(known["scanner"]))


def existing_file(path: Path) -> Path:
    """A file that is there; StoredFileMissing if it is not."""
    if not path.exists():
        raise StoredFileMissing
    return path


def last_scan(conn: Connection, claim: Claim) -> Facts:
    """What the last event of a scan says; nothing if there is none."""
    line = events.latest(conn, claim.tenant, claim.job_id, EventType.SCANNED)
    return {} if line is None else line.facts


def set_back_unscanned(mill: Mill, claim: Claim, error: PagemillError) -> SetBack | None:
    """What follows without a verdict, by PAGEMILL_SCANNER_DOWN; never without an event and a line in the log."""
    policy = mill.settings.scanner_down
    words = {"job": claim.job_id, "tenant": claim.tenant}
    log.warning("a document was not scanned: %s", error.message, extra=words)
    if policy == "pass":
        note_scan(mill, claim, {"verdict": "not_scanned", "reason": error.message}, (NOT_SCANNED,))
        return None
    setback = failures.set_back_unscanned(claim, mill.caps, error, waits=policy == "wait")
    if isinstance(setback.verdict, Retry):
        note_waiting(mill, claim, error.message)
    else:
        note_scan(mill, claim, {"verdict": "not_scanned", "reason": error.message})
    return setback


def note_waiting(mill: Mill, claim: Claim, reason: str) -> None:
    """Write down that a document waits for the scanner, once for each time that it begins to."""
    mill.metrics.scans.labels("waiting").inc()
    if mill.db.read(lambda conn: last_scan(conn, claim)).get("verdict") != "waiting":
        mill.db.write(lambda tx: write_event(tx, claim, {"verdict": "waiting", "reason": reason}))


def note_scan(mill: Mill, claim: Claim, facts: Facts, warnings: tuple[str, ...] = ()) -> None:
    """Write a verdict down, before anything is done because of it."""
    mill.metrics.scans.labels(str(facts["verdict"])).inc()
    mill.db.write(lambda tx: write_event(tx, claim, facts, warnings))


def write_event(tx: Tx, claim: Claim, facts: Facts, warnings: tuple[str, ...] = ()) -> None:
    """The event of a scan; nothing is written if the job has ended meanwhile."""
    job = jobs.lock_job(tx, claim.tenant, claim.job_id)
    if job is not None:
        jobs.note(
            tx,
            tenant=claim.tenant,
            job_id=claim.job_id,
            of_run=claim.run,
            kind=EventType.SCANNED,
            facts=facts,
            warnings=with_warnings(job.warnings, warnings),
        )


def contain(mill: Mill, claim: Claim) -> None:
    """Take the bytes of a document out of reach: into quarantine, where nothing opens them, or away."""
    kept, key = quarantine_key(claim.blob_key), claim.blob_key
    keeps = mill.settings.scanner_found == "quarantine"
    if keeps and mill.blobs.size(kept) is None and mill.blobs.size(key) is not None:
        mill.blobs.copy(key, kept)
    mill.blobs.remove(key)
