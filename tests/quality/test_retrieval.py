"""The question set of retrieval: its questions, its figures, and a small run of it."""

from pathlib import Path

from quality.handbooks import TONGUES, sections
from quality.retrieval import SECTIONS, ranks_on, read_handbooks, scores


def test_the_set_has_two_hundred_questions_each_answered_by_one_section() -> None:
    parts = [part for tongue in TONGUES for part in sections(tongue, SECTIONS)]
    asked = [question for part in parts for question in part.questions]
    assert len(asked) >= 200
    assert len({(question.language, question.text) for question in asked}) == len(asked)
    assert all(sum(question.answer in part.text for part in parts) == 1 for question in asked)


def test_the_figures_are_those_of_the_places() -> None:
    assert scores([1, 2, None, 4]) == {"count": 4, "hit_1": 0.25, "hit_10": 0.75, "mrr": 0.438}
    assert scores([]) == {"count": 0, "hit_1": 0, "hit_10": 0, "mrr": 0}


def test_questions_in_every_language_find_their_section(tmp_path: Path) -> None:
    passages, asked = read_handbooks(tmp_path, 3)
    found = ranks_on("sqlite", tmp_path, passages, asked)["text"]
    assert len(found) == 54
    assert scores(found)["hit_10"] >= 0.9
