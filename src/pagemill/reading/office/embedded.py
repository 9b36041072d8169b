"""Images inside of office files."""

import io
from typing import IO, TYPE_CHECKING

from pagemill.errors import DocumentCorrupt, ImageTooLarge, PageUnreadable
from pagemill.model.sniffing import OLE_MARK
from pagemill.reading.office.ole_files import ole_type, opened_with_password
from pagemill.reading.office.package import Package

if TYPE_CHECKING:
    from PIL.Image import Image

MAX_PIXELS = 40_000_000
_MODES = ("1", "L", "LA", "P", "RGB", "RGBA")


def embedded_image(path: str, part: str, password: str | None = None) -> "Image":
    """An image by the name of its part; PageUnreadable if it can't be decoded."""
    import PIL.Image

    raw = embedded_bytes(path, part, password)
    try:
        image = PIL.Image.open(io.BytesIO(raw))
        if image.width * image.height > MAX_PIXELS:
            raise ImageTooLarge.because(
                f"The image has {image.width} by {image.height} pixels.", max_pixels=MAX_PIXELS
            )
        image.load()
        return image if image.mode in _MODES else image.convert("RGB")
    except (OSError, SyntaxError, ValueError, EOFError, KeyError, TypeError) as error:
        raise PageUnreadable("The image inside of the document can't be decoded.") from error


def embedded_bytes(path: str, part: str, password: str | None) -> bytes:
    """The bytes of a part of a package, or of what anydoc finds in other files."""
    with open(path, "rb") as file:
        head = file.read(len(OLE_MARK))
    if head.startswith(b"PK"):
        return Package(path).read(part)
    if head == OLE_MARK and ole_type(path) == "encrypted":
        unlocked: IO[bytes] = opened_with_password(path, password)
        return Package(unlocked).read(part)
    return _asset(path, part)


def _asset(path: str, part: str) -> bytes:
    import anydoc

    from pagemill.reading.office.anydoc_blocks import trouble

    with open(path, "rb") as file:
        raw = file.read()
    try:
        assets = anydoc.to_document(raw).assets
    except anydoc.ConvertError as error:
        raise trouble(error) from error
    for asset in assets:
        if asset.origin_part == part:
            return bytes(asset.data)
    raise DocumentCorrupt("The document has no such image.")
