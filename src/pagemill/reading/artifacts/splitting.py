"""A stack of scans split into documents: some of its pages as PDFs of their own."""

from pathlib import Path

import pypdfium2

from pagemill.model.visits import SplitRequest, UnpackAnswer, UnpackedFile
from pagemill.reading.pdf.inspection import opened_again


def split_pdf(request: SplitRequest) -> UnpackAnswer:
    """Write each run of pages into a file of the scratch folder, named after the document and its pages; up to the limits."""
    files: list[UnpackedFile] = []
    left = request.most_bytes
    with opened_again(request.path, request.password) as pdf:
        for first, last in request.parts[: request.most_files]:
            file = f"part-{first}-{last}.pdf"
            written = Path(request.scratch) / file
            part = pypdfium2.PdfDocument.new()
            try:
                part.import_pages(pdf, list(range(first - 1, last)))
                part.save(str(written))
            finally:
                part.close()
            # What parts share, such as a font or an image, is in each of them, so they may be larger than the whole.
            left -= written.stat().st_size
            if left < 0:
                written.unlink()
                return UnpackAnswer(tuple(files), more=True)
            pages = f"page {first}" if first == last else f"pages {first}-{last}"
            files.append(UnpackedFile(f"{request.stem}, {pages}.pdf", file))
    return UnpackAnswer(tuple(files), more=len(request.parts) > request.most_files)
