"""Digital signatures: whether a PDF has any, and which fields wait for one. Whether they are right is not looked at."""

import re
from collections.abc import Iterator
from typing import Any

from pypdf import PdfReader
from pypdf.errors import PyPdfError
from pypdf.generic import DictionaryObject

from pagemill.model.fact_types import Signature
from pagemill.model.pages import Box

PDF_TIME = re.compile(r"D:(\d{4})(\d{2})(\d{2})(\d{2})?(\d{2})?(\d{2})?(?:([+-])(\d{2})'?(\d{2})?|Z)?")
MOST_FIELDS = 10_000
DAMAGE = (PyPdfError, ValueError, KeyError, TypeError, AttributeError, RecursionError, IndexError, OSError)


def find_signatures(path: str, password: str | None) -> list[Signature]:
    """The signatures of a PDF; none of one whose form can't be read."""
    try:
        reader = PdfReader(path, password=password)
        form = reader.root_object.get("/AcroForm")
        fields = list(signature_fields(form.get_object().get("/Fields"))) if form else []
        pages = page_numbers(reader) if fields else {}
        return [signature_of(field, pages) for field in fields]
    except DAMAGE:
        return []


def signature_fields(fields: Any) -> Iterator[DictionaryObject]:
    """The fields for signatures, also those inside of others."""
    queue, seen = list(fields.get_object()) if fields is not None else [], 0
    while queue and seen < MOST_FIELDS:
        field, seen = queue.pop(0).get_object(), seen + 1
        if field.get("/FT") == "/Sig":
            yield field
        elif "/Kids" in field:
            queue += list(field["/Kids"].get_object())


def page_numbers(reader: PdfReader) -> dict[int, tuple[int, Any]]:
    """The number and the page of every annotation, by the number of its object."""
    found: dict[int, tuple[int, Any]] = {}
    for number, page in enumerate(reader.pages, 1):
        for note in page.get("/Annots", ()):
            found[getattr(note, "idnum", 0)] = (number, page)
    return found


def signature_of(field: DictionaryObject, pages: dict[int, tuple[int, Any]]) -> Signature:
    """A field as a signature, with who signed when, as far as the file says."""
    given = field.get("/V")
    value = given.get_object() if given is not None else {}
    number, page = pages.get(getattr(field.indirect_reference, "idnum", 0), (None, None))
    return Signature(
        signed=bool(value),
        name=text_of(value.get("/Name")) or text_of(field.get("/T")),
        reason=text_of(value.get("/Reason")),
        signed_at=iso_time(text_of(value.get("/M")) or ""),
        page=number,
        box=box_on(page, field.get("/Rect")),
    )


def text_of(value: Any) -> str | None:
    """A text of the file, if it is one that says something."""
    return str(value).strip()[:200] or None if value is not None else None


def iso_time(text: str) -> str | None:
    """A time as PDF writes it, in ISO 8601."""
    found = PDF_TIME.match(text)
    if found is None:
        return None
    year, month, day, hour, minute, second, sign, hours, minutes = found.groups()
    zone = f"{sign}{hours}:{minutes or '00'}" if sign else "Z"
    return f"{year}-{month}-{day}T{hour or '00'}:{minute or '00'}:{second or '00'}{zone}"


def box_on(page: Any, rectangle: Any) -> Box | None:
    """Where a field is on an upright page; None if it can't be seen, or the page is turned."""
    if page is None or rectangle is None or page.rotation:
        return None
    left, bottom, right, top = (float(side) for side in rectangle)
    if right - left < 1 or top - bottom < 1:
        return None
    crop = page.cropbox
    x, y = round(left - float(crop.left), 2), round(float(crop.top) - top, 2)
    return Box(x, y, round(right - left, 2), round(top - bottom, 2))
