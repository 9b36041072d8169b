"""Vectors that are made in the press, and visits that belong to no claim."""

from pathlib import Path

import pytest

from pagemill.desk.commands import keys_without_claim
from pagemill.embeddings import Embeddings, make_embeddings
from pagemill.errors import Refused
from pagemill.reading.embedding import minilm
from pagemill.reading.embedding.packing import unpack_rows
from pagemill.wiring import open_mill
from tests.mills import small_settings


def test_visits_that_belong_to_no_claim_are_left_alone() -> None:
    keys = frozenset({"image.1", "make.1", "embed.1", "correct.1", "01a1eb9d.2"})
    assert keys - keys_without_claim(keys) == {"01a1eb9d.2"}


def test_settings_that_lack_something_are_refused_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="set PAGEMILL_EMBEDDINGS_URL"):
        make_embeddings(small_settings(tmp_path, embeddings="server"))
    assert not make_embeddings(small_settings(tmp_path)).are_made


@pytest.mark.skipif(minilm.missing() is not None, reason=str(minilm.missing()))
def test_the_press_makes_the_vectors_that_a_question_is_compared_with(tmp_path: Path) -> None:
    settings = small_settings(tmp_path, slots=1, embeddings="minilm")
    with open_mill(settings, workers=False) as mill:
        embeddings = Embeddings(settings)
        made = embeddings.embed_passages(mill.press, ["The mill grinds corn.", *["Rain."] * 16])
        asked = embeddings.embed_question("The mill grinds corn.")
    assert len(made) == 17
    rows = unpack_rows([made[0], asked], minilm.WIDTH)
    assert rows[0] @ rows[1] == pytest.approx(1, abs=2e-3)
    assert embeddings.model() == "all-MiniLM-L6-v2/384"
