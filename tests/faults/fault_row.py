"""One row of the table of faults."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """One fault; without tests it can't happen yet, and `remark` says why."""

    number: int
    fault: str
    must_hold: str
    tests: tuple[str, ...] = ()
    remark: str = ""
