"""Notify: tell those who watch. The event log is what they read; this only wakes them."""

from collections.abc import Iterable

from pagemill.notifier import Bell


def notify(bell: Bell, job_ids: Iterable[str]) -> None:
    """Wake everybody who watches one of these jobs; called after the commit that changed them."""
    bell.ring(job_ids)
