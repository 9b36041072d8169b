"""Good documents, and what chance makes of them: the same seed gives the same bytes."""

import io
import math
import random
import re
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

from PIL import Image

from bench.office_pages import write_deck, write_docx, write_workbook
from bench.pages import write_document

# Values that programs trip over: signs, ends of ranges, and words that lead elsewhere.
NUMBERS = (b"0", b"-1", b"1e39", b"65536", b"2147483648", b"4294967295", b"99999999999999999999")
WORDS = (
    b"/Kids",
    b"/Parent 2 0 R",
    b"/Length 999999",
    b"/Filter /LZWDecode",
    b"<<",
    b">>",
    b"[",
    b"endstream",
    b"\0",
    b"<!ENTITY a 'b'>",
)
MOST_CHANGES = 12
PICTURE_SIZE = (160, 120)
LONGEST_PIECE = 2_000
MOST_COPIES = 64

_NUMBER = re.compile(rb"\d+")
_STREAM = re.compile(rb"stream\r?\n")


def seeds(folder: Path | None = None) -> list[tuple[str, bytes]]:
    """Documents to start from: the files of a folder, or some of every kind that are made here."""
    if folder is not None:
        return [(file.name, file.read_bytes()) for file in sorted(folder.rglob("*")) if file.is_file()]
    with tempfile.TemporaryDirectory() as made:
        place = Path(made)
        write_document(place / "a.pdf", 2, 1)
        write_docx(place / "a.docx", 2)
        write_deck(place / "a.pptx", 3, 3)
        write_workbook(place / "a.xlsx", 20, 4)
        documents = [(file.name, without_dates(file.read_bytes())) for file in sorted(place.iterdir())]
    return documents + [picture(form) for form in ("PNG", "JPEG", "TIFF", "GIF", "BMP", "WEBP")]


def without_dates(document: bytes) -> bytes:
    """A ZIP package without the time at which it was made; anything else as it is."""
    if not document.startswith(b"PK\3\4"):
        return document
    with zipfile.ZipFile(io.BytesIO(document)) as package:
        parts = [(part, package.read(part)) for part in package.namelist() if part != "docProps/core.xml"]
    return pack(parts)


def pack(parts: Sequence[tuple[str, bytes]]) -> bytes:
    """A ZIP package of these parts, all of the same date."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as package:
        for name, content in parts:
            package.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def picture(form: str) -> tuple[str, bytes]:
    """A small picture."""
    image = Image.frombytes("RGB", PICTURE_SIZE, random.Random(form).randbytes(3 * math.prod(PICTURE_SIZE)))
    out = io.BytesIO()
    image.save(out, form)
    return f"a.{form.lower()}", out.getvalue()


def mutate(name: str, document: bytes, chance: random.Random) -> bytes:
    """The document with some changes; inside of its packed parts, too."""
    if document.startswith(b"PK\3\4") and chance.random() < 0.7:
        return mutate_package(document, chance)
    if name.endswith(".pdf") and chance.random() < 0.4:
        return mutate_stream(document, chance)
    return mutate_bytes(document, chance)


def mutate_bytes(content: bytes, chance: random.Random) -> bytes:
    """A few changes at random places."""
    changed = bytearray(content)
    for _ in range(chance.randint(1, MOST_CHANGES)):
        if changed:
            chance.choice(CHANGES)(changed, chance)
    return bytes(changed)


def mutate_package(document: bytes, chance: random.Random) -> bytes:
    """A ZIP package one part of which is changed, left out or there twice."""
    with zipfile.ZipFile(io.BytesIO(document)) as package:
        parts = [(part, package.read(part)) for part in package.namelist()]
    at = chance.randrange(len(parts))
    part, content = parts[at]
    changed = [(part, mutate_bytes(content, chance))]
    parts[at : at + 1] = chance.choice([changed, changed, [], [(part, content), (f"x{part}", content)]])
    return pack(parts)


def mutate_stream(document: bytes, chance: random.Random) -> bytes:
    """A PDF with one stream that was unpacked, changed and packed again."""
    starts = [match.end() for match in _STREAM.finditer(document)]
    if not starts:
        return mutate_bytes(document, chance)
    start = chance.choice(starts)
    end = document.find(b"endstream", start)
    try:
        changed = zlib.compress(mutate_bytes(zlib.decompress(document[start:end]), chance))
    except zlib.error:
        changed = mutate_bytes(document[start:end], chance)
    return document[:start] + changed + document[end:]


def flip_bits(content: bytearray, chance: random.Random) -> None:
    """Some bytes become others."""
    for _ in range(chance.randint(1, 8)):
        content[chance.randrange(len(content))] = chance.randrange(256)


def cut_piece(content: bytearray, chance: random.Random) -> None:
    """A piece is missing."""
    start = chance.randrange(len(content))
    del content[start : start + chance.randint(1, LONGEST_PIECE)]


def cut_end(content: bytearray, chance: random.Random) -> None:
    """The rest is missing."""
    del content[chance.randrange(len(content)) + 1 :]


def repeat_piece(content: bytearray, chance: random.Random) -> None:
    """A piece is there many times."""
    start = chance.randrange(len(content))
    piece = content[start : start + chance.randint(1, LONGEST_PIECE)]
    content[start:start] = piece * chance.randint(1, MOST_COPIES)


def move_piece(content: bytearray, chance: random.Random) -> None:
    """A piece is elsewhere."""
    start, to = chance.randrange(len(content)), chance.randrange(len(content))
    piece = content[start : start + chance.randint(1, LONGEST_PIECE)]
    del content[start : start + len(piece)]
    content[to:to] = piece


def change_number(content: bytearray, chance: random.Random) -> None:
    """A number is another one."""
    found = list(_NUMBER.finditer(content[: 1 << 20]))
    if found:
        match = chance.choice(found)
        content[match.start() : match.end()] = chance.choice(NUMBERS)


def insert_word(content: bytearray, chance: random.Random) -> None:
    """A word is where it does not belong."""
    at = chance.randrange(len(content))
    content[at:at] = chance.choice(WORDS)


CHANGES: Sequence[Callable[[bytearray, random.Random], None]] = (
    flip_bits,
    flip_bits,
    cut_piece,
    cut_end,
    repeat_piece,
    move_piece,
    change_number,
    change_number,
    insert_word,
)
