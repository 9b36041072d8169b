"""Clients for tests, closed after each of them."""

from typing import Any

from pagemill.adapters.outbound.client import Outbound

OPENED: list[Outbound] = []


def opened(*args: Any, **kwargs: Any) -> Outbound:
    """A client that is closed when the test is over."""
    OPENED.append(Outbound(*args, **kwargs))
    return OPENED[-1]
