"""Changed documents: the same seed gives the same bytes, and most of them are still of their kind."""

import random

from bench.mutations import mutate, seeds

COUNT = 60


def changed(seed: int) -> list[bytes]:
    """Some changed documents."""
    good = seeds()
    return [mutate(*good[number % len(good)], random.Random(f"{seed}/{number}")) for number in range(COUNT)]


def test_a_seed_gives_the_same_documents_and_another_one_others() -> None:
    first = changed(1)
    assert first == changed(1)
    assert sum(one == other for one, other in zip(first, changed(2), strict=True)) < COUNT / 10


def test_documents_of_every_kind_are_changed() -> None:
    good = dict(seeds())
    assert {name.rpartition(".")[2] for name in good} >= {
        "pdf",
        "docx",
        "pptx",
        "xlsx",
        "png",
        "jpeg",
        "tiff",
    }
    for name, document in good.items():
        tries = [mutate(name, document, random.Random(number)) for number in range(20)]
        assert any(one != document for one in tries), name
        # Most of them get past the look at the first bytes, to where they are read.
        assert sum(one[:4] == document[:4] for one in tries) > 10, name
