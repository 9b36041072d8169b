"""Rate limits: how many requests a tenant may send in a minute, and what its answers say of that.

The headers are those of draft-ietf-httpapi-ratelimit-headers: `RateLimit-Policy` says what is allowed, `RateLimit` what
is left of it. The quota fills up evenly, so that a tenant that was refused may go on a moment later.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from pagemill.errors import TooManyRequests

POLICY = "requests"
WINDOW_SECONDS = 60
MOST_TENANTS = 10_000

Headers = list[tuple[bytes, bytes]]


@dataclass(slots=True)
class Allowance:
    """What is left to a tenant of how much, and when that was so."""

    most: int
    left: float
    at: float

    @property
    def per_second(self) -> float:
        """How fast it fills up."""
        return self.most / WINDOW_SECONDS


class RateLimits:
    """Counts the requests of each tenant in this process; a limit of 0 is none."""

    def __init__(self, per_minute: Callable[[str], int], clock: Callable[[], float] = time.monotonic) -> None:
        self._per_minute = per_minute
        self._clock = clock
        self._left: dict[str, Allowance] = {}

    def take(self, tenant: str) -> tuple[Headers, TooManyRequests | None]:
        """Count a request: the headers of its answer, and the refusal if it is past the limit."""
        most = self._per_minute(tenant)
        if not most:
            return [], None
        allowance = self._refill(tenant, most)
        refusal = None if allowance.left >= 1 else refusal_of(allowance)
        if refusal is None:
            allowance.left -= 1
        return headers_of(allowance), refusal

    def _refill(self, tenant: str, most: int) -> Allowance:
        now, allowance = self._clock(), self._left.get(tenant)
        if allowance is None or allowance.most != most:
            if len(self._left) >= MOST_TENANTS:
                self._left.clear()
            allowance = self._left[tenant] = Allowance(most, float(most), now)
        allowance.left = min(most, allowance.left + (now - allowance.at) * allowance.per_second)
        allowance.at = now
        return allowance


def refusal_of(allowance: Allowance) -> TooManyRequests:
    """The refusal of a request for which nothing is left."""
    return TooManyRequests(
        "This tenant sends too many requests. Wait for the time in Retry-After.",
        max_requests_per_minute=allowance.most,
        retry_after_seconds=math.ceil((1 - allowance.left) / allowance.per_second),
    )


def headers_of(allowance: Allowance) -> Headers:
    """What an answer says of the limit and of what is left."""
    full_seconds = math.ceil((allowance.most - allowance.left) / allowance.per_second)
    policy = f'"{POLICY}";q={allowance.most};w={WINDOW_SECONDS}'
    left = f'"{POLICY}";r={int(allowance.left)};t={full_seconds}'
    return [(b"ratelimit-policy", policy.encode()), (b"ratelimit", left.encode())]
