"""Extract: read the pages of one chunk.

The text layer is read first, many pages at a time. Pages that need OCR become chunks of their own, so that only the join
waits for them.
"""

from collections.abc import Sequence
from dataclasses import replace

from pagemill import failures
from pagemill.db.chunks import NewChunk
from pagemill.db.database import Tx
from pagemill.mill import Mill
from pagemill.model.messages import Message
from pagemill.model.options import runs, select_pages
from pagemill.model.paths import pages_prefix, readable
from pagemill.model.states import Step
from pagemill.model.visits import ReadAnswer, ReadRequest
from pagemill.model.work import Claim, Finding, PagesRead, SetBack
from pagemill.press import Done
from pagemill.progress import finish_reading


def extract(mill: Mill, claims: Sequence[Claim]) -> list[Finding]:
    """Read the pages of each claim."""
    return [extract_one(mill, claim) for claim in claims]


def extract_one(mill: Mill, claim: Claim) -> Finding:
    """Read the pages of one chunk into a file of their own."""
    if setback := set_back_before(mill, claim):
        return setback
    seconds = seconds_for(mill, claim)
    with (
        mill.blobs.local(*readable(claim)) as path,
        mill.local_rendering(claim) as rendered,
        mill.blobs.folders([pages_prefix(claim)]) as [scratch],
    ):
        request = replace(read_request(mill, claim, str(path), str(scratch)), rendered=rendered)
        [outcome] = mill.run_visits([mill.visit(claim.key, "read_pages", request, seconds)])
    if not isinstance(outcome, Done):
        mill.discard(pages_prefix(claim))
        return failures.set_back(claim, mill.caps, mill.budgets, outcome)
    answer = ReadAnswer.from_bytes(outcome.answer)
    mill.metrics.count_providers(answer.seconds)
    handed = tuple(runs(answer.handed, mill.engines.pages_together(claim.chain)))
    return PagesRead(
        claim,
        output=pages_prefix(claim),
        pages=answer.pages_read,
        failed=answer.failed,
        seconds=outcome.seconds,
        handed=handed,
        lane=mill.engines.lane(claim.chain),
    )


def set_back_before(mill: Mill, claim: Claim) -> SetBack | None:
    """Why a claim is not read at all; None if it is."""
    return (
        failures.set_back_over_budget(claim, mill.budgets)
        or failures.set_back_out_of_time(claim, mill.budgets, mill.settings.page_timeout_seconds)
        or mill.set_back_without_copy(claim)
    )


def seconds_for(mill: Mill, claim: Claim) -> float:
    """How long a visit may take: a page has what earlier tries, with this or other providers, have left of its time."""
    if not claim.is_one_page:
        return mill.settings.chunk_timeout_seconds
    return mill.settings.page_timeout_seconds - mill.budgets.seconds_spent(claim)


def read_request(mill: Mill, claim: Claim, path: str, scratch: str) -> ReadRequest:
    """What the press is asked; a page that crashed it is handed to the next provider of the chain."""
    document_pages = claim.document_pages or 0
    texts = mill.engines.text(claim.chain)
    tried = max(claim.crashes if claim.single else 0, mill.budgets.seconds_spent(claim) > 0)
    skipped = min(tried, len(texts) - 1)
    return ReadRequest(
        path=path,
        scratch=scratch,
        total_pages=document_pages,
        first=claim.first_page or 1,
        last=claim.last_page or document_pages,
        providers=texts[skipped:],
        pages=select_pages(claim.options.pages, document_pages),
        password=mill.passwords.decrypt(claim.password),
        single=claim.single,
        ocr=claim.options.ocr,
        mode=claim.options.mode,
        able=mill.engines.reads_pictures(claim.chain),
        tracked_changes=claim.options.tracked_changes,
    )


def record(tx: Tx, read: PagesRead) -> list[Message]:
    """Write where the pages are, settle them, and hand on those that must be recognised."""
    needs = read.claim.needs
    handed = [
        NewChunk(Step.RECOGNISE, read.lane, *run, single=run[0] == run[1], needs=needs) for run in read.handed
    ]
    return finish_reading(tx, read, handed)
