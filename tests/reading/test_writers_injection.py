"""Text that would become a tag, a link or other words in programs that show Markdown."""

from pathlib import Path

import pytest

from pagemill.model.pages import Block, Kind, Span
from pagemill.reading.clean import clean
from pagemill.reading.writers.escapes import cell, inline
from tests.reading.made import markdown, paragraph
from tests.reading.test_writers import RENDERED, seen

INJECTIONS = [
    "https://ok.example/x<img src=x onerror=alert(1)>",
    "\\<script>alert(1)</script>",
    "\\\\<script>alert(1)</script>",
    "<script\n>alert(1)</script\n>",
    "<<script>alert(1)//<</script>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "www.ok.example/<svg/onload=alert(1)>",
    "<https://evil.example/>",
    "<javascript:alert(1)>",
    "<!-- hidden --><?php echo 1 ?>",
]


@pytest.mark.parametrize("text", INJECTIONS)
def test_no_tag_is_left_for_a_program_that_knows_no_backslashes(text: str) -> None:
    for written in (inline(text), inline(text, styled=True), cell(text).replace("<br>", "")):
        assert "<" not in written


@pytest.mark.parametrize("text", INJECTIONS)
def test_what_would_be_a_tag_is_shown_as_on_the_page(tmp_path: Path, text: str) -> None:
    shown = seen(RENDERED.render(markdown(tmp_path, paragraph("p1-b1", text))))
    assert "".join(shown.text.split()) == "".join(text.split())
    assert shown.tags == ["p"]


def test_a_tag_is_not_put_together_from_two_runs(tmp_path: Path) -> None:
    text = "see <img src=x onerror=alert(1)>"
    block = Block(
        "p1-b1", Kind.PARAGRAPH, None, text, spans=(Span(0, 5, bold=True), Span(5, len(text), italic=True))
    )
    assert seen(RENDERED.render(markdown(tmp_path, block))).tags.count("img") == 0


def test_signs_of_comparison_stay_as_they_are() -> None:
    assert inline("a < b, p <0.05, x <= y, AT&T") == "a < b, p <0.05, x <= y, AT&T"


@pytest.mark.parametrize("mark", "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
def test_marks_that_turn_the_direction_are_taken_out(mark: str) -> None:
    assert clean(f"invoice{mark}fdp.exe") == "invoicefdp.exe"
