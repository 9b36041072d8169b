"""Files that attack their readers."""

import io
import random
import zipfile
from pathlib import Path

import pytest

from pagemill.errors import (
    ArchiveBomb,
    DocumentCorrupt,
    PasswordIncorrect,
    PasswordRequired,
    UnsupportedContent,
)
from pagemill.reading.office.docx.document import docx_flow
from pagemill.reading.office.embedded import embedded_bytes
from pagemill.reading.office.package import Package
from tests.office_files import W, docx, para, relations, types, xlsx, zipped
from tests.reading.office.opened import blocks, opened

MAIN = "word/document.xml"


def package(document: str | bytes, **more: bytes) -> bytes:
    """A Word document whose main part is this."""
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": types(MAIN, "wordprocessingml.document"),
        "_rels/.rels": relations(("r1", "officeDocument", MAIN)),
        MAIN: document,
    }
    return zipped(parts | dict(more))


def test_a_part_that_unpacks_without_end_is_refused(tmp_path: Path) -> None:
    bomb = f"<w:document {W}><w:body>".encode() + b" " * (70 << 20)
    with pytest.raises(ArchiveBomb):
        opened(tmp_path, package(bomb))


def test_files_that_a_document_takes_in_count_as_parts_of_it() -> None:
    inner = docx(para("inserted") + " " * 100_000)
    rows = [(f"x{at}", "aFChunk", f"c{at}.docx") for at in range(3)]
    body = "".join(f'<w:altChunk r:id="{name}"/>' for name, *_ in rows)
    raw = docx(body, {f"word/{file}": inner for *_, file in rows}, *rows)
    assert len(docx_flow(Package(io.BytesIO(raw), max_package_bytes=400_000)).blocks) == 3
    with pytest.raises(ArchiveBomb):
        docx_flow(Package(io.BytesIO(raw), max_package_bytes=250_000))


def test_entities_are_not_expanded_and_files_not_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("the secret")
    document = (
        f'<!DOCTYPE d [<!ENTITY x SYSTEM "file://{secret}"><!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'
        f"<w:document {W}><w:body><w:p><w:r><w:t>before &x; &b;</w:t></w:r></w:p>{para('after')}</w:body></w:document>"
    )
    words = " ".join(block.text for block in blocks(tmp_path, package(document)))
    assert "after" in words
    assert "secret" not in words
    assert "aaaa" not in words


def test_xml_of_endless_depth_is_refused(tmp_path: Path) -> None:
    deep = f"<w:document {W}><w:body>" + "<w:sdt><w:sdtContent>" * 10_000
    with pytest.raises(DocumentCorrupt):
        opened(tmp_path, package(deep))


@pytest.mark.parametrize(("row", "cell"), [(99_999_999_999, "ZZZZZ99999999999"), (2_000_000, "A2000000")])
def test_a_cell_outside_of_any_sheet_is_not_counted_up_to(tmp_path: Path, row: int, cell: str) -> None:
    raw = xlsx(("Totals", f'<row r="{row}"><c r="{cell}"><v>1</v></c></row>'))
    with pytest.raises(DocumentCorrupt, match=r"Totals.*outside"):
        opened(tmp_path, raw)


def test_names_that_climb_out_of_the_package_touch_nothing(tmp_path: Path) -> None:
    raw = package(f"<w:document {W}><w:body>{para('Text')}</w:body></w:document>", **{"../../evil.txt": b"x"})
    assert [block.text for block in blocks(tmp_path, raw)] == ["Text"]
    assert [path.name for path in tmp_path.iterdir()] == ["document"]
    with pytest.raises(DocumentCorrupt):
        embedded_bytes(str(tmp_path / "document"), "../../../etc/passwd", None)


def test_an_archive_that_is_no_document_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedContent):
        opened(tmp_path, zipped({"readme.txt": "hello"}))


def test_a_damaged_archive_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DocumentCorrupt):
        opened(tmp_path, docx(para("Text"))[:400])


def test_an_archive_that_asks_for_a_version_that_never_was_is_read_by_the_second_reader(
    tmp_path: Path,
) -> None:
    raw = bytearray(docx(para("Text")))
    # The version that is needed to extract, in the entry of the central directory.
    raw[raw.index(b"PK\x01\x02") + 6] = 148
    assert [block.text for block in blocks(tmp_path, bytes(raw))] == ["Text"]


def test_an_encrypted_document_opens_with_its_password_alone(tmp_path: Path) -> None:
    import msoffcrypto.format.ooxml  # type: ignore[import-untyped]

    # The library can't encrypt files of less than a sector.
    padding = {"word/media/image1.bin": random.Random(7).randbytes(20_000)}
    plain, locked = io.BytesIO(docx(para("Behind a lock"), padding)), io.BytesIO()
    msoffcrypto.format.ooxml.OOXMLFile(plain).encrypt("sesame", locked)
    raw = locked.getvalue()
    assert not zipfile.is_zipfile(io.BytesIO(raw))
    with pytest.raises(PasswordRequired):
        opened(tmp_path, raw)
    with pytest.raises(PasswordIncorrect):
        opened(tmp_path, raw, "open")
    [page] = opened(tmp_path, raw, "sesame").pages([1])
    assert [block.text for block in page.blocks] == ["Behind a lock"]
