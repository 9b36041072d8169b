"""What a PDF says of itself, in full, in part and in nonsense."""

import io
from pathlib import Path

import orjson
import pikepdf
import pytest

from pagemill.mill import Mill
from pagemill.model.document_facts import Attachment, DocumentFacts, OutlineEntry, short_facts
from pagemill.model.options import ReadingOptions
from pagemill.reading.self_description import authors_in, clean, date_in, facts_of
from tests.mills import finished, hand_in, made
from tests.samples import big, encrypted


def described_pdf(pages: int = 4) -> bytes:
    """A document that says much of itself."""
    with pikepdf.open(io.BytesIO(big(pages))) as pdf:
        pdf.docinfo["/Title"] = "The mill\u202e"
        pdf.docinfo["/Author"] = "Miller, Anna; Bert"
        pdf.docinfo["/Producer"] = "a test"
        pdf.docinfo["/CreationDate"] = "D:20240229121314+01'30'"
        pdf.docinfo["/ModDate"] = "D:20249999"
        pdf.Root.Lang = pikepdf.String("en-GB")
        pdf.Root.MarkInfo = pikepdf.Dictionary(Marked=True)
        pdf.Root.PageLabels = pdf.make_indirect(
            pikepdf.Dictionary(
                Nums=[0, pikepdf.Dictionary(S=pikepdf.Name.r), 2, pikepdf.Dictionary(S=pikepdf.Name.D)]
            )
        )
        with pdf.open_outline() as outline:
            chapter = pikepdf.OutlineItem("One", 0)
            chapter.children.append(pikepdf.OutlineItem("One point one", 2))
            outline.root.append(chapter)
        pdf.attachments["data.csv"] = b"a,b\n"
        with pdf.open_metadata(set_pikepdf_as_editor=False, update_docinfo=False) as meta:
            meta["pdfaid:part"] = "2"
            meta["pdfaid:conformance"] = "B"
        out = io.BytesIO()
        pdf.save(out, compress_streams=False)
        return out.getvalue()


def test_a_document_tells_all_that_it_says_of_itself(tmp_path: Path) -> None:
    path = tmp_path / "described.pdf"
    path.write_bytes(described_pdf())
    told = facts_of(str(path), None)
    assert told is not None
    assert (told.title, told.authors, told.producer) == ("The mill", ("Miller, Anna", "Bert"), "a test")
    assert (told.created_at, told.modified_at) == ("2024-02-29T12:13:14+01:30", None)
    assert (told.language, told.tagged, told.signed, told.pdf_a) == ("en-GB", True, False, "2B")
    assert told.outline == (OutlineEntry("One", 1, 1), OutlineEntry("One point one", 2, 3))
    assert told.page_labels == ("i", "ii", "1", "2")
    assert told.attachments == (Attachment("data.csv", 4),)


@pytest.mark.parametrize("characters", [1, 254, 255, 256, 257, 900])
def test_a_title_is_whole_however_long_it_is(tmp_path: Path, characters: int) -> None:
    title = ("flour and grain " * 60)[: characters - 1] + "!"
    path = tmp_path / "titled.pdf"
    with pikepdf.open(io.BytesIO(big(1))) as pdf:
        pdf.docinfo["/Title"], pdf.docinfo["/Subject"] = title, "short"
        pdf.save(path)
    told = facts_of(str(path), None)
    assert told is not None
    assert (told.title, told.subject) == (title, "short")


def test_a_document_that_says_nothing_has_empty_facts(tmp_path: Path) -> None:
    path = tmp_path / "plain.pdf"
    path.write_bytes(big(2))
    assert facts_of(str(path), None) == DocumentFacts()


def test_a_locked_document_tells_nothing_without_its_password(tmp_path: Path) -> None:
    path = tmp_path / "locked.pdf"
    path.write_bytes(encrypted(user="open"))
    assert facts_of(str(path), None) is None
    assert facts_of(str(path), "open") is not None


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("D:20240102030405Z", "2024-01-02T03:04:05Z"),
        ("D:20240102030405+00'00'", "2024-01-02T03:04:05Z"),
        ("D:20240102030405-0800", "2024-01-02T03:04:05-08:00"),
        ("20240102030405", "2024-01-02T03:04:05"),
        ("D:2024", "2024"),
        ("D:202403", "2024-03"),
        ("D:20240317", "2024-03-17"),
        ("D:20241301", None),
        ("D:20240101000000+99'00'", None),
        ("yesterday", None),
        ("", None),
    ],
)
def test_a_date_is_as_exact_as_it_is_there(text: str, date: str | None) -> None:
    assert date_in(text) == date


def test_text_is_on_one_line_and_not_too_long() -> None:
    assert clean(" a\n\x00b ") == "a b"
    assert clean("\x01") is None
    assert len(clean("x" * 5_000) or "") == 1_000
    assert authors_in("; A ;;B") == ("A", "B")


@pytest.mark.parametrize("pages", [4, 80])
def test_facts_are_in_the_json_of_short_and_of_long_documents(mill: Mill, pages: int) -> None:
    job = finished(mill, hand_in(mill, described_pdf(pages)).job_id)
    facts = orjson.loads(made(mill, job["id"], "json"))["document"]["facts"]
    assert facts["title"] == "The mill"
    assert [entry["page"] for entry in facts["outline"]] == [1, 3]
    assert len(facts["page_labels"]) == pages
    assert job["document"]["facts"] == facts | {"shortened": False}


def test_a_job_has_the_facts_whatever_it_was_asked_to_make_and_when_its_result_is_used_again(
    mill: Mill,
) -> None:
    document, options = described_pdf(), ReadingOptions(formats=("markdown",))
    first, again = (finished(mill, hand_in(mill, document, options, reuse=True).job_id) for _ in range(2))
    assert again["reused"]
    assert first["document"]["facts"] == again["document"]["facts"]
    assert first["document"]["facts"] is not None
    assert first["document"]["facts"]["pdf_a"] == "2B"


def test_long_lists_and_texts_are_short_in_a_job() -> None:
    outline = tuple(OutlineEntry("x" * 300, 1, None) for _ in range(300))
    short = short_facts(DocumentFacts(title="t" * 1_000, outline=outline, page_labels=("i",) * 101))
    assert short is not None
    assert short["shortened"]
    assert (len(short["outline"]), len(short["page_labels"] or ())) == (100, 100)
    assert len(short["title"] or "") == len(short["outline"][0]["title"]) == 200


def test_a_signature_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "signed.pdf"
    with pikepdf.open(io.BytesIO(big(1))) as pdf:
        signature = pikepdf.Dictionary(Type=pikepdf.Name.Sig, Contents=b"0" * 16, ByteRange=[0, 1, 2, 3])
        field = pikepdf.Dictionary(FT=pikepdf.Name.Sig, T="one", V=pdf.make_indirect(signature))
        pdf.Root.AcroForm = pikepdf.Dictionary(Fields=[pdf.make_indirect(field)], SigFlags=3)
        pdf.save(path)
    told = facts_of(str(path), None)
    assert told is not None
    assert told.signed
