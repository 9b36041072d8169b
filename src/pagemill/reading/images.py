"""Images as documents: a PDF is made of them once, one page for each frame, and read like any other.

A JPEG is put into it as it is; all others are packed without loss. What a camera says about which side is up is heeded.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from pagemill.errors import ImageCorrupt, ImageTooLarge, TooManyPages
from pagemill.model.artifacts import CopyRequest
from pagemill.reading.artifacts.pdf_writer import PdfWriter, plain_stream, written_pdf
from pagemill.reading.artifacts.stored import appearing
from pagemill.reading.pdf.render import POINTS_PER_INCH

if TYPE_CHECKING:
    from PIL.Image import Image

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
        written_pdf(part) as pdf,
    ):
        tree = pdf.reserve()
        pdf.add_tree([add_page(pdf, tree, picture) for picture in pictures(image, request)], tree)
        pdf.close(pdf.add(b"<</Type /Catalog /Pages %d 0 R>>" % tree))


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


def add_page(pdf: PdfWriter, tree: int, picture: PackedFrame) -> int:
    """Add a page that the picture fills; its number."""
    width = picture.width * POINTS_PER_INCH / picture.dpi[0]
    height = picture.height * POINTS_PER_INCH / picture.dpi[1]
    right_x, right_y, up_x, up_y = ORIENTATIONS[picture.orientation]
    across, down = (height, width) if picture.orientation > 4 else (width, height)
    a, b, c, d = right_x * width, right_y * width, up_x * height, up_y * height
    left, bottom = -min(0.0, a) - min(0.0, c), -min(0.0, b) - min(0.0, d)
    size = b"/Width %d /Height %d" % (picture.width, picture.height)
    image = pdf.add(
        plain_stream(picture.packed, b"/Type /XObject /Subtype /Image %s %s" % (size, picture.entries))
    )
    content = b"q %.4f %.4f %.4f %.4f %.4f %.4f cm /Im Do Q" % (a, b, c, d, left, bottom)
    drawn = pdf.add(plain_stream(content))
    page = b"<</Type /Page /Parent %d 0 R /MediaBox [0 0 %.4f %.4f] /Contents %d 0 R /Resources <</XObject <</Im %d 0 R>>>>>>"
    return pdf.add(page % (tree, across, down, drawn, image))
