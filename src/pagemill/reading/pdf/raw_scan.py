"""What can be learnt from the raw bytes of a PDF, by a bounded look at its head and its tail.

Names inside streams don't count: compressed bytes spell everything sooner or later. Object streams are inflated, within limits.
"""

import math
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from pagemill.reading.pdf.label_tree import labels_circle
from pagemill.reading.pdf.packed_streams import CHAIN, STREAM, beginning

ODD_PAGE_SIZE = "odd_page_size"
LOOK_BYTES = 2 << 20
TAIL_BYTES = 2048
HEADER_BYTES = 1024
INFLATED_BYTES = 256 << 10
MOST_OBJECT_STREAMS = 32
# The largest page that PDF 1.7 allows, 200 inches.
LARGEST_PAGE_POINTS = 14_400

_ACTIVE = re.compile(rb"/(?:JavaScript|JS|Launch|SubmitForm|ImportData|GoToE|RichMedia|AA)(?![A-Za-z0-9])")
_OPEN_ACTION = re.compile(rb"/OpenAction\s*(?:(\[)|(<<)|(\d+)\s+(\d+)\s+R)")
_EMBEDDED = re.compile(rb"/EmbeddedFiles?(?![A-Za-z0-9])")
# Layers that are off when the document is opened; what they hold is read all the same.
_HIDDEN_LAYER = re.compile(
    rb"/OFF\s*\[\s*\d+\s+\d+\s+R|/BaseState\s*/OFF(?![A-Za-z0-9])|/ViewState\s*/OFF(?![A-Za-z0-9])"
)
_MEDIA_BOX = re.compile(rb"/MediaBox\s*\[([^\]]{0,200})\]")
_USER_UNIT = re.compile(rb"/UserUnit\s+([\d.]+)")
_ENCRYPT = re.compile(rb"/Encrypt\s*(?:(<<)|(\d+)\s+(\d+)\s+R)")
_FILTER = re.compile(rb"/Filter\s*/(\w+)")
_VERSION = re.compile(rb"/V\s+(\d+)")
# Those of the standard handler that are published.
VERSIONS = (b"1", b"2", b"4", b"5")
_PAGE = re.compile(rb"/Type\s*/Page(?![A-Za-z0-9])")
_KIDS = re.compile(rb"/Kids\s*(?:\[([^\]]*)\])?")
_REFERENCE = re.compile(rb"\d\s+\d+\s+R")
_PAGELESS = re.compile(rb"/Kids\s*\[\s*\]")
_START = re.compile(rb"startxref\s+(\d+)\s+%%EOF")
_XREF = re.compile(rb"\s*(?:xref|\d+\s+\d+\s+obj)")


@dataclass(frozen=True, slots=True)
class Hints:
    """The warnings that the raw bytes give, the name of the security handler, and whether the page tree is empty.

    `page_objects` counts the pages that were seen, with former versions of them, as far as a tree may lead to them;
    `packed_twice` is whether a stream is packed more than once, `labels_circle` whether the tree of page labels has no end.
    """

    warnings: tuple[str, ...]
    security: str | None = None
    pageless: bool = False
    page_objects: int = 0
    packed_twice: bool = False
    labels_circle: bool = False


def hints(path: str) -> Hints:
    """Look at the head and the tail of a file; a second look at the same file costs nothing."""
    status = os.stat(path)
    return _hints(path, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=8)
def _hints(path: str, size: int, _: int) -> Hints:
    with open(path, "rb") as file:
        head = file.read(LOOK_BYTES)
        file.seek(max(len(head), size - LOOK_BYTES))
        tail = file.read()
        whole = _is_whole(file.fileno(), size, head)
    outline = b"\n".join([*_outside_streams(head), *_outside_streams(tail[tail.find(b"endobj") + 1 :])])
    checks = (
        ("repaired", not whole),
        ("active_content", _is_active(outline)),
        ("embedded_files", bool(_EMBEDDED.search(outline))),
        (ODD_PAGE_SIZE, _has_odd_page(outline)),
        ("hidden_text", bool(_HIDDEN_LAYER.search(outline))),
    )
    return Hints(
        tuple(code for code, found in checks if found),
        _security(outline),
        bool(_PAGELESS.search(outline)),
        _count_pages(outline),
        bool(CHAIN.search(outline)),
        labels_circle(outline),
    )


def _count_pages(outline: bytes) -> int:
    """How many pages were seen, but no more than all trees have kids: what was cut out of a document may still be there."""
    pages, kids = len(_PAGE.findall(outline)), _KIDS.findall(outline)
    # Kids that are elsewhere, or nowhere, are not counted.
    return min(pages, sum(len(_REFERENCE.findall(each)) for each in kids)) if kids and all(kids) else pages


def _is_whole(file: int, size: int, head: bytes) -> bool:
    """Whether the file ends as it should and its last cross-reference is where it says."""
    tail = os.pread(file, TAIL_BYTES, max(0, size - TAIL_BYTES))
    starts = _START.findall(tail)
    if not starts:
        return False
    shift = max(0, head[:HEADER_BYTES].find(b"%PDF-"))
    offset = int(starts[-1][:15])
    return any(_XREF.match(os.pread(file, 32, at)) for at in (offset, offset + shift) if at < size)


def _outside_streams(raw: bytes) -> Iterator[bytes]:
    """The bytes between streams, and the objects inside of object streams."""
    at = inflated = 0
    while match := STREAM.search(raw, at):
        yield raw[at : match.start()]
        end = raw.find(b"endstream", match.end())
        if end < 0:
            return
        if inflated < MOST_OBJECT_STREAMS and raw.rfind(b"/ObjStm", at, match.start()) >= 0:
            inflated += 1
            stream, packed = raw[match.end() : end], raw.rfind(b"/Filter", at, match.start()) >= 0
            yield beginning(stream, INFLATED_BYTES) if packed else stream
        at = end + len(b"endstream")
    yield raw[at:]


def _is_active(outline: bytes) -> bool:
    """Whether something would run or be sent by itself; jumping to a page on opening is harmless."""
    if _ACTIVE.search(outline):
        return True
    match = _OPEN_ACTION.search(outline)
    if match is None or match[1]:
        return False
    action = outline[match.end() : match.end() + 200] if match[2] else _object(outline, match[3], match[4])
    return not (action.lstrip().startswith(b"[") or b"/GoTo" in action)


def _object(outline: bytes, number: bytes, generation: bytes) -> bytes:
    """The beginning of an object, empty if it is not in what we looked at."""
    match = re.search(rb"(?<!\d)%s\s+%s\s+obj" % (number, generation), outline)
    return outline[match.end() : match.end() + 2000].partition(b"endobj")[0] if match else b""


def _security(outline: bytes) -> str | None:
    """The name of the security handler, with its version if that is none that is known."""
    match = _ENCRYPT.search(outline)
    if match is None:
        return None
    encrypt = outline[match.end() : match.end() + 2000] if match[1] else _object(outline, match[2], match[3])
    found, version = _FILTER.search(encrypt), _VERSION.search(encrypt)
    if found is None:
        return None
    unknown = version[1] if version and version[1] not in VERSIONS else b""
    return (found[1] + unknown).decode("ascii", "replace")


def _has_odd_page(outline: bytes) -> bool:
    unit = max((_number(found) for found in _USER_UNIT.findall(outline)), default=1.0)
    return any(_is_odd(box, unit) for box in set(_MEDIA_BOX.findall(outline)))


def _is_odd(box: bytes, unit: float) -> bool:
    """Whether a page box has no area, no numbers or is larger than the standard allows."""
    if b"R" in box:
        return False
    sides = [_number(side) for side in box.split()]
    if len(sides) != 4 or not all(map(math.isfinite, sides)):
        return True
    width, height = sides[2] - sides[0], sides[3] - sides[1]
    return min(width, height) <= 0 or max(width, height) * unit > LARGEST_PAGE_POINTS


def _number(text: bytes) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
