"""Sentences that several compatible APIs answer with."""

from pagemill.model.views import JobView
from pagemill.steps.accept import Acceptance


def submitted_message(kind: str, view: JobView, acceptance: Acceptance) -> str:
    """What became of something that was handed in, in line with the status beside it."""
    if acceptance.replayed:
        return f"The {kind} was uploaded before."
    if view["status"] == "completed":
        return f"The {kind} is stored; an equal one was read before, and its result is ready."
    return f"The {kind} is stored and will be read."
