"""Search: over everything that was read for a tenant, with the page and the boxes of each hit."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection
from typing_extensions import TypedDict

from pagemill.db import search
from pagemill.db.search import FoundPassage
from pagemill.desk.search_limit import SearchLimit
from pagemill.desk.vector_search import Question, ask_model, nearest_passages
from pagemill.errors import SearchNotOffered
from pagemill.mill import Mill
from pagemill.model.document_filters import DocumentFilter
from pagemill.model.jobs import DocumentRow, JobRow
from pagemill.model.passages import Place
from pagemill.model.search_queries import SearchQuery, Term
from pagemill.model.search_ranking import finder, rarity, scores_of, snippet_of
from pagemill.model.views import iso

# So many of the passages that match, newest first, are ranked.
CANDIDATES = 1_000
# After so many the time is looked at.
RANKED_AT_ONCE = 100
# How a question is answered: by words, by the vectors of meaning, or by both.
TEXT, VECTOR, HYBRID = "text", "vector", "hybrid"
MODES = (TEXT, VECTOR, HYBRID)
# What hits have in common: all words, some of the rarer ones, or that they are nearest.
ALL, ANY, NEAREST = "all", "any", "nearest"
# The usual constant of reciprocal rank fusion: it keeps first places from counting for everything.
FUSION_CONSTANT = 60


class HitBox(TypedDict):
    """Where something that was found is printed."""

    page: int
    block: str | None
    box: list[float] | None


class SearchHit(TypedDict):
    """A passage that was found."""

    job_id: str
    filename: str
    media_type: str
    created_at: str
    metadata: dict[str, str]
    chunk: str
    headings: list[str]
    page: int
    boxes: list[HitBox]
    snippet: str
    highlights: list[list[int]]
    score: float


class SearchAnswer(TypedDict):
    """What was found, best first."""

    total: int
    total_is_exact: bool
    matched: str
    hits: list[SearchHit]


@dataclass(frozen=True, slots=True)
class Ranked:
    """The ids of matching passages with their scores, best first; `matched` says by what they were found."""

    scores: list[tuple[float, int]]
    matched: str
    is_whole: bool


@dataclass(frozen=True, slots=True)
class Search:
    """A query to documents of a tenant, and how long it may take."""

    mill: Mill
    wanted: DocumentFilter
    query: SearchQuery
    time_limit: SearchLimit


def find_passages(
    mill: Mill,
    wanted: DocumentFilter,
    query: SearchQuery,
    *,
    offset: int,
    limit: int,
    mode: str = TEXT,
    time_limit: SearchLimit | None = None,
) -> SearchAnswer:
    """The passages that have all terms of a query, or, if there are none, those that have its rarer ones.

    By vectors they are those nearest in meaning, and hybrid search takes the best of both. SearchTimeout if that takes
    longer than the time limit, which begins now if none is given.
    """
    if not mill.settings.search:
        raise SearchNotOffered
    time_limit = time_limit or SearchLimit(mill.settings.search_seconds)
    question = None if mode == TEXT else ask_model(mill, wanted.tenant, query.plain)
    search_of = Search(mill, wanted, query, time_limit)
    return answer_by(search_of, question, mode=mode, offset=offset, limit=limit)


def answer_by(one: Search, question: Question | None, *, mode: str, offset: int, limit: int) -> SearchAnswer:
    """What is answered to a query in one of the modes; other modes than that of words need the question as a vector."""

    def answer(conn: Connection) -> SearchAnswer:
        ranked = rank_text(conn, one) if known is None else known
        return answer_with(conn, one, ranked, offset=offset, limit=limit)

    known = None if question is None else rank_by(one, question, mode=mode)
    return one.time_limit.read(one.mill, answer)


def rank_by(one: Search, question: Question, *, mode: str) -> Ranked:
    """The passages that match a question by meaning, or by words too; both at the same time, on connections of their own."""

    def by_words() -> Ranked:
        return one.time_limit.read(one.mill, lambda conn: rank_text(conn, one))

    def by_meaning() -> Ranked:
        return one.time_limit.read(one.mill, lambda conn: rank_near(conn, one, question))

    if mode == VECTOR:
        return by_meaning()
    wait_for_near = one.mill.embeddings.start_search(by_meaning)
    return fuse(by_words(), wait_for_near())


def rank_text(conn: Connection, one: Search) -> Ranked:
    """The passages that have all terms, or else the rarer ones."""
    return rank_all(conn, one) or rank_any(conn, one)


def rank_near(conn: Connection, one: Search, question: Question) -> Ranked:
    """The passages that are nearest in meaning, without those that have an excluded term."""
    tenant = one.wanted.tenant
    found = nearest_passages(one.mill, conn, one.wanted, question, CANDIDATES)
    if one.query.excluded:
        words = search.words_of_passages(conn, tenant, [number for number, _ in found])
        has_excluded = finder(one.query.excluded)
        found = [near for near in found if near[0] in words and not has_excluded(words[near[0]])]
    scores = [(round(points, 6), number) for number, points in found]
    return Ranked(sorted(scores, reverse=True), NEAREST, False)


def fuse(*lists: Ranked) -> Ranked:
    """The best of several lists by reciprocal rank fusion: places count, not scores, which can't be compared."""
    points: dict[int, float] = defaultdict(float)
    for one in lists:
        for place, (_, number) in enumerate(one.scores, 1):
            points[number] += 1 / (FUSION_CONSTANT + place)
    scores = sorted(((round(total, 6), number) for number, total in points.items()), reverse=True)
    matched = next((one.matched for one in lists if one.scores), NEAREST)
    return Ranked(scores, matched, False)


def answer_with(conn: Connection, one: Search, ranked: Ranked, *, offset: int, limit: int) -> SearchAnswer:
    """What is answered of ranked passages."""
    shown = ranked.scores[offset : offset + limit]
    return {
        "total": len(ranked.scores),
        "total_is_exact": ranked.is_whole,
        "matched": ranked.matched,
        "hits": describe_hits(conn, one, shown),
    }


def rank_all(conn: Connection, one: Search) -> Ranked | None:
    """The passages that have every term; None if there are none and fewer terms could have some."""
    found = search.matching_words(conn, one.wanted, one.query, CANDIDATES, every=True)
    if not found and len(one.query.wanted) > 1:
        return None
    return Ranked(rank(found, one, {}), ALL, len(found) < CANDIDATES)


def rank_any(conn: Connection, one: Search) -> Ranked:
    """The passages that have some of the rarest terms, which are as many as can all be ranked."""
    query = one.query
    alone = [replace(query, wanted=(term,)) for term in query.wanted]
    found_of = search.count_each(conn, one.wanted, alone, CANDIDATES)
    counts = dict(zip(query.wanted, found_of, strict=True))
    rare, left = list[Term](), CANDIDATES
    for term in sorted(query.wanted, key=lambda term: counts[term]):
        left -= counts[term]
        if not rare or left >= 0:
            rare.append(term)
    some = replace(query, wanted=tuple(rare))
    found = search.matching_words(conn, one.wanted, some, CANDIDATES, every=False)
    weights = {term: rarity(count, CANDIDATES) for term, count in counts.items()}
    return Ranked(rank(found, one, weights), ANY, left >= 0)


def rank(
    found: Sequence[tuple[int, str]], one: Search, weights: Mapping[Term, float]
) -> list[tuple[float, int]]:
    """Passages with their scores, best first; of equal ones the newest."""
    scores = list[tuple[float, int]]()
    for start in range(0, len(found), RANKED_AT_ONCE):
        one.time_limit.check()
        some = found[start : start + RANKED_AT_ONCE]
        points = scores_of(one.query, weights, [words for _, words in some])
        scores += zip(points, (number for number, _ in some), strict=True)
    return sorted(scores, reverse=True)


def describe_hits(conn: Connection, one: Search, shown: list[tuple[float, int]]) -> list[SearchHit]:
    """What is shown of the best passages."""
    if not shown:
        return []
    tenant = one.wanted.tenant
    found = {each.id: each for each in search.fetch_passages(conn, tenant, [number for _, number in shown])}
    of_results = search.jobs_of_results(conn, one.wanted, {each.result_id for each in found.values()})
    hits = list[SearchHit]()
    for points, number in shown:
        # One that was deleted in the meantime is no hit.
        if number in found and found[number].result_id in of_results:
            one.time_limit.check()
            hits.append(hit_of(found[number], *of_results[found[number].result_id], one.query, points))
    return hits


def hit_of(
    passage: FoundPassage, job: JobRow, document: DocumentRow, query: SearchQuery, points: float
) -> SearchHit:
    """A passage as people see it."""
    snippet = snippet_of(passage.text, passage.places, query)
    return {
        "job_id": job.id,
        "filename": document.filename,
        "media_type": document.media_type,
        "created_at": iso(job.created_at),
        "metadata": job.metadata,
        "chunk": f"c{passage.number}",
        "headings": list(passage.headings),
        "page": snippet.places[0].page,
        "boxes": [box_of(place) for place in dict.fromkeys(one._replace(start=0) for one in snippet.places)],
        "snippet": snippet.text,
        "highlights": [list(span) for span in snippet.highlights],
        "score": float(f"{points:.4g}"),
    }


def box_of(place: Place) -> HitBox:
    """A place as people see it."""
    rectangle: Any = list(place.box.sides) if place.box else None
    return {"page": place.page, "block": place.block, "box": rectangle}
