"""How many requests a tenant may send in a minute, and what its answers say of that.

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
    """What is left to a tenant, and when that was so."""

    left: float
    at: float


class RateLimits:
    """Counts the requests of each tenant in this process; 0 sets no limit."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = per_minute
        self._per_second = per_minute / WINDOW_SECONDS
        self._clock = clock
        self._left: dict[str, Allowance] = {}
        self._policy = (b"ratelimit-policy", f'"{POLICY}";q={per_minute};w={WINDOW_SECONDS}'.encode())

    def take(self, tenant: str) -> tuple[Headers, TooManyRequests | None]:
        """Count a request: the headers of its answer, and the refusal if it is past the limit."""
        if not self._most:
            return [], None
        allowance = self._refill(tenant)
        refusal = None if allowance.left >= 1 else self._refusal(allowance)
        if refusal is None:
            allowance.left -= 1
        return self._headers(allowance), refusal

    def _refusal(self, allowance: Allowance) -> TooManyRequests:
        return TooManyRequests(
            "This tenant sends too many requests. Wait for the time in Retry-After.",
            max_requests_per_minute=self._most,
            retry_after_seconds=math.ceil((1 - allowance.left) / self._per_second),
        )

    def _refill(self, tenant: str) -> Allowance:
        now, allowance = self._clock(), self._left.get(tenant)
        if allowance is None:
            if len(self._left) >= MOST_TENANTS:
                self._left.clear()
            allowance = self._left[tenant] = Allowance(float(self._most), now)
        allowance.left = min(self._most, allowance.left + (now - allowance.at) * self._per_second)
        allowance.at = now
        return allowance

    def _headers(self, allowance: Allowance) -> Headers:
        full_seconds = math.ceil((self._most - allowance.left) / self._per_second)
        left = f'"{POLICY}";r={int(allowance.left)};t={full_seconds}'
        return [self._policy, (b"ratelimit", left.encode())]
