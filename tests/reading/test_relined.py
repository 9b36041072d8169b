"""Pages that are read from PDFium's characters: fonts of giant height, and scripts that run from right to left."""

import re
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import reportlab
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

from pagemill.model.pages import Box
from pagemill.reading.layout.tables.lines import line_text
from pagemill.reading.page.tokens import Token
from pagemill.reading.relined import as_written, is_squashed
from pagemill.reading.sources.liteparse_native import parse
from tests import samples
from tests.reading.drawn import read
from tests.reading.journey import stored

HEBREW = "הנמל היה שקט בזמן שהפנסים בערו לאורך גשר האבן הישן עד שהגיע החורף אל העיר הקטנה שעל שפת הים"
WORDS_OF_A_LINE = 8
LINES = [f"Line {number} of a text whose characters are said to be far too high." for number in range(20)]


def giant() -> bytes:
    """A page in a font that says of itself that it is many times as high as it is."""
    pdfmetrics.registerFont(TTFont("Vera", str(Path(reportlab.__file__).parent / "fonts" / "Vera.ttf")))
    file = BytesIO()
    canvas = Canvas(file, pagesize=(595, 842), pageCompression=0)
    canvas.setFont("Vera", 10)
    for place, line in enumerate(LINES):
        canvas.drawString(72, 760 - 24 * place, line)
    canvas.save()
    pdf = re.sub(rb"/Ascent [\d.]+", b"/Ascent 4800", file.getvalue())
    pdf = re.sub(rb"/Descent -[\d.]+", b"/Descent -1900", pdf)
    return re.sub(rb"/FontBBox \[[^\]]*\]", b"/FontBBox [ -183 -1900 1287 4800 ]", pdf)


def test_a_page_in_a_font_of_giant_height_keeps_every_line(tmp_path: Path) -> None:
    text = " ".join(block.text for block in read(tmp_path, giant()).blocks)
    assert all(text.count(line) == 1 for line in LINES)


def test_an_ordinary_page_is_not_read_anew(tmp_path: Path) -> None:
    assert not is_squashed(parse(stored(tmp_path, samples.report(1)), (1,), None).pages[0].text_items)


def hebrew(lines: Sequence[str]) -> bytes:
    """A page whose characters are drawn from left to right as they are seen.

    Latin shapes stand for the characters; what they mean is written into the font.
    """
    pdfmetrics.registerFont(TTFont("Vera", str(Path(reportlab.__file__).parent / "fonts" / "Vera.ttf")))
    shapes = {character: chr(ord("A") + place) for place, character in enumerate(sorted(set(HEBREW) - {" "}))}
    file = BytesIO()
    canvas = Canvas(file, pagesize=(595, 842), pageCompression=0)
    canvas.setFont("Vera", 10)
    for place, line in enumerate(lines):
        canvas.drawRightString(520, 760 - 14 * place, "".join(shapes.get(one, one) for one in line[::-1]))
    canvas.save()
    pdf = file.getvalue()
    for character, shape in shapes.items():
        code = f"<{ord(shape):02X}>"
        pdf = pdf.replace(f"{code} <{ord(shape):04X}>".encode(), f"{code} <{ord(character):04X}>".encode())
    return pdf


def test_words_that_run_from_right_to_left_are_read_in_their_order(tmp_path: Path) -> None:
    words = HEBREW.split()
    lines = [" ".join(words[at : at + WORDS_OF_A_LINE]) for at in range(0, len(words), WORDS_OF_A_LINE)]
    [block] = read(tmp_path, hebrew(lines)).blocks
    assert block.text == HEBREW


def test_the_words_of_a_cell_are_read_in_their_order() -> None:
    seen = [
        Token(word, 40 * at, 100, 40 * at + 30, 110)
        for at, word in enumerate(("1787", "Old", "Mill", "הקטנה", "הים", "שפת"))
    ]
    assert line_text(seen) == "שפת הים הקטנה Old Mill 1787"


def test_a_lam_with_an_alef_is_written_in_its_order_and_vowel_signs_on_their_characters() -> None:
    first, second, one, other = (Box(x, 0.0, 4.0, 9.0) for x in (0.0, 5.0, 9.0, 12.0))

    def spelt(text: str, boxes: list[Box]) -> str:
        return "".join(character for character, _ in as_written(text, boxes))

    assert spelt("اإلن", [first, second, second, one]) == "الإن"
    assert spelt("كال", [first, second, one]) == "كال"
    assert spelt("ي ًضا", [first, second, one, one, other]) == "يضًا"
