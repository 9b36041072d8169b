"""Text from bytes of unknown encoding."""

import codecs
import re

from pagemill.errors import DocumentTooLarge
from pagemill.reading.office.reading_limits import MAX_TEXT_BYTES

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DECLARED = re.compile(
    rb"""<meta[^>]{0,200}charset=["']?([\w-]{1,40})|<\?xml[^>]{0,200}encoding=["']([\w-]{1,40})""",
    re.IGNORECASE,
)
HEAD_BYTES = 4_096


def decode(raw: bytes, declared: str | None = None) -> str:
    """The text: by its mark, by what is declared, as UTF-8, or else as Windows-1252, which never fails."""
    if len(raw) > MAX_TEXT_BYTES:
        raise DocumentTooLarge.because(
            f"A text of more than {MAX_TEXT_BYTES >> 20} MiB can't be read.", limit=MAX_TEXT_BYTES
        )
    for mark, encoding in _MARKS:
        if raw.startswith(mark):
            return raw.decode(encoding, "replace")
    match = _DECLARED.search(raw[:HEAD_BYTES])
    named = (match[1] or match[2]).decode("ascii") if match else None
    for name in ("utf-8", declared, named):
        if name and is_text_encoding(name):
            try:
                return raw.decode(name)
            except UnicodeDecodeError:
                continue
    return raw.decode("cp1252", "replace")


def is_text_encoding(name: str) -> bool:
    """Whether Python knows an encoding of this name that gives text."""
    try:
        return codecs.lookup(name)._is_text_encoding
    except LookupError:
        return False
