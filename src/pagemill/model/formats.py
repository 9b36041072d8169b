"""Formats: the one table of what can be had of a document; routes, OpenAPI, command line and storage follow from it.

A new format is a row here and its maker: a writer in `reading/writers` if it is made with the result, a function in
`reading/artifacts` if it is made on demand.
"""

from dataclasses import dataclass

MARKDOWN = "text/markdown; charset=utf-8"
PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
NDJSON = "application/x-ndjson"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
ZIP = "application/zip"


@dataclass(frozen=True, slots=True)
class Format:
    """A format: its file in the blob store, its address below that of the job, and what its route says of it.

    Those `on_demand` are made from the JSON when they are first asked for; `drawn` ones need the document as well, and
    those that `needs_pages` are drawn onto its printed pages, which office files don't have. Where it `takes_cuts`, the
    caller says how the text is cut into pieces.
    """

    name: str
    file: str
    media_type: str
    route: str
    operation: str = ""
    summary: str = ""
    description: str = ""
    example: str = ""
    on_demand: bool = False
    drawn: bool = False
    needs_pages: bool = False
    takes_cuts: bool = False

    @property
    def bare_media_type(self) -> str:
        """The media type without its parameters."""
        return self.media_type.partition(";")[0]

    @property
    def is_text(self) -> bool:
        """Whether it can be looked at on a terminal."""
        return self.bare_media_type.startswith("text/") or self.name in (
            "json",
            "blocks",
            "chunks",
            "entities",
            "facts",
            "parts",
        )


TABLE = (
    Format(
        name="markdown",
        file="document.md",
        media_type=MARKDOWN,
        route="markdown",
        operation="get_markdown",
        summary="Get the document as Markdown",
        description="The whole document as Markdown; 202 with the job while it is unfinished.",
        example="# Annual report\n\nAll went well.",
    ),
    Format(
        name="json",
        file="document.json",
        media_type="application/json",
        route="result",
        operation="get_result",
        summary="Get the document as JSON",
        description="The whole document with its pages and blocks, each with its box; 202 with the job while it is unfinished.",
        example='{"schema_version": "1", "pages": []}',
    ),
    Format(
        name="text",
        file="document.txt",
        media_type="text/plain; charset=utf-8",
        route="text",
        operation="get_text",
        summary="Get the document as plain text",
        description="The whole document as plain text; 202 with the job while it is unfinished.",
        example="Annual report\n\nAll went well.",
    ),
    Format(
        name="html",
        file="document.html",
        media_type="text/html; charset=utf-8",
        route="html",
        operation="get_html",
        summary="Get the document as HTML",
        description="The whole document as HTML, served so that nothing in it can run; 202 with the job while it is unfinished.",
        example="<h1>Annual report</h1><p>All went well.</p>",
    ),
    Format(
        name="markdown_det",
        file="document.det.md",
        media_type=MARKDOWN,
        route="markdown_det",
        operation="get_markdown_det",
        summary="Get the Markdown with the places of all blocks",
        description=(
            "The Markdown with a comment for every page and every block that gives its place, "
            "for programs that point back.\n\n"
            "It is made the first time that it is asked for; 202 with the job while that takes longer than the request waits."
        ),
        on_demand=True,
    ),
    Format(
        name="tables",
        file="tables.xlsx",
        media_type=XLSX,
        route="tables.xlsx",
        operation="get_workbook",
        summary="Get all tables as a workbook",
        description=(
            "A workbook with a sheet for each table and an index in front; every cell is text, so nothing can be a formula."
        ),
        on_demand=True,
    ),
    Format(
        name="blocks",
        file="blocks.jsonl",
        media_type=NDJSON,
        route="blocks.jsonl",
        operation="get_blocks",
        summary="Get all blocks as JSON Lines",
        description=(
            "One line of JSON for each block, in reading order: the block as it is in the JSON of the document, with the "
            "number of its page. For programs that read blocks one by one."
        ),
        on_demand=True,
    ),
    Format(
        name="docx",
        file="document.docx",
        media_type=DOCX,
        route="document.docx",
        operation="get_docx",
        summary="Get the document as a Word file",
        description=(
            "The document for Word and LibreOffice: headings, lists and captions in styles, tables with their spans and "
            "repeated header rows, links, and figures with their images."
        ),
        on_demand=True,
        drawn=True,
    ),
    Format(
        name="chunks",
        file="chunks.jsonl",
        media_type=NDJSON,
        route="chunks",
        operation="get_chunks",
        summary="Get the document in chunks for retrieval",
        description=(
            "The text in pieces for a search index or a language model, one per line of JSON, each with the headings above it, "
            "its pages, blocks and boxes, where it begins and ends in the plain text, its tokens, and its "
            "neighbours.\n\nChunks begin at headings; sentences and the rows of tables stay whole, and a table that goes on "
            "repeats its header."
        ),
        on_demand=True,
        takes_cuts=True,
    ),
    Format(
        name="entities",
        file="entities.json",
        media_type="application/json",
        route="entities",
        operation="get_entities",
        summary="Get dates, amounts, numbers and names",
        description=(
            "What the document says of dates, amounts, percentages, e-mail and web addresses, telephone numbers, IBANs, VAT ids, "
            "numbers of invoices, orders and customers, and organisations; each with its normalised value, its page and its "
            "box.\n\n`valid` is true only for what was checked."
        ),
        example='{"schema": "pagemill/entities@1", "entities": []}',
        on_demand=True,
    ),
    Format(
        name="facts",
        file="facts.json",
        media_type="application/json",
        route="facts",
        operation="get_facts",
        summary="Get fields, check boxes, barcodes and the electronic invoice",
        description=(
            "The fields of the electronic invoice that the document carries or is (Factur-X, ZUGFeRD, XRechnung), pairs of a "
            "label and a value, check boxes, barcodes and signatures; each with its page and its box."
        ),
        example='{"schema": "pagemill/facts@1", "e_invoice": null, "key_values": [], "check_boxes": [], '
        '"barcodes": [], "signatures": []}',
        on_demand=True,
        drawn=True,
    ),
    Format(
        name="parts",
        file="parts.json",
        media_type="application/json",
        route="parts",
        operation="get_parts",
        summary="Get the type of the document, and where a stack is to be split",
        description=(
            "What the document is by its titles, labels and words (`unknown` if that does not tell), and the documents in a "
            "stack of scans: split at separator pages, empty pages, page numbers that begin again and titles. Each with its "
            "reasons; these are suggestions."
        ),
        example='{"schema": "pagemill/parts@1", "type": {"name": "invoice", "score": 0.9, "reasons": []}, "parts": []}',
        on_demand=True,
        drawn=True,
    ),
    Format(
        name="line_labels",
        file="line_labels.json",
        media_type="application/json",
        route="line_labels",
        operation="get_line_labels",
        summary="Get the lines of the pages with what they are",
        description=(
            "Every printed line with its `box`, its `role` (`heading`, `text`, `list_item`, …), its place in reading `order` and "
            "the `paragraph` that it belongs to, by the blocks of the document. Of a corrected document, this is what models of "
            "the layout are trained with; lines that are in no block are left out."
        ),
        example='{"schema": "pagemill/line-labels@1", "pages": [{"number": 1, "width": 595, "height": 842, "lines": []}]}',
        on_demand=True,
        drawn=True,
        needs_pages=True,
    ),
    # The images have no file that holds them all, and so no route of this table.
    Format(name="images", file="images", media_type="application/json", route="images", on_demand=True),
    Format(
        name="layout",
        file="layout.pdf",
        media_type=PDF,
        route="layout.pdf",
        operation="get_layout",
        summary="Get the document with its blocks drawn in",
        description=(
            "The pages of the document with a coloured, labelled box around every block, to see what was taken for what."
        ),
        on_demand=True,
        drawn=True,
        needs_pages=True,
    ),
    Format(
        name="searchable",
        file="searchable.pdf",
        media_type=PDF,
        route="searchable.pdf",
        operation="get_searchable",
        summary="Get the document with searchable text",
        description=(
            "The document with the recognised words of its scanned pages as a layer that can be searched and copied, "
            "not seen.\n\nPages that have text of their own are left as they are."
        ),
        on_demand=True,
        drawn=True,
        needs_pages=True,
    ),
    Format(
        name="pdfa",
        file="document.pdfa.pdf",
        media_type=PDF,
        route="document.pdfa.pdf",
        operation="get_pdfa",
        summary="Get the document as a searchable PDF/A",
        description=(
            "The pages as images with their words behind them, to be searched and copied, in a file that follows the rules of "
            "PDF/A-2b: it needs nothing that is not in it.\n\nMeant for scans; pages that have text of their own are images, too."
        ),
        on_demand=True,
        drawn=True,
        needs_pages=True,
    ),
    Format(
        name="view",
        file="view.html",
        media_type="text/html; charset=utf-8",
        route="view.html",
        operation="get_view",
        summary="Get the document as a browser shows it",
        description=(
            "For documents without printed pages, to be looked at beside their blocks: a web page without what could act or be "
            "fetched, any other document set from its blocks, with its images inside and the cells of sheets under their letters "
            "and numbers.\n\nIt is served so that nothing in it can run, and can be shown in a sandboxed frame."
        ),
        example='<section id="page-1" data-page="1"><h1>Annual report</h1></section>',
        on_demand=True,
        drawn=True,
    ),
    Format(
        name="archive",
        file="archive.zip",
        media_type=ZIP,
        route="archive.zip",
        operation="get_archive",
        summary="Get everything in one file",
        description="All artifacts, images and tables; Markdown and HTML in it refer to the images beside them.",
        on_demand=True,
        drawn=True,
    ),
)
BY_NAME = {one.name: one for one in TABLE}
# Made with the result, unless only some of them are asked for.
FORMATS = tuple(one.name for one in TABLE if not one.on_demand)
ARTIFACT_NAMES = {name: BY_NAME[name].file for name in FORMATS}
ON_DEMAND = {one.name: one for one in TABLE if one.on_demand}
# What may be asked for in `formats`.
EVERY_FORMAT = tuple(BY_NAME)
