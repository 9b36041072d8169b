"""The files of the web pages: read once, packed once, and known by one name for all of them together."""

import gzip
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from pathlib import Path

FOLDER = Path(__file__).with_name("static")
TEXT = "; charset=utf-8"
MEDIA_TYPES = {
    ".html": "text/html" + TEXT,
    ".css": "text/css" + TEXT,
    ".js": "text/javascript" + TEXT,
    ".mjs": "text/javascript" + TEXT,
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
    ".pdf": "application/pdf",
}
PACKED_ALREADY = frozenset({".woff2", ".pdf"})


@dataclass(frozen=True, slots=True)
class StaticFile:
    """A file as it is sent: plain, and packed where that makes it smaller."""

    body: bytes
    packed: bytes | None
    media_type: str


@cache
def every_file() -> dict[str, StaticFile]:
    """Every file that a browser may ask for, by its path."""
    found = sorted(path for path in FOLDER.rglob("*") if path.is_file() and path.suffix in MEDIA_TYPES)
    return {path.relative_to(FOLDER).as_posix(): load_file(path) for path in found}


def load_file(path: Path) -> StaticFile:
    """One file, read and packed."""
    body = path.read_bytes()
    packed = None if path.suffix in PACKED_ALREADY else gzip.compress(body, mtime=0)
    return StaticFile(body, packed, MEDIA_TYPES[path.suffix])


@cache
def edition() -> str:
    """A name that changes whenever any of the files does, so that browsers may keep them for ever."""
    digest = blake2b(digest_size=8)
    for name, file in every_file().items():
        digest.update(name.encode() + b"\0" + file.body)
    return digest.hexdigest()


@cache
def shell() -> StaticFile:
    """The one HTML page, which finds all other files by the name of this edition."""
    body = every_file()["index.html"].body.replace(b"{edition}", edition().encode())
    return StaticFile(body, gzip.compress(body, mtime=0), MEDIA_TYPES[".html"])
