"""Reading the text on a page that has none of its own."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pagemill.model.pages import Box, Line
from pagemill.reading.ocr.contrast import blank, strengthen_contrast
from pagemill.reading.ocr.picture import Drawing, DrawnPage, usual_dpi
from pagemill.reading.ocr.recogniser import Pixels, Recogniser, overall
from pagemill.reading.ocr.rulings import strokes
from pagemill.reading.ocr.skew import skew
from pagemill.reading.ocr.turns import lying_by_reading
from pagemill.reading.ocr.upright import level_picture, lying, turn_picture
from pagemill.reading.page.geometry import shift_box
from pagemill.reading.page.sheet import Stroke
from pagemill.reading.pdf.inspection import open_pdf
from pagemill.reading.pdf.render import POINTS_PER_INCH

# Below this, what was read is noise, not text.
LEAST_CONFIDENCE = 0.2
# Above this, there is no need to check whether the page is upright.
SURELY_READ = 0.75
SURELY_LYING = 0.5
# Lines that are lower than this are drawn larger if the page has more to show.
SMALL_LINE_PIXELS = 16.0
LEAST_ZOOM, LARGEST_ZOOM = 1.2, 2.0
GOOD_LINE_PIXELS = 24.0


@dataclass(frozen=True, slots=True)
class Scan:
    """What was recognised on a page that was turned clockwise by `turned` and then levelled by `skew_degrees`.

    Lines, from the top down, and strokes are in points of the page after both; it is as large as before it was
    levelled.
    """

    lines: tuple[Line, ...]
    turned: int
    skew_degrees: float
    confidence: float
    strokes: tuple[Stroke, ...]
    width: float
    height: float


def scan_page(
    path: str,
    page: int,
    password: str | None,
    recogniser: Recogniser,
    languages: Sequence[str] = (),
    region: Box | None = None,
) -> Scan:
    """The text on a page, or in a region of the page as it is displayed, which is never turned."""
    with open_pdf(path, password) as document:
        drawing = Drawing(document, page, region)
        own = drawing.own_dpi()
        picture = drawing.drawn(usual_dpi(own))
        scan = _read(picture, recogniser, languages, None if region is None else 0)
        wanted = drawing.fitting(_wanted_dpi(scan.lines, picture, own))
        if wanted > LEAST_ZOOM * picture.dpi:
            larger = _read(drawing.drawn(wanted), recogniser, languages, scan.turned)
            scan = max(scan, larger, key=_certain_length)
    return _place(scan, drawing)


def recognise_picture(
    pixels: Pixels, recogniser: Recogniser, languages: Sequence[str] = (), *, dpi: float = POINTS_PER_INCH
) -> Scan:
    """The text in a picture of that resolution."""
    height, width = pixels.shape[:2]
    part = Box(0.0, 0.0, width * POINTS_PER_INCH / dpi, height * POINTS_PER_INCH / dpi)
    return _read(DrawnPage(pixels, dpi, part), recogniser, languages, None)


def _read(picture: DrawnPage, recogniser: Recogniser, languages: Sequence[str], turn: int | None) -> Scan:
    """What is in a picture, in points from its top left; its rotation is found out if it is not known."""
    if blank(picture.pixels):
        return Scan((), 0, 0.0, 0.0, (), picture.part.width, picture.part.height)
    pixels = strengthen_contrast(picture.pixels)
    if turn is not None:
        return _read_turned(pixels, picture, recogniser, languages, turn)
    lies, sure = lying(pixels)
    if sure < SURELY_LYING:
        lies = lying_by_reading(pixels, lies)
    scan = _read_turned(pixels, picture, recogniser, languages, -lies % 360)
    if scan.confidence >= SURELY_READ or sure < SURELY_LYING:
        return scan
    second = lying_by_reading(pixels, lies)
    if second == lies:
        return scan
    return max(scan, _read_turned(pixels, picture, recogniser, languages, -second % 360), key=_certain_length)


def _read_turned(
    pixels: Pixels, picture: DrawnPage, recogniser: Recogniser, languages: Sequence[str], turn: int
) -> Scan:
    pixels = turn_picture(pixels, turn)
    # A drawing has slopes of its own, and its text must keep its place on the page.
    slope = skew(pixels) if picture.whole else 0.0
    pixels = level_picture(pixels, slope) if slope else pixels
    size = picture.points_per_pixel
    lines = sorted(recogniser.recognise(pixels, languages), key=lambda line: (line.box.y, line.box.x))
    kept = tuple([_in_points(line, size) for line in lines if line.confidence >= LEAST_CONFIDENCE])
    across, down = picture.part.width, picture.part.height
    width, height = (across, down) if turn % 180 == 0 else (down, across)
    return Scan(kept, turn, slope, overall(kept), tuple(strokes(pixels, size)), width, height)


def _in_points(line: Line, size: float) -> Line:
    x, y, width, height = (round(side * size, 2) for side in line.box.sides)
    return replace(line, box=Box(x, y, width, height), confidence=round(line.confidence, 3))


def _certain_length(scan: Scan) -> float:
    return sum(len(line.text) * line.confidence**2 for line in scan.lines)


def _wanted_dpi(lines: Sequence[Line], picture: DrawnPage, own_dpi: float | None) -> float:
    """The resolution that suits the lines; a picture has nothing more to show than its own pixels."""
    if not lines:
        return picture.dpi
    height = statistics.median(line.box.height for line in lines) / picture.points_per_pixel
    zoom = min(LARGEST_ZOOM, GOOD_LINE_PIXELS / max(height, 1.0)) if height < SMALL_LINE_PIXELS else 1.0
    return min(picture.dpi * zoom, own_dpi or math.inf)


def _place(scan: Scan, drawing: Drawing) -> Scan:
    """The same in points of the page, not of its part."""
    size = (drawing.width, drawing.height) if scan.turned % 180 == 0 else (drawing.height, drawing.width)
    x, y = drawing.part.x, drawing.part.y
    if not (x or y):
        return replace(scan, width=size[0], height=size[1])
    lines = tuple([replace(line, box=shift_box(line.box, x, y)) for line in scan.lines])
    moved = tuple([stroke.shift(x, y) for stroke in scan.strokes])
    return replace(scan, lines=lines, strokes=moved, width=size[0], height=size[1])
