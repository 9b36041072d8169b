"""Embeddings: what makes vectors of texts by the settings, and what compares them."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import orjson

from pagemill.errors import ModelFailed, ModelUnavailable, Refused, VectorsNotOffered
from pagemill.model.ids import new_id
from pagemill.press import Done, Failed, Press, Visit
from pagemill.reading.provider import Refusal
from pagemill.reading.remote.base import TryLater
from pagemill.settings import Settings

if TYPE_CHECKING:
    from pagemill.reading.embedding.nearest import Key, VectorCache
    from pagemill.reading.embedding.server import EmbeddingServer

OFF, MINILM, SERVER = "off", "minilm", "server"
# Passages that the press makes vectors of in one visit.
PASSAGES_PER_VISIT = 16
VISIT = "pagemill.reading.visits:embed_texts"
PROBE = "pagemill"
# Threads that compare vectors while words are looked for.
SEARCH_THREADS = 4
T = TypeVar("T")


class Embeddings:
    """Makes vectors of questions here and of passages in the press, or has a server make both.

    The model is loaded with the first question, and stays.
    """

    def __init__(self, settings: Settings) -> None:
        self.kind = settings.embeddings
        self._settings = settings
        self._dimension: int | None = None
        self._lock = threading.Lock()
        # Threads are started by the first use. Loads take long, and no search waits for them.
        self._searches = ThreadPoolExecutor(SEARCH_THREADS, thread_name_prefix="pagemill-vectors")
        self._loads = ThreadPoolExecutor(1, thread_name_prefix="pagemill-vector-loads")
        self._queued: set[Key] = set()
        self._queue_lock = threading.Lock()

    @cached_property
    def cache(self) -> "VectorCache":
        """The vectors in memory."""
        # Only now, because few processes search by vectors, and numpy takes a while to load.
        from pagemill.reading.embedding.nearest import VectorCache

        return VectorCache(self._settings.vector_memory_bytes)

    def start_search(self, search: Callable[[], T]) -> Callable[[], T]:
        """Start a search on another thread; returns what waits for its answer, and after `close` searches itself."""
        try:
            future = self._searches.submit(search)
        except RuntimeError:
            return search

        def wait() -> T:
            try:
                return future.result()
            except CancelledError:
                return search()

        return wait

    def start_load(self, key: "Key", load: Callable[[], None]) -> None:
        """Load vectors on the thread for that, unless the same load is queued or would have nothing to do."""
        with self._queue_lock:
            if key in self._queued or not self.cache.may_load(key):
                return
            self._queued.add(key)

        def run() -> None:
            try:
                load()
            finally:
                with self._queue_lock:
                    self._queued.discard(key)

        # After `close` nothing is loaded.
        with suppress(RuntimeError):
            self._loads.submit(run)

    @cached_property
    def _server(self) -> "EmbeddingServer":
        from pagemill.reading.embedding.server import EmbeddingConfig, EmbeddingServer

        settings = self._settings
        key = settings.embeddings_key.get_secret_value().strip() if settings.embeddings_key else ""
        return EmbeddingServer(
            EmbeddingConfig(
                settings.embeddings_url, settings.embeddings_model, key, settings.remote_timeout_seconds
            )
        )

    @property
    def are_made(self) -> bool:
        """Whether vectors are made at all."""
        return self.kind != OFF

    def wrong(self) -> str | None:
        """What is missing for it; None if nothing is."""
        if self.kind == MINILM:
            from pagemill.reading.embedding import minilm

            return minilm.missing()
        return self._server.config.wrong() if self.kind == SERVER else None

    def model(self) -> str:
        """The name of the model with the dimension of its vectors, as it is stored with them."""
        if self.kind == OFF:
            raise VectorsNotOffered
        if self.kind == MINILM:
            from pagemill.reading.embedding.minilm import NAME, WIDTH

            return f"{NAME}/{WIDTH}"
        with self._lock:
            if self._dimension is None:
                self._note_dimension(self._ask([PROBE])[0])
        return f"{self._server.config.model}/{self._dimension}"

    def embed_question(self, text: str) -> bytes:
        """The vector of a question."""
        if self.kind == OFF:
            raise VectorsNotOffered
        if self.kind == SERVER:
            vector = self._ask([text])[0]
            self._note_dimension(vector)
            return vector
        from pagemill.reading.embedding.minilm import embed
        from pagemill.reading.embedding.packing import pack_rows

        try:
            return pack_rows(embed([text]))[0]
        except Refusal as refusal:
            raise ModelFailed(f"Vectors can't be made: {refusal}.") from refusal

    def embed_passages(self, press: Press, texts: Sequence[str]) -> list[bytes]:
        """The vectors of passages."""
        if self.kind == SERVER:
            return self._ask(texts)
        found: list[bytes] = []
        for start in range(0, len(texts), PASSAGES_PER_VISIT):
            found += self._embed_in_press(press, texts[start : start + PASSAGES_PER_VISIT])
        return found

    def take_calls(self) -> int:
        """How many calls the server has answered since this was asked last."""
        return self._server.take_calls() if self.kind == SERVER else 0

    def close(self) -> None:
        """End the threads, and the connections to the server."""
        self._loads.shutdown(cancel_futures=True)
        self._searches.shutdown(cancel_futures=True)
        if self.kind == SERVER:
            self._server.close()

    def _note_dimension(self, vector: bytes) -> None:
        from pagemill.reading.embedding.packing import dimension_of

        self._dimension = dimension_of(vector)

    def _ask(self, texts: Sequence[str]) -> list[bytes]:
        try:
            return self._server.embed(texts)
        except TryLater as later:
            raise ModelUnavailable(f"The server of embeddings can't answer now: {later}.") from later
        except Refusal as refusal:
            raise ModelFailed(f"The server of embeddings did not answer: {refusal}.") from refusal

    def _embed_in_press(self, press: Press, texts: Sequence[str]) -> list[bytes]:
        visit = Visit(
            f"embed.{new_id()}", VISIT, orjson.dumps(list(texts)), self._settings.join_timeout_seconds
        )
        [outcome] = press.run([visit])
        if not isinstance(outcome, Done):
            why = outcome.message if isinstance(outcome, Failed) else "the process ended early"
            raise ModelFailed(f"Vectors can't be made: {why}.")
        size = len(outcome.answer) // len(texts)
        return [outcome.answer[start : start + size] for start in range(0, len(outcome.answer), size)]


def make_embeddings(settings: Settings) -> Embeddings:
    """What makes vectors by the settings; Refused if something is missing for it."""
    embeddings = Embeddings(settings)
    if wrong := embeddings.wrong():
        raise Refused(f"PAGEMILL_EMBEDDINGS={settings.embeddings} can't be used: {wrong}.")
    return embeddings
