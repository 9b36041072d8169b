"""The database interface, implemented by SQLite and PostgreSQL."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from typing import TypeVar

from sqlalchemy import BigInteger, Connection, Engine, Text, bindparam, func, select

T = TypeVar("T")
OnCommit = Callable[[Iterable[str]], None]
LOCK = select(
    func.pg_advisory_xact_lock(func.hashtextextended(bindparam("name", type_=Text), 0, type_=BigInteger))
)


def ignore_commit(_job_ids: Iterable[str]) -> None:
    """Notifies no one of a commit."""


@dataclass(slots=True)
class Tx:
    """One write under way: its connection, its time, the jobs that it touches, and those that no other caller can change.

    `at_end` has, by name, what is cheaper once for the whole write than again and again.
    """

    conn: Connection
    now: float
    touched: set[str] = field(default_factory=set)
    held: set[str] = field(default_factory=set)
    at_end: dict[str, Callable[[], None]] = field(default_factory=dict)

    @property
    def is_alone(self) -> bool:
        """Whether no other write can be under way at the same time."""
        return self.conn.dialect.name == "sqlite"

    def run(self, work: "Callable[[Tx], T]") -> T:
        """Do the work of the write and what it left for its end; its answer."""
        answer = work(self)
        self.finish()
        return answer

    def finish(self) -> None:
        """Do what was left for the end of the write."""
        left, self.at_end = self.at_end, {}
        for do in left.values():
            do()

    def lock(self, name: str) -> None:
        """Wait for all other writes that hold the lock of this name; it is let go with the commit."""
        if not self.is_alone:
            self.conn.execute(LOCK, {"name": name})


class Database(ABC):
    """Rows that outlive the process; `on_commit` gets the jobs that a commit has touched."""

    # Where to ask a question that must not keep the event loop waiting; None if the answer comes at once.
    threads: Executor | None = None

    def __init__(self, on_commit: OnCommit) -> None:
        self.on_commit = on_commit

    @property
    @abstractmethod
    def engine(self) -> Engine:
        """The engine that migrations run on."""

    @abstractmethod
    def submit(self, work: Callable[[Tx], T]) -> "Future[T]":
        """Start a write; the future is done after its commit."""

    @abstractmethod
    def write(self, work: Callable[[Tx], T]) -> T:
        """Run a write and return its answer after the commit; the work may be run again if others were in its way."""

    @abstractmethod
    def read(self, query: Callable[[Connection], T]) -> T:
        """Run a query; each of its statements sees what is committed at its time."""

    def read_while(self, has_time: Callable[[], bool], query: Callable[[Connection], T]) -> T:
        """As `read`, but a statement ends with DatabaseUnavailable soon after there is no time left.

        A server ends long statements by itself.
        """
        return self.read(query)

    @abstractmethod
    def now(self, conn: Connection) -> float:
        """The time by the database's clock."""

    @abstractmethod
    def scrub(self) -> None:
        """Have deleted values leave the files of the database as far as this process can see to that."""

    @abstractmethod
    def close(self) -> None:
        """Finish the writes under way and close every connection."""
