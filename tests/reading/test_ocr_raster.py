"""Operations on pixels: sizes, turns, marks, connected parts and the rectangles around them."""

import hashlib
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy
import pytest

from pagemill.reading.ocr import models
from pagemill.reading.ocr.components import components, level_runs
from pagemill.reading.ocr.crops import CROP_HEIGHT, crop
from pagemill.reading.ocr.detect import DetectedLine, outline_lines
from pagemill.reading.ocr.raster import Mask, dark_marks, planes, resize, rotation, transform, translation
from pagemill.reading.ocr.recogniser import Pixels
from pagemill.reading.ocr.rectangles import convex_hull, smallest_rectangle
from pagemill.reading.ocr.rulings import strokes
from pagemill.reading.ocr.skew import skew
from pagemill.reading.provider import Refusal


def mask(*rows: str) -> Mask:
    return numpy.array([[cell == "#" for cell in row] for row in rows])


def white(height: int, width: int) -> Pixels:
    return numpy.full((height, width, 3), 255, numpy.uint8)


def bar(degrees: float, length: float, thickness: float, side: int = 200) -> Mask:
    """A bar in the middle of a square, its length that many degrees clockwise from level."""
    rows, columns = numpy.mgrid[:side, :side] - side / 2
    angle = math.radians(degrees)
    along = columns * math.cos(angle) + rows * math.sin(angle)
    across = rows * math.cos(angle) - columns * math.sin(angle)
    return numpy.asarray((abs(along) <= length / 2) & (abs(across) <= thickness / 2))


def test_pixels_that_touch_at_a_corner_are_one_component() -> None:
    found = components(level_runs(mask("#..#", ".#..", "..#.", "#..#")))
    boxes = zip(found.left, found.top, found.width, found.height, found.area, strict=True)
    assert sorted(map(tuple, boxes)) == [(0, 0, 4, 4, 4), (0, 3, 1, 1, 1), (3, 0, 1, 1, 1)]


def test_runs_at_both_edges_of_a_picture_are_apart() -> None:
    assert len(components(level_runs(mask("..##", "#...")))) == 2
    assert len(components(level_runs(mask("####", "####")))) == 1
    assert len(components(level_runs(mask("....")))) == 0


def test_a_spiral_is_one_component_however_late_its_arms_meet() -> None:
    spiral = mask(
        "#########", "........#", "#######.#", "#.....#.#", "#.###.#.#", "#.#...#.#", "#.#####.#", "#.......#"
    )
    open_arm = components(level_runs(spiral))
    assert sorted(open_arm.area) == [8, 24] or len(open_arm) == len(labelled_by_filling(spiral))
    assert sorted(open_arm.area) == sorted(labelled_by_filling(spiral))


@pytest.mark.parametrize("seed", range(5))
def test_components_are_those_that_filling_finds(seed: int) -> None:
    noise = numpy.random.default_rng(seed).random((40, 50)) < 0.4
    assert sorted(components(level_runs(noise)).area) == sorted(labelled_by_filling(noise))


def labelled_by_filling(pixels: Mask) -> list[int]:
    """The areas of the components, found pixel by pixel."""
    left = {(int(row), int(column)) for row, column in zip(*numpy.nonzero(pixels), strict=True)}
    areas = []
    while left:
        front = [left.pop()]
        area = 0
        while front:
            row, column = front.pop()
            area += 1
            near = {(row + down, column + across) for down in (-1, 0, 1) for across in (-1, 0, 1)} & left
            left -= near
            front += near
        areas.append(area)
    return areas


def test_the_hull_has_corners_only() -> None:
    square = [(x, y) for x in range(5) for y in range(5)]
    assert set(convex_hull(square)) == {(0, 0), (0, 4), (4, 0), (4, 4)}
    assert convex_hull([(3, 3), (3, 3)]) == [(3, 3)]


@pytest.mark.parametrize("degrees", [-60, -30, -1, 0, 7, 45, 89])
def test_the_smallest_rectangle_follows_what_is_inside(degrees: int) -> None:
    rows, columns = numpy.nonzero(bar(degrees, 120, 20))
    found = smallest_rectangle(list(zip(columns.tolist(), rows.tolist(), strict=True)))
    assert sorted((found.width, found.height)) == pytest.approx([20, 120], abs=3)
    assert (found.x, found.y) == pytest.approx((100, 100), abs=1)
    along = found.degrees if found.width > found.height else found.degrees + 90
    assert math.remainder(along - degrees, 180) == pytest.approx(0, abs=1.5)


def test_one_point_is_a_rectangle_without_sides() -> None:
    found = smallest_rectangle([(4, 7)])
    assert (found.x, found.y, found.width, found.height) == (4, 7, 0, 0)


def test_lines_are_where_the_map_has_ink_with_their_slope() -> None:
    (line,) = outline_lines(bar(10, 120, 12).astype(numpy.float32), 2.0, 2.0)
    assert (line.x, line.y) == pytest.approx((200, 200), abs=2)
    assert line.slope == pytest.approx(10, abs=1.5)
    assert line.length > 240
    assert outline_lines(numpy.zeros((32, 32), numpy.float32), 1.0, 1.0) == []


def test_a_part_with_little_ink_is_no_line() -> None:
    faint = bar(0, 120, 12).astype(numpy.float32) * numpy.float32(0.4)
    assert outline_lines(faint, 1.0, 1.0) == []


def test_a_smaller_picture_keeps_the_mean() -> None:
    noise = numpy.random.default_rng(1).integers(0, 255, (200, 300, 3), numpy.uint8)
    small = resize(noise, (150, 100))
    assert small.shape == (100, 150, 3)
    assert float(small.mean()) == pytest.approx(float(noise.mean()), abs=2)


def test_a_quarter_turn_moves_each_pixel_to_its_place() -> None:
    noise = numpy.random.default_rng(2).integers(0, 255, (9, 9, 3), numpy.uint8)
    turned = transform(noise, rotation((4, 4), 90), (9, 9))
    assert abs(turned.astype(int) - numpy.rot90(noise)).max() <= 1
    moved = transform(noise, translation(2, 1), (9, 9))
    assert (moved[1:, 2:] == noise[:-1, :-2]).all()
    assert (moved[0] == 255).all()


def test_a_slanting_line_is_cut_level_and_the_edge_is_repeated() -> None:
    pixels = white(200, 200)
    pixels[bar(20, 150, 16)] = 0
    cut = crop(pixels, DetectedLine(100, 100, 150, 24, 20))
    assert cut.shape == (CROP_HEIGHT, 300, 3)
    assert cut[20:28, 20:280].max() < 30
    assert cut[:4].min() > 200
    black = numpy.zeros((40, 40, 3), numpy.uint8)
    assert crop(black, DetectedLine(5, 5, 60, 20, 30)).max() == 0


def test_marks_are_darker_than_what_is_around_them() -> None:
    shaded = white(60, 120)
    shaded[:, 60:] = 120
    shaded[30, 20] = 100
    shaded[30, 90] = 60
    found = dark_marks(shaded, 11, 15)
    assert found[30, 20]
    assert found[30, 90]
    assert not found[10:20, 5:50].any()
    assert not found[10:20, 70:110].any()


def test_the_lines_of_a_table_are_strokes() -> None:
    pixels = white(300, 400)
    pixels[50:52, 20:380] = 0
    pixels[40:280, 100:102] = 0
    pixels[200:220, 200:220] = 0
    found = strokes(pixels, 0.5)
    assert [(one.x1, one.y1, one.x2, one.y2) for one in found if one.y1 == one.y2] == [
        (10.0, 25.5, 190.0, 25.5)
    ]
    assert [(one.x1, one.y1, one.x2, one.y2) for one in found if one.x1 == one.x2] == [
        (50.5, 20.0, 50.5, 140.0)
    ]


def test_the_slope_of_many_marks_is_found() -> None:
    pixels = white(600, 600)
    for row in range(60, 560, 30):
        for column in range(40, 560, 14):
            pixels[row - 8 : row, column : column + 6] = 0
    assert skew(pixels) == 0.0
    slanting = transform(pixels, rotation((300, 300), -3.0), (600, 600))
    assert skew(slanting) == pytest.approx(-3.0, abs=0.2)


def test_planes_are_blue_green_and_red() -> None:
    table = numpy.arange(256, dtype=numpy.float32)
    pixels = numpy.zeros((2, 3, 3), numpy.uint8)
    pixels[:, :, 0] = 7
    assert planes(pixels, numpy.stack([table, table, table * 2])).tolist() == [
        [[0.0] * 3] * 2,
        [[0.0] * 3] * 2,
        [[14.0] * 3] * 2,
    ]


def test_all_weights_are_those_that_were_packed() -> None:
    for name, digest in models.DIGESTS.items():
        assert hashlib.sha256(models.weights(name)).hexdigest() == digest


def test_damaged_weights_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "FOLDER", tmp_path)
    assert models.READER in (models.missing() or "")
    (tmp_path / models.READER).write_bytes(b"\x00")
    with pytest.raises(Refusal, match=r"reader\.onnx of PP-OCRv6 is damaged: install pagemill again"):
        models.weights(models.READER)


def test_nothing_is_written_into_the_home_folder(tmp_path: Path) -> None:
    code = "from pagemill.reading.ocr import models; models.session(models.DETECTOR)"
    environment = {name: value for name, value in os.environ.items() if name != models.TELEMETRY_SWITCH}
    subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        env=environment | {"HOME": str(tmp_path), "XDG_CACHE_HOME": ""},
    )
    assert list(tmp_path.iterdir()) == []
