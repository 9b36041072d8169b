"""Objects of a PDF as they are written in a file."""

from io import BytesIO
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # Hardly any document needs it.
    from pypdf.generic import PdfObject


def serialise(written: "PdfObject") -> bytes:
    """An object as it is in a file."""
    out = BytesIO()
    written.write_to_stream(out)
    return out.getvalue()
