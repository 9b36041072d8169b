"""Pages whose fonts claim letters of giant height, under which the engine drops lines."""

import re
from io import BytesIO
from pathlib import Path

import reportlab
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

from pagemill.reading.liteparse_native import parse
from pagemill.reading.relined import is_squashed
from tests import samples
from tests.reading.drawn import read
from tests.reading.journey import stored

LINES = [f"Line {number} of a text whose letters are said to be far too high." for number in range(20)]


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
