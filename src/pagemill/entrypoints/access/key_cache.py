"""What the database said about keys, remembered for a moment, so that most requests ask it nothing."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from pagemill.db import api_keys, ended_sessions
from pagemill.db.database import Database
from pagemill.desk import tenant_keys
from pagemill.entrypoints.thread_pools import BoundedThreadPool
from pagemill.errors import DatabaseUnavailable, OutageError
from pagemill.model.tenants import Holder

# A key that another process revoked is worth something for this long.
REMEMBERED_SECONDS = 1.0
PATIENCE_SECONDS = 5.0
MOST_REMEMBERED = 10_000
ASKING_THREADS = 2
MOST_ASKING = 500


@dataclass(frozen=True, slots=True)
class CachedHolder:
    """Who a key belongs to, None if unknown, and until when that is believed."""

    holder: Holder | None
    until: float


class KeyCache:
    """Asks the database about a key at most once in a moment, in a thread, however many requests carry it."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._lookups = BoundedThreadPool(ASKING_THREADS, MOST_ASKING, "pagemill-keys")
        # Apart from each other, because strangers can fill the second at will.
        self._holders: dict[str, CachedHolder] = {}
        self._strange: dict[str, CachedHolder] = {}
        # Until when a session is known not to have been ended; one that was is so for ever.
        self._sessions: dict[str, float] = {}
        self._any: bool | None = None
        self._any_until = 0.0

    async def of_hash(self, sha256: str) -> Holder | None:
        """Whose key has this hash."""
        return await self._ask(sha256, lambda: tenant_keys.holder_of_hash(self._db, sha256))

    async def of_id(self, key_id: str) -> Holder | None:
        """Whose key has this id."""
        return await self._ask(key_id, lambda: tenant_keys.holder_of_id(self._db, key_id))

    async def is_ended(self, session_id: str) -> bool:
        """Whether the session of this id was ended before its time."""
        if time.monotonic() < self._sessions.get(session_id, 0.0):
            return False
        ended = await self._lookups.share(session_id, PATIENCE_SECONDS, self._look_up_session, session_id)
        if ended is None:
            raise DatabaseUnavailable
        if not ended:
            if len(self._sessions) >= MOST_REMEMBERED:
                self._sessions.clear()
            self._sessions[session_id] = time.monotonic() + REMEMBERED_SECONDS
        return ended

    async def are_any(self) -> bool:
        """Whether there are keys at all; once there are, that stays so."""
        if not self._any and time.monotonic() >= self._any_until:
            await self._lookups.share("any", PATIENCE_SECONDS, self._refresh_any)
        if self._any is None:
            raise DatabaseUnavailable
        return self._any

    async def end_session(self, tenant: str, session_id: str, expires_at: float) -> None:
        """Write down that a session is ended."""
        await self._lookups.run(
            self._db.write, lambda tx: ended_sessions.end(tx, tenant, session_id, expires_at)
        )
        self.forget()

    def forget(self) -> None:
        """Invalidate the cache after a change by this process."""
        self._holders.clear()
        self._strange.clear()
        self._sessions.clear()
        self._any_until = 0.0

    def close(self) -> None:
        """Ask nothing more."""
        self._lookups.close()

    async def _ask(self, name: str, question: Callable[[], Holder | None]) -> Holder | None:
        answered = self._holders.get(name) or self._strange.get(name)
        if answered is None or answered.until < time.monotonic():
            answered = await self._lookups.share(name, PATIENCE_SECONDS, answer_to, question)
            if answered is None:
                raise DatabaseUnavailable
            self._remember(name, answered)
        return answered.holder

    def _remember(self, name: str, answered: CachedHolder) -> None:
        place = self._strange if answered.holder is None else self._holders
        if len(place) >= MOST_REMEMBERED:
            place.clear()
        place[name] = answered
        (self._holders if answered.holder is None else self._strange).pop(name, None)

    def _look_up_session(self, session_id: str) -> bool:
        return self._db.read(lambda conn: ended_sessions.is_ended(conn, session_id))

    def _refresh_any(self) -> None:
        try:
            self._any = self._db.read(api_keys.are_any)
        except OutageError:
            if self._any is None:
                raise
        self._any_until = time.monotonic() + REMEMBERED_SECONDS


def answer_to(question: Callable[[], Holder | None]) -> CachedHolder:
    """The answer with the time that it holds for."""
    return CachedHolder(question(), time.monotonic() + REMEMBERED_SECONDS)
