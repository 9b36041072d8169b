"""The type of a document from its first bytes."""

import codecs
import csv
import io
import re
import zlib
from itertools import islice

from pagemill.model.file_types import PDF

# Enough for the list of content types that most office packages begin with.
SNIFF_BYTES = 8_192
PDF_MARK = b"%PDF"
# A PDF may have some bytes in front of its header.
PDF_HEAD_BYTES = 1_024
# A PDF that has lost its header: words of its structure come first, perhaps after lines of comments.
_HEADLESS_PDF = re.compile(
    rb"\s*(?:%[^\r\n]*[\r\n]\s*){0,4}(?:\d{1,10}\s+\d{1,10}\s+obj\b|xref\s+\d|trailer\s*<<|startxref\s)"
)
OLE_MARK = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_TEST_VIRUS = b"EICAR-STANDARD-ANTIVIRUS-TEST-FILE"
_OOXML = "application/vnd.openxmlformats-officedocument"
_IMAGES = (
    (re.compile(rb"\x89PNG\r\n\x1a\n"), "image/png"),
    (re.compile(rb"\xff\xd8\xff"), "image/jpeg"),
    (re.compile(rb"RIFF.{4}WEBP", re.DOTALL), "image/webp"),
    (re.compile(rb"II[*+]\0|MM\0[*+]"), "image/tiff"),
    (re.compile(rb"GIF8[79]a"), "image/gif"),
    (re.compile(rb".{4}ftyp(?:avif|avis|mi[fa]1.{4}(?:.{4}){0,8}?avi[fs])", re.DOTALL), "image/avif"),
    (re.compile(rb".{4}ftyp(?:hei[cxms]|hev[cx]|mif1.{4}(?:.{4}){0,8}?hei[cx])", re.DOTALL), "image/heic"),
    (re.compile(rb"\0\0\0\x0cjP {2}\r\n\x87\n|\xff\x4f\xff\x51"), "image/jp2"),
    # Two characters alone would be found in many texts; the length of the header behind them would not.
    (re.compile(rb"BM.{12}[\x0c\x28\x34\x38\x40\x6c\x7c]\0\0\0", re.DOTALL), "image/bmp"),
)
_PACKAGES = (
    (b"wordprocessingml", f"{_OOXML}.wordprocessingml.document"),
    (b"presentationml", f"{_OOXML}.presentationml.presentation"),
    (b"spreadsheetml", f"{_OOXML}.spreadsheetml.sheet"),
)
_ENTRY_NAMES = ((b"word/", _PACKAGES[0][1]), (b"ppt/", _PACKAGES[1][1]), (b"xl/", _PACKAGES[2][1]))
_OLE_STREAMS = (
    ("EncryptedPackage", "application/x-ole-storage"),
    ("WordDocument", "application/msword"),
    ("PowerPoint Document", "application/vnd.ms-powerpoint"),
    ("Workbook", "application/vnd.ms-excel"),
    ("__substg1.0", "application/vnd.ms-outlook"),
)
_MAIL_HEADER = re.compile(
    rb"(?:from|to|subject|date|received|return-path|message-id|mime-version|delivered-to|content-type|x-[\w-]+|reply-to|"
    rb"sender|cc|dkim-signature|arc-[\w-]+|authentication-results|importance|thread-topic|thread-index)\s?:",
    re.IGNORECASE,
)
_MAIL_PROOF = re.compile(
    rb"^(?:from|received|message-id|mime-version|return-path)\s?:", re.IGNORECASE | re.MULTILINE
)
_HTML = re.compile(
    rb"\s*(?:<\?xml[^>]*>\s*)?(?:(?><!--.*?-->)\s*+)*+<(?:!doctype\s+html|html|head|body|table|div|p|h1|title)\b",
    re.IGNORECASE | re.DOTALL,
)
_SVG = re.compile(rb"<(?:svg|[\w.-]{1,20}:svg)[\s>]")
_XML = re.compile(rb"\s*<\?xml\s|\s*<[A-Za-z_][\w.:-]*(?:\s[^<>]*)?/?>")
_JSON = re.compile(r"\s*(?:\{\s*(?:\"|\})|\[\s*(?:[\[{\"\d\]-]|true|false|null))")
_SUBTITLE = re.compile(r"\s*\d+\s*\n\d{1,2}:\d{2}:\d{2},\d{3} --> ")
_MARKDOWN = re.compile(
    r"^(?:#{1,6} \S|```|\|(?:\s*:?-+:?\s*\|)+\s*$|[-*] \[[ x]\] |!\[)|\[[^\[\]\n]+\]\([^)\s]+\)|\*\*\S",
    re.MULTILINE,
)
_RST = re.compile(r"^(?:\.\. [\w-]+::|\S[^\n]*\n(={4,}|-{4,}|~{4,})\s*$)", re.MULTILINE)
_ASCIIDOC = re.compile(r"^(?:= \S|== \S|\[source,|:[\w-]+: )", re.MULTILINE)
# Controls that no text has; tabs, line and page ends and escapes may be there.
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
LEAST_ASCII_SHARE = 0.7
LEAST_ROWS, MOST_ROWS_SNIFFED = 2, 20
DELIMITERS = "\t;,|"
_DELIMITER_LINE = re.compile(r"\A\ufeff?sep=[^\r\n]\r?\n", re.IGNORECASE)
TAR_MARK_AT = 257


def media_type_of(head: bytes) -> str | None:
    """The media type that the first bytes show; None if they are of no type that can be read."""
    if _TEST_VIRUS in head[:200]:
        return None
    if not head.startswith(PDF_MARK):
        for begins, media_type in _IMAGES:
            if begins.match(head):
                return media_type
        found = _container_type(head)
        if found is not None:
            return found
    # The version behind it may be broken: whether there is a document, that is known after opening it.
    if PDF_MARK in head[: PDF_HEAD_BYTES + len(PDF_MARK) - 1] or _HEADLESS_PDF.match(head):
        return PDF
    return _text_type(head)


def archive_type(head: bytes) -> str | None:
    """The media type of an archive of documents; a TAR may be compressed. None for anything else."""
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return "application/zip"
    return "application/x-tar" if is_tar(head) else None


def is_tar(head: bytes) -> bool:
    """Whether the first bytes of a file are those of a TAR archive, plain or compressed by gzip."""
    inside = _unzip_head(head) if head.startswith(b"\x1f\x8b") else head
    return inside[TAR_MARK_AT : TAR_MARK_AT + 5] == b"ustar"


def _unzip_head(head: bytes) -> bytes:
    try:
        return zlib.decompressobj(31).decompress(head, SNIFF_BYTES)
    except zlib.error:
        return b""


def _container_type(head: bytes) -> str | None:
    if head.startswith(b"PK\x03\x04"):
        return package_type(head)
    if head.startswith(OLE_MARK):
        names = ((name.encode("utf-16-le"), media_type) for name, media_type in _OLE_STREAMS)
        return next((media_type for name, media_type in names if name in head), "application/x-ole-storage")
    return "application/rtf" if head.startswith(b"{\\rtf") else None


def package_type(head: bytes) -> str | None:
    """The type of a ZIP file that is a document; None for any other."""
    first = head[30 : 30 + int.from_bytes(head[26:28], "little")]
    if first == b"mimetype":
        # It should be stored, but some programs that pack a changed document again compress it.
        stored = _inflate(head)[:72]
        for media_type in (
            "epub+zip",
            "vnd.oasis.opendocument.text",
            "vnd.oasis.opendocument.spreadsheet",
            "vnd.oasis.opendocument.presentation",
        ):
            if stored.startswith(f"application/{media_type}".encode()):
                return f"application/{media_type}"
        return None
    if first == b"[Content_Types].xml":
        declared = _inflate(head)
        for word, media_type in _PACKAGES:
            if word + b"." in declared and b".main+xml" in declared:
                return media_type
    for name, media_type in _ENTRY_NAMES:
        if re.search(rb"PK\x03\x04.{22}..\0\0" + name, head, re.DOTALL) or first.startswith(name):
            return media_type
    office = b"[Content_Types].xml" in head or first.startswith((b"_rels/", b"docProps/"))
    return "application/x-ooxml" if office else None


def _inflate(head: bytes) -> bytes:
    """What the first entry of a ZIP file says, as far as it is in the first bytes."""
    name, extra = int.from_bytes(head[26:28], "little"), int.from_bytes(head[28:30], "little")
    body = head[30 + name + extra :]
    if int.from_bytes(head[8:10], "little") == 0:
        return body[:SNIFF_BYTES]
    try:
        return zlib.decompressobj(-15).decompress(body, 1 << 20)
    except zlib.error:
        return b""


def _text_type(head: bytes) -> str | None:
    """The type of a text; None if the bytes are no text."""
    text = text_of(head)
    if text is None or not text.strip():
        return None
    plain = head.removeprefix(codecs.BOM_UTF8)
    if _is_mail(plain):
        related = b"multipart/related" in plain.lower() and not _SENT.search(plain)
        return "multipart/related" if related else "message/rfc822"
    if _HTML.match(plain):
        return "text/html"
    if _XML.match(plain):
        return "image/svg+xml" if _SVG.search(plain) else "application/xml"
    return _words_type(text.lstrip("\ufeff"))


def _words_type(text: str) -> str:
    """The type of a text for people."""
    if text.startswith("WEBVTT"):
        return "text/vtt"
    if _SUBTITLE.match(text):
        return "application/x-subrip"
    if _JSON.match(text):
        return "application/json"
    if _ASCIIDOC.match(text):
        return "text/asciidoc"
    if _MARKDOWN.search(text):
        return "text/markdown"
    if _RST.search(text):
        return "text/x-rst"
    delimiter = delimiter_of(text)
    if delimiter:
        return "text/tab-separated-values" if delimiter == "\t" else "text/csv"
    return "text/plain"


def text_of(head: bytes) -> str | None:
    """The first bytes as text; None if they can be none."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return head[: len(head) & ~1].decode("utf-16", "replace")
    try:
        text = codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        text = head.decode("cp1252", "replace")
        printable = sum(byte in b"\t\n\r" or 32 <= byte < 127 for byte in head)
        if printable < LEAST_ASCII_SHARE * len(head) or b"\0" in head:
            return None
    return None if _CONTROLS.search(text) else text


_SENT = re.compile(rb"^(?:received|to)\s?:", re.IGNORECASE | re.MULTILINE)


def _is_mail(head: bytes) -> bool:
    """Whether a text begins with the lines of an e-mail's head."""
    top = re.split(rb"\r?\n\r?\n", head, maxsplit=1)[0]
    lines = [line for line in re.split(rb"\r?\n", top) if line and line[:1] not in b" \t"]
    lines = lines[1:] if lines and lines[0].startswith(b"From ") else lines
    named = sum(_MAIL_HEADER.match(line) is not None for line in lines)
    return len(lines) >= 2 and named >= max(2, len(lines) // 2) and _MAIL_PROOF.search(top) is not None


def delimiter_of(text: str) -> str | None:
    """What divides the columns of a table in plain text; None if it is no table."""
    whole = text.rpartition("\n")[0] or text
    for delimiter in DELIMITERS:
        rows = _first_rows(whole, delimiter)
        if len(rows) >= LEAST_ROWS and len(widths := {len(row) for row in rows}) == 1 and widths.pop() > 1:
            return delimiter
    return None


def _first_rows(text: str, delimiter: str) -> list[list[str]]:
    """The first rows of a text that has this delimiter; a quoted field may go on over several lines."""
    table = csv.reader(io.StringIO(without_delimiter_line(text), newline=""), delimiter=delimiter)
    try:
        rows = list(islice((row for row in table if any(map(str.strip, row))), MOST_ROWS_SNIFFED))
    except csv.Error:
        return []
    # The last of a longer text may be cut off in the middle of a field.
    is_cut = len(text) >= SNIFF_BYTES // 4 and LEAST_ROWS < len(rows) < MOST_ROWS_SNIFFED
    return rows[:-1] if is_cut else rows


def without_delimiter_line(text: str) -> str:
    """A table without the line that names the delimiter for Excel (`sep=;`)."""
    return _DELIMITER_LINE.sub("", text, count=1)
