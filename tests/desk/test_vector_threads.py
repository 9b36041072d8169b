"""The threads beside searches: loads of vectors hold up no search, and after the end searches go on without threads."""

import logging
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from pagemill.desk.vector_search import load_vectors
from pagemill.embeddings import SEARCH_THREADS, Embeddings
from pagemill.mill import Mill
from tests.mills import small_settings

PATIENCE_SECONDS = 20


@pytest.fixture
def embeddings(tmp_path: Path) -> Iterator[Embeddings]:
    """What makes and compares vectors, without a model."""
    embeddings = Embeddings(small_settings(tmp_path))
    yield embeddings
    embeddings.close()


def test_loads_hold_up_no_search_and_are_queued_once(embeddings: Embeddings) -> None:
    goes_on, loaded = threading.Event(), list[str]()

    def load(tenant: str) -> None:
        goes_on.wait(PATIENCE_SECONDS)
        loaded.append(tenant)

    for tenant in ("a", "b", "c", "d", "e", "b", "a"):
        embeddings.start_load((tenant, "m"), lambda tenant=tenant: load(tenant))  # type: ignore[misc]
    assert embeddings.start_search(lambda: "found")() == "found"
    assert loaded == []
    goes_on.set()
    ended = threading.Event()
    embeddings.start_load(("f", "m"), ended.set)
    assert ended.wait(PATIENCE_SECONDS)
    assert loaded == ["a", "b", "c", "d", "e"]


def test_what_was_loaded_can_be_loaded_again_even_after_an_error(embeddings: Embeddings) -> None:
    def fail() -> None:
        raise ValueError

    ended = threading.Event()
    embeddings.start_load(("a", "m"), fail)
    # There is one thread: when the second ends, the first has.
    embeddings.start_load(("b", "m"), ended.set)
    assert ended.wait(PATIENCE_SECONDS)
    again = threading.Event()
    embeddings.start_load(("a", "m"), again.set)
    assert again.wait(PATIENCE_SECONDS)


def test_after_the_end_searches_go_on_in_their_own_thread(embeddings: Embeddings) -> None:
    started, goes_on = threading.Barrier(SEARCH_THREADS + 1), threading.Event()

    def block() -> str:
        started.wait(PATIENCE_SECONDS)
        goes_on.wait(PATIENCE_SECONDS)
        return "blocked"

    running = [embeddings.start_search(block) for _ in range(SEARCH_THREADS)]
    started.wait(PATIENCE_SECONDS)
    queued = embeddings.start_search(threading.current_thread)
    closing = threading.Thread(target=embeddings.close)
    closing.start()
    assert queued() is threading.current_thread()
    goes_on.set()
    closing.join(PATIENCE_SECONDS)
    assert [wait() for wait in running] == ["blocked"] * SEARCH_THREADS
    assert embeddings.start_search(threading.current_thread)() is threading.current_thread()
    embeddings.start_load(("a", "m"), lambda: pytest.fail("nothing is loaded any more"))


def test_a_load_that_fails_in_an_unexpected_way_is_logged(
    embeddings: Embeddings, caplog: pytest.LogCaptureFixture
) -> None:
    def read(_query: Any) -> None:
        raise ValueError("no such vector")

    mill = cast("Mill", SimpleNamespace(embeddings=embeddings, db=SimpleNamespace(read=read)))
    with caplog.at_level(logging.ERROR, "pagemill.search"):
        load_vectors(mill, "a", "m", 4)
    assert "no such vector" in caplog.text
