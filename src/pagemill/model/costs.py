"""Costs: what reading took of this machine and of others, by claim while it is under way, and by tenant and day."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from threading import Lock

from typing_extensions import TypedDict

from pagemill.model.events import Facts


@dataclass(frozen=True, slots=True)
class Cost:
    """CPU seconds of reading processes, calls to providers on other machines, and what those are charged."""

    cpu_seconds: float = 0.0
    remote_calls: int = 0
    price: float = 0.0

    def __add__(self, more: "Cost") -> "Cost":
        return Cost(
            round(self.cpu_seconds + more.cpu_seconds, 4),
            self.remote_calls + more.remote_calls,
            round(self.price + more.price, 6),
        )


class CostView(TypedDict):
    """What reading took: CPU seconds here, calls to providers on other machines, and their price by the settings."""

    cpu_seconds: float
    remote_calls: int
    price: float


NO_COST = Cost()


def cost_view(cost: Cost) -> CostView:
    """A cost in the shape that people see."""
    return {
        "cpu_seconds": round(cost.cpu_seconds, 4),
        "remote_calls": cost.remote_calls,
        "price": round(cost.price, 6),
    }


def cost_facts(cost: Cost) -> Facts:
    """What an event says of a cost; nothing of what was not spent."""
    return {name: value for name, value in cost_view(cost).items() if value}  # type: ignore[misc]


def day_of(at: float) -> str:
    """The day of a time, in UTC."""
    return datetime.fromtimestamp(at, UTC).date().isoformat()


class CostLedger:
    """Adds up what the claims under way cost; written to from the threads that wait for other machines, too."""

    def __init__(self) -> None:
        self._costs: dict[str, Cost] = {}
        self._lock = Lock()

    def begin(self, keys: Iterable[str]) -> None:
        """Start to count for these claims."""
        with self._lock:
            self._costs |= dict.fromkeys(keys, NO_COST)

    def add(self, key: str, cost: Cost) -> None:
        """Count something for a claim; what is asked for beside the flow has none and is not counted."""
        with self._lock:
            if key in self._costs:
                self._costs[key] += cost

    def take(self, key: str) -> Cost:
        """What a claim has cost; it is not counted for any more."""
        with self._lock:
            return self._costs.pop(key, NO_COST)
