"""Extract: read the pages of one chunk in the press."""

from collections.abc import Sequence
from dataclasses import asdict

from pagemill.db import chunks
from pagemill.db.database import Tx
from pagemill.db.progress import count_off
from pagemill.mill import Mill
from pagemill.model.messages import Message
from pagemill.model.options import selected
from pagemill.model.paths import pages_prefix
from pagemill.model.states import ChunkState
from pagemill.model.visits import ReadAnswer, ReadRequest
from pagemill.model.work import Claim, Finding, Read
from pagemill.press import Done


def extract(mill: Mill, claims: Sequence[Claim]) -> list[Finding]:
    """Read the pages of each claim."""
    return [extract_one(mill, claim) for claim in claims]


def extract_one(mill: Mill, claim: Claim) -> Finding:
    """Read the pages of one chunk into a file of their own."""
    settings = mill.settings
    seconds = settings.page_timeout_seconds if claim.single else settings.chunk_timeout_seconds
    with mill.blobs.local(claim.blob_key) as path, mill.blobs.folders([pages_prefix(claim)]) as [scratch]:
        request = read_request(mill, claim, str(path), str(scratch))
        [outcome] = mill.press.run([mill.visit(claim.key, "read_pages", request.to_bytes(), seconds)])
    if not isinstance(outcome, Done):
        mill.blobs.remove(pages_prefix(claim))
        return mill.set_back(claim, outcome)
    answer = ReadAnswer.from_bytes(outcome.answer)
    for provider, spent in answer.seconds.items():
        mill.meters.provider_seconds.labels(provider).inc(spent)
    return Read(claim, pages_prefix(claim), answer.pages_read, answer.failed, outcome.seconds)


def read_request(mill: Mill, claim: Claim, path: str, scratch: str) -> ReadRequest:
    """What the press is asked; a page that crashed it is handed to the next provider of the chain."""
    document_pages = claim.document_pages or 0
    chain = claim.options.providers
    skipped = min(claim.crashes, len(chain) - 1) if claim.single else 0
    return ReadRequest(
        path=path,
        scratch=scratch,
        total_pages=document_pages,
        first=claim.first_page or 1,
        last=claim.last_page or document_pages,
        providers=chain[skipped:],
        pages=selected(claim.options.pages, document_pages),
        password=mill.seal.open(claim.password),
        single=claim.single,
    )


def record(tx: Tx, read: Read) -> list[Message]:
    """Name the winner of the chunk and count its pages off."""
    failed = [asdict(page) for page in read.failed]
    if not chunks.finish(tx, read.claim, ChunkState.DONE, output=read.output, failed_pages=failed):
        return []
    return count_off(tx, read.claim, read.failed, read.seconds)
