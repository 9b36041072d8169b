"""What is in the search index: passages are added and removed with the results that they come from."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Any

from sqlalchemy import Connection, bindparam, cast, delete, exists, func, insert, select, text, update
from sqlalchemy.dialects.postgresql import TSVECTOR

from pagemill.db import vectors
from pagemill.db.database import Tx
from pagemill.db.prepared_statements import PreparedStatement, execute
from pagemill.db.schema import jobs, results
from pagemill.db.search_tables import indexed_results, passages
from pagemill.model.formats import ON_DEMAND
from pagemill.model.jobs import Result
from pagemill.model.passages import IndexedPassage

# Positions in a tsvector end here; words that come later count as if they were at the end.
LAST_POSITION = 16_383
# A tsvector is no larger than 1 MiB, with some bytes for each word and two for each of its places. Only the row of a table
# that nobody can read comes near; its words behind this are not found.
LARGEST_LEXEMES_BYTES, ENTRY_BYTES, PLACE_BYTES = 900_000, 8, 2
ADD = PreparedStatement(insert(indexed_results))
KNOWN_TENANTS = 1_024
FULL_TEXT = "passages_fts"
LAST_PASSAGE = PreparedStatement(select(func.coalesce(func.max(passages.c.id), 0)))
FEED_FULL_TEXT = (
    "INSERT INTO passages_fts(rowid, words) SELECT id, words FROM passages WHERE id > :last ORDER BY id"
)
CLEAR_FULL_TEXT = text(
    "INSERT INTO passages_fts(passages_fts, rowid, words) SELECT 'delete', id, words FROM passages WHERE result_id = :result_id"
)
NEW_PASSAGE = PreparedStatement(insert(passages))
NEW_LEXEMES = insert(passages).values(lexemes=cast(bindparam("lexeme_text"), TSVECTOR))


@lru_cache(KNOWN_TENANTS)
def scope_word(tenant: str) -> str:
    """A word that all passages of a tenant have, and no text: normalised words have no such sign."""
    return f"§{sha256(tenant.encode()).hexdigest()[:16]}"


def begin_result(tx: Tx, tenant: str, result_id: str) -> None:
    """Note that a result belongs into the index, if that is not noted yet."""
    own = (indexed_results.c.result_id == result_id, indexed_results.c.tenant == tenant)
    if tx.conn.execute(select(indexed_results.c.result_id).where(*own)).first() is None:
        ADD.run(tx.conn, {"result_id": result_id, "tenant": tenant, "passages": 0, "complete": False})


def add_result(tx: Tx, tenant: str, result_id: str, new: Sequence[IndexedPassage], *, complete: bool) -> None:
    """Have a result that was written just now in the index, with its passages."""
    reached = new[-1].number if new else 0
    ADD.run(tx.conn, {"result_id": result_id, "tenant": tenant, "passages": reached, "complete": complete})
    if new:
        insert_passages(tx, tenant, result_id, new)


def use_again(tx: Tx, result: Result) -> None:
    """Have a result indexed that a job has got from store, unless it is; one that was never searchable stays so."""
    if ON_DEMAND["chunks"].file in result.artifacts:
        begin_result(tx, result.tenant, result.id)


def add_passages(
    tx: Tx, tenant: str, result_id: str, new: Sequence[IndexedPassage], *, complete: bool
) -> bool:
    """Add passages of a result that the index does not have yet; False if it is not, or no longer, to be indexed."""
    own = (indexed_results.c.result_id == result_id, indexed_results.c.tenant == tenant)
    known = tx.conn.execute(
        select(indexed_results.c.passages).where(*own).with_for_update()
    ).scalar_one_or_none()
    if known is None:
        return False
    fresh = [one for one in new if one.number > known]
    if fresh:
        insert_passages(tx, tenant, result_id, fresh)
    reached = fresh[-1].number if fresh else known
    tx.conn.execute(update(indexed_results).where(*own).values(passages=reached, complete=complete))
    return True


def insert_passages(tx: Tx, tenant: str, result_id: str, new: Sequence[IndexedPassage]) -> None:
    """Write the rows of passages, and their words into the full-text index."""
    scope = scope_word(tenant)
    rows = [passage_columns(tenant, result_id, one, scope) for one in new]
    if tx.conn.dialect.name == "postgresql":
        with_lexemes = [row | {"lexeme_text": lexemes(row["words"].split())} for row in rows]
        tx.conn.execute(NEW_LEXEMES, with_lexemes)
    else:
        if FULL_TEXT not in tx.at_end:
            tx.at_end[FULL_TEXT] = full_text_feed(tx.conn)
        NEW_PASSAGE.run_many(tx.conn, rows)


def full_text_feed(conn: Connection) -> Callable[[], None]:
    """What puts all passages that the write adds from here on into SQLite's full-text table.

    Any other statement in between would have the table write out what it has so far, as a segment that is merged later.
    """
    (last,) = LAST_PASSAGE.one(conn, {}) or (0,)

    def feed() -> None:
        execute(conn, "execute", FEED_FULL_TEXT, {"last": last})

    return feed


def passage_columns(tenant: str, result_id: str, one: IndexedPassage, scope: str) -> dict[str, Any]:
    """The columns of a passage; `scope` is the word of its tenant."""
    return {
        "tenant": tenant,
        "result_id": result_id,
        "number": one.number,
        "headings": one.headings,
        "text": one.text.replace("\0", " "),
        "places": one.places,
        "words": f"{scope} {one.words}",
    }


def lexemes(words: Iterable[str]) -> str:
    """The words with their positions, in the form of a tsvector."""
    positions: dict[str, list[int]] = defaultdict(list)
    left = LARGEST_LEXEMES_BYTES
    for position, word in enumerate(words, 1):
        left -= PLACE_BYTES if word in positions else len(word.encode()) + ENTRY_BYTES
        if left < 0:
            break
        positions[word].append(min(position, LAST_POSITION))
    return " ".join(f"'{word}':{','.join(map(str, places))}" for word, places in positions.items())


def remove_result(tx: Tx, tenant: str, result_id: str) -> None:
    """Take a result out of the index, with everything that was in it."""
    own = (indexed_results.c.result_id == result_id, indexed_results.c.tenant == tenant)
    if tx.conn.execute(delete(indexed_results).where(*own)).rowcount:
        if tx.conn.dialect.name == "sqlite":
            # Only what is in the full-text table can be taken out of it.
            tx.finish()
            tx.conn.execute(CLEAR_FULL_TEXT, {"result_id": result_id})
        vectors.remove_vectors(tx, tenant, result_id)
        tx.conn.execute(
            delete(passages).where(passages.c.result_id == result_id, passages.c.tenant == tenant)
        )


def remove_tenant(tx: Tx, tenant: str) -> None:
    """Take everything of a tenant out of the index."""
    own = select(indexed_results.c.result_id).where(indexed_results.c.tenant == tenant)
    for result_id in tx.conn.scalars(own).all():
        remove_result(tx, tenant, result_id)


def compact(tx: Tx) -> None:
    """Have SQLite forget the words of what was removed, which its full-text table else keeps until it is merged."""
    if tx.conn.dialect.name == "sqlite":
        tx.conn.execute(text("INSERT INTO passages_fts(passages_fts) VALUES ('optimize')"))


def remove_unused(tx: Tx, tenant: str, result_id: str | None) -> None:
    """Take a result out of the index unless it is still the result of a job."""
    if result_id is None:
        return
    used = select(jobs.c.id).where(
        jobs.c.result_id == result_id, jobs.c.tenant == tenant, jobs.c.removed_at.is_(None)
    )
    if tx.conn.execute(used.limit(1)).first() is None:
        remove_result(tx, tenant, result_id)


def unindexed_results(conn: Connection, limit: int) -> list[tuple[str, str, str]]:
    """Results that are not in the index as a whole, as tenant, id and a job that has them."""
    query = (
        select(indexed_results.c.tenant, indexed_results.c.result_id, func.max(jobs.c.id))
        .join(jobs, jobs.c.result_id == indexed_results.c.result_id)
        .where(indexed_results.c.complete.is_(False), jobs.c.removed_at.is_(None))
        .group_by(indexed_results.c.tenant, indexed_results.c.result_id)
        .order_by(indexed_results.c.result_id)
        .limit(limit)
    )
    return [(tenant, result_id, job_id) for tenant, result_id, job_id in conn.execute(query)]


def next_results(conn: Connection, after: str, limit: int) -> list[tuple[str, str]]:
    """The results of living jobs in the order of their ids, as tenant and id."""
    in_use = exists().where(jobs.c.result_id == results.c.id, jobs.c.removed_at.is_(None))
    query = select(results.c.tenant, results.c.id).where(results.c.id > after, in_use)
    rows = conn.execute(query.order_by(results.c.id).limit(limit))
    return [(tenant, result_id) for tenant, result_id in rows]
