"""Embeddings by a server that speaks OpenAI's protocol: texts go there in batches, vectors come back."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from time import sleep

from pagemill.reading.embedding.packing import pack_rows
from pagemill.reading.provider import Refusal
from pagemill.reading.remote.endpoint import Address, Json, RemoteEndpoint
from pagemill.reading.remote.retries import Wait, ask_with_retries

SETTINGS = "PAGEMILL_EMBEDDINGS"
PATH = "/embeddings"
BATCH = 64
WRONG_COUNT = "expected one vector per text; is this an embedding model?"


@dataclass(frozen=True, slots=True)
class EmbeddingConfig:
    """Which model is asked, and where."""

    base_url: str
    model: str
    api_key: str = field(default="", repr=False)
    timeout_seconds: float = 120.0

    def wrong(self) -> str | None:
        """What has to be set before anything can be asked; None if all is well."""
        return self.address().wrong() or (None if self.model else f"set {SETTINGS}_MODEL")

    def address(self) -> Address:
        """Where requests go."""
        return Address(self.base_url, SETTINGS, self.api_key, self.timeout_seconds)


class EmbeddingServer:
    """Asks for vectors; counts the calls that were answered."""

    def __init__(self, config: EmbeddingConfig, wait: Wait = sleep) -> None:
        self.config = config
        self._endpoint = RemoteEndpoint(config.address())
        self._wait = wait
        self._lock = threading.Lock()
        self._calls = 0

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """A vector for each text; raises TryLater or Refusal if there are none."""
        if wrong := self.config.wrong():
            raise Refusal(wrong)
        found: list[bytes] = []
        for start in range(0, len(texts), BATCH):
            found += self._embed_batch(texts[start : start + BATCH])
        return found

    def take_calls(self) -> int:
        """How many calls were answered since this was asked last."""
        with self._lock:
            calls, self._calls = self._calls, 0
        return calls

    def close(self) -> None:
        """End the connections."""
        self._endpoint.close()

    def _embed_batch(self, texts: Sequence[str]) -> list[bytes]:
        # Servers refuse an empty text.
        body = {"model": self.config.model, "input": [text.strip() or "-" for text in texts]}
        answer = ask_with_retries(lambda: self._endpoint.ask(PATH, body), self._wait)
        with self._lock:
            self._calls += 1
        return vectors_in(answer, len(texts))


def vectors_in(answer: Json, count: int) -> list[bytes]:
    """The vectors of an answer in the order of the texts; Refusal if it is not one for each."""
    listed = answer.get("data")
    try:
        rows = {row["index"]: row["embedding"] for row in listed} if isinstance(listed, list) else {}
        packed = pack_rows([rows[number] for number in range(count)])
    except (KeyError, TypeError, ValueError) as error:
        raise Refusal(WRONG_COUNT) from error
    if len(rows) != count:
        raise Refusal(WRONG_COUNT)
    return packed
