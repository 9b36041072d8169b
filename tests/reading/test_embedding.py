"""Embeddings: tokens, the model on numpy where its weights are installed, and the nearest of stored vectors."""

import hashlib
import struct
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import orjson
import pytest

from pagemill.reading.embedding import minilm
from pagemill.reading.embedding.nearest import VectorCache
from pagemill.reading.embedding.packing import dimension_of, pack_rows, shown_vector, unpack_rows
from pagemill.reading.embedding.wordpiece import WordPiece, words_of
from pagemill.reading.provider import Refusal
from pagemill.reading.visits import embed_texts

PIECES = "[UNK] [CLS] [SEP] the mill ##er un ##wind ##ing , 中 cafe ##s".split()
needs_weights = pytest.mark.skipif(minilm.missing() is not None, reason=str(minilm.missing()))


def test_words_are_cut_into_the_longest_known_pieces() -> None:
    cutter = WordPiece({piece: number for number, piece in enumerate(PIECES)})
    assert cutter.tokens("The Miller, unwinding", 20) == [1, 3, 4, 5, 9, 6, 7, 8, 2]
    assert cutter.tokens("the zzz the", 20) == [1, 3, 0, 3, 2]
    assert cutter.tokens("the the the the", 4) == [1, 3, 3, 2]
    assert cutter.tokens("", 20) == [1, 2]
    assert cutter.tokens("x" * 101, 20) == [1, 0, 2]


def test_accents_controls_and_scripts_are_taken_as_the_vocabulary_does() -> None:
    assert words_of("Cafés\u0000 a\u00a0b") == ["cafes", "a", "b"]
    assert words_of("中文x") == ["中", "文", "x"]
    assert words_of("a–b…c") == ["a", "–", "b", "…", "c"]
    assert words_of("A-b_c") == ["a", "-", "b", "_", "c"]


def test_vectors_keep_their_direction_when_they_are_stored() -> None:
    packed = pack_rows([[3.0, 4.0], [0.0, -2.0]])
    assert [dimension_of(one) for one in packed] == [2, 2]
    assert np.allclose(unpack_rows(packed, 2), [[0.6, 0.8], [0.0, -1.0]], atol=1e-3)
    assert shown_vector(packed[1]) == "[0,-1]"
    for wrong in ([0.0, 0.0], [float("nan"), 1.0], list[float]()):
        with pytest.raises(ValueError, match="vector"):
            pack_rows([wrong])


def test_weights_that_are_not_those_that_were_published_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "vocab.txt").write_text("[UNK]\n")
    with pytest.raises(Refusal, match="damaged"):
        minilm.read_verified(tmp_path / "vocab.txt")
    right = hashlib.sha256(b"[UNK]\n").hexdigest()
    monkeypatch.setitem(minilm.DIGESTS, "vocab.txt", right)
    assert bytes(minilm.read_verified(tmp_path / "vocab.txt")) == b"[UNK]\n"


def test_arrays_are_read_from_the_file_of_weights() -> None:
    values = np.arange(6, dtype="<f4")
    head = orjson.dumps({"a": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, "__metadata__": {}})
    found = minilm.tensors(memoryview(struct.pack("<Q", len(head)) + head + values.tobytes()))
    assert found["a"].tolist() == [[0, 1, 2], [3, 4, 5]]


@needs_weights
def test_the_model_knows_what_is_near_in_meaning() -> None:
    said = ["The cat sits on the mat.", "A feline rests on a rug.", "Stock prices rose sharply today."]
    rows = minilm.embed(said)
    likeness = rows @ rows.T
    assert np.allclose(np.diag(likeness), 1, atol=1e-5)
    # As the model answers on its usual runtime.
    assert likeness[0, 1] == pytest.approx(0.5584, abs=2e-3)
    assert likeness[0, 2] == pytest.approx(0.0410, abs=2e-3)
    # In a batch with a longer text a short one gets the same vector.
    assert np.allclose(minilm.embed([said[0], said[0] + said[2] * 9])[0], rows[0], atol=1e-4)


@needs_weights
def test_a_visit_to_the_press_answers_with_packed_vectors() -> None:
    answer = embed_texts(orjson.dumps(["one", "two"]))
    assert len(answer) == 2 * minilm.WIDTH * 2
    assert answer[: minilm.WIDTH * 2] == pack_rows(minilm.embed(["one"]))[0]


class MadeSource:
    """Two vectors of a tenant, which are loaded when that is allowed."""

    def __init__(self, *, may_load: bool) -> None:
        self.asked, self.allowed = threading.Event(), threading.Event()
        if may_load:
            self.allowed.set()

    def version(self) -> int:
        """Never changed."""
        return 1

    def places(self) -> dict[int, str]:
        """Two passages of one result, after a while."""
        self.asked.set()
        assert self.allowed.wait(60)
        return {1: "a", 2: "a"}

    def fetch(self, ids: Sequence[int]) -> dict[int, bytes]:
        """One vector for each axis."""
        vectors = dict(zip((1, 2), pack_rows([[1.0, 0.0], [0.0, 1.0]]), strict=True))
        return {one: vectors[one] for one in ids}


def test_a_tenant_does_not_wait_until_the_vectors_of_another_are_loaded() -> None:
    [query] = pack_rows([[0.0, 1.0]])
    # There is room for one of them.
    cache, slow, quick = VectorCache(16), MadeSource(may_load=False), MadeSource(may_load=True)
    with ThreadPoolExecutor(2) as threads:
        waiting = threads.submit(cache.nearest, ("slow", "m"), slow, query, 1, None)
        assert slow.asked.wait(60)
        asked = threads.submit(cache.nearest, ("quick", "m"), quick, query, 1, None)
        try:
            assert asked.result(60) == [(2, 1.0)]
        finally:
            slow.allowed.set()
        assert waiting.result(60) == [(2, 1.0)]
    assert cache.memory_bytes() == 16
    cache.nearest(("quick", "m"), quick, query, 1, {"a"})
    assert cache.memory_bytes() == 16
