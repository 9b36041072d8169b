"""Notify: wake watchers. The event log is what they read; this only wakes them."""

from collections.abc import Iterable

from pagemill.notifier import Notifier


def notify(notifier: Notifier, job_ids: Iterable[str]) -> None:
    """Wake everybody who watches one of these jobs; called after the commit that changed them."""
    notifier.notify(job_ids)
