"""The learnt decisions: what lines are, and which of them belong together."""

from pathlib import Path

import numpy as np
import pytest
from reportlab.pdfgen.canvas import Canvas

from pagemill.reading.layout.features import NAMES, frame_of, line_features
from pagemill.reading.layout.joins import JOIN_NAMES, join_features
from pagemill.reading.layout.lines import TextLine, lines_of
from pagemill.reading.layout.models import (
    join_probabilities,
    pack_weights,
    role_probabilities,
    unpack_weights,
)
from pagemill.reading.layout.network import Network
from pagemill.reading.layout.roles import ROLES
from pagemill.reading.page.sheet import Sheet, Word
from pagemill.reading.sources.liteparse_native import parse
from pagemill.reading.sources.text_layer import sheet_of

PROSE = (
    "The harbour records the annual income of the council, and the ferry",
    "carries the survey to the island where the teacher compares it with",
    "the reports of earlier years. The budget of the library follows the",
    "same method, which improves the measure of every district. A bridge",
    "crosses the river in the north.",
)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Sheet:
    """A page with a title, two headings over paragraphs, and the number of the page."""
    path = tmp_path_factory.mktemp("models") / "page.pdf"
    canvas = Canvas(str(path), pagesize=(595, 842))
    canvas.setFont("Helvetica-Bold", 18)
    canvas.drawString(72, 760, "The income of harbours")
    top = 725
    for title in ("1 Introduction", "2 Method"):
        canvas.setFont("Helvetica-Bold", 13)
        canvas.drawString(72, top, title)
        canvas.setFont("Helvetica", 10)
        for row, text in enumerate((*PROSE, *PROSE[:4])):
            canvas.drawString(72 + 14 * (row == 5), top - 20 - 12.5 * row, text)
        top -= 190
    canvas.drawString(280, 40, "Page 17 of 40")
    canvas.save()
    return _sheet(path)


def _sheet(path: Path) -> Sheet:
    native = parse(str(path), [1], None).pages[0]
    return sheet_of(native, native.text_items)


def _line(lines: list[TextLine], start: str) -> int:
    return next(at for at, line in enumerate(lines) if line.text.startswith(start))


def test_headings_text_and_the_number_of_the_page_are_told_apart(page: Sheet) -> None:
    lines = lines_of(page)
    found = [ROLES[at] for at in role_probabilities(page, lines).argmax(1)]
    assert [found[_line(lines, start)] for start in ("The income", "1 Intro", "2 Meth")] == ["heading"] * 3
    assert found[_line(lines, "Page 17")] == "page_number"
    assert found.count("text") == len(lines) - 4


def test_lines_of_a_paragraph_belong_together_and_an_indented_one_starts_another(page: Sheet) -> None:
    lines = lines_of(page)
    together = join_probabilities(page, lines, range(len(lines)))
    first = _line(lines, PROSE[0])
    assert (together[first : first + 4] > 0.5).all()
    assert together[first + 4] < 0.5
    assert together[_line(lines, "1 Intro")] < 0.5


def test_lines_in_another_order_have_the_same_roles(page: Sheet) -> None:
    lines = lines_of(page)
    forwards, backwards = role_probabilities(page, lines), role_probabilities(page, lines[::-1])
    assert np.allclose(forwards, backwards[::-1], atol=1e-5)


def test_a_page_gives_the_same_probabilities_each_time(page: Sheet) -> None:
    lines = lines_of(page)
    assert np.array_equal(role_probabilities(page, lines), role_probabilities(page, lines))


def test_every_feature_has_a_name_and_a_value(page: Sheet) -> None:
    lines = lines_of(page)
    frame = frame_of(page, lines)
    features = line_features(page, lines, frame)
    assert features.shape == (len(lines), len(NAMES))
    assert len(set(NAMES)) == len(NAMES)
    assert np.isfinite(features).all()
    assert join_features(frame, np.arange(len(lines))).shape == (len(lines) - 1, len(JOIN_NAMES))


@pytest.mark.parametrize("count", [0, 1])
def test_a_page_with_hardly_a_line_is_no_trouble(page: Sheet, count: int) -> None:
    lines = lines_of(page)[:count]
    assert role_probabilities(page, lines).shape == (count, len(ROLES))
    assert join_probabilities(page, lines, range(count)).shape == (0,)


def test_weights_survive_being_packed() -> None:
    random = np.random.default_rng(1)
    shapes = ((2, 3, 4), (2, 1, 4), (2, 4, 2), (2, 1, 2))
    layers = tuple(random.standard_normal(shape).astype(np.float32) for shape in shapes)
    trained = Network(np.zeros(3, np.float32), np.ones(3, np.float32), layers)
    features = random.standard_normal((5, 3)).astype(np.float32)
    features[0, 1] = np.nan
    assert np.allclose(
        trained.probabilities(features),
        unpack_weights(pack_weights(trained)).probabilities(features),
        atol=0.01,
    )


def test_of_colours_that_are_as_common_the_first_is_that_of_the_text() -> None:
    words = [
        Word(text, 10, 20 * at, 60, 20 * at + 12, 10, 20 * at + 9, run=at, bold=False, colour=f"ff{at:06x}")
        for at, text in enumerate(("Harbour", "Ferry", "Island", "Bridge"))
    ]
    sheet = Sheet(200, 200, words=words)
    features = line_features(sheet, lines_of(sheet))
    assert features[:, NAMES.index("other_colour")].tolist() == [0, 1, 1, 1]
