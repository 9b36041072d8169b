"""Routing rules while the database goes away, and how often it is asked."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest
from sqlalchemy import Connection

from pagemill.db.database import Database, Tx
from pagemill.desk import rules
from pagemill.errors import DatabaseUnavailable
from pagemill.mill import DEFAULT_TENANT, Mill
from pagemill.model.routing_rules import RuleSubject
from pagemill.wiring import open_mill
from tests.mills import small_settings

T = TypeVar("T")
WANTED = rules.WantedRule("Late", {"tags": ["unheard"]}, {"tags": ["heard"]})


class CountedReads:
    """A database that counts what is read, and answers nothing after the first write if it is to go away then."""

    def __init__(self, db: Database, *, goes_away: bool) -> None:
        self._db, self._goes_away, self.is_away, self.reads = db, goes_away, False, 0

    def read(self, query: Callable[[Connection], T]) -> T:
        """Read, while it is there."""
        self.reads += 1
        if self.is_away:
            raise DatabaseUnavailable
        return self._db.read(query)

    def write(self, work: Callable[[Tx], T]) -> T:
        """Write, perhaps for the last time."""
        done = self._db.write(work)
        self.is_away = self._goes_away
        return done


@pytest.fixture
def mill(tmp_path: Path) -> Iterator[Mill]:
    """A mill that takes no work."""
    with open_mill(small_settings(tmp_path), workers=False) as mill:
        yield mill


def away_after_a_write(mill: Mill) -> Mill:
    """The mill with a database that goes away after a write."""
    broken: Any = CountedReads(mill.db, goes_away=True)
    return replace(mill, db=broken)


def test_a_rule_that_was_written_is_answered_even_if_the_database_goes_away(mill: Mill) -> None:
    made = rules.add_rule(away_after_a_write(mill), DEFAULT_TENANT, WANTED)
    assert made["warnings"] == ["no document has the tag unheard so far, and no rule adds it"]
    # What its former version added is not known any more.
    itself = replace(WANTED, conditions={"tags": ["heard"]}, actions={"tags": ["other"]})
    changed = rules.change_rule(away_after_a_write(mill), DEFAULT_TENANT, made["id"], itself)
    assert changed["warnings"] == ["no document has the tag heard so far, and no rule adds it"]
    rules.remove_rule(away_after_a_write(mill), DEFAULT_TENANT, made["id"])
    assert rules.list_rules(mill, DEFAULT_TENANT) == []


def test_trials_read_the_known_names_once(mill: Mill) -> None:
    tried = [rules.rule_of("", DEFAULT_TENANT, WANTED, place, 0.0) for place in range(5)]
    counted: Any = CountedReads(mill.db, goes_away=False)
    subject = RuleSubject("a.pdf", "application/pdf", {}, None, ())
    found = rules.trials_of(replace(mill, db=counted), DEFAULT_TENANT, tried, subject)
    assert [len(one["warnings"]) for one in found] == [1] * 5
    assert counted.reads == 1
