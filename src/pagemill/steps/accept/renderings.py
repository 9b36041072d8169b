"""Results of rendered documents that are used again: the PDF that pages are drawn from is copied before the job is made."""

from pagemill.db import results
from pagemill.mill import Mill
from pagemill.model.jobs import Result
from pagemill.model.options import ReadingOptions
from pagemill.model.pages import NOT_RENDERED
from pagemill.model.paths import rendered_key

# A larger PDF is made again by a worker: the caller waits for the copy.
MOST_COPIED_BYTES = 32 << 20


def needs_rendering(mill: Mill, found: Result, blob_key: str, options: ReadingOptions) -> bool:
    """Whether a document may have a result only together with the PDF that the result was read with."""
    return mill.will_render(blob_key, options) and NOT_RENDERED not in found.warnings


def copy_rendering(mill: Mill, found: Result, blob_key: str) -> bool:
    """Copy the PDF of a document that has a result to another with the same bytes; False if there is none.

    Without a copy the document is read as a new one, and a worker renders it: page images never start LibreOffice.
    """
    stored = mill.db.read(lambda conn: results.document_keys(conn, found))
    for key in map(rendered_key, stored):
        size_bytes = mill.blobs.size(key)
        if size_bytes is not None and size_bytes <= MOST_COPIED_BYTES:
            mill.blobs.copy(key, rendered_key(blob_key))
            return True
    return False
