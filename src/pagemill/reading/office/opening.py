"""Opening a file of any format of this room: what it is, its content says."""

import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from pagemill.errors import DocumentCorrupt, DocumentError, DocumentTooLarge, NoPages, UnsupportedContent
from pagemill.model.file_types import ARCHIVE_SUFFIXES, settle_type
from pagemill.model.pages import NOT_RENDERED, OFFICE, RENDERED, Page, Route
from pagemill.model.sniffing import OLE_MARK, SNIFF_BYTES, media_type_of
from pagemill.reading.office.charset import decode
from pagemill.reading.office.flow import Flow, flow_pages
from pagemill.reading.office.ole_files import ole_type, opened_with_password
from pagemill.reading.office.package import Package, content_types, main_part
from pagemill.reading.office.reading_limits import MAX_TEXT_BYTES
from pagemill.reading.office.writing import paragraph

if TYPE_CHECKING:
    from pagemill.reading.office.sheets.workbook import Workbook

PROVIDER = OFFICE
FILE_STRUCTURE = "file_structure"
# What readers stumble over when a file says what no program would write.
DAMAGE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
_OOXML = {"wordprocessingml": "docx", "presentationml": "pptx", "spreadsheetml": "xlsx"}


class Pages(Protocol):
    """A document whose pages can be asked for."""

    @property
    def total_pages(self) -> int:
        """How many pages there are."""
        ...

    def pages(self, numbers: Sequence[int]) -> Iterator[Page]:
        """The pages with these numbers."""
        ...


@dataclass(frozen=True, slots=True)
class FlowPages:
    """The pages of a document that flows, all of them in memory."""

    kept: tuple[Page, ...]

    @property
    def total_pages(self) -> int:
        """How many pages there are."""
        return len(self.kept)

    def pages(self, numbers: Sequence[int]) -> Iterator[Page]:
        """The pages with these numbers."""
        return (self.kept[one - 1] for one in numbers)


@dataclass
class OfficeDocument:
    """A document of this room: how many pages it has, what to warn about, and its pages."""

    document: Pages
    warnings: dict[str, None] = field(default_factory=dict)
    package: Package | None = None
    reason: str = FILE_STRUCTURE

    @property
    def total_pages(self) -> int:
        """How many pages there are."""
        return self.document.total_pages

    def pages(self, numbers: Sequence[int]) -> Iterator[Page]:
        """The pages with these numbers, in order."""
        for page in self._read(numbers):
            blank = "no_text" if self.reason == FILE_STRUCTURE else self.reason
            route, reason = (Route.NATIVE, self.reason) if page.blocks or page.error else (Route.BLANK, blank)
            yield replace(page, route=route, reason=reason)

    def _read(self, numbers: Sequence[int]) -> Iterator[Page]:
        try:
            yield from self.document.pages(numbers)
        except RecursionError as error:
            raise DocumentTooLarge.because("Parts of the document are nested too deeply.") from error
        except DAMAGE as error:
            raise DocumentCorrupt from error

    def render(self, rendered: str) -> None:
        """Take pages and boxes from a PDF that was made of the document, if its pages are those of the document."""
        from pagemill.reading.office.rendered import place_on_rendering

        try:
            placed = place_on_rendering(self.document, rendered, PROVIDER)
        except (DocumentError, *DAMAGE):
            placed = None
        if placed is None:
            self.warnings[NOT_RENDERED] = None
        else:
            self.document, self.reason = placed, RENDERED

    def found_warnings(self) -> tuple[str, ...]:
        """What to warn about, as far as the document was read."""
        return tuple((self.package.warnings if self.package else {}) | self.warnings)


def open_office(
    path: str, password: str | None = None, changes: str = "final", rendered: str | None = None
) -> OfficeDocument:
    """Open a document, with the PDF that was made of it if there is one; an error says why it can't be read."""
    try:
        document = _open(path, password, changes)
        if document.total_pages == 0:
            raise NoPages
        if rendered:
            document.render(rendered)
    except RecursionError as error:
        raise DocumentTooLarge.because("Parts of the document are nested too deeply.") from error
    except DAMAGE as error:
        raise DocumentCorrupt from error
    return document


def _open(path: str, password: str | None, changes: str) -> OfficeDocument:
    with open(path, "rb") as file:
        head = file.read(SNIFF_BYTES)
    if path.endswith(ARCHIVE_SUFFIXES):
        return _archive(path)
    if head.startswith(b"PK"):
        package = Package(path)
        return read_or_fall_back(
            path, lambda: _kind_or_none(package), lambda: _package(package, path, changes)
        )
    if head.startswith(OLE_MARK):
        return _compound_file(path, password, changes)
    return _text(path, settle_type(media_type_of(head) or "text/plain", path))


def _package(package: Package, path: str, changes: str) -> OfficeDocument:
    kind = package_kind(package)
    match kind:
        case "docx":
            from pagemill.reading.office.docx.document import docx_flow

            return OfficeDocument(_flowing(docx_flow(package, changes)), package=package)
        case "pptx":
            from pagemill.reading.office.pptx.deck import Deck

            return OfficeDocument(Deck(package), package=package)
        case "xlsx":
            from pagemill.reading.office.sheets.xlsx import read_xlsx

            return OfficeDocument(_check_workbook(read_xlsx(package, path)), package=package)
        case "xlsb":
            from pagemill.reading.office.sheets.xlsx import read_workbook

            return OfficeDocument(_check_workbook(read_workbook(path)), package=package)
        case "odp":
            from pagemill.reading.office.odp import OdpDeck

            return OfficeDocument(OdpDeck(package), package=package)
        case "ods":
            from pagemill.reading.office.sheets.ods import read_ods

            return OfficeDocument(read_ods(package), package=package)
        case "odt" | "epub":
            return _by_anydoc(path, kind)
    raise UnsupportedContent("The archive holds no document that can be read.")


def _check_workbook(workbook: "Workbook") -> "Workbook":
    workbook.check_sheets()
    return workbook


def _archive(path: str) -> OfficeDocument:
    from pagemill.reading.office.archives import archive_flow

    warnings: dict[str, None] = {}
    return OfficeDocument(_flowing(archive_flow(path, warnings)), warnings)


def _kind_or_none(package: Package) -> str | None:
    """What a package holds; None if it is too damaged for that."""
    try:
        return package_kind(package)
    except DocumentCorrupt:
        return None


def read_or_fall_back(
    path: str, kind: Callable[[], str | None], read: Callable[[], OfficeDocument]
) -> OfficeDocument:
    """The document as its reader has it, or as a second one has it if the first refuses the file as damaged."""
    try:
        return read()
    except (DocumentCorrupt, *DAMAGE) as refusal:
        from pagemill.reading.office.fallbacks import second_reading

        second = second_reading(path, kind())
        if second is None:
            raise refusal
        return OfficeDocument(second.pages, {second.warning: None})


def package_kind(package: Package) -> str | None:
    """What a package holds."""
    if package.has("mimetype"):
        declared = package.read("mimetype")[:200].decode("ascii", "replace").strip()
        kinds = {"text": "odt", "presentation": "odp", "spreadsheet": "ods"}
        return "epub" if declared == "application/epub+zip" else kinds.get(declared.rpartition(".")[2])
    main = main_part(package, "")
    declared = content_types(package).get(main, "")
    for word, kind in _OOXML.items():
        if word in declared:
            return kind
    folders = {
        "word/document.xml": "docx",
        "ppt/presentation.xml": "pptx",
        "xl/workbook.xml": "xlsx",
        "xl/workbook.bin": "xlsb",
    }
    return next((kind for part, kind in folders.items() if package.has(part)), None)


def _flowing(flow: Flow) -> FlowPages:
    return FlowPages(flow_pages(flow, PROVIDER))


def _by_anydoc(path: str, kind: str) -> OfficeDocument:
    from pagemill.reading.office.anydoc_blocks import read_anydoc

    return OfficeDocument(_flowing(read_anydoc(Path(path).read_bytes(), kind)))


def _doc(path: str) -> OfficeDocument:
    """A Word document of the old format; its text boxes come after the rest."""
    from pagemill.reading.office.anydoc_blocks import read_anydoc
    from pagemill.reading.office.doc_text_boxes import read_text_boxes

    flow = read_anydoc(Path(path).read_bytes(), "doc")
    flow.add(*(replace(paragraph(words), role="text_box") for words in read_text_boxes(path)))
    return OfficeDocument(_flowing(flow))


def _slides_by_anydoc(path: str) -> OfficeDocument:
    """A presentation, its blocks on the slides that its records name."""
    from pagemill.reading.office.anydoc_blocks import read_anydoc
    from pagemill.reading.office.ppt import pages_by_slide
    from pagemill.reading.office.ppt_records import read_ppt_deck

    flow = read_anydoc(Path(path).read_bytes(), "ppt")
    try:
        deck = read_ppt_deck(path)
    except DocumentCorrupt:
        return OfficeDocument(_flowing(flow))
    return OfficeDocument(pages_by_slide(flow, deck) if deck.slides else _flowing(flow))


def _compound_file(path: str, password: str | None, changes: str) -> OfficeDocument:
    match ole_type(path):
        case "encrypted":
            return _unlock(path, password, changes)
        case "doc":
            return read_or_fall_back(path, lambda: "doc", lambda: _doc(path))
        case "ppt":
            return read_or_fall_back(path, lambda: "ppt", lambda: _slides_by_anydoc(path))
        case "xls":
            from pagemill.reading.office.sheets.xlsx import read_workbook

            return read_or_fall_back(
                path, lambda: "xls", lambda: OfficeDocument(_check_workbook(read_workbook(path)))
            )
        case "msg":
            from pagemill.reading.office.mail import mail_flow, read_msg

            warnings: dict[str, None] = {}
            return OfficeDocument(_flowing(mail_flow(read_msg(path), warnings)), warnings)
    raise UnsupportedContent("The file holds no document that can be read.")


def _unlock(path: str, password: str | None, changes: str) -> OfficeDocument:
    """A package behind a password, which is only ever opened in memory."""
    opened = opened_with_password(path, password)
    package = Package(opened)
    if package_kind(package) == "xlsx":
        from pagemill.reading.office.sheets.xlsx import read_xlsx

        return OfficeDocument(read_xlsx(package, io.BytesIO(opened.getvalue())), package=package)
    return _package(package, "", changes)


def _text(path: str, media_type: str) -> OfficeDocument:
    if Path(path).stat().st_size > MAX_TEXT_BYTES:
        raise DocumentTooLarge.because(
            f"A text of more than {MAX_TEXT_BYTES >> 20} MiB can't be read.", limit=MAX_TEXT_BYTES
        )
    raw = Path(path).read_bytes()
    warnings: dict[str, None] = {}
    if media_type == "application/rtf":
        return read_or_fall_back(path, lambda: "rtf", lambda: _by_anydoc(path, "rtf"))
    if media_type in ("text/csv", "text/tab-separated-values"):
        from pagemill.reading.office.delimited import DelimitedTable

        return OfficeDocument(DelimitedTable(decode(raw), "\t" if media_type.endswith("values") else None))
    read = _TEXT_READERS.get(media_type, _read_plain)
    return OfficeDocument(_flowing(read(raw, warnings)), warnings)


def _read_plain(raw: bytes, _: dict[str, None]) -> Flow:
    from pagemill.reading.office.plain_text import paragraphs

    return paragraphs(decode(raw))


def _read_html(raw: bytes, warnings: dict[str, None]) -> Flow:
    from pagemill.reading.office.web_pages import read_html

    return read_html(decode(raw), warnings)


def _read_mhtml(raw: bytes, warnings: dict[str, None]) -> Flow:
    from pagemill.reading.office.mail import read_mhtml

    return read_mhtml(raw, warnings)


def _read_eml(raw: bytes, warnings: dict[str, None]) -> Flow:
    from pagemill.reading.office.mail import mail_flow, read_eml

    return mail_flow(read_eml(raw), warnings)


def _read_markdown(raw: bytes, warnings: dict[str, None]) -> Flow:
    from pagemill.reading.office.markdown_pages import read_markdown

    return read_markdown(decode(raw), warnings)


def _read_light_markup(raw: bytes, _: dict[str, None]) -> Flow:
    from pagemill.reading.office.plain_text import light_markup

    return light_markup(decode(raw))


def _read_subtitles(raw: bytes, _: dict[str, None]) -> Flow:
    from pagemill.reading.office.plain_text import subtitles

    return subtitles(decode(raw))


def _read_svg(raw: bytes, warnings: dict[str, None]) -> Flow:
    from pagemill.reading.office.svg import read_svg

    return read_svg(raw, warnings)


def _code_reader(lang: str) -> Callable[[bytes, dict[str, None]], Flow]:
    def read(raw: bytes, _: dict[str, None]) -> Flow:
        from pagemill.reading.office.plain_text import code

        return code(decode(raw), lang)

    return read


_TEXT_READERS: dict[str, Callable[[bytes, dict[str, None]], Flow]] = {
    "text/html": _read_html,
    "multipart/related": _read_mhtml,
    "message/rfc822": _read_eml,
    "text/markdown": _read_markdown,
    "text/x-rst": _read_light_markup,
    "text/asciidoc": _read_light_markup,
    "text/vtt": _read_subtitles,
    "application/x-subrip": _read_subtitles,
    "image/svg+xml": _read_svg,
    "application/json": _code_reader("json"),
    "application/xml": _code_reader("xml"),
}
