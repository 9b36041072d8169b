"""Questions to the search index: which passages match, and what they say. The answers are the same on either database.

Matching passages are taken newest first, up to a limit, and ranked by the caller.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlalchemy import (
    JSON,
    ColumnElement,
    Connection,
    Select,
    Text,
    bindparam,
    cast,
    exists,
    func,
    select,
    text,
)
from sqlalchemy.dialects.postgresql import TSQUERY

from pagemill.db import search_segments
from pagemill.db.filter_conditions import filter_conditions
from pagemill.db.jobs import JOB_AND_DOCUMENT, WIDTH
from pagemill.db.schema import documents, jobs
from pagemill.db.search_index import scope_word
from pagemill.db.search_tables import FIRST_TEXT, FIRST_WORDS, passages
from pagemill.model.document_filters import DocumentFilter
from pagemill.model.jobs import DocumentRow, JobRow
from pagemill.model.passages import Place
from pagemill.model.search_queries import SearchQuery, Term

# All in one statement, each in no order, which SQLite finds in half the time.
COUNT_EACH = text(
    "SELECT (SELECT count(*) FROM (SELECT 1 FROM passages_fts WHERE passages_fts MATCH one.value LIMIT :most))"
    " FROM json_each(:asked) AS one ORDER BY one.key"
).bindparams(bindparam("asked", type_=JSON))


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """A passage that matches; of a very long text the beginning."""

    id: int
    result_id: str
    number: int
    headings: tuple[str, ...]
    text: str
    places: tuple[Place, ...]


def matching_words(
    conn: Connection, wanted: DocumentFilter, query: SearchQuery, limit: int, *, every: bool
) -> Sequence[tuple[int, str]]:
    """The newest passages that have every wanted term, or any of them, and no excluded one: ids and words to rank them by."""
    asked = asked_of(conn, wanted.tenant, query, every=every)
    if has_segments(conn, wanted):
        return search_segments.newest_matches(conn, wanted.tenant, asked, limit)
    found = matches(conn, wanted).limit(limit).subquery("newest")
    words = select(found.c.id, FIRST_WORDS).join(passages, passages.c.id == found.c.id)
    own = words.where(passages.c.tenant == wanted.tenant)
    return conn.execute(own, {"asked": asked}).all()


def count_each(
    conn: Connection, wanted: DocumentFilter, queries: Sequence[SearchQuery], limit: int
) -> list[int]:
    """How many passages have every wanted term of each query and no excluded one, counted up to a limit."""
    asked = [asked_of(conn, wanted.tenant, one, every=True) for one in queries]
    if has_segments(conn, wanted):
        return search_segments.count_each(conn, asked, limit)
    if wanted.is_open:
        return list(conn.scalars(COUNT_EACH, {"asked": asked, "most": limit}))
    # In no order, which SQLite finds in half the time.
    found = matches(conn, wanted, newest_first=False).limit(limit).subquery("some")
    counted = select(func.count()).select_from(found)
    return [conn.execute(counted, {"asked": one}).scalar_one() for one in asked]


def has_segments(conn: Connection, wanted: DocumentFilter) -> bool:
    """Whether the newest segments are looked at first; matches that a filter lets through may all be older."""
    return conn.dialect.name == "postgresql" and wanted.is_open


def matches(conn: Connection, wanted: DocumentFilter, *, newest_first: bool = True) -> "Select[tuple[int]]":
    """The statement that finds the ids of passages."""
    form = postgres_matches if conn.dialect.name == "postgresql" else sqlite_matches
    return form(wanted, newest_first=newest_first)


def asked_of(conn: Connection, tenant: str, query: SearchQuery, *, every: bool) -> str:
    """The query in the language of a database."""
    form = postgres_query if conn.dialect.name == "postgresql" else sqlite_query
    return form(tenant, query, every=every)


def sqlite_matches(wanted: DocumentFilter, *, newest_first: bool) -> "Select[tuple[int]]":
    """The statement for SQLite, which walks the matches in the order of their ids."""
    order = " ORDER BY rowid DESC" if newest_first else ""
    matched = text(f"SELECT rowid AS id FROM passages_fts WHERE passages_fts MATCH :asked{order}")
    found = matched.columns(passages.c.id).subquery("found")
    statement = select(found.c.id)
    if not wanted.is_open:
        statement = statement.join(passages, passages.c.id == found.c.id).where(in_scope(wanted))
    return statement.order_by(found.c.id.desc()) if newest_first else statement


def postgres_matches(wanted: DocumentFilter, *, newest_first: bool) -> "Select[tuple[int]]":
    """The statement for PostgreSQL: matches are found by their index first, and put in order then."""
    asked = cast(bindparam("asked", type_=Text), TSQUERY)
    own = (passages.c.lexemes.op("@@")(asked), passages.c.tenant == wanted.tenant)
    matched = select(passages.c.id).where(*own, *([] if wanted.is_open else [in_scope(wanted)]))
    if not newest_first:
        return matched
    found = matched.cte("found").prefix_with("MATERIALIZED", dialect="postgresql")
    return select(found.c.id).order_by(found.c.id.desc())


def in_scope(wanted: DocumentFilter) -> ColumnElement[bool]:
    """Whether a passage belongs to a job that the filter lets through."""
    query = select(jobs.c.id).join(documents, documents.c.id == jobs.c.document_id)
    return exists(
        query.where(jobs.c.result_id == passages.c.result_id, *filter_conditions(wanted)).correlate(passages)
    )


def results_in_scope(conn: Connection, wanted: DocumentFilter) -> set[str]:
    """The results of the jobs that the filter lets through."""
    query = select(jobs.c.result_id).join(documents, documents.c.id == jobs.c.document_id)
    own = query.where(jobs.c.result_id.is_not(None), *filter_conditions(wanted))
    return {str(result_id) for result_id in conn.scalars(own)}


def words_of_passages(conn: Connection, tenant: str, ids: Sequence[int]) -> dict[int, str]:
    """The normalised words of passages."""
    query = select(passages.c.id, passages.c.words)
    own = query.where(passages.c.tenant == tenant, passages.c.id.in_(ids))
    return {row.id: row.words for row in conn.execute(own)}


def sqlite_query(tenant: str, query: SearchQuery, *, every: bool) -> str:
    """The query in the language of FTS5; words are letters and digits alone, so that quoting is enough."""
    terms = [sqlite_term(term) for term in query.wanted]
    excluded = "".join(f" NOT {sqlite_term(term)}" for term in query.excluded)
    return f'(("{scope_word(tenant)}") AND ({(" AND " if every else " OR ").join(terms)})){excluded}'


def sqlite_term(term: Term) -> str:
    """A term in the language of FTS5."""
    return f'("{" ".join(term.words)}"{" *" if term.is_prefix else ""})'


def postgres_query(tenant: str, query: SearchQuery, *, every: bool) -> str:
    """The query as the text of a tsquery."""
    terms = (" & " if every else " | ").join(postgres_term(term) for term in query.wanted)
    excluded = "".join(f" & !{postgres_term(term)}" for term in query.excluded)
    return f"'{scope_word(tenant)}' & ({terms}){excluded}"


def postgres_term(term: Term) -> str:
    """A term as a part of a tsquery."""
    words = [f"'{word}'" for word in term.words]
    return f"({' <-> '.join(words)}{':*' if term.is_prefix else ''})"


def fetch_passages(conn: Connection, tenant: str, ids: Sequence[int]) -> list[FoundPassage]:
    """What these passages of a tenant say, in the order of their ids from the newest."""
    query = select(
        passages.c.id,
        passages.c.result_id,
        passages.c.number,
        passages.c.headings,
        FIRST_TEXT,
        passages.c.places,
    ).where(passages.c.tenant == tenant, passages.c.id.in_(ids))
    rows = conn.execute(query.order_by(passages.c.id.desc()))
    return [
        FoundPassage(
            id=row.id,
            result_id=row.result_id,
            number=row.number,
            headings=tuple(row.headings),
            text=row.text,
            places=tuple(map(Place.from_stored, row.places)),
        )
        for row in rows
    ]


def jobs_of_results(
    conn: Connection, wanted: DocumentFilter, result_ids: Collection[str]
) -> dict[str, tuple[JobRow, DocumentRow]]:
    """The newest job that the filter lets through for each of these results."""
    query = JOB_AND_DOCUMENT.where(jobs.c.result_id.in_(result_ids), *filter_conditions(wanted))
    found = [
        (JobRow(*row[:WIDTH]), DocumentRow(*row[WIDTH:])) for row in conn.execute(query.order_by(jobs.c.id))
    ]
    return {str(job.result_id): (job, document) for job, document in found}
