"""Lines at the edges of pages that the layout of a page takes for running ones, seen with the pages around it."""

from dataclasses import replace
from pathlib import Path

import pytest

from pagemill.model.pages import Kind, Page
from tests.reading.made import joined, page, paragraph


def pages_with_foot(foot: str, confidence: float | None, *others: str) -> list[Page]:
    """Five pages; the second one ends with a line that its layout takes for a footer, and so do those after it with others."""
    feet = ["", foot, *others]
    made = []
    for number in range(1, 6):
        body = paragraph(f"p{number}-b1", f"Sacks of the year {number} were counted at noon.")
        text = feet[number - 1] if number <= len(feet) else ""
        line = paragraph(f"p{number}-b2", text, top=800, confidence=confidence)
        made.append(page(number, body, *([replace(line, kind=Kind.FOOTER)] if text else [])))
    return made


@pytest.mark.parametrize(
    ("foot", "confidence", "others", "kept"),
    [
        ("All figures are in sacks", 0.6, (), 1),
        ("All figures are in sacks", 0.95, (), 0),
        ("All figures are in sacks", None, (), 0),
        ("All figures are in sacks", 0.6, ("All figures are in sacks",), 0),
        ("Grain and flour 2", 0.6, ("Grain and flour 3",), 0),
        ("- 2 -", 0.6, (), 0),
    ],
)
def test_a_foot_of_one_page_goes_if_that_is_sure(
    tmp_path: Path, foot: str, confidence: float | None, others: tuple[str, ...], kept: int
) -> None:
    joined(tmp_path, *pages_with_foot(foot, confidence, *others))
    text = (tmp_path / "document.txt").read_text()
    assert text.count(foot) == kept
    assert text.count("counted at noon") == 5
