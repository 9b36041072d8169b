"""Images as documents: what was seen in the image is seen on the page."""

import base64
import struct
import zlib
from pathlib import Path

import pypdfium2
import pytest
from PIL import Image, ImageChops, ImageOps, ImageStat

from pagemill.errors import ImageCorrupt, ImageTooLarge, TooManyPages
from pagemill.model.artifacts import CopyRequest
from pagemill.model.sniffing import media_type_of
from pagemill.reading.visits import copy_image
from tests import pictures

MODES = {
    "PNG": ("1", "L", "P", "LA", "RGB", "RGBA", "I;16"),
    "TIFF": ("1", "L", "P", "RGB", "RGBA", "CMYK", "I;16", "F"),
    "JPEG": ("L", "RGB", "CMYK"),
    "WEBP": ("RGB", "RGBA"),
    "GIF": ("P",),
    "BMP": ("1", "RGB"),
}
# A black quarter on white, 64 by 48 pixels, as a telephone stores it.
HEIC = base64.b64decode(
    "AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAX1tZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAACJp"
    "bG9jAAAAAERAAAEAAQAAAAABoQABAAAAAAAAACQAAAAjaWluZgAAAAAAAQAAABVpbmZlAgAAAAABAABodmMxAAAAAA5waXRtAAAAAAAB"
    "AAAA/WlwcnAAAADdaXBjbwAAAHZodmNDAQNwAAAAkAAAAAAAHvAA/P34+AAADwNgAAEAGEABDAH//wNwAAADAJAAAAMAAAMAHroCQGEA"
    "AQAqQgEBA3AAAAMAkAAAAwAAAwAeoCCBBZbq5Ka5uAhoMCAAAAMDIAAAAwAhYgABAAZEAcFzwIkAAAATY29scm5jbHgAAQANAAaAAAAA"
    "FGlzcGUAAAAAAAAAQAAAAEAAAAAoY2xhcAAAAEAAAAABAAAAMAAAAAEAAAAAAAAAAv////AAAAACAAAAEHBpeGkAAAAAAwgICAAAABhp"
    "cG1hAAAAAAAAAAEAAQWBAgMFhAAAACxtZGF0AAAAICgBrxmA9wZH/4tVuYspZydb9sOyBU0Pu0hHaBByGVrw"
)
CASES = [(form, mode) for form, modes in MODES.items() for mode in modes]


def copied(folder: Path, image: bytes, *, max_pages: int = 100, max_pixels: int = 10_000_000) -> Path:
    """The working copy of an image."""
    (folder / "in").write_bytes(image)
    copy_image(CopyRequest(str(folder / "in"), str(folder), "in.pdf", max_pages, max_pixels).to_bytes())
    return folder / "in.pdf"


def drawn(pdf: Path, number: int = 1, scale: float = 2) -> Image.Image:
    """A page as it is seen."""
    with pypdfium2.PdfDocument(pdf) as document:
        page: Image.Image = document[number - 1].render(scale=scale).to_pil().convert("RGB")
        return page


def sizes(pdf: Path) -> list[tuple[int, int]]:
    """The sizes of all pages, in points."""
    with pypdfium2.PdfDocument(pdf) as document:
        return [(round(width), round(height)) for width, height in (page.get_size() for page in document)]


@pytest.mark.parametrize(("form", "mode"), CASES)
def test_an_image_of_any_kind_becomes_a_page(tmp_path: Path, form: str, mode: str) -> None:
    grey = mode in ("I;16", "F")
    image = (pictures.corners().convert("L") if grey else pictures.corners()).convert(mode)
    asked = {"lossless": True} if form == "WEBP" else {}
    page = drawn(copied(tmp_path, pictures.encoded(image, form, **asked)), scale=96 / 72)
    dark = ImageStat.Stat(page.convert("L").crop((4, 4, 50, 30))).mean[0]
    light = ImageStat.Stat(page.convert("L").crop((100, 100, 200, 150))).mean[0]
    assert dark < 100
    assert light > 250
    assert page.size == (300, 200)


def test_a_jpeg_is_kept_as_it_is(tmp_path: Path) -> None:
    jpeg = pictures.encoded(pictures.corners(), "JPEG", quality=40)
    assert jpeg in copied(tmp_path, jpeg).read_bytes()


def test_other_images_lose_nothing(tmp_path: Path) -> None:
    noise = Image.effect_noise((200, 100), 80).convert("RGB")
    pdf = copied(tmp_path, pictures.encoded(noise, "PNG", dpi=(72, 72)))
    with pypdfium2.PdfDocument(pdf) as document:
        [image] = document[0].get_objects()
        kept = image.get_bitmap().to_pil().convert("RGB")
    assert ImageChops.difference(kept, noise).getbbox() is None


@pytest.mark.parametrize("orientation", range(1, 9))
def test_the_side_that_a_camera_says_is_up_is_up(tmp_path: Path, orientation: int) -> None:
    noted = Image.Exif()
    noted[0x0112] = orientation
    image = pictures.encoded(pictures.corners(), "JPEG", exif=noted, quality=95)
    page = drawn(copied(tmp_path, image))
    upright = ImageOps.exif_transpose(Image.open(tmp_path / "in")).convert("RGB").resize(page.size)
    assert ImageStat.Stat(ImageChops.difference(page, upright)).mean == pytest.approx([0, 0, 0], abs=1)


def test_each_frame_of_a_tiff_is_a_page(tmp_path: Path) -> None:
    wide, tall = pictures.corners((300, 200)), pictures.corners((200, 300))
    assert sizes(copied(tmp_path, pictures.frames(wide, tall, wide.convert("1")))) == [
        (225, 150),
        (150, 225),
        (225, 150),
    ]


def test_of_an_image_that_moves_the_first_frame_is_read(tmp_path: Path) -> None:
    first, second = pictures.corners(), Image.new("RGB", (300, 200), (0, 0, 0))
    moving = pictures.encoded(first, "GIF", save_all=True, append_images=[second])
    assert len(sizes(copied(tmp_path, moving))) == 1


@pytest.mark.parametrize(
    ("size", "dpi", "points"),
    [
        ((1240, 1754), (150, 150), (595, 842)),
        ((1240, 1754), (72, 72), (595, 842)),
        ((1240, 1754), (1, 1), (595, 842)),
        ((1728, 1078), (204, 98), (610, 792)),
        ((400, 300), (5000, 5000), (300, 225)),
    ],
    ids=["its own", "72 by default", "absurd", "fax", "too fine"],
)
def test_a_page_is_as_large_as_the_image_says_or_is_likely_to_be(
    tmp_path: Path, size: tuple[int, int], dpi: tuple[int, int], points: tuple[int, int]
) -> None:
    [found] = sizes(copied(tmp_path, pictures.encoded(Image.new("L", size, 255), "TIFF", dpi=dpi)))
    assert found == pytest.approx(points, abs=1)


def promising(width: int, height: int) -> bytes:
    """A small PNG that says it is large."""
    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    parts = [(b"IHDR", head), (b"IDAT", zlib.compress(b"\0" * 100)), (b"IEND", b"")]
    chunks = (
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


@pytest.mark.parametrize("size", [(60_000, 60_000), (1, 60_000)])
def test_an_image_that_is_too_large_is_refused_before_it_is_unpacked(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    with pytest.raises(ImageTooLarge):
        copied(tmp_path, promising(*size))


@pytest.mark.parametrize("form", ["PNG", "JPEG", "TIFF", "WEBP", "GIF", "BMP"])
def test_an_image_that_is_cut_off_is_said_to_be_damaged(tmp_path: Path, form: str) -> None:
    noise = Image.effect_noise((200, 100), 80).convert("RGB")
    whole = pictures.encoded(noise, form)
    with pytest.raises(ImageCorrupt):
        copied(tmp_path, whole[: len(whole) // 2])
    assert not list(tmp_path.glob("*.pdf*"))


def test_more_frames_than_pages_are_allowed_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TooManyPages):
        copied(tmp_path, pictures.frames(*[pictures.corners()] * 3), max_pages=2)


def test_a_photograph_of_a_telephone_becomes_a_page(tmp_path: Path) -> None:
    assert media_type_of(HEIC) == "image/heic"
    page = drawn(copied(tmp_path, HEIC), scale=96 / 72).convert("L")
    assert page.size == (64, 48)
    assert ImageStat.Stat(page.crop((4, 4, 24, 18))).mean[0] < 60
    assert ImageStat.Stat(page.crop((40, 30, 60, 44))).mean[0] > 200


@pytest.mark.parametrize("form", ["AVIF", "JPEG2000"])
def test_further_formats_of_images_become_pages(tmp_path: Path, form: str) -> None:
    image = pictures.encoded(pictures.corners().convert("RGB"), form)
    assert media_type_of(image) in ("image/avif", "image/jp2")
    assert drawn(copied(tmp_path, image), scale=96 / 72).size == (300, 200)
