"""document.pdfa.pdf: the pages as images with their words behind them, for archives (PDF/A-2b).

Nothing of the document itself is taken over but what its pages look like: so there is no font that is not embedded, no
colour that depends on the device, no script and no transparency, whatever the document has.
"""

import io
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape

import pypdfium2
from PIL import Image, ImageCms

from pagemill.model.artifacts import MadeFile
from pagemill.model.formats import ON_DEMAND
from pagemill.model.pages import Line, Page
from pagemill.reading.artifacts.glyphless import UnseenFont
from pagemill.reading.artifacts.pdf_writer import PdfWriter, packed_stream, plain_stream, written_pdf
from pagemill.reading.artifacts.placing import Matrix, ShownPage, placing, turn
from pagemill.reading.artifacts.searchable import FONT_NAME, line_text
from pagemill.reading.artifacts.stored import Original, appearing, made_file
from pagemill.reading.clean import clean
from pagemill.reading.pdf.render import POINTS_PER_INCH, fitting_dpi, page_to_draw
from pagemill.reading.providers.pdfium import lines_of
from pagemill.reading.stored_document import StoredDocument

DPI, MOST_PIXELS, JPEG_QUALITY = 200, 40_000_000, 85
# A page whose colours differ by no more than this is kept in grey.
GREY_DIFFERENCE = 12
# Where the profile has its date and the hash over it, which would make each file another one.
PROFILE_DATE, PROFILE_HASH = slice(24, 36), slice(84, 100)
METADATA = """<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/"><pdfaid:part>2</pdfaid:part>\
<pdfaid:conformance>B</pdfaid:conformance></rdf:Description>
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:format>application/pdf</dc:format>\
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">{title}</rdf:li></rdf:Alt></dc:title></rdf:Description>
<rdf:Description rdf:about="" xmlns:pdf="http://ns.adobe.com/pdf/1.3/"><pdf:Producer>pagemill</pdf:Producer></rdf:Description>
</rdf:RDF></x:xmpmeta>
<?xpacket end="w"?>"""


def make_pdfa(document: StoredDocument, original: Original, folder: Path) -> tuple[MadeFile, ...]:
    """Write the pages of the document for an archive."""
    file = folder / ON_DEMAND["pdfa"].file
    facts = document.facts()
    with (
        appearing(file) as part,
        original.open_pdf() as source,
        written_pdf(part) as pdf,
    ):
        book = ArchivedBook(pdf)
        for page in document.pages():
            book.add_page(source, page)
        book.close(facts.title or "", (facts.sha256 or "0" * 64)[:32])
    return (made_file(file),)


class ArchivedBook:
    """The pages of a PDF/A, written one by one."""

    def __init__(self, pdf: PdfWriter) -> None:
        self._pdf = pdf
        self._tree = pdf.reserve()
        self._font = UnseenFont(pdf)
        self._pages: list[int] = []

    def add_page(self, source: pypdfium2.PdfDocument, page: Page) -> None:
        """Add a page as it looks, with its words where they are."""
        with page_to_draw(source, page.number) as drawn:
            width, height = drawn.get_size()
            dpi = fitting_dpi(width, height, DPI, MOST_PIXELS)
            image = self._add_image(drawn.render(scale=dpi / POINTS_PER_INCH).to_pil())
            words = self._words(*placed_lines(page, drawn, width, height))
        content = f"q {width:.4f} 0 0 {height:.4f} 0 0 cm /Page Do Q\n{words}".encode("ascii")
        written = self._pdf.add(packed_stream(content))
        entries = b"/Parent %d 0 R /MediaBox [0 0 %.4f %.4f] /Contents %d 0 R" % (
            self._tree,
            width,
            height,
            written,
        )
        fonts = b"/Font <</%s %d 0 R>>" % (FONT_NAME.encode(), self._font.number)
        made = b"<</Type /Page %s /Resources <</XObject <</Page %d 0 R>> %s>>>>" % (entries, image, fonts)
        self._pages.append(self._pdf.add(made))

    def close(self, title: str, identity: str) -> None:
        """Write what belongs to all pages."""
        self._font.close()
        self._pdf.add_tree(self._pages, self._tree)
        metadata = METADATA.format(title=escape(clean(title))).encode()
        about = self._pdf.add(plain_stream(metadata, b"/Type /Metadata /Subtype /XML"))
        profile = self._pdf.add(packed_stream(srgb_profile(), b"/N 3"))
        catalog = self._pdf.add(
            b"<</Type /Catalog /Pages %d 0 R /Metadata %d 0 R /OutputIntents [<</Type /OutputIntent /S /GTS_PDFA1 "
            b"/OutputConditionIdentifier (sRGB IEC61966-2.1) /Info (sRGB IEC61966-2.1) /DestOutputProfile %d 0 R>>]>>"
            % (self._tree, about, profile)
        )
        self._pdf.close(catalog, identity.encode())

    def _words(self, lines: Sequence[Line], matrix: Matrix) -> str:
        kept = [line for line in lines if line.text.strip() and line.box.width > 0 and line.box.height > 0]
        if not kept:
            return ""
        written = "".join(line_text(line, self._font, matrix) for line in kept)
        return f"BT 3 Tr /{FONT_NAME} 1 Tf\n{written}ET\n"

    def _add_image(self, image: Image.Image) -> int:
        colour = image.convert("RGB")
        kept = colour.convert("L") if is_grey(colour) else colour
        out = io.BytesIO()
        kept.save(out, "JPEG", quality=JPEG_QUALITY)
        space = b"DeviceGray" if kept.mode == "L" else b"DeviceRGB"
        entries = b"/Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /%s" % (*kept.size, space)
        coded = b"/BitsPerComponent 8 /Filter /DCTDecode"
        return self._pdf.add(plain_stream(out.getvalue(), b"%s %s" % (entries, coded)))


def placed_lines(
    page: Page, drawn: pypdfium2.PdfPage, width: float, height: float
) -> tuple[Sequence[Line], Matrix]:
    """The lines that were recognised on a page, else those of its text, and the map to where they are seen."""
    if page.lines:
        return page.lines, placing(page, ShownPage(0.0, 0.0, width, height, 0))
    rotation = drawn.get_rotation()
    unrotated = (height, width) if rotation % 180 else (width, height)
    seen = turn(rotation, *unrotated).then(Matrix(1, 0, 0, -1, 0, height))
    return [Line(piece.text, piece.box) for piece in lines_of(drawn)], seen


def is_grey(image: Image.Image) -> bool:
    """Whether an image has no colours, looked at from afar."""
    small = image.resize((max(1, image.width // 8), max(1, image.height // 8)))
    saturation = small.convert("HSV").getchannel("S")
    value = small.convert("HSV").getchannel("V")
    colourful = (
        strength * light // 255 for strength, light in zip(saturation.tobytes(), value.tobytes(), strict=True)
    )
    return max(colourful, default=0) <= GREY_DIFFERENCE


def srgb_profile() -> bytes:
    """The profile of the colours, the same bytes each time."""
    profile = bytearray(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
    profile[PROFILE_DATE] = b"\x07\xea\0\x01\0\x01\0\0\0\0\0\0"
    profile[PROFILE_HASH] = bytes(16)
    return bytes(profile)
