"""Pictures of pages as scanners, cameras and programs make them: more or less fine, level, clean and compressed."""

from dataclasses import dataclass
from pathlib import Path

import numpy
import pypdfium2
from PIL import Image

POINTS_PER_INCH = 72.0


@dataclass(frozen=True, slots=True)
class Wear:
    """How a page came to be a picture: its resolution, how far it leans, and what was lost on the way."""

    dpi: int
    skew_degrees: float = 0.0
    noise: float = 0.0
    jpeg_quality: int | None = None

    @property
    def suffix(self) -> str:
        """The format that the picture is stored in."""
        return ".jpg" if self.jpeg_quality else ".png"


# Half of them are clean.
WEARS = (
    Wear(150),
    Wear(200, skew_degrees=0.7, noise=10.0, jpeg_quality=60),
    Wear(100),
    Wear(150, noise=16.0, jpeg_quality=45),
    Wear(200),
    Wear(120, skew_degrees=-0.5, jpeg_quality=75),
)


def draw_picture(path: Path, number: int, wear: Wear, target: Path) -> Path:
    """The picture of a page, in a file of that name and the suffix of its format."""
    with pypdfium2.PdfDocument(path) as document:
        page = document[number - 1]
        picture = page.render(scale=wear.dpi / POINTS_PER_INCH).to_pil().convert("RGB")
    worn = add_noise(lean(picture, wear.skew_degrees), wear.noise)
    file = target.with_name(target.name + wear.suffix)
    if wear.jpeg_quality:
        worn.save(file, quality=wear.jpeg_quality, dpi=(wear.dpi, wear.dpi))
    else:
        worn.save(file, dpi=(wear.dpi, wear.dpi))
    return file


def lean(picture: Image.Image, degrees: float) -> Image.Image:
    """The picture turned by a little, white where it was not."""
    if not degrees:
        return picture
    return picture.rotate(degrees, Image.Resampling.BICUBIC, fillcolor=(255, 255, 255))


def add_noise(picture: Image.Image, deviation: float) -> Image.Image:
    """The picture with grains of grey; the same picture always gets the same."""
    if not deviation:
        return picture
    pixels = numpy.asarray(picture, numpy.float32)
    grains = numpy.random.default_rng(pixels.shape[0]).normal(0.0, deviation, pixels.shape[:2])
    return Image.fromarray((pixels + grains[:, :, None]).clip(0, 255).astype(numpy.uint8))
