"""Indexing: what publishing left to be done later, because it was long, is restored, or is indexed again."""

import logging
from collections.abc import Iterator
from functools import partial
from itertools import islice

from pagemill.db import search_index
from pagemill.db.database import Database, Tx
from pagemill.desk import on_demand
from pagemill.errors import OutageError, PagemillError
from pagemill.mill import Mill
from pagemill.model.index_feed import passage_from
from pagemill.model.passages import IndexedPassage
from pagemill.press import Press

log = logging.getLogger("pagemill.search")
# Passages for each transaction, so that no other writer waits long.
PIECE = 200
RESULTS = 1_000


def index_waiting(mill: Mill) -> int:
    """Index the results that wait for it; how many were."""
    if not mill.settings.search:
        return 0
    unindexed = mill.db.read(lambda conn: search_index.unindexed_results(conn, RESULTS))
    return sum(index_result(mill, mill.press, *one) for one in unindexed)


def index_result(mill: Mill, press: Press, tenant: str, result_id: str, job_id: str) -> bool:
    """Add what the index lacks of a result; False if that can't be had."""
    words = {"job": job_id, "tenant": tenant}
    try:
        made = on_demand.searched_chunks(mill, tenant, job_id, press)
    except OutageError:
        raise
    except PagemillError as error:
        log.warning("its text can't be indexed: %s", error.message, extra=words)
        mill.db.write(lambda tx: search_index.add_passages(tx, tenant, result_id, (), complete=True))
        return False
    for piece in pieces(mill, made.key):

        def add(tx: Tx, new: list[IndexedPassage] = piece) -> bool:
            return search_index.add_passages(tx, tenant, result_id, new, complete=False)

        if not mill.db.write(add):
            return False
    return mill.db.write(lambda tx: search_index.add_passages(tx, tenant, result_id, (), complete=True))


def pieces(mill: Mill, key: str) -> Iterator[list[IndexedPassage]]:
    """The passages in a file of chunks, some at a time."""
    with mill.blobs.open(key) as file:
        lines = iter(file.readline, b"")
        while piece := [passage_from(line) for line in islice(lines, PIECE)]:
            yield piece


def reindex(db: Database) -> int:
    """Take every result out of the index and have it indexed again by the upkeep; how many there are."""
    count, after = 0, ""
    while found := results_after(db, after):
        for one in found:
            db.write(partial(renew, tenant=one[0], result_id=one[1]))
        count, after = count + len(found), found[-1][1]
    return count


def results_after(db: Database, after: str) -> list[tuple[str, str]]:
    """The next results of living jobs."""
    return db.read(lambda conn: search_index.next_results(conn, after, RESULTS))


def renew(tx: Tx, tenant: str, result_id: str) -> None:
    """Have a result indexed from the beginning."""
    search_index.remove_result(tx, tenant, result_id)
    search_index.begin_result(tx, tenant, result_id)
