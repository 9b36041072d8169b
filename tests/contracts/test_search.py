"""Search on either database: the same words are found, in the same order, by their own tenant alone, until they are deleted."""

import time
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import func, select, text

from pagemill.db import results, search_index
from pagemill.db.database import Tx
from pagemill.db.job_lists import JobFilter
from pagemill.db.schema import jobs, passages
from pagemill.db.search import matching_words
from pagemill.db.search_segments import SEGMENT_PASSAGES
from pagemill.desk import commands
from pagemill.desk.job_lists import count_jobs, list_sorted_jobs
from pagemill.desk.search import SearchAnswer, find_passages
from pagemill.desk.search_limit import SearchLimit
from pagemill.errors import SearchTimeout
from pagemill.mill import DEFAULT_TENANT, Mill
from pagemill.model.document_filters import DocumentFilter
from pagemill.model.ids import new_id
from pagemill.model.index_feed import IndexFeed
from pagemill.model.jobs import Result
from pagemill.model.passages import IndexedPassage
from pagemill.model.search_queries import parse_query
from pagemill.model.search_words import spaced_words
from pagemill.steps.accept import accept_submission
from pagemill.steps.publish import feed_index
from tests.mills import submission
from tests.samples import letter
from tests.timing import can_take_less_than

TEXTS = {
    "mills.pdf": [
        "Water mills grind grain.",
        "The miller of Köln pays 1.250,00 EUR by 3 May.",
        "Wind turns the sails.",
    ],
    "中文.pdf": ["北京大学的学生在图书馆读书。", "東京タワーは高い。"],
    "thai.pdf": ["ภาษาไทยไม่มีช่องว่าง", "กรุงเทพมหานคร"],
    "grain.pdf": [
        "Grain prices rose. Grain is dear.",
        "The mill grinds; the grain is ground by mills of stone.",
    ],
}


@pytest.fixture
def mill(idle_mill: Mill) -> Mill:
    """A mill that takes no work, on either database."""
    return idle_mill


def passage(number: int, words: str, headings: tuple[str, ...] = ()) -> IndexedPassage:
    """A passage on the page of its number."""
    place = (0, number, f"p{number}-b1", (72, 100, 400, 20))
    return IndexedPassage(number, words, headings, [place], spaced_words(" ".join((*headings, words))))


def publish(mill: Mill, name: str, said: list[str], tenant: str = DEFAULT_TENANT, **metadata: str) -> str:
    """A job whose result has these passages; its id."""
    asked = submission(mill, letter(name))
    asked = replace(asked, tenant=tenant, upload=replace(asked.upload, filename=name), metadata=metadata)
    job_id = accept_submission(mill, asked).job_id
    feed = IndexFeed(tuple(passage(number, one) for number, one in enumerate(said, 1)), complete=True)

    def write(tx: Tx) -> None:
        prefix = f"results/{job_id[-2:]}/{job_id}/1.1"
        result = Result(new_id(), tenant, job_id[-32:], prefix, {}, 1, 1, [], [], False, tx.now)
        results.add(tx, result)
        feed_index(tx, result, feed)
        tx.conn.execute(jobs.update().where(jobs.c.id == job_id).values(result_id=result.id))

    mill.db.write(write)
    return job_id


@pytest.fixture
def library(mill: Mill) -> dict[str, str]:
    """Some documents that can be searched: the ids of their jobs by name."""
    return {name: publish(mill, name, said) for name, said in TEXTS.items()}


def search(mill: Mill, query: str, tenant: str = DEFAULT_TENANT, **filters: object) -> SearchAnswer:
    """What is found."""
    wanted = DocumentFilter(tenant, **filters)  # type: ignore[arg-type]
    return find_passages(mill, wanted, parse_query(query), offset=0, limit=20)


def places(answer: SearchAnswer) -> list[tuple[str, int]]:
    """The files and pages of the hits, best first."""
    return [(hit["filename"], hit["page"]) for hit in answer["hits"]]


# What is asked for, and what every database finds, in this order.
QUERIES = {
    "grain": [("grain.pdf", 1), ("mills.pdf", 1), ("grain.pdf", 2)],
    "mills grain": [("mills.pdf", 1), ("grain.pdf", 2)],
    '"mills grind"': [("mills.pdf", 1)],
    '"grind mills"': [],
    "gri*": [("mills.pdf", 1), ("grain.pdf", 2)],
    "grain -prices": [("mills.pdf", 1), ("grain.pdf", 2)],
    "koln": [("mills.pdf", 2)],
    "KÖLN": [("mills.pdf", 2)],
    "1.250,00": [("mills.pdf", 2)],
    "大学": [("中文.pdf", 1)],
    "学大": [],
    "タワー": [("中文.pdf", 2)],
    "ไทย": [("thai.pdf", 1)],
    "wind nowhere": [("mills.pdf", 3)],
    "nowhere": [],
}


@pytest.mark.usefixtures("library")
def test_what_one_write_adds_and_removes_leaves_a_sound_index(mill: Mill) -> None:
    def write(tx: Tx) -> None:
        for name in ("one", "two", "three"):
            search_index.add_result(tx, DEFAULT_TENANT, name, [passage(1, f"barley {name}")], complete=True)
        search_index.remove_result(tx, DEFAULT_TENANT, "two")
        search_index.add_result(tx, DEFAULT_TENANT, "four", [passage(1, "barley four")], complete=True)
        search_index.remove_result(tx, DEFAULT_TENANT, "one")

    mill.db.write(write)
    wanted = DocumentFilter(DEFAULT_TENANT)
    found = mill.db.read(lambda conn: matching_words(conn, wanted, parse_query("barley"), 10, every=True))
    assert sorted(words.split()[-1] for _, words in found) == ["four", "three"]
    if mill.db.engine.dialect.name == "sqlite":
        # SQLite compares its full-text table with the passages, and raises an error if they differ.
        compare = text("INSERT INTO passages_fts(passages_fts, rank) VALUES ('integrity-check', 1)")
        mill.db.write(lambda tx: tx.conn.execute(compare))


@pytest.mark.usefixtures("library")
def test_every_database_finds_the_same_in_the_same_order(mill: Mill) -> None:
    found = {query: places(search(mill, query)) for query in QUERIES}
    assert found == QUERIES
    assert search(mill, "wind nowhere")["matched"] == "any"
    scores = [
        [hit["score"] for hit in search(mill, query)["hits"]] for query in ("grain", "mills grain", "gri*")
    ]
    assert scores == [[1.682, 1.364, 1.352], [2.729, 2.704], [1.364, 1.352]]


def test_a_hit_shows_what_matched_and_where_it_is_printed(mill: Mill, library: dict[str, str]) -> None:
    [hit] = search(mill, "KOLN miller")["hits"]
    assert hit["snippet"] == TEXTS["mills.pdf"][1]
    assert [hit["snippet"][start:end] for start, end in hit["highlights"]] == ["miller", "Köln"]
    assert (hit["job_id"], hit["chunk"], hit["page"]) == (library["mills.pdf"], "c2", 2)
    assert hit["boxes"] == [{"page": 2, "block": "p2-b1", "box": [72, 100, 400, 20]}]


def test_nobody_finds_what_belongs_to_another(mill: Mill, library: dict[str, str]) -> None:
    publish(mill, "theirs.pdf", ["Their grain is theirs."], tenant="other")
    assert places(search(mill, "grain", tenant="other")) == [("theirs.pdf", 1)]
    assert "theirs.pdf" not in {name for name, _ in places(search(mill, "grain"))}
    assert places(search(mill, "grain", tenant="nobody")) == []
    assert places(search(mill, "grain", tenant="other", job_id=library["grain.pdf"])) == []


def test_lists_of_jobs_go_by_the_same_filters(mill: Mill) -> None:
    first = publish(mill, "a.pdf", ["Grain one."], collection="bills", tags="paid, march", **{"a:b": "c"})
    publish(mill, "b.pdf", ["Grain two."], collection="bills", tags="march")

    def listed(**filters: Any) -> tuple[list[str], dict[str, int]]:
        wanted = JobFilter(DocumentFilter(DEFAULT_TENANT, **filters))
        jobs = list_sorted_jobs(mill, wanted, sort="filename", cursor=None, limit=9).jobs
        return [job["id"] for job in jobs], count_jobs(mill, wanted)

    assert listed(tags=("march", "paid"), media_type="application/pdf") == ([first], {"pending": 1})
    assert listed(collection="bills", metadata={"a:b": "c"}) == ([first], {"pending": 1})
    assert listed(collection="bills")[1] == {"pending": 2}
    assert listed(media_type="image/png") == listed(tags=("march", "sent")) == ([], {})
    assert listed(created_before=1.0, job_id=first) == ([], {})


@pytest.mark.parametrize("name", ["a.b", "a'b", "größe", "名", "0", "[0]", "$", "", "a b", "%"])
def test_every_name_of_metadata_can_be_asked_for(mill: Mill, name: str) -> None:
    publish(mill, "a.pdf", ["Grain one."], **{name: 'its "value" \\'})
    publish(mill, "b.pdf", ["Grain two."], **{name: "another"})
    assert places(search(mill, "grain", metadata={name: 'its "value" \\'})) == [("a.pdf", 1)]
    assert places(search(mill, "grain", metadata={f"{name}x": "another"})) == []


def test_filters_choose_the_documents(mill: Mill) -> None:
    first = publish(mill, "a.pdf", ["Grain one."], collection="bills", tags="paid, march")
    publish(mill, "b.pdf", ["Grain two."], collection="letters", tags="march", year="2026")
    assert len(places(search(mill, "grain"))) == 2
    assert places(search(mill, "grain", collection="bills")) == [("a.pdf", 1)]
    assert places(search(mill, "grain", metadata={"collection": "bills"})) == [("a.pdf", 1)]
    assert places(search(mill, "grain", metadata={"year": "2026"})) == [("b.pdf", 1)]
    assert places(search(mill, "grain", tags=("paid",))) == [("a.pdf", 1)]
    assert len(places(search(mill, "grain", tags=("march",)))) == 2
    assert places(search(mill, "grain", tags=("march", "paid"))) == [("a.pdf", 1)]
    assert places(search(mill, "grain", tags=("march", "sent"))) == []
    assert places(search(mill, "grain", tags=("mar%",))) == []
    assert places(search(mill, "grain", tags=("March",))) == []
    assert places(search(mill, "grain", job_id=first)) == [("a.pdf", 1)]
    assert len(places(search(mill, "grain", media_type="application/pdf"))) == 2
    assert places(search(mill, "grain", media_type="image/png")) == []
    assert places(search(mill, "grain", created_before=1.0)) == []
    assert len(places(search(mill, "grain", created_after=1.0))) == 2


def test_a_deleted_job_leaves_no_trace_in_the_index(mill: Mill, library: dict[str, str]) -> None:
    for job_id in library.values():
        commands.remove(mill, DEFAULT_TENANT, job_id)
    assert places(search(mill, "grain")) == []
    assert mill.db.read(lambda conn: conn.scalar(select(func.count()).select_from(passages))) == 0
    if mill.db.engine.dialect.name == "sqlite":
        # Any word at all would be found by its beginning.
        found = "SELECT count(*) FROM passages_fts WHERE passages_fts MATCH 'g* OR m* OR w* OR k*'"
        assert mill.db.read(lambda conn: conn.scalar(text(found))) == 0


def test_a_result_that_two_jobs_have_stays_until_both_are_gone(mill: Mill, library: dict[str, str]) -> None:
    first = library["grain.pdf"]
    second = publish(mill, "again.pdf", [])

    def share(tx: Tx) -> None:
        result_id = select(jobs.c.result_id).where(jobs.c.id == first).scalar_subquery()
        tx.conn.execute(jobs.update().where(jobs.c.id == second).values(result_id=result_id))

    mill.db.write(share)
    assert ("again.pdf", 1) in places(search(mill, '"grain prices"'))
    commands.remove(mill, DEFAULT_TENANT, second)
    assert places(search(mill, '"grain prices"')) == [("grain.pdf", 1)]
    commands.remove(mill, DEFAULT_TENANT, first)
    assert places(search(mill, '"grain prices"')) == []


def test_adding_the_same_passages_twice_changes_nothing(mill: Mill, library: dict[str, str]) -> None:
    result_id = mill.db.read(
        lambda conn: str(conn.scalar(select(jobs.c.result_id).where(jobs.c.id == library["grain.pdf"])))
    )
    before = search(mill, "grain")
    again = [passage(number, one) for number, one in enumerate(TEXTS["grain.pdf"], 1)]
    assert mill.db.write(
        lambda tx: search_index.add_passages(tx, DEFAULT_TENANT, result_id, again, complete=True)
    )
    assert search(mill, "grain") == before
    assert not mill.db.write(
        lambda tx: search_index.add_passages(tx, "other", result_id, again, complete=True)
    )


def test_the_newest_matches_are_found_over_many_segments(mill: Mill, monkeypatch: pytest.MonkeyPatch) -> None:
    """A segment has so many passages that a test makes its own of a few: ids leave gaps, as after deletions."""
    monkeypatch.setattr("pagemill.desk.search.CANDIDATES", 3)
    said = {number: publish(mill, f"{number}.pdf", ["grain and stone", "grain"]) for number in range(4)}
    rows = {"stone": [f"{number}.pdf" for number in (3, 2, 1)], "grain": ["3.pdf", "3.pdf", "2.pdf"]}

    def spread(tx: Tx) -> None:
        """Move each document into a segment of its own, and the newest far away."""
        steps = {said[number]: place * SEGMENT_PASSAGES for number, place in enumerate((0, 1, 3, 40))}
        for job_id, by in steps.items():
            result_id = tx.conn.scalar(select(jobs.c.result_id).where(jobs.c.id == job_id))
            own = passages.c.result_id == result_id
            if tx.conn.dialect.name == "postgresql":
                tx.conn.execute(passages.update().where(own).values(id=passages.c.id + by))

    mill.db.write(spread)
    for query, names in rows.items():
        answer = search(mill, query)
        assert sorted(hit["filename"] for hit in answer["hits"]) == sorted(names), query
        assert (answer["total"], answer["total_is_exact"]) == (3, False)
    assert search(mill, "grain stone nowhere")["matched"] == "any"


@pytest.mark.usefixtures("library")
def test_a_search_ends_when_its_time_is_up(mill: Mill) -> None:
    query, wanted = parse_query("grain"), DocumentFilter(DEFAULT_TENANT)
    for limit in (SearchLimit(0), SearchLimit(60)):
        limit.cancel()
        with pytest.raises(SearchTimeout):
            find_passages(mill, wanted, query, offset=0, limit=20, time_limit=limit)
    assert search(mill, "grain")["total"]


def test_a_statement_that_takes_too_long_is_stopped(mill: Mill) -> None:
    if mill.db.engine.dialect.name != "sqlite":
        pytest.skip("PostgreSQL ends long statements by itself")
    endless = text("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n")
    with pytest.raises(SearchTimeout):
        SearchLimit(0.1).read(mill, lambda conn: conn.scalar(endless))
    assert mill.db.read(lambda conn: conn.scalar(text("SELECT 1"))) == 1


def test_a_row_as_long_as_a_document_keeps_nobody_waiting(mill: Mill) -> None:
    many = range(200_000)
    rows = (["grain"] * 200_000, [f"w{n}" for n in many], [f"v{n % 5_000}" for n in many])
    publish(mill, "wide.csv", [",".join(row) for row in rows])

    def seconds() -> float:
        started = time.thread_time()
        assert search(mill, "grain")["total"] == 1
        assert search(mill, "w1*")["total"] == 1
        assert search(mill, '"grain grain grain" w5')["hits"]
        return time.thread_time() - started

    assert can_take_less_than(1.0, seconds)
