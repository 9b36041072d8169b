"""Text boxes of old Word documents, from streams made for the purpose."""

import struct

import pytest

from pagemill.reading.office.doc_text_boxes import text_box_lines

BODY, BOXES = "The body.\r", "Grüße\r\x13 PAGE \x1412\x15 of 20\r\r"


def streams(*, boxes: int = len(BOXES)) -> tuple[bytes, bytes]:
    """A document and its tables: the body in one byte a character, the text boxes in two, after other properties."""
    head = bytearray(0x200)
    struct.pack_into("<7i", head, 0x4C, len(BODY), 0, 0, 0, 0, 0, boxes)
    body = BODY.encode("cp1252")
    raw = bytes(head) + body + BOXES.encode("utf-16-le")
    places = struct.pack("<3I", 0, len(BODY), len(BODY) + len(BOXES))
    parts = (0x200 * 2 | 0x40000000, 0x200 + len(body))
    pieces = places + b"".join(struct.pack("<HIH", 0, offset, 0) for offset in parts)
    table = b"\x01" + struct.pack("<H", 2) + b"zz" + b"\x02" + struct.pack("<I", len(pieces)) + pieces
    clx = struct.pack("<II", 0, len(table))
    return raw[:0x1A2] + clx + raw[0x1A2 + 8 :], table


def test_text_boxes_are_read_without_the_codes_of_their_fields() -> None:
    assert text_box_lines(*streams()) == ["Grüße", "12 of 20"]


def test_a_document_without_text_boxes_has_none() -> None:
    assert text_box_lines(*streams(boxes=0)) == []


@pytest.mark.parametrize("kept", [0, 3, 8, 20])
def test_a_table_that_is_cut_off_is_refused(kept: int) -> None:
    raw, table = streams()
    with pytest.raises((struct.error, ValueError, IndexError)):
        text_box_lines(raw, table[:kept])


def test_pieces_that_overlap_are_refused() -> None:
    raw, table = streams()
    places = struct.pack("<3I", 0, len(BODY), len(BODY) + len(BOXES))
    with pytest.raises(ValueError, match="overlap"):
        text_box_lines(raw, table.replace(places, struct.pack("<3I", 0, 90, 20)))


def test_fields_in_fields_without_an_end_take_no_time() -> None:
    raw, table = streams()
    words = "\x13" * (len(BOXES) - 2) + "Hi"
    raw = raw.replace(BOXES.encode("utf-16-le"), words.encode("utf-16-le"))
    assert text_box_lines(raw, table) == ["Hi"]
