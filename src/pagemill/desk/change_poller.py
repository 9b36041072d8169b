"""Polls for changes that other processes made to watched jobs."""

from pagemill.db import jobs
from pagemill.errors import OutageError
from pagemill.mill import Mill

# The delay of an update that another process made; one short statement serves all watchers.
LOOK_SECONDS = 0.1


class ChangePoller:
    """Looks whether the jobs that are watched in this process have changed; does nothing while none is."""

    def __init__(self, mill: Mill) -> None:
        self.mill = mill
        self._seen: dict[str, int] = {}

    def poll(self) -> None:
        """Ring for the jobs that have changed since the last look, and once for those that were not watched then."""
        watched = self.mill.notifier.watched_jobs()
        if not watched:
            self._seen = {}
            return
        try:
            found = self.mill.db.read(lambda conn: jobs.versions(conn, watched))
        except OutageError:
            # Reported by the database itself, and watchers look for themselves now and then.
            return
        self.mill.notifier.notify(
            [job_id for job_id, version in found.items() if self._seen.get(job_id) != version]
        )
        self._seen = found
