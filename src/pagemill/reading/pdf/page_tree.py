"""Documents whose page tree counts fewer pages than it has, or whose page labels never end.

PDFium and what is built on it believe the count in the root of the tree, so the other pages would be lost. A copy of the
document with the right count, appended as an incremental update, is read in its place.
"""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeVar

import pypdfium2

from pagemill.reading.pdf.label_tree import copy_without_labels
from pagemill.reading.pdf.pdf_text import serialise
from pagemill.reading.pdf.raw_scan import hints

if TYPE_CHECKING:
    from pypdf import PdfReader

# Twice the pages that a document may have by default: beyond them a tree is refused anyway.
MOST_NODES = 20_000


class PdfRequest(Protocol):
    """A request to the press that is about a document."""

    @property
    def path(self) -> str:
        """Where the document is."""

    @property
    def password(self) -> str | None:
        """What opens it."""


Request = TypeVar("Request", bound=PdfRequest)


@dataclass(frozen=True, slots=True)
class TreeRoot:
    """The root of a page tree: its object number, and its entries with the count that they should have."""

    number: int
    generation: int
    entries: bytes
    pages: int


@contextmanager
def reachable_pages(request: Request, pages: int) -> Iterator[Request]:
    """The request, on a mended copy of its document if that has so many pages but counts fewer, or labels without an end."""
    with ExitStack() as copies:
        if hints(request.path).labels_circle:
            request = copies.enter_context(mended_copy(request, copy_without_labels))
        if pages > counted_pages(request.path, request.password):
            mend = partial(mend_count, request.password)
            request = copies.enter_context(mended_copy(request, mend))
        yield request


@contextmanager
def mended_copy(request: Request, mend: Callable[[str, str], bool]) -> Iterator[Request]:
    """The request, on a copy of its document if that could be mended."""
    handle, copy = tempfile.mkstemp(suffix=".pdf")
    os.close(handle)
    try:
        mended = mend(request.path, copy)
        yield replace(request, path=copy) if mended else request  # type: ignore[type-var]
    finally:
        os.unlink(copy)


def counted_pages(path: str, password: str | None) -> int:
    """How many pages PDFium counts, 0 if it can't open the document."""
    try:
        with pypdfium2.PdfDocument(path, password=password) as document:
            return len(document)
    except pypdfium2.PdfiumError:
        return 0


def mend_count(password: str | None, path: str, copy: str) -> bool:
    """Write a copy with the right count; whether PDFium finds more pages in it."""
    update = count_update(path, password)
    if update is None:
        return False
    shutil.copyfile(path, copy)
    with open(copy, "ab") as file:
        file.write(update)
    return counted_pages(copy, password) > counted_pages(path, password)


def count_update(path: str, password: str | None) -> bytes | None:
    """The incremental update that sets the right count, None if the tree can't be followed."""
    # Only now, because hardly any document needs it.
    import pypdf

    try:
        with open(path, "rb") as file:
            reader = pypdf.PdfReader(file)
            if password and reader.is_encrypted:
                reader.decrypt(password)
            return written_update(reader, tree_root(reader), os.path.getsize(path))
    except MemoryError:
        raise
    except Exception:
        # The parser gives up on damage in many ways; then what PDFium counts is read.
        return None


def tree_root(reader: "PdfReader") -> TreeRoot:
    """The root of the page tree, with its leaves counted."""
    from pypdf.generic import NameObject, NumberObject

    reference = reader.root_object.raw_get("/Pages")
    node = reference.get_object()
    pages = count_leaves(node)
    node[NameObject("/Count")] = NumberObject(pages)
    return TreeRoot(reference.idnum, reference.generation, serialise(node), pages)


def count_leaves(root: object) -> int:
    """How many pages are below a node of the page tree; none is counted twice."""
    from pypdf.generic import ArrayObject, DictionaryObject

    stack, seen, leaves = [root], {id(root)}, 0
    while stack and len(seen) < MOST_NODES:
        node = stack.pop()
        if not isinstance(node, DictionaryObject):
            continue
        kids = node.get("/Kids")
        if not isinstance(kids, ArrayObject):
            leaves += 1
            continue
        for kid in (kid.get_object() for kid in kids):
            if id(kid) not in seen:
                seen.add(id(kid))
                stack.append(kid)
    return leaves


def written_update(reader: "PdfReader", root: TreeRoot, size_bytes: int) -> bytes:
    """The bytes that are appended: the root of the tree, its place, and the trailer."""
    from pypdf.generic import DictionaryObject, NameObject

    trailer = DictionaryObject()
    for name in ("/Root", "/Encrypt", "/ID", "/Info"):
        with suppress(KeyError):
            trailer[NameObject(name)] = reader.trailer.raw_get(name)
    body = b"\n%d %d obj\n%s\nendobj\n" % (root.number, root.generation, root.entries)
    table = size_bytes + len(body)
    entry = b"xref\n%d 1\n%010d %05d n \n" % (root.number, size_bytes + 1, root.generation)
    previous = b"/Size %d /Prev %d" % (int(str(reader.trailer["/Size"])), last_table(reader))
    tail = serialise(trailer).rstrip().removesuffix(b">>") + previous + b">>"
    return body + entry + b"trailer\n" + tail + b"\nstartxref\n%d\n%%%%EOF\n" % table


def last_table(reader: "PdfReader") -> int:
    """Where the last cross-reference of the document is."""
    end = reader.stream.seek(0, os.SEEK_END)
    reader.stream.seek(max(0, end - 2_048))
    return int(reader.stream.read().rsplit(b"startxref", 1)[1].split()[0])
