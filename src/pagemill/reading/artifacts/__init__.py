"""Artifacts that are made on demand, from document.json and, where something is drawn, from the document itself."""

from collections.abc import Callable
from pathlib import Path

from pagemill.errors import NoPageImage
from pagemill.model.artifacts import MadeFile, MakeAnswer, MakeRequest
from pagemill.model.file_types import is_office
from pagemill.model.formats import ON_DEMAND
from pagemill.model.passages import PassageOptions
from pagemill.reading.artifacts import (
    archive,
    facts,
    figures,
    line_labels,
    overlay,
    parts,
    pdfa,
    searchable,
    tables,
    view,
    word_file,
)
from pagemill.reading.artifacts.stored import Original, write_files
from pagemill.reading.stored_document import StoredDocument
from pagemill.reading.tokenizer import Tokenizer, TokenizerFile, load_tokenizer
from pagemill.reading.writers.base import Writer
from pagemill.reading.writers.block_lines import BlockLinesWriter
from pagemill.reading.writers.chunks import ChunksWriter
from pagemill.reading.writers.entities import EntitiesWriter
from pagemill.reading.writers.markdown_det import MarkedMarkdownWriter

Files = tuple[MadeFile, ...]
Maker = Callable[[StoredDocument, Original, Path], Files]


def written_by(make_writer: Callable[[Path], Writer]) -> Maker:
    """The maker of what a writer makes of the pages."""
    return lambda document, _, folder: write_files(document, make_writer(folder))


MAKERS: dict[str, Maker] = {
    "markdown_det": written_by(MarkedMarkdownWriter),
    # They are cut as they are searched.
    "chunks": written_by(lambda folder: ChunksWriter(folder, PassageOptions())),
    "entities": written_by(EntitiesWriter),
    "facts": facts.make_facts,
    "parts": parts.make_parts,
    "line_labels": line_labels.make_line_labels,
    "tables": tables.make_tables,
    "blocks": written_by(BlockLinesWriter),
    "docx": word_file.make_docx,
    "images": figures.list_figures,
    "layout": overlay.make_layout,
    "searchable": searchable.make_searchable,
    "pdfa": pdfa.make_pdfa,
    "view": view.make_view,
    "archive": archive.make_archive,
}


def make_files(request: MakeRequest) -> MakeAnswer:
    """Make an artifact in the scratch folder."""
    document = StoredDocument(request.document_json, request.index)
    original, folder = Original(request.path, request.password), Path(request.scratch)
    if is_office(request.path) and ON_DEMAND[request.name].needs_pages:
        raise NoPageImage
    if request.only:
        return MakeAnswer((figures.one(document, original, folder, request.only),))
    if not request.variant:
        return MakeAnswer(MAKERS[request.name](document, original, folder))
    cut = PassageOptions.from_variant(request.variant)
    tokenizer = tokenizer_of(request, cut)
    if request.name == "archive":
        return MakeAnswer(archive.make_archive(document, original, folder, tokenizer))
    return MakeAnswer(write_files(document, ChunksWriter(folder, cut, tokenizer)))


def tokenizer_of(request: MakeRequest, cut: PassageOptions) -> Tokenizer | None:
    """The tokenizer that counts the tokens of chunks; None if they are estimated."""
    return load_tokenizer(TokenizerFile(request.tokenizer, cut.tokenizer)) if cut.tokenizer else None
