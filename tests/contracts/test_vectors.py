"""Search by vectors on either database: the same passages are nearest, for their own tenant alone, until they are deleted."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from sqlalchemy import func, select, text

from pagemill.db import pgvector, vectors
from pagemill.db.database import Tx
from pagemill.db.search_tables import indexed_results, passage_vectors
from pagemill.desk import commands
from pagemill.desk.search import SearchAnswer, find_passages
from pagemill.desk.search_indexing import reindex
from pagemill.desk.vector_search import StoredVectors, embed_waiting
from pagemill.embeddings import Embeddings
from pagemill.errors import ModelFailed, ModelUnavailable, VectorsNotOffered
from pagemill.mill import DEFAULT_TENANT, Mill
from pagemill.model.document_filters import DocumentFilter
from pagemill.model.search_queries import parse_query
from pagemill.reading.embedding.nearest import VectorCache
from tests.contracts.test_search import TEXTS, places, publish
from tests.embedding_server import KEY, MODEL, VectorServer, embedding_server


@pytest.fixture
def server() -> Iterator[VectorServer]:
    """A server that makes vectors."""
    with embedding_server() as server:
        yield server


def with_vectors(mill: Mill, server: VectorServer, **changes: object) -> Mill:
    """The mill with vectors by a server."""
    told = {"embeddings": "server", "embeddings_url": server.url, "embeddings_model": MODEL}
    found = mill.settings.model_copy(update={**told, "remote_timeout_seconds": 30.0, **changes})
    key = type(found).model_validate({"embeddings_key": KEY}).embeddings_key
    return replace(mill, embeddings=Embeddings(found.model_copy(update={"embeddings_key": key})))


@pytest.fixture
def mill(idle_mill: Mill, server: VectorServer) -> Iterator[Mill]:
    """A mill that takes no work, on either database, with vectors."""
    mill = with_vectors(idle_mill, server)
    yield mill
    mill.embeddings.close()


@pytest.fixture
def library(mill: Mill) -> dict[str, str]:
    """Documents with vectors: the ids of their jobs by name."""
    found = {name: publish(mill, name, said) for name, said in TEXTS.items()}
    assert embed_waiting(mill) == len(TEXTS)
    return found


def search(
    mill: Mill, query: str, mode: str = "vector", tenant: str = DEFAULT_TENANT, **filters: object
) -> SearchAnswer:
    """What is found."""
    wanted = DocumentFilter(tenant, **filters)  # type: ignore[arg-type]
    return find_passages(mill, wanted, parse_query(query), offset=0, limit=20, mode=mode)


def vector_count(mill: Mill) -> int:
    """How many vectors the database has."""
    uses_pgvector = mill.db.read(pgvector.has_table)
    table = pgvector.HALFVECS if uses_pgvector else passage_vectors
    return int(mill.db.read(lambda conn: conn.scalar(select(func.count()).select_from(table))) or 0)


# What is asked for, and what is nearest on every database; no passage has the words.
QUERIES = {
    "cereal": [("grain.pdf", 2), ("mills.pdf", 1), ("grain.pdf", 1)],
    "breeze": [("mills.pdf", 3)],
    "stream of the river": [("mills.pdf", 1)],
    "cost": [("mills.pdf", 2), ("grain.pdf", 1)],
}


@pytest.mark.usefixtures("library")
def test_every_database_finds_the_same_by_meaning(mill: Mill) -> None:
    found = {query: places(search(mill, query))[: len(best)] for query, best in QUERIES.items()}
    assert found == QUERIES
    answer = search(mill, "cereal")
    assert (answer["matched"], answer["total_is_exact"]) == ("nearest", False)
    assert [hit["score"] for hit in answer["hits"]][:2] == [1.0, 0.7091]
    assert answer["hits"][0]["boxes"] == [{"page": 2, "block": "p2-b1", "box": [72, 100, 400, 20]}]
    assert len(answer["hits"]) == sum(map(len, TEXTS.values()))


@pytest.mark.usefixtures("library")
def test_hybrid_search_fuses_the_places_of_both(mill: Mill) -> None:
    # One page has a word of it, another is nearest in meaning; the former is in both lists.
    answer = search(mill, "Köln cereal", mode="hybrid")
    assert places(answer)[:3] == [("mills.pdf", 2), ("grain.pdf", 2), ("mills.pdf", 1)]
    assert answer["hits"][0]["score"] > answer["hits"][1]["score"] > answer["hits"][2]["score"]
    assert places(search(mill, "Köln", mode="hybrid"))[0] == ("mills.pdf", 2)
    assert places(search(mill, "breeze", mode="hybrid"))[0] == ("mills.pdf", 3)
    assert search(mill, "breeze", mode="hybrid")["matched"] == "nearest"


def test_filters_and_exclusions_hold_for_vectors(mill: Mill, library: dict[str, str]) -> None:
    assert {name for name, _ in places(search(mill, "cereal", job_id=library["mills.pdf"]))} == {"mills.pdf"}
    assert places(search(mill, "cereal", media_type="image/png")) == []
    without = places(search(mill, "cereal -prices", mode="hybrid"))
    assert ("grain.pdf", 1) not in without
    assert ("grain.pdf", 2) in without


@pytest.mark.usefixtures("library")
def test_nobody_finds_vectors_of_another(mill: Mill) -> None:
    publish(mill, "theirs.pdf", ["Their wheat is theirs."], tenant="other")
    embed_waiting(mill)
    assert places(search(mill, "cereal", tenant="other")) == [("theirs.pdf", 1)]
    assert "theirs.pdf" not in {name for name, _ in places(search(mill, "cereal", mode="hybrid"))}
    assert places(search(mill, "cereal", tenant="nobody")) == []


def test_a_deleted_job_leaves_no_vector(mill: Mill, library: dict[str, str]) -> None:
    assert search(mill, "breeze")["hits"]
    assert vector_count(mill) == sum(map(len, TEXTS.values()))
    commands.remove(mill, DEFAULT_TENANT, library["mills.pdf"])
    assert "mills.pdf" not in {name for name, _ in places(search(mill, "breeze"))}
    for name in ("grain.pdf", "中文.pdf", "thai.pdf"):
        commands.remove(mill, DEFAULT_TENANT, library[name])
    assert vector_count(mill) == 0
    assert search(mill, "breeze")["hits"] == []


def test_another_model_makes_all_vectors_again(
    mill: Mill, library: dict[str, str], server: VectorServer
) -> None:
    assert len(library) == 4
    assert embed_waiting(mill) == 0
    server.extra = 3
    other = with_vectors(mill, server)
    assert other.embeddings.model() == f"{MODEL}/8"
    assert search(other, "cereal")["hits"] == []
    assert embed_waiting(other) == len(TEXTS)
    assert places(search(other, "breeze"))[0] == ("mills.pdf", 3)
    stored = mill.db.read(lambda conn: set(conn.scalars(select(indexed_results.c.embedded_by))))
    assert stored == {f"{MODEL}/8"}
    assert vector_count(mill) == sum(map(len, TEXTS.values()))
    other.embeddings.close()


@pytest.mark.usefixtures("library")
def test_indexing_again_makes_the_vectors_again(mill: Mill) -> None:
    reindex(mill.db)
    assert vector_count(mill) == 0


def test_a_result_that_is_removed_meanwhile_gets_no_vectors(mill: Mill) -> None:
    job_id = publish(mill, "gone.pdf", ["Wheat that goes."])
    [(tenant, result_id)] = mill.db.read(lambda conn: vectors.results_without_vectors(conn, "x/4", 9))
    [(number, _, _)] = mill.db.read(lambda conn: vectors.texts_of_result(conn, tenant, result_id, 0, 9))
    commands.remove(mill, DEFAULT_TENANT, job_id)

    def add(tx: Tx) -> None:
        vectors.add_vectors(tx, tenant, result_id, "x/4", [(number, b"\0\0" * 4, "[0,0,0,1]")])

    mill.db.write(add)
    assert vector_count(mill) == 0
    assert not mill.db.write(lambda tx: vectors.finish_vectors(tx, tenant, result_id, "x/4"))


@pytest.mark.usefixtures("library")
def test_what_is_kept_in_memory_is_bounded_and_changes_nothing(mill: Mill, server: VectorServer) -> None:
    if mill.db.read(pgvector.has_table):
        pytest.skip("the database compares vectors itself")
    small = with_vectors(mill, server, vector_memory_bytes=20)
    assert places(search(small, "cereal")) == places(search(mill, "cereal"))
    assert small.embeddings.cache.memory_bytes() == 0
    assert search(small, "cereal", job_id="none")["hits"] == []
    small.embeddings.close()
    # Two tenants that don't fit together: the one that asked first makes room.
    publish(mill, "theirs.pdf", ["Their wheat."], tenant="other")
    embed_waiting(mill)
    cache, query = VectorCache(5 * 4 * 9), mill.embeddings.embed_question("cereal")
    for tenant in (DEFAULT_TENANT, "other", DEFAULT_TENANT):
        found = mill.db.read(
            lambda conn, tenant=tenant: cache.nearest(  # type: ignore[misc]
                (tenant, "m"), StoredVectors(conn, tenant, mill.embeddings.model()), query, 3, None
            )
        )
        assert found
        assert cache.memory_bytes() <= 5 * 4 * 9


def test_a_server_that_is_busy_is_asked_again_and_one_that_fails_is_named(
    mill: Mill, server: VectorServer
) -> None:
    server.statuses = [429, 503]
    assert search(mill, "cereal")["hits"] == []
    server.statuses = [503] * 9
    with pytest.raises(ModelUnavailable, match="embeddings"):
        search(mill, "cereal")
    publish(mill, "late.pdf", ["Wheat."])
    assert embed_waiting(mill) == 0
    server.statuses = []
    assert embed_waiting(mill) == 1
    server.nonsense = {"data": [{"index": 0, "embedding": [0.0, 0.0]}]}
    with pytest.raises(ModelFailed, match="one vector per text"):
        search(mill, "cereal")
    server.nonsense = {"data": "none"}
    with pytest.raises(ModelFailed, match="one vector per text"):
        search(mill, "cereal")


def test_texts_go_in_batches_and_calls_are_counted(mill: Mill, server: VectorServer) -> None:
    publish(mill, "long.pdf", [f"Wheat number {number}." for number in range(70)])
    mill.embeddings.model()
    before = len(server.requests)
    assert embed_waiting(mill) == 1
    assert [len(asked["input"]) for asked in server.requests[before:]] == [64, 6]
    search(mill, "wheat")
    asked = text("SELECT SUM(remote_calls) FROM usage WHERE tenant = 'default'")
    assert mill.db.read(lambda conn: conn.scalar(asked)) == len(server.requests)


def test_without_vectors_other_modes_are_refused(idle_mill: Mill) -> None:
    publish(idle_mill, "mills.pdf", TEXTS["mills.pdf"])
    assert embed_waiting(idle_mill) == 0
    for mode in ("vector", "hybrid"):
        with pytest.raises(VectorsNotOffered):
            search(idle_mill, "grain", mode=mode)


def test_a_result_that_the_model_refuses_holds_up_no_other(mill: Mill, server: VectorServer) -> None:
    server.refused = "unbearable"
    publish(mill, "bad.pdf", ["Wheat that is unbearable."])
    publish(mill, "good.pdf", ["Their wheat."], tenant="other")
    assert embed_waiting(mill) == 1
    assert places(search(mill, "cereal", tenant="other")) == [("good.pdf", 1)]
    before = len(server.requests)
    assert embed_waiting(mill) == 0
    assert len(server.requests) == before
    # Another model tries again.
    server.refused, server.extra = None, 3
    other = with_vectors(mill, server)
    assert embed_waiting(other) == 2
    other.embeddings.close()


def test_a_model_that_refuses_everything_is_not_held_against_a_result(
    mill: Mill, server: VectorServer
) -> None:
    mill.embeddings.model()
    publish(mill, "late.pdf", ["Wheat."])
    server.nonsense = {"data": "none"}
    assert embed_waiting(mill) == 0
    server.nonsense = None
    assert embed_waiting(mill) == 1


def test_a_long_result_goes_on_where_the_round_before_has_ended(mill: Mill, server: VectorServer) -> None:
    publish(mill, "long.pdf", [f"Wheat number {number}." for number in range(130)])
    mill.embeddings.model()
    before = len(server.requests)
    assert [embed_waiting(mill, seconds=-1) for _ in range(4)] == [0, 0, 1, 0]
    assert [len(asked["input"]) for asked in server.requests[before:]] == [64, 64, 2]
    assert vector_count(mill) == 130


def test_two_that_make_the_same_vectors_store_them_once(mill: Mill) -> None:
    publish(mill, "twice.pdf", ["Wheat.", "Wind."])
    [(tenant, result_id)] = mill.db.read(lambda conn: vectors.results_without_vectors(conn, "x/4", 9))
    said = mill.db.read(lambda conn: vectors.texts_of_result(conn, tenant, result_id, 0, 9))
    new = [(number, b"\0\0" * 4, "[0,0,0,1]") for number, _, _ in said]
    for _ in range(2):
        mill.db.write(lambda tx: vectors.add_vectors(tx, tenant, result_id, "x/4", new))
    assert vector_count(mill) == 2
