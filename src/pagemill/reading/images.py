"""Images as documents: a PDF is made of them once, one page for each frame, and read like any other.

A JPEG is put into it as it is; all others are packed without loss. What a camera says about which side is up is heeded.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING

from pagemill.errors import ImageCorrupt, ImageTooLarge, TooManyPages
from pagemill.model.artifacts import CopyRequest
from pagemill.reading.artifacts.stored import appearing

if TYPE_CHECKING:
    from PIL.Image import Image

POINTS_PER_INCH = 72
# A side of more pixels is no page, and a PDF can't have pages that large.
LONGEST_SIDE = 30_000
# Outside of these, what an image says of its resolution is a mistake.
LEAST_DPI, MOST_DPI = 70.0, 1_200.0
# No sheet that people scan is longer; a photograph that says 72 dots per inch would be.
LONGEST_INCHES = 24.0
# What a page is taken for that does not say how large it is: as long as A4, if that makes a likely resolution.
PAGE_INCHES, LEAST_GUESS, MOST_GUESS = 11.69, 96.0, 300.0
ORIENTATION_TAG = 0x0112
# Which way the sides of the picture run on the page, for each orientation that a camera may note.
ORIENTATIONS = {
    1: (1, 0, 0, 1),
    2: (-1, 0, 0, 1),
    3: (-1, 0, 0, -1),
    4: (1, 0, 0, -1),
    5: (0, -1, -1, 0),
    6: (0, -1, 1, 0),
    7: (0, 1, 1, 0),
    8: (0, 1, -1, 0),
}
SPACES = {"1": (b"/DeviceGray", 1, 1), "L": (b"/DeviceGray", 1, 8), "RGB": (b"/DeviceRGB", 3, 8)}
JPEG_SPACES = {"L": b"/DeviceGray", "RGB": b"/DeviceRGB", "CMYK": b"/DeviceCMYK /Decode [1 0 1 0 1 0 1 0]"}
# The values of white in images with a fraction, 8, 12 or 16 bits for each pixel.
LIGHTEST = (1.0, 255.0, 4_095.0, 65_535.0)
PNG_HEAD_BYTES = 8
WHITE = (255, 255, 255)


@dataclass(frozen=True, slots=True)
class PackedFrame:
    """A frame as it goes into a PDF: its pixels packed, how they are packed, and how it is turned on the page."""

    width: int
    height: int
    packed: bytes
    entries: bytes
    dpi: tuple[float, float]
    orientation: int = 1


def working_copy(request: CopyRequest) -> None:
    """Make a PDF of an image; ImageCorrupt or ImageTooLarge says why it can't be."""
    with (
        open_image(request) as image,
        appearing(Path(request.scratch) / request.name) as part,
        part.open("wb") as out,
    ):
        pdf = PdfFile(out)
        for picture in pictures(image, request):
            pdf.add_page(picture)
        pdf.close()


@contextmanager
def open_image(request: CopyRequest) -> Iterator["Image"]:
    """The image, and its troubles in our words."""
    import pi_heif  # type: ignore[import-untyped]
    import PIL.Image

    pi_heif.register_heif_opener(thumbnails=False)
    # Our own limit is looked at before anything is unpacked.
    PIL.Image.MAX_IMAGE_PIXELS = None
    try:
        with PIL.Image.open(request.path) as image:
            yield image
    except FileNotFoundError:
        raise
    except (
        OSError,
        SyntaxError,
        ValueError,
        EOFError,
        IndexError,
        KeyError,
        TypeError,
        ZeroDivisionError,
    ) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise ImageCorrupt() from error


def pictures(image: "Image", request: CopyRequest) -> Iterator[PackedFrame]:
    """The pages of an image: all frames of a TIFF, the first of anything that moves."""
    frames = int(getattr(image, "n_frames", 1)) if image.format == "TIFF" else 1
    if frames > request.max_pages:
        raise TooManyPages.because(
            f"The image has {frames} pages, more than the {request.max_pages} that are allowed.",
            max_pages=request.max_pages,
        )
    for number in range(frames):
        image.seek(number)
        refuse_large(image, request.max_pixels)
        image.load()
        yield as_jpeg(image, request.path) if image.format in ("JPEG", "MPO") else repack(image)


def refuse_large(image: "Image", max_pixels: int) -> None:
    """Unpack nothing that is too large."""
    width, height = image.size
    if width * height > max_pixels or max(width, height) > LONGEST_SIDE:
        raise ImageTooLarge.because(f"The image has {width} by {height} pixels.", max_pixels=max_pixels)


def as_jpeg(image: "Image", path: str) -> PackedFrame:
    """A JPEG as it is."""
    space = JPEG_SPACES.get(image.mode)
    if space is None:
        return repack(image)
    entries = b"/Filter /DCTDecode /BitsPerComponent 8 /ColorSpace " + space
    dpi, side = resolution(image), orientation(image)
    return PackedFrame(image.width, image.height, Path(path).read_bytes(), entries, dpi, side)


def repack(image: "Image") -> PackedFrame:
    """Any other image, packed without loss as PNG does it."""
    plain, out = in_plain_colours(image), BytesIO()
    plain.save(out, "PNG")
    space, colours, bits = SPACES[plain.mode]
    entries = (
        b"/Filter /FlateDecode /DecodeParms <</Predictor 15 /Colors %d /BitsPerComponent %d /Columns %d>> "
        b"/BitsPerComponent %d /ColorSpace %s" % (colours, bits, plain.width, bits, space)
    )
    packed = b"".join(png_pixels(out.getvalue()))
    return PackedFrame(plain.width, plain.height, packed, entries, resolution(image), orientation(image))


def in_plain_colours(image: "Image") -> "Image":
    """The image in black and white, grey or RGB, on white paper where it is transparent."""
    import PIL.Image

    if image.mode in SPACES and "transparency" not in image.info:
        return image
    if image.mode.startswith("I;16") or image.mode in ("I", "F"):
        return eight_bits(image)
    if image.has_transparency_data:
        seen = image.convert("RGBA")
        paper = PIL.Image.new("RGB", image.size, WHITE)
        paper.paste(seen, mask=seen.getchannel("A"))
        return paper
    return image.convert("L" if image.mode in ("L", "LA", "La") else "RGB")


def eight_bits(image: "Image") -> "Image":
    """An image of many greys with 256 of them, the lightest that its kind of scanner knows made white."""
    whole = image.convert("F")
    high = max(float(str(edge)) for edge in whole.getextrema())
    white = next((most for most in LIGHTEST if high <= most), high)
    scale = 255.0 / white
    return whole.point(lambda value: value * scale + 0.0).convert("L")


def png_pixels(png: bytes) -> Iterator[bytes]:
    """The packed pixels of a PNG, without all that is around them."""
    at = PNG_HEAD_BYTES
    while at < len(png):
        length, kind = int.from_bytes(png[at : at + 4], "big"), png[at + 4 : at + 8]
        if kind == b"IDAT":
            yield png[at + 8 : at + 8 + length]
        at += length + 12


def resolution(image: "Image") -> tuple[float, float]:
    """Dots per inch across and down: what the image says if that can be, otherwise a guess from its size.

    They differ in faxes.
    """
    resolution = image.info.get("dpi")
    named = (
        (float(resolution[0]), float(resolution[1]))
        if isinstance(resolution, tuple) and len(resolution) == 2
        else (0.0, 0.0)
    )
    inches = max(side / (dots or 1.0) for side, dots in zip(image.size, named, strict=True))
    if all(LEAST_DPI <= dots <= MOST_DPI for dots in named) and inches <= LONGEST_INCHES:
        return named
    longest = max(image.size)
    guess = max(LEAST_GUESS, min(MOST_GUESS, longest / PAGE_INCHES), longest / LONGEST_INCHES)
    return guess, guess


def orientation(image: "Image") -> int:
    """Which side is up, as a camera notes it; 1 for an image that says nothing."""
    noted = image.getexif().get(ORIENTATION_TAG, 1)
    return noted if noted in ORIENTATIONS else 1


class PdfFile:
    """A PDF with a picture on each page, written front to back."""

    def __init__(self, out: IO[bytes]) -> None:
        self._out = out
        self._places: dict[int, int] = {}
        self._pages: list[int] = []
        self._next = 3
        self._out.write(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")

    def add_page(self, picture: PackedFrame) -> None:
        """Add a page that the picture fills."""
        width, height = (
            picture.width * POINTS_PER_INCH / picture.dpi[0],
            picture.height * POINTS_PER_INCH / picture.dpi[1],
        )
        right_x, right_y, up_x, up_y = ORIENTATIONS[picture.orientation]
        across, down = (height, width) if picture.orientation > 4 else (width, height)
        a, b, c, d = right_x * width, right_y * width, up_x * height, up_y * height
        left, bottom = -min(0.0, a) - min(0.0, c), -min(0.0, b) - min(0.0, d)
        content = b"q %.4f %.4f %.4f %.4f %.4f %.4f cm /Im Do Q" % (a, b, c, d, left, bottom)
        image = self._stream(
            picture.packed,
            b"/Type /XObject /Subtype /Image /Width %d /Height %d %s"
            % (picture.width, picture.height, picture.entries),
        )
        drawn = self._stream(content, b"")
        page = b"<</Type /Page /Parent 2 0 R /MediaBox [0 0 %.4f %.4f] /Contents %d 0 R /Resources <</XObject <</Im %d 0 R>>>>>>"
        self._pages.append(self._add(page % (across, down, drawn, image)))

    def close(self) -> None:
        """Write the list of pages and where everything is."""
        kids = b" ".join(b"%d 0 R" % page for page in self._pages)
        self._add(b"<</Type /Catalog /Pages 2 0 R>>", 1)
        self._add(b"<</Type /Pages /Count %d /Kids [%s]>>" % (len(self._pages), kids), 2)
        start = self._out.tell()
        self._out.write(b"xref\n0 %d\n0000000000 65535 f \n" % self._next)
        self._out.writelines(b"%010d 00000 n \n" % self._places[number] for number in range(1, self._next))
        self._out.write(b"trailer\n<</Size %d /Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (self._next, start))

    def _stream(self, packed: bytes, entries: bytes) -> int:
        return self._add(b"<</Length %d %s>>\nstream\n%s\nendstream" % (len(packed), entries, packed))

    def _add(self, body: bytes, number: int | None = None) -> int:
        if number is None:
            number, self._next = self._next, self._next + 1
        self._places[number] = self._out.tell()
        self._out.write(b"%d 0 obj\n%s\nendobj\n" % (number, body))
        return number
