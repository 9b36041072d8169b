"""Slides of a PPT file from its records: which texts each has, where they are, and what its speaker notes say.

The format is described in [MS-PPT]; a file that does not keep to it has no slides here.
"""

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import olefile  # type: ignore[import-untyped]

from pagemill.errors import DocumentCorrupt
from pagemill.model.pages import Box
from pagemill.reading.office.reading_limits import MAX_PART_BYTES, check_bytes
from pagemill.reading.office.shape_frame import ShapeFrame

DOCUMENT, DOCUMENT_ATOM, SLIDE, SLIDE_ATOM = 0x03E8, 0x03E9, 0x03EE, 0x03EF
USER_EDIT, PERSIST_DIRECTORY, SLIDE_LIST, SLIDE_PERSIST = 0x0FF5, 0x1772, 0x0FF0, 0x03F3
TEXT_HEADER, TEXT_CHARS, TEXT_BYTES, OUTLINE_REFERENCE = 0x0F9F, 0x0FA0, 0x0FA8, 0x0F9E
DRAWING, CANVAS, GROUP, SHAPE, ANCHOR, TEXT_BOX = 0x040C, 0xF002, 0xF003, 0xF004, 0xF010, 0xF00D
CHILD_ANCHOR, GROUP_BOUNDS, MORE_PROPERTIES, TABLE_PROPERTIES = 0xF00F, 0xF009, 0xF122, 0x039F
SLIDES, NOTES = 0, 2
TITLES, NOTES_TEXT = (0, 6), 2
UNITS_PER_POINT = 8
MOST_EDITS, MOST_SLIDES, DEEPEST_GROUP = 1_000, 20_000, 32


class Record(NamedTuple):
    """A record of the stream: its instance, its type, and where its content is."""

    instance: int
    kind: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class PptText:
    """A text on a slide: `kind` is that of its header, a title for example; cells of a table have its number."""

    kind: int
    text: str
    box: Box | None = None
    table: int | None = None


@dataclass(frozen=True, slots=True)
class PptSlide:
    """The texts of a slide, and those of its speaker notes."""

    texts: tuple[PptText, ...] = ()
    notes: tuple[PptText, ...] = ()


@dataclass(frozen=True, slots=True)
class PptDeck:
    """The slides of a presentation, and their size in points."""

    size: tuple[float, float]
    slides: tuple[PptSlide, ...]


class _Group(NamedTuple):
    """How places inside of a group become those of the slide, if that is known; its number if it is a table."""

    frame: ShapeFrame | None = ShapeFrame(1 / UNITS_PER_POINT, 1 / UNITS_PER_POINT)
    table: int | None = None


@dataclass(slots=True)
class _Listed:
    """A slide or notes in a list of the document, with the texts of its outline."""

    persist_id: int
    slide_id: int
    texts: list[PptText] = field(default_factory=list)


def read_ppt_deck(path: str) -> PptDeck:
    """The slides of a PPT file; DocumentCorrupt if its records can't be followed."""
    try:
        with olefile.OleFileIO(path) as opened:
            check_bytes(opened.get_size("PowerPoint Document"), MAX_PART_BYTES * 8, "The presentation")
            raw = opened.openstream("PowerPoint Document").read()
            user = opened.openstream("Current User").read(64)
        return PptReader(raw).deck(struct.unpack_from("<I", user, 16)[0])
    except (struct.error, KeyError, IndexError, ValueError, TypeError, AttributeError, OSError) as error:
        if isinstance(error, FileNotFoundError):
            raise
        raise DocumentCorrupt("The slides of the presentation can't be found.") from error


@dataclass(slots=True)
class PptReader:
    """Follows the records of a presentation."""

    raw: bytes

    def records(self, start: int, end: int) -> Iterator[Record]:
        """The records side by side in a part of the stream."""
        while start + 8 <= end:
            head, kind, length = struct.unpack_from("<HHI", self.raw, start)
            last = min(start + 8 + length, end)
            yield Record(head >> 4, kind, start + 8, last)
            start = last

    def _inside(self, record: Record, *kinds: int) -> Iterator[Record]:
        return (one for one in self.records(record.start, record.end) if one.kind in kinds)

    def _at(self, offset: int, kind: int) -> Record:
        found = next(self.records(offset, len(self.raw)), None)
        if found is None or found.kind != kind:
            raise ValueError(f"{found} in place of a record {kind:#x}")
        return found

    def deck(self, last_edit: int) -> PptDeck:
        """All slides, in the order of the show; ValueError or struct.error if a record is missing or cut off."""
        places, document_id = self._directories(last_edit)
        document = self._at(places[document_id], DOCUMENT)
        atom = next(self._inside(document, DOCUMENT_ATOM), None)
        if atom is None:
            raise ValueError("the document has no atom")
        width, height = struct.unpack_from("<ii", self.raw, atom.start)
        lists = {one.instance: self._list_entries(one) for one in self._inside(document, SLIDE_LIST)}
        notes = {one.slide_id: one for one in lists.get(NOTES, ())}
        slides = tuple(self._slide(one, places, notes) for one in lists.get(SLIDES, ())[:MOST_SLIDES])
        return PptDeck((width / UNITS_PER_POINT, height / UNITS_PER_POINT), slides)

    def _directories(self, offset: int) -> tuple[dict[int, int], int]:
        """Where the parts of the document are, by their ids; a later edit of the file counts before a former one."""
        places: dict[int, int] = {}
        document_id: int | None = None
        for _ in range(MOST_EDITS):
            edit = self._at(offset, USER_EDIT)
            offset, directory, document = struct.unpack_from("<III", self.raw, edit.start + 8)
            document_id = document if document_id is None else document_id
            for persist_id, place in self._directory(self._at(directory, PERSIST_DIRECTORY)):
                places.setdefault(persist_id, place)
            if offset == 0:
                break
        return places, document_id or 0

    def _directory(self, record: Record) -> Iterator[tuple[int, int]]:
        at = record.start
        while at + 4 <= record.end:
            (head,) = struct.unpack_from("<I", self.raw, at)
            first, count = head & 0xFFFFF, head >> 20
            at += 4
            for number in range(min(count, (record.end - at) // 4)):
                yield first + number, struct.unpack_from("<I", self.raw, at + 4 * number)[0]
            at += 4 * count

    def _list_entries(self, slide_list: Record) -> list[_Listed]:
        found: list[_Listed] = []
        kind = 0
        for record in self.records(slide_list.start, slide_list.end):
            if record.kind == SLIDE_PERSIST:
                persist_id, _, _, slide_id = struct.unpack_from("<IIII", self.raw, record.start)
                found.append(_Listed(persist_id, slide_id))
            elif record.kind == TEXT_HEADER:
                (kind,) = struct.unpack_from("<I", self.raw, record.start)
                if found:
                    found[-1].texts.append(PptText(kind, ""))
            elif found and found[-1].texts and (text := self._text(record)):
                found[-1].texts[-1] = PptText(kind, text)
        return found

    def _text(self, record: Record) -> str:
        content = self.raw[record.start : record.end]
        if record.kind == TEXT_CHARS:
            return content.decode("utf-16-le", "replace")
        return content.decode("latin-1") if record.kind == TEXT_BYTES else ""

    def _slide(self, listed: _Listed, places: Mapping[int, int], notes: Mapping[int, _Listed]) -> PptSlide:
        """A slide; one whose drawing is missing has the texts of its outline."""
        offset = places.get(listed.persist_id)
        record = next(self.records(offset, len(self.raw)), None) if offset is not None else None
        if record is None or record.kind != SLIDE:
            return PptSlide(tuple(listed.texts))
        atom = next(self._inside(record, SLIDE_ATOM), None)
        notes_id = struct.unpack_from("<I", self.raw, atom.start + 16)[0] if atom else 0
        own = notes.get(notes_id)
        place = places.get(own.persist_id) if own else None
        page = next(self.records(place, len(self.raw)), None) if place is not None else None
        spoken = self._drawn(page, own.texts if own else []) if page else ()
        # Their boxes are on the page of the notes, not on the slide.
        notes_texts = tuple(replace(text, box=None) for text in spoken if text.kind == NOTES_TEXT)
        return PptSlide(tuple(self._drawn(record, listed.texts)), notes_texts)

    def _drawn(self, container: Record, outline: list[PptText]) -> list[PptText]:
        """The texts of all shapes, then those of the outline that no shape shows."""
        used: set[int] = set()
        found = [
            text
            for drawing in self._inside(container, DRAWING)
            for canvas in self._inside(drawing, CANVAS)
            for group in self._inside(canvas, GROUP)
            for text in self._group_texts(group, outline, used, _Group(), 0)
        ]
        return [*found, *(text for at, text in enumerate(outline) if at not in used and text.text)]

    def _group_texts(
        self, record: Record, outline: list[PptText], used: set[int], group: _Group, depth: int
    ) -> Iterator[PptText]:
        for one in self._inside(record, GROUP, SHAPE):
            if one.kind == SHAPE:
                for text_box in self._inside(one, TEXT_BOX):
                    for text in self._box_texts(text_box, outline, used):
                        yield replace(text, box=self._box(one, group), table=group.table)
            elif depth < DEEPEST_GROUP:
                yield from self._group_texts(one, outline, used, self._group(one, group), depth + 1)

    def _group(self, record: Record, outer: _Group) -> _Group:
        """A group by its first shape, which stands for the whole of it."""
        head = next(self._inside(record, SHAPE), None)
        bounds = next(self._inside(head, GROUP_BOUNDS), None) if head else None
        placed = self._box(head, outer) if head else None
        if head is None or bounds is None or placed is None:
            return _Group(None)
        left, top, right, bottom = struct.unpack_from("<iiii", self.raw, bounds.start)
        across, down = placed.width / max(right - left, 1), placed.height / max(bottom - top, 1)
        frame = ShapeFrame(across, down, placed.x - left * across, placed.y - top * down)
        return _Group(frame, record.start if self._is_table(head) else outer.table)

    def _is_table(self, shape: Record) -> bool:
        return any(
            kind & 0x3FFF == TABLE_PROPERTIES and value & 1
            for record in self._inside(shape, MORE_PROPERTIES)
            for kind, value in struct.iter_unpack("<HI", self._whole_entries(record, 6))
        )

    def _whole_entries(self, record: Record, size: int) -> bytes:
        """The entries of a list of properties; what is longer than a number comes after them."""
        count = min(record.instance, (record.end - record.start) // size)
        return self.raw[record.start : record.start + count * size]

    def _box(self, shape: Record, group: _Group) -> Box | None:
        """The box of a shape: an anchor is one on the slide, that of a child is one in its group."""
        anchor = next(self._inside(shape, CHILD_ANCHOR, ANCHOR), None)
        if anchor is None:
            return None
        wide = anchor.end - anchor.start >= 16
        corners = struct.unpack_from("<iiii" if wide else "<hhhh", self.raw, anchor.start)
        is_child = anchor.kind == CHILD_ANCHOR
        left, top, right, bottom = corners if is_child else (corners[at] for at in (1, 0, 2, 3))
        frame = group.frame if is_child else _Group().frame
        box = Box(left, top, max(right - left, 0), max(bottom - top, 0))
        return frame.place(box) if frame else None

    def _box_texts(self, text_box: Record, outline: list[PptText], used: set[int]) -> Iterator[PptText]:
        kind = 0
        for record in self.records(text_box.start, text_box.end):
            if record.kind == TEXT_HEADER:
                (kind,) = struct.unpack_from("<I", self.raw, record.start)
            elif record.kind == OUTLINE_REFERENCE:
                (at,) = struct.unpack_from("<I", self.raw, record.start)
                if at < len(outline):
                    used.add(at)
                    yield outline[at]
            elif text := self._text(record):
                yield PptText(kind, text)
