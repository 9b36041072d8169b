"""Vectors beside the search index: made by the upkeep for what was indexed, and compared for a question."""

import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from sqlalchemy import Connection

from pagemill.db import pgvector, search, usage, vectors
from pagemill.db.database import Tx
from pagemill.embeddings import PROBE
from pagemill.errors import ModelFailed, OutageError
from pagemill.mill import Mill
from pagemill.model.costs import day_of
from pagemill.model.document_filters import DocumentFilter
from pagemill.model.passages import embed_text

log = logging.getLogger("pagemill.search")
# A round of the upkeep makes vectors for about so long, so that the rest of it comes to its turn.
ROUND_SECONDS = 5.0
RESULTS, PIECE = 200, 64
# The name under which a price for calls can be set.
PRICED = "embeddings"


@dataclass(frozen=True, slots=True)
class StoredVectors:
    """The vectors of a tenant by one model, as the cache asks for them."""

    conn: Connection
    tenant: str
    model: str

    def version(self) -> int:
        """A number that grows with every change."""
        return vectors.version_of(self.conn, self.tenant)

    def places(self) -> Mapping[int, str]:
        """The passages that have vectors, with their results."""
        return vectors.vector_places(self.conn, self.tenant, self.model)

    def fetch(self, ids: Sequence[int]) -> Mapping[int, bytes]:
        """The vectors of passages."""
        return vectors.fetch_vectors(self.conn, self.tenant, ids)


@dataclass(frozen=True, slots=True)
class Question:
    """A question as a vector, and the model that made it."""

    vector: bytes
    model: str


def ask_model(mill: Mill, tenant: str, text: str) -> Question:
    """A question as a vector; what the call costs is counted for the tenant."""
    embeddings = mill.embeddings
    try:
        return Question(embeddings.embed_question(text), embeddings.model())
    finally:
        count_calls(mill, tenant)


def nearest_passages(
    mill: Mill, conn: Connection, wanted: DocumentFilter, question: Question, limit: int
) -> list[tuple[int, float]]:
    """The passages nearest to a question among those that a filter lets through, with scores, best first."""
    from pagemill.reading.embedding.packing import dimension_of, shown_vector, unpack_rows

    allowed = None if wanted.is_open else search.results_in_scope(conn, wanted)
    source = StoredVectors(conn, wanted.tenant, question.model)
    key, cache = (wanted.tenant, question.model), mill.embeddings.cache
    if not pgvector.has_table(conn):
        return cache.nearest(key, source, question.vector, limit, allowed)
    dimension = dimension_of(question.vector)
    kept = cache.find_fresh(key, source.version())
    if kept is not None:
        return kept.nearest(unpack_rows([question.vector], dimension)[0], limit, allowed)
    # The database answers until they are in memory.
    mill.embeddings.start_load(key, partial(load_vectors, mill, wanted.tenant, question.model, dimension))
    among = None if allowed is None else sorted(allowed)
    shown = shown_vector(question.vector)
    return pgvector.nearest_halfvecs(conn, wanted.tenant, question.model, shown, limit, among)


def load_vectors(mill: Mill, tenant: str, model: str, dimension: int) -> None:
    """Take the vectors of a tenant into memory."""
    cache = mill.embeddings.cache
    try:
        mill.db.read(lambda conn: cache.load((tenant, model), StoredVectors(conn, tenant, model), dimension))
    except OutageError as error:
        log.warning("vectors can't be loaded: %s", error.message)
    except Exception:
        # Nothing reads the outcome of the thread that this runs on.
        log.exception("vectors can't be loaded")


def embed_waiting(mill: Mill, seconds: float = ROUND_SECONDS) -> int:
    """Make vectors for results that have none of the present model, for a while; how many got them."""
    if not mill.settings.search or not mill.embeddings.are_made:
        return 0
    ends_at, done = time.monotonic() + seconds, 0
    try:
        model = mill.embeddings.model()
        for tenant, result_id in mill.db.read(
            lambda conn: vectors.results_without_vectors(conn, model, RESULTS)
        ):
            done += try_to_embed(mill, tenant, result_id, model, ends_at)
            if time.monotonic() > ends_at:
                break
    except (ModelFailed, OutageError) as error:
        log.warning("vectors can't be made: %s", error.message)
    return done


def try_to_embed(mill: Mill, tenant: str, result_id: str, model: str, ends_at: float) -> bool:
    """Make the vectors of a result, or note that they can't be made; ModelFailed if it is not the result's fault."""
    try:
        return embed_result(mill, tenant, result_id, model, ends_at)
    except ModelFailed as error:
        # A model that fails for this as well is wrong altogether.
        embed_texts(mill, tenant, [PROBE], model)
        log.warning("vectors of the result %s can't be made: %s", result_id, error.message)
        mill.db.write(lambda tx: vectors.note_failure(tx, tenant, result_id, model))
        return False


def embed_result(mill: Mill, tenant: str, result_id: str, model: str, ends_at: float) -> bool:
    """Make the vectors that a result lacks; False if time is over before that, or if it was removed in the meantime."""
    # Numpy takes a while to load, and most services make no vectors.
    from pagemill.reading.embedding.packing import shown_vector

    after = mill.db.write(lambda tx: vectors.begin_vectors(tx, tenant, result_id, model))
    if after is None:
        return False
    while piece := next_piece(mill, tenant, result_id, after):
        after = piece[-1][0]
        made = embed_texts(mill, tenant, [text for _, text in piece], model)
        new = [(number, raw, shown_vector(raw)) for (number, _), raw in zip(piece, made, strict=True)]

        def add(tx: Tx, new: list[tuple[int, bytes, str]] = new) -> None:
            vectors.add_vectors(tx, tenant, result_id, model, new)

        mill.db.write(add)
        if time.monotonic() > ends_at and next_piece(mill, tenant, result_id, after):
            return False
    return mill.db.write(lambda tx: vectors.finish_vectors(tx, tenant, result_id, model))


def embed_texts(mill: Mill, tenant: str, texts: Sequence[str], model: str) -> list[bytes]:
    """The vectors of texts; ModelFailed if they are not of the dimension that the model has."""
    from pagemill.reading.embedding.packing import dimension_of

    try:
        made = mill.embeddings.embed_passages(mill.press, texts)
    finally:
        count_calls(mill, tenant)
    if f"/{dimension_of(made[0])}" != model[model.rindex("/") :]:
        raise ModelFailed("The model makes vectors of another dimension than before. Restart the service.")
    return made


def next_piece(mill: Mill, tenant: str, result_id: str, after: int) -> list[tuple[int, str]]:
    """The next passages of a result with the texts that vectors are made of."""
    found = mill.db.read(lambda conn: vectors.texts_of_result(conn, tenant, result_id, after, PIECE))
    return [(number, embed_text(headings, body)) for number, headings, body in found]


def count_calls(mill: Mill, tenant: str) -> None:
    """Count the calls to the server of embeddings for a tenant."""
    calls = mill.embeddings.take_calls()
    if calls:
        price = round(calls * mill.engines.terms.call_prices.get(PRICED, 0.0), 6)
        mill.db.write(
            lambda tx: usage.add(
                tx, [usage.UsageRow(tenant, day_of(tx.now), remote_calls=calls, price=price)]
            )
        )
