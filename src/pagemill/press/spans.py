"""Visits in the traces of the documents that they were made for."""

import re
from collections.abc import Sequence

from pagemill import tracing
from pagemill.press.visit import Crashed, Failed, Outcome, Visit

WORD_STARTS = re.compile(r"(?<!^)(?=[A-Z])")


def record_visits(visits: Sequence[Visit], outcomes: Sequence[Outcome]) -> None:
    """Note how visits that ended just now went; of those in one call, each began when the one before ended."""
    after_seconds = 0.0
    for visit, outcome in zip(reversed(visits), reversed(outcomes), strict=True):
        seconds = getattr(outcome, "seconds", 0.0)
        name = visit.function.rpartition(":")[2]
        over = tracing.past_span("visit", seconds, function=name, exit=kind_of(outcome), **facts_of(outcome))
        tracing.record_span_for(visit.key, over.earlier(after_seconds))
        after_seconds += seconds


def kind_of(outcome: Outcome) -> str:
    """How a visit ended, in one word."""
    return WORD_STARTS.sub("_", type(outcome).__name__).lower()


def facts_of(outcome: Outcome) -> dict[str, tracing.Fact]:
    """What is known of a visit that went wrong."""
    match outcome:
        case Failed(code=code):
            return {"code": code}
        case Crashed(signal=signal, memory=memory):
            return {"signal": signal or 0, "memory": memory}
    return {}
