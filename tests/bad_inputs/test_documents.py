"""Documents that are damaged, hostile or odd: rows C and D, each with what becomes of its job."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from tests import samples
from tests.bad_inputs import documents
from tests.servers import PATIENCE_SECONDS, Served


@dataclass(frozen=True)
class Row:
    """A document and what must become of it: the code of a refusal or a failure, or the warnings of a result."""

    id: str
    make: Callable[[], bytes]
    refused: str = ""
    failed: frozenset[str] = frozenset()
    warned: str = ""
    query: str = ""


def fails(*codes: str) -> frozenset[str]:
    """The codes that a job may fail with."""
    return frozenset(codes)


ROWS = [
    Row("C1", lambda: b"\0" + random.Random(1).randbytes(5_000), refused="unsupported_file_type"),
    Row("C2 ELF", lambda: b"\x7fELF\2\1\1" + b"\0" * 500, refused="unsupported_file_type"),
    Row("C2 PE", lambda: b"MZ\x90\0\3" + b"\0" * 500, refused="unsupported_file_type"),
    Row("C2 EICAR", lambda: documents.EICAR, refused="unsupported_file_type"),
    Row("C3", documents.archive, refused="unsupported_file_type"),
    Row("C4", documents.office_bomb, failed=fails("archive_bomb")),
    Row("C6", documents.climbing_office),
    Row("C8", documents.office_with_remote_template, warned="external_resource_blocked"),
    Row("C9", documents.office_with_macros, warned="macros_not_run"),
    Row("C10", documents.locked_office, failed=fails("password_required")),
    Row("C11 line", lambda: documents.huge_png(1, 60_000), failed=fails("image_too_large")),
    Row("C11 square", lambda: documents.huge_png(60_000, 60_000), failed=fails("image_too_large")),
    Row("C12 TIFF", lambda: documents.many_frames(60, "TIFF"), failed=fails("too_many_pages")),
    Row("C12 GIF", lambda: documents.many_frames(60, "GIF")),
    Row("C13", documents.truncated_jpeg, failed=fails("image_corrupt")),
    Row("C14", documents.scripted_drawing),
    Row("C14 entity", documents.drawing_with_entities),
    Row("D1", lambda: b"%PDF-1.7", failed=fails("pdf_corrupt")),
    Row("D2", samples.truncated, warned="repaired"),
    Row("D2 beyond repair", samples.corrupt, failed=fails("pdf_corrupt")),
    Row("D4", samples.no_pages, failed=fails("no_pages")),
    Row("D5 none", samples.encrypted, failed=fails("password_required")),
    Row("D5 wrong", samples.encrypted, failed=fails("password_incorrect"), query="password=wrong"),
    Row("D5 right", samples.encrypted, query="password=open"),
    Row("D5 owner only", lambda: samples.encrypted(user="")),
    Row("D6", samples.unknown_encryption, failed=fails("encryption_unsupported")),
    Row("D6 version", samples.unknown_version, failed=fails("encryption_unsupported")),
    Row("D7", samples.active_content, warned="active_content"),
    Row("D8", samples.embedded_file, warned="embedded_files"),
    Row("D9", samples.xfa_form, warned="xfa_unsupported"),
    Row("D10", lambda: samples.odd_page("0 0 14400 14400", 75), warned="odd_page_size"),
    Row("D11 none", lambda: samples.odd_page("0 0 0 0"), warned="odd_page_size"),
    Row("D11 negative", lambda: samples.odd_page("0 0 -100 -100"), warned="odd_page_size"),
    Row("D11 huge", lambda: samples.odd_page("0 0 1e9 1e9"), warned="odd_page_size"),
    Row("D12 twice", lambda: documents.flate_bomb(300 << 20, 2), failed=fails("decompression_limit")),
    Row("D12 three times", lambda: documents.flate_bomb(10 << 30, 3), failed=fails("decompression_limit")),
    Row("D12 harmless", lambda: documents.filtered(b"/FlateDecode " * 2, documents.packed_lines(2))),
    Row("D13", lambda: documents.filtered(b"/LZWDecode", random.Random(4).randbytes(50_000))),
    Row(
        "D13 chain",
        lambda: documents.filtered(b"/ASCII85Decode /RunLengthDecode /FlateDecode", b"z" * 900 + b"~>"),
    ),
    Row("D14 CCITT", lambda: documents.huge_image(b"CCITTFaxDecode")),
    Row("D14 JPX", lambda: documents.huge_image(b"JPXDecode", bits=8)),
    Row("D15", samples.kids_cycle, failed=fails("pdf_corrupt", "no_pages", "page_unreadable")),
    Row("D21 facts", documents.halved_characters, warned="embedded_files"),
    Row("D15 labels", documents.circling_labels, warned="repaired"),
    # What is nested so deep is in no place that a page needs, so the page is read.
    Row("D17", lambda: documents.nested_arrays(100_000)),
    Row("D19", lambda: samples.blank(501), failed=fails("too_many_pages")),
    Row("D21", samples.garbage_text),
    Row("D23 covered", documents.covered_text, warned="hidden_text"),
    Row("D23 layer", documents.hidden_layer, warned="hidden_text"),
    Row("D24", documents.broken_font),
    Row("D25", samples.blank),
    Row("D27", lambda: documents.revisions(200)),
    Row("D28", documents.linearized_cut, failed=fails("pdf_corrupt")),
    Row("D31", lambda: documents.counted_short(1, 5), warned="repaired"),
    Row("D31 packed", lambda: documents.counted_short(1, 5, packed=True), warned="repaired"),
    Row("D31 nested", lambda: documents.counted_short(1, 5, nested=True), warned="repaired"),
    Row("D31 locked", documents.locked_and_counted_short, warned="repaired", query="password=open"),
    Row("D32", lambda: documents.mapped_to(b"200B")),
    Row("D32 overrides", lambda: documents.mapped_to(b"202E")),
    Row("D33", lambda: documents.one_page(b"", b"/CropBox [1000 1000 1200 1200]")),
    Row("header at byte 1,023", lambda: documents.late_header(1_023)),
]


@pytest.fixture(scope="module")
def answers(open_server: Served) -> dict[str, tuple[int, dict[str, Any]]]:
    """All documents, handed in one after the other before any is waited for: status and answer by row."""
    found = {}
    for row in ROWS:
        path = f"/v1/jobs?{row.query}"
        answer = open_server.http.post(path, content=row.make(), headers={"content-type": "application/pdf"})
        found[row.id] = (answer.status_code, answer.json())
    return found


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_a_bad_document_gets_its_answer(
    open_server: Served, answers: dict[str, tuple[int, dict[str, Any]]], row: Row
) -> None:
    status, told = answers[row.id]
    if row.refused:
        assert (status, told["code"]) == (415, row.refused)
        assert told["detected"]
        return
    assert status == 202, told
    job = open_server.http.get(f"/v1/jobs/{told['id']}", params={"wait": PATIENCE_SECONDS}).json()
    assert job["status"] == ("failed" if row.failed else "completed"), job["error"]
    if row.failed:
        assert job["error"]["code"] in row.failed
        assert job["error"]["message"]
        assert {"stage", "retryable", "page"} <= set(job["error"])
        result = open_server.http.get(f"/v1/jobs/{job['id']}/markdown")
        assert (result.status_code, result.json()["code"]) == (409, "job_failed")
        return
    assert not row.warned or row.warned in job["warnings"], job["warnings"]
    # Whatever was in it, what comes out can be read by everybody.
    open_server.http.get(f"/v1/jobs/{job['id']}/markdown").content.decode("utf-8")


def text_of(server: Served, told: dict[str, Any]) -> str:
    """The Markdown of a job, once it has ended."""
    server.http.get(f"/v1/jobs/{told['id']}", params={"wait": PATIENCE_SECONDS})
    return server.http.get(f"/v1/jobs/{told['id']}/markdown").text


def test_what_can_be_seen_is_not_lost(
    open_server: Served, answers: dict[str, tuple[int, dict[str, Any]]]
) -> None:
    assert "Visible line" in text_of(open_server, answers["D32"][1])
    assert "Visible line" in text_of(open_server, answers["D32 overrides"][1])
    assert "Revision number 199" in text_of(open_server, answers["D27"][1])
    assert "Dear reader" in text_of(open_server, answers["header at byte 1,023"][1])
    assert "Visible line" in text_of(open_server, answers["D12 harmless"][1])
    assert "Visible line" in text_of(open_server, answers["D15 labels"][1])
    for row in ("D31", "D31 packed", "D31 nested", "D31 locked"):
        assert "This is page number 5 of the tree" in text_of(open_server, answers[row][1])


def test_the_pages_that_a_document_does_not_count_can_be_drawn(
    open_server: Served, answers: dict[str, tuple[int, dict[str, Any]]]
) -> None:
    job = answers["D31"][1]["id"]
    open_server.http.get(f"/v1/jobs/{job}", params={"wait": PATIENCE_SECONDS})
    for path in ("pages/5/image", "layout.pdf"):
        assert open_server.http.get(f"/v1/jobs/{job}/{path}").status_code == 200


@pytest.mark.parametrize(
    "words", ["<script>alert(1)</script>", "](javascript:alert(1))", "\\<img src=x onerror=y>"]
)
def test_text_that_looks_like_markup_stays_text(open_server: Served, words: str) -> None:
    job = open_server.finished(samples.letter(words))
    for form in ("markdown", "html"):
        shown = open_server.http.get(f"/v1/jobs/{job['id']}/{form}").text
        assert "<script>" not in shown
        assert "<img" not in shown
        assert 'href="javascript:' not in shown
