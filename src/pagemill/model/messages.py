"""What the queue carries: a step, a lane and ids. It says hurry; the rows are the truth."""

from dataclasses import dataclass

from pagemill.model.states import Lane, Step


@dataclass(frozen=True, slots=True)
class Message:
    """There may be work of this step in this lane."""

    step: Step
    lane: Lane
    job_id: str
