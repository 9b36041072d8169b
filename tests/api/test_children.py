"""Files inside of documents: listed, or processed as documents of their own."""

import base64
import io
import tarfile
from typing import Any

import pypdf
import pytest

from pagemill.child_documents import shared_place
from pagemill.steps.accept import ChildPlace
from tests.api.test_http import problem
from tests.office_files import docx, para, zipped
from tests.samples import letter
from tests.servers import Served
from tests.waiting import wait_for

PROGRAM = b"\x7fELF\x02\x01\x01" + bytes(64)
PROCESS = {"embedded_files": "process"}


def mail(*attached: tuple[str, bytes]) -> bytes:
    """An e-mail with these files."""
    parts = b"".join(
        b"--b\r\nContent-Type: application/octet-stream\r\nContent-Transfer-Encoding: base64\r\n"
        b'Content-Disposition: attachment; filename="'
        + name.encode()
        + b'"\r\n\r\n'
        + base64.b64encode(body)
        + b"\r\n"
        for name, body in attached
    )
    head = (
        b"From: ada@example.org\r\nTo: bob@example.org\r\nSubject: Files\r\nMIME-Version: 1.0\r\n"
        b'Content-Type: multipart/mixed; boundary="b"\r\n\r\n'
    )
    return head + b"--b\r\nContent-Type: text/plain\r\n\r\nSee the files.\r\n" + parts + b"--b--\r\n"


def children_of(server: Served, job_id: str, count: int) -> dict[str, Any]:
    """The family of a job once all of its children have ended."""

    def ended() -> bool:
        found = server.http.get(f"/v1/jobs/{job_id}/children").json()["children"]
        return len(found) == count and all(one["status"] not in ("pending", "processing") for one in found)

    wait_for(ended)
    family: dict[str, Any] = server.http.get(f"/v1/jobs/{job_id}/children").json()
    return family


def test_attachments_of_an_e_mail_become_documents_down_to_those_in_archives(busy: Served) -> None:
    inner = zipped({"../deep.txt": "Deep inside the archive."})
    raw = mail(("letter.pdf", letter("Dear child,")), ("program.exe", PROGRAM), ("more.zip", inner))
    job = busy.finished(raw, filename="mail.eml", metadata='{"case": "7"}', **PROCESS)
    assert (job["status"], "embedded_files" in job["warnings"]) == ("completed", True)
    family = children_of(busy, job["id"], 3)
    first, program, archive = family["children"]
    assert [one["name"] for one in family["children"]] == ["letter.pdf", "program.exe", "more.zip"]
    assert (first["status"], archive["status"]) == ("completed", "completed")
    assert (program["job_id"], program["error"]["code"]) == (None, "unsupported_file_type")
    assert "Dear child," in busy.http.get(f"{first['link']}/markdown").text
    assert busy.http.get(first["link"]).json()["metadata"] == {"case": "7"}
    assert busy.http.get(f"{first['link']}/children").json()["parent_job_id"] == job["id"]
    batch = busy.http.get(f"/v1/batches/{family['batch_id']}").json()
    assert (batch["parent_job_id"], batch["total"], batch["name"]) == (job["id"], 3, "Files in mail.eml")
    [deep] = children_of(busy, archive["job_id"], 1)["children"]
    assert (deep["name"], deep["status"]) == ("deep.txt", "completed")
    assert busy.http.delete(f"/v1/jobs/{job['id']}").status_code == 204
    for gone in (first["link"], deep["link"], f"/v1/batches/{family['batch_id']}"):
        assert busy.http.get(gone).status_code == 410


def test_files_are_listed_and_nothing_more_unless_that_is_asked_for(busy: Served) -> None:
    out = io.BytesIO()
    writer = pypdf.PdfWriter()
    writer.append(io.BytesIO(letter("Invoice")))
    writer.add_attachment("factur-x.xml", b"<?xml version='1.0'?><Invoice><Total>12</Total></Invoice>")
    writer.write(out)
    job = busy.finished(out.getvalue(), filename="invoice.pdf")
    family = busy.http.get(f"/v1/jobs/{job['id']}/children").json()
    assert family == {"parent_job_id": None, "batch_id": None, "children": []}
    facts = busy.http.get(f"/v1/jobs/{job['id']}/result").json()["document"]["facts"]
    assert [one["name"] for one in facts["attachments"]] == ["factur-x.xml"]
    again = busy.finished(out.getvalue(), filename="invoice.pdf", **PROCESS)
    [xml] = children_of(busy, again["id"], 1)["children"]
    assert "<Total>12</Total>" in busy.http.get(f"{xml['link']}/text").text


def test_the_files_in_an_office_file_are_named_in_its_facts(busy: Served) -> None:
    core = '<c xmlns:dc="d"><dc:title>The plan</dc:title><dc:creator>Ada; Bob</dc:creator></c>'
    raw = docx(para("Body."), {"word/embeddings/plan.pdf": letter("In"), "docProps/core.xml": core})
    job = busy.finished(raw, filename="plan.docx")
    facts = busy.http.get(f"/v1/jobs/{job['id']}/result").json()["document"]["facts"]
    assert (facts["title"], facts["authors"]) == ("The plan", ["Ada", "Bob"])
    assert [one["name"] for one in facts["attachments"]] == ["plan.pdf"]


def tar(name: str, body: bytes) -> bytes:
    """A compressed TAR of one file."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        entry = tarfile.TarInfo(name)
        entry.size = len(body)
        archive.addfile(entry, io.BytesIO(body))
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    return out.getvalue()


@pytest.mark.parametrize(
    ("filename", "raw"),
    [
        ("a.zip", zipped({"in/a.txt": "Words of the file."})),
        ("a.tar.gz", tar("a.txt", b"Words of the file.")),
    ],
)
def test_an_archive_is_a_job_whose_files_are_its_children(busy: Served, filename: str, raw: bytes) -> None:
    job = busy.finished(raw, filename=filename)
    assert (job["status"], job["options"]["embedded_files"]) == ("completed", "process")
    assert "a.txt (18 bytes)" in busy.http.get(f"/v1/jobs/{job['id']}/text").text
    [child] = children_of(busy, job["id"], 1)["children"]
    assert (child["name"], child["status"]) == ("a.txt", "completed")
    assert "Words of the file." in busy.http.get(f"{child['link']}/text").text
    assert busy.http.post(f"/v1/jobs/{job['id']}/retry", json={"only": "all"}).status_code == 202
    again = busy.http.get(f"/v1/jobs/{job['id']}", params={"wait": 60}).json()
    assert (again["status"], again["run"]) == ("completed", 2)
    assert children_of(busy, job["id"], 1)["children"][0]["job_id"] == child["job_id"]


def test_an_archive_under_the_name_of_a_document_is_refused(busy: Served) -> None:
    files = {"file": ("document.pdf", zipped({"a.txt": "x"}), "application/pdf")}
    problem(busy.http.post("/v1/jobs", files=files), 415, "unsupported_file_type")


def test_a_tree_of_files_never_has_more_of_them_than_its_root_may_have() -> None:
    root = shared_place(ChildPlace("1", 1, 100), 10)
    assert root.budget == 9
    assert 10 + 10 * root.budget <= 100
    assert shared_place(ChildPlace("1", 1, 5), 5).budget == 0
