"""Trees of page labels that lead back into themselves, in the bytes of a document."""

from pathlib import Path

from pagemill.reading.pdf.label_tree import copy_without_labels, labels_circle

CIRCLE = b"5 0 obj<</Kids[5 0 R]>>endobj "
PLAIN = b"1 0 obj<</PageLabels 4 0 R>>endobj 4 0 obj<</Nums[0<</S/D>>]>>endobj "


def test_a_tree_that_ends_leads_nowhere_back() -> None:
    assert not labels_circle(PLAIN)


def test_a_circle_that_a_later_update_of_the_file_brings_is_found() -> None:
    assert labels_circle(PLAIN + CIRCLE + b"1 0 obj<</PageLabels 5 0 R>>endobj")


def test_a_copy_is_made_without_labels_only_where_they_are_not_packed(tmp_path: Path) -> None:
    document, copy = tmp_path / "document.pdf", tmp_path / "copy.pdf"
    document.write_bytes(PLAIN)
    assert copy_without_labels(str(document), str(copy))
    assert len(copy.read_bytes()) == len(PLAIN)
    assert b"/PageLabels" not in copy.read_bytes()
    document.write_bytes(b"all of it is packed")
    assert not copy_without_labels(str(document), str(copy))
