"""Pages as images."""

from pathlib import Path

import pypdfium2
import pytest
from PIL import Image

from pagemill.errors import PageOutOfRange, PageTooLarge
from pagemill.model.visits import RenderAnswer, RenderRequest
from pagemill.reading.pdf.render import fitting_dpi
from pagemill.reading.visits import render_page
from tests import samples
from tests.reading.journey import stored


def drawn(folder: Path, pdf: bytes, **options: object) -> RenderAnswer:
    """The answer of a visit that draws a page."""
    request = RenderRequest(stored(folder, pdf), str(folder), **{"page": 1, "name": "page.image", **options})  # type: ignore[arg-type]
    return RenderAnswer.from_bytes(render_page(request.to_bytes()))


@pytest.mark.parametrize("kind", ["png", "webp", "jpeg"])
def test_a_page_is_drawn_in_each_format(tmp_path: Path, kind: str) -> None:
    answer = drawn(tmp_path, samples.letter(), dpi=72, format=kind)
    file = tmp_path / "page.image"
    with Image.open(file) as image:
        assert (image.format, image.size) == (kind.upper(), (595, 842))
        assert sum(image.convert("L").histogram()[:100]) > 50
    assert (answer.size_bytes, answer.warnings) == (file.stat().st_size, ())


def test_a_huge_page_is_drawn_at_a_lower_resolution(tmp_path: Path) -> None:
    answer = drawn(tmp_path, samples.odd_page("0 0 14400 14400"), dpi=300, max_pixels=1_000_000)
    assert answer.width * answer.height <= 1_010_000
    assert answer.dpi < 10
    assert answer.warnings == ("resolution_lowered",)


def test_a_page_beyond_measure_is_not_drawn() -> None:
    with pytest.raises(PageTooLarge):
        fitting_dpi(1e9, 1e9, 150, 40_000_000)


def test_a_page_that_is_not_there_is_not_drawn(tmp_path: Path) -> None:
    with pytest.raises(PageOutOfRange):
        drawn(tmp_path, samples.letter(), page=2)


def test_the_values_of_form_fields_are_drawn(tmp_path: Path) -> None:
    drawn(tmp_path, samples.form(), dpi=72)
    with Image.open(tmp_path / "page.image") as image:
        with_fields = dark(image)
    with pypdfium2.PdfDocument(samples.form()) as document:
        assert with_fields > dark(document[0].render().to_pil()) + 50


def dark(image: Image.Image) -> int:
    """How many dark points an image has."""
    return sum(image.convert("L").histogram()[:100])


def test_an_encrypted_page_is_drawn_with_its_password(tmp_path: Path) -> None:
    assert drawn(tmp_path, samples.encrypted(), password="open", dpi=36).width > 200
