"""What is handed on of a PDF can't act: no scripts, no programs to start, no embedded files."""

import io
from pathlib import Path

import pikepdf
import pypdfium2
import pytest
from pikepdf import Array, Dictionary, Name, Pdf, String

from pagemill.reading.artifacts.disarm import disarm
from tests import samples
from tests.reading.journey import at_once
from tests.reading.test_artifacts import make

MARKS = (b"MARK-SCRIPT", b"MARK-PROGRAM", b"MARK-STREAM", b"MARK-FILE", b"MARK-FORM", b"MARK-XFA")
ACTING = (
    b"/JavaScript",
    b"/JS",
    b"/Launch",
    b"/SubmitForm",
    b"/EmbeddedFile",
    b"/AA",
    b"/OpenAction",
    b"/XFA",
)


def armed(pdf: bytes) -> bytes:
    """A document with everything that could act in it, packed into object streams."""
    with pikepdf.open(io.BytesIO(pdf)) as document:
        script = document.make_stream(b"app.alert('MARK-STREAM')")
        document.Root.OpenAction = document.make_indirect(Dictionary(S=Name.JavaScript, JS=script))
        document.Root.AA = Dictionary(WC=Dictionary(S=Name.JavaScript, JS=String("MARK-SCRIPT")))
        document.attachments["program.exe"] = b"MZ MARK-FILE"
        xfa = document.make_stream(b"<xdp>MARK-XFA</xdp>")
        document.Root.AcroForm = Dictionary(Fields=Array(), XFA=Array([String("xdp"), xfa]))
        page = document.pages[0].obj
        page.AA = Dictionary(O=Dictionary(S=Name.Launch, F=String("MARK-PROGRAM.exe")))
        page.Annots = Array([document.make_indirect(link) for link in links()])
        out = io.BytesIO()
        document.save(out, object_stream_mode=pikepdf.ObjectStreamMode.generate)
        return out.getvalue()


def links() -> list[Dictionary]:
    """Links that act, and one that leads to a web page."""
    chained = Dictionary(S=Name.URI, URI=String("https://ok.example/"))
    chained.Next = Dictionary(S=Name.JavaScript, JS=String("MARK-SCRIPT"))
    actions = [
        Dictionary(S=Name.Launch, F=String("MARK-PROGRAM.exe")),
        Dictionary(S=Name.SubmitForm, F=String("https://evil.example/MARK-FORM")),
        Dictionary(S=Name.URI, URI=String("javascript:alert('MARK-SCRIPT')")),
        chained,
    ]
    return [Dictionary(Type=Name.Annot, Subtype=Name.Link, Rect=[0, 0, 9, 9], A=action) for action in actions]


def everything_in(file: Path) -> bytes:
    """All that a program finds in a PDF, unpacked, and the bytes of the file itself."""
    with pikepdf.open(file) as document:
        out = io.BytesIO()
        document.save(out, stream_decode_level=pikepdf.StreamDecodeLevel.all, qdf=True)
    return out.getvalue() + file.read_bytes()


@pytest.mark.parametrize("name", ["layout", "searchable"])
def test_an_artifact_holds_nothing_that_could_act(tmp_path: Path, name: str) -> None:
    at_once(tmp_path, armed(samples.letter("Dear reader,")))
    [file] = make(tmp_path, name)
    made = tmp_path / name / file.name
    found = everything_in(made)
    assert not [mark for mark in (*MARKS, *ACTING) if mark in found]
    assert b"https://ok.example/" in found
    with pypdfium2.PdfDocument(made) as document:
        assert "Dear reader" in document[0].get_textpage().get_text_range()
        assert document.count_attachments() == 0


def test_a_file_that_could_not_act_stays_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "plain.pdf"
    with pypdfium2.PdfDocument(samples.report(3)) as document:
        document.save(file, flags=3)
    before = file.read_bytes()
    disarm(file)
    assert file.read_bytes() == before


def test_a_form_keeps_its_fields_and_loses_its_scripts(tmp_path: Path) -> None:
    file = tmp_path / "form.pdf"
    with pikepdf.open(io.BytesIO(samples.form())) as document:
        for field in document.Root.AcroForm.Fields:
            field.AA = Dictionary(K=Dictionary(S=Name.JavaScript, JS=String("MARK-SCRIPT")))
        document.save(file)
        names = {str(field.T) for field in document.Root.AcroForm.Fields}
    with pypdfium2.PdfDocument(file) as document:
        document.save(tmp_path / "saved.pdf", flags=3)
    disarm(tmp_path / "saved.pdf")
    assert b"MARK-SCRIPT" not in everything_in(tmp_path / "saved.pdf")
    with Pdf.open(tmp_path / "saved.pdf") as document:
        assert {str(field.T) for field in document.Root.AcroForm.Fields} == names
