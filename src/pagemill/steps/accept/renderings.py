"""Results of rendered documents that are used again: the PDF that pages are drawn from comes along."""

from pagemill.db import results
from pagemill.db.database import Tx
from pagemill.mill import Mill
from pagemill.model.jobs import Result
from pagemill.model.options import ReadingOptions
from pagemill.model.pages import NOT_RENDERED
from pagemill.model.paths import rendered_key

# A larger PDF is made again by a worker: the copy is made while other writes wait.
MOST_COPIED_BYTES = 32 << 20


def with_rendering(
    tx: Tx, mill: Mill, found: Result | None, blob_key: str, options: ReadingOptions
) -> Result | None:
    """A result to use again, once the document has a copy of the PDF that it needs; None if there is no PDF any more.

    Without a result the document is read as a new one, and a worker renders it: page images never start LibreOffice.
    """
    if found is None or not mill.will_render(blob_key, options) or NOT_RENDERED in found.warnings:
        return found
    for key in map(rendered_key, results.document_keys(tx.conn, found)):
        size_bytes = mill.blobs.size(key)
        if size_bytes is not None and size_bytes <= MOST_COPIED_BYTES:
            mill.blobs.copy(key, rendered_key(blob_key))
            return found
    return None
