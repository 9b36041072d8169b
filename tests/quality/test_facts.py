"""The measure of entities: made-up documents with exact truth, read and compared."""

from pathlib import Path

import pytest

from quality.fact_sets import other_documents, own_documents
from quality.facts import figures, score


@pytest.mark.parametrize("own", [True, False], ids=["own", "other"])
def test_entities_of_made_up_documents_are_found_and_none_is_wrongly_called_valid(
    tmp_path: Path, own: bool
) -> None:
    scores = score(own_documents(1, tmp_path) if own else other_documents(3, tmp_path))
    # Few of the own documents are orders.
    assert set(scores) | {"order_number"} == {
        "amount",
        "date",
        "email",
        "iban",
        "invoice_number",
        "order_number",
        "organisation",
        "percentage",
        "total",
    }
    assert {kind for kind, one in scores.items() if kind != "order_number" and one["f1"] < 0.9} == set()
    assert sum(one["wrongly_valid"] for one in scores.values()) == 0


def test_what_is_missed_and_what_is_made_up_both_cost() -> None:
    assert figures(right=3, found=4, true=6, wrongly_valid=1) == {
        "f1": 0.6,
        "precision": 0.75,
        "recall": 0.5,
        "true": 6,
        "wrongly_valid": 1,
    }
