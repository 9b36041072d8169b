"""Figures: a list of them, and each as an image, cut out of its page."""

from pathlib import Path
from typing import TYPE_CHECKING

import pypdfium2

from pagemill.errors import NotFound
from pagemill.model.artifacts import MadeFile
from pagemill.model.pages import Block, Box, Page
from pagemill.reading.artifacts.stored import Original, appearing, made_file
from pagemill.reading.office.embedded import embedded_image
from pagemill.reading.pdf.render import POINTS_PER_INCH, fitting_dpi, page_to_draw
from pagemill.reading.stored_document import StoredDocument
from pagemill.reading.writers.figures import captions, has_image

if TYPE_CHECKING:
    from PIL.Image import Image

DPI = 200
MAX_PIXELS = 40_000_000
IMAGE_FORMATS = {"png": "PNG", "jpg": "JPEG"}
# PIL turns the other way round.
TURNS = {90: "ROTATE_270", 180: "ROTATE_180", 270: "ROTATE_90"}


def list_figures(document: StoredDocument, _: Original, __: Path) -> tuple[MadeFile, ...]:
    """What figures there are; each is drawn when its image is asked for."""
    return tuple(
        MadeFile(
            f"{block.id}.png",
            page=page.number,
            caption=known.get(block.id) or block.text,
            box=block.box.sides if block.box else None,
        )
        for page in document.pages()
        for known in [captions(page.blocks)]
        for block in figures_of(page)
    )


def figures_of(page: Page) -> list[Block]:
    """The figures of a page that there are images of."""
    return [block for block in page.blocks if has_image(block)]


def one(document: StoredDocument, original: Original, folder: Path, name: str) -> MadeFile:
    """Draw the image of one figure, called as in the list, or with `.jpg` in place of `.png`."""
    block_id, _, suffix = name.partition(".")
    page = document.page(int(block_id[1:].partition("-")[0]))
    block = next((block for block in figures_of(page) if block.id == block_id), None) if page else None
    if page is None or block is None:
        raise NotFound(f"The document has no figure {name}.")
    image = figure_image(original, page, block)
    with appearing(folder / name) as part:
        (image if suffix == "png" else on_white(image)).save(part, IMAGE_FORMATS[suffix])
    return made_file(folder / name)


def figure_image(original: Original, page: Page, block: Block) -> "Image":
    """The image of a figure: the file of it in the document, or what the page shows in its place."""
    if block.origin is not None:
        return embedded_image(original.path, block.origin.part or "", original.password)
    with original.open_pdf() as pdf:
        return upright(pdf, page).crop_to(block)


def on_white(image: "Image") -> "Image":
    """An image without transparent parts."""
    import PIL.Image

    flat = PIL.Image.new("RGB", image.size, "white")
    flat.paste(image, mask=image.convert("RGBA").getchannel("A"))
    return flat


class Drawn:
    """A page that was drawn, upright."""

    def __init__(self, image: "Image", page: Page) -> None:
        self.image = image
        # Pixels per point, across and down.
        self.scale = image.width / (page.width or image.width), image.height / (page.height or image.height)

    def crop_to(self, block: Block) -> "Image":
        """The part of the page that a block takes up."""
        box, (across, down) = block.box or Box(0, 0, 0, 0), self.scale
        left, top = max(int(box.x * across), 0), max(int(box.y * down), 0)
        right, bottom = (
            min(int(box.right * across) + 1, self.image.width),
            min(int(box.bottom * down) + 1, self.image.height),
        )
        return self.image.crop((left, top, max(right, left + 1), max(bottom, top + 1)))


def upright(pdf: pypdfium2.PdfDocument, page: Page) -> Drawn:
    """Draw a page, at a resolution at which it does not have too many pixels."""
    from PIL.Image import Transpose

    with page_to_draw(pdf, page.number) as sheet:
        width, height = sheet.get_size()
        dpi = fitting_dpi(width, height, DPI, MAX_PIXELS)
        image = sheet.render(scale=dpi / POINTS_PER_INCH).to_pil().convert("RGB")
    turned = TURNS.get(page.turned)
    return Drawn(image.transpose(Transpose[turned]) if turned else image, page)
