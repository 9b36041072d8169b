"""Accepting without holding the event loop: the steps are those of `steps.accept`, the waiting is done here."""

import asyncio
from contextlib import suppress
from typing import TypeVar

from pagemill.entrypoints.thread_pools import run_in_thread
from pagemill.errors import PagemillError
from pagemill.mill import Mill
from pagemill.steps.accept import (
    Acceptable,
    Acceptance,
    BatchAcceptance,
    finish_acceptance,
    finishes_at_once,
    must_prepare,
    start_acceptance,
)

A = TypeVar("A", bound=Acceptance | BatchAcceptance)


async def record_jobs(mill: Mill, submission: Acceptable[A]) -> A:
    """As `accept_submission`, without holding the event loop."""
    prepared = submission
    if must_prepare(submission):
        prepared = await run_in_thread(submission.prepare, mill)
    written = start_acceptance(mill, prepared)
    with suppress(PagemillError):
        # Shielded, because a commit under way can't be called back.
        await asyncio.shield(asyncio.wrap_future(written))
    if finishes_at_once(written):
        return finish_acceptance(mill, prepared, written)
    return await run_in_thread(lambda: finish_acceptance(mill, prepared, written))
