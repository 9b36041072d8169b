"""Types of documents from their first bytes."""

import time

import pytest

from pagemill.model.file_types import BY_MEDIA_TYPE, is_office
from pagemill.model.sniffing import OLE_MARK, media_type_of
from tests.office_files import docx, para, pptx, row, shape, xlsx, zipped

OOXML = "application/vnd.openxmlformats-officedocument"


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (docx(para("x")), f"{OOXML}.wordprocessingml.document"),
        (pptx(shape("x")), f"{OOXML}.presentationml.presentation"),
        (xlsx(("s", row(1, A="x"))), f"{OOXML}.spreadsheetml.sheet"),
        (
            b"PK\x03\x04" + bytes(22) + b"\x08\0\0\0mimetypeapplication/epub+zipPK",
            "application/epub+zip",
        ),
        (
            zipped({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": "<a/>"}),
            "application/vnd.oasis.opendocument.text",
        ),
        (zipped({"a.txt": "x"}), None),
        (OLE_MARK + bytes(600), "application/x-ole-storage"),
        (OLE_MARK + bytes(600) + "WordDocument".encode("utf-16-le"), "application/msword"),
        (b"{\\rtf1 x}", "application/rtf"),
        (b"<!DOCTYPE html><p>x", "text/html"),
        (b"<?xml version='1.0'?><a/>", "application/xml"),
        (b"From: a@b.c\nSubject: x\nDate: y\n\nHello", "message/rfc822"),
        (b"a,b\n1,2\n", "text/csv"),
        (b"a\tb\n1\t2\n", "text/tab-separated-values"),
        (b"# Title\n\ntext", "text/markdown"),
        (b"1\n00:00:01,000 --> 00:00:02,000\nx\n", "application/x-subrip"),
        (b'{"a": 1}', "application/json"),
        (b"Dear reader,\nhello.", "text/plain"),
        (b"%PDF-1.7\n", "application/pdf"),
        (b"  1 0 obj << /AcroForm<< /Fields \xff>>", "application/pdf"),
        (b"%\xe2\xe3\xcf\xd3\n1 0 obj\n<<", "application/pdf"),
        (b"xref 0 1 trailer<</Size 1>>", "application/pdf"),
        (b"trailer<</Root 1 0 R>>", "application/pdf"),
        (b"1 0 objections were raised", "text/plain"),
        (b"% a remark\nand a text", "text/plain"),
        (b"\0\0\0\x1cftypavif", "image/avif"),
        (b"\x7fELF\x02\x01\x01" + bytes(50), None),
        (bytes(range(256)) * 8, None),
        (b"X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*", None),
        (b"   \n", None),
    ],
)
def test_the_first_bytes_tell_the_type(head: bytes, expected: str | None) -> None:
    assert media_type_of(head) == expected


def test_a_document_is_stored_under_an_ending_that_says_how_it_is_read() -> None:
    assert is_office("documents/ab/0199.docx")
    assert not is_office("documents/ab/0199.pdf")
    assert not is_office("documents/ab/0199.png")
    assert len({one.suffix for one in BY_MEDIA_TYPE.values()}) == len(BY_MEDIA_TYPE)


@pytest.mark.parametrize(
    "head",
    [
        b"<!---->" * 1_000 + b"x",
        (b"%a" + b"\n" * 1_000) * 4 + b"x",
        b"[" * 8_000 + b"x",
        b"|" + b" - " * 2_500 + b"x",
    ],
    ids=["comments", "comment lines", "brackets", "table rules"],
)
def test_the_type_of_text_that_repeats_itself_is_found_without_trying_every_way_to_part_it(
    head: bytes,
) -> None:
    began = time.process_time()
    assert media_type_of(head) is not None
    # Some milliseconds; with patterns that try every way it was hours.
    assert time.process_time() - began < 5
