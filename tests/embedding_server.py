"""A server that speaks OpenAI's embeddings. Its model knows what a few words are about. It is strict, and can misbehave."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.json_servers import JsonExchange, serve_exchanges

KEY = "sk-vectors-0123456789"
MODEL = "some-embedding-model"
SUBJECTS = (
    {"grain", "cereal", "wheat", "flour"},
    {"wind", "breeze", "sails", "gale"},
    {"water", "river", "stream"},
    {"money", "price", "prices", "pays", "eur", "cost", "dear"},
)


@dataclass(slots=True)
class VectorServer:
    """Answers with vectors, after the statuses that it was given; `extra` numbers are added to each vector."""

    url: str
    statuses: list[int] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    extra: int = 0
    # What is answered instead of vectors.
    nonsense: dict[str, Any] | None = None
    # A word that it refuses.
    refused: str | None = None

    def vector(self, text: str) -> list[float]:
        """How much a text is about each subject, and a little of everything else."""
        words = re.findall(r"[a-z]+", text.lower())
        return [float(sum(word in some for word in words)) for some in SUBJECTS] + [0.1] + [0.05] * self.extra


@contextmanager
def embedding_server() -> Iterator[VectorServer]:
    """A server on a free port."""
    with serve_exchanges(EmbeddingExchange) as listening:
        server = VectorServer(f"http://127.0.0.1:{listening.server_port}/v1")
        listening.vectors = server  # type: ignore[attr-defined]
        yield server


class EmbeddingExchange(JsonExchange):
    """One request and its answer."""

    def take_request(self) -> None:
        """Check the request and answer it."""
        server: VectorServer = self.server.vectors  # type: ignore[attr-defined]
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path != "/v1/embeddings" or set(asked) != {"model", "input"} or asked["model"] != MODEL:
            self.answer(404, {"error": {"message": "Not Found"}})
        elif self.headers["Authorization"] != f"Bearer {KEY}":
            self.answer(401, {"error": {"message": "Incorrect API key"}})
        elif server.statuses:
            self.answer(server.statuses.pop(0), {"error": {"message": "not now"}})
        elif server.refused and any(server.refused in text for text in asked["input"]):
            self.answer(400, {"error": {"message": "the text is too long"}})
        else:
            server.requests.append(asked)
            # In another order, as the protocol allows.
            data = [
                {"object": "embedding", "index": number, "embedding": server.vector(text)}
                for number, text in enumerate(asked["input"])
            ][::-1]
            self.answer(200, server.nonsense or {"object": "list", "data": data, "model": MODEL})
