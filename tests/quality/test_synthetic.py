"""The made pages: their truth is what stands on them."""

from pathlib import Path

import pypdfium2
import pytest

from quality.corpus import Document
from quality.metrics.cells import spots_of
from quality.metrics.headings import outline
from quality.metrics.letters import letters
from quality.synthetic import made
from quality.synthetic.grids import Grid, Place, spanned_rows
from quality.synthetic.layouts import KINDS
from quality.synthetic.pieces import BULLETS
from quality.synthetic.words import Words

TABLES = ("ruled", "unruled", "pairs", "spans", "two_tables", "table_in_column")


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> list[Document]:
    """Some documents of each kind."""
    return made(tmp_path_factory.mktemp("made"), each=3)


def printed(path: Path) -> list[str]:
    """The words on the pages, in alphabetical order."""
    with pypdfium2.PdfDocument(path) as document:
        text = " ".join(page.get_textpage().get_text_range() for page in document)
    for bullet in BULLETS:
        text = text.replace(bullet, " ")
    return sorted(text.split())


def test_every_kind_is_made(pages: list[Document]) -> None:
    assert {page.source for page in pages} == set(KINDS)


def test_the_words_of_the_truth_are_those_on_the_page(pages: list[Document]) -> None:
    for page in pages:
        truth = page.truths[0].text().replace("<", " <")
        assert sorted(letters(truth).split()) == printed(page.path), page.name


def test_the_same_seed_makes_the_same_pages_and_another_makes_others(tmp_path: Path) -> None:
    first, again, other = (made(tmp_path / name, 1, seed) for name, seed in (("a", 1), ("b", 1), ("c", 2)))
    assert [page.path.read_bytes() for page in first] == [page.path.read_bytes() for page in again]
    assert all(one.path.read_bytes() != two.path.read_bytes() for one, two in zip(first, other, strict=True))


def test_pages_with_tables_have_them_in_their_truth(pages: list[Document]) -> None:
    for page in pages:
        tables = spots_of(page.truths[0].text())
        wanted = 2 if page.source == "two_tables" else int(page.source in TABLES)
        assert len(tables) == wanted, page.name
        if page.source == "pairs":
            assert {spot.right for spot in tables[0]} == {0, 1}


def test_every_page_has_headings_to_be_found(pages: list[Document]) -> None:
    assert all(
        any(node.tag == "heading" for node in outline(page.truths[0].text()).children) for page in pages
    )


def test_a_span_stands_in_the_truth() -> None:
    grid = Grid(((Place("Top", columns=2), None), (Place("a & b"), Place("c"))))
    assert grid.markdown() == (
        '<table><tr><td colspan="2">Top</td></tr><tr><td>a &amp; b</td><td>c</td></tr></table>'
    )


def test_the_rows_of_a_table_with_spans_are_all_as_wide() -> None:
    rows = spanned_rows(Words(1), [2, 3], 2)
    assert {len(row) for row in rows} == {6}
    reach = sum(place.rows * place.columns for row in rows for place in row if place)
    assert reach == len(rows) * 6
