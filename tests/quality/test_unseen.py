"""Documents that models were trained on are read by models that have not seen them, or nothing of their source."""

from pathlib import Path

from pagemill.reading.layout.models import JOIN_WEIGHTS, ROLE_WEIGHTS, network, pack_weights
from quality.corpus import Document
from quality.unseen import SOURCES, Unseen
from train.validation import document_fold, source_fold

PAPER = Document("a.pdf", Path("a.pdf"), "layout_truth", "x", group="publaynet_multi_column_train")
BENCH = Document("b.pdf", Path("b.pdf"), "pdf_md_truth", "x", group="a publisher")
TABLE = Document("c.pdf", Path("c.pdf"), "pdf_table_truth", "x", group="another")


def test_each_document_has_a_fold_without_it() -> None:
    unseen = Unseen(Path("folds"))
    assert unseen.fold(PAPER) == document_fold("a.pdf")
    # Documents of one publisher are alike, so that all of them are left out.
    assert unseen.fold(BENCH) == document_fold("a publisher")
    assert unseen.fold(TABLE) is None


def test_a_source_is_left_out_as_a_whole() -> None:
    unseen = Unseen(Path("folds"), SOURCES)
    assert unseen.fold(PAPER) == source_fold("papers")
    assert unseen.fold(BENCH) == source_fold("benchmark")
    assert unseen.fold(TABLE) is None


def test_folds_that_have_no_models_yet_are_named(tmp_path: Path) -> None:
    unseen = Unseen(tmp_path, SOURCES)
    assert unseen.lacking([PAPER, BENCH, TABLE]) == ["without-benchmark", "without-papers"]
    (tmp_path / "without-papers").mkdir()
    for name in (ROLE_WEIGHTS, JOIN_WEIGHTS):
        (tmp_path / "without-papers" / f"{name}.npz").write_bytes(pack_weights(network(name)))
    assert unseen.lacking([PAPER, BENCH, TABLE]) == ["without-benchmark"]
    with unseen.weights(PAPER):
        assert network(ROLE_WEIGHTS).layers
