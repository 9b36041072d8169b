"""Facts: electronic invoices read exactly, pairs of label and value, check boxes, barcodes and signatures, with their boxes."""

import io
from pathlib import Path
from typing import Any

import numpy
import orjson
import pikepdf
import pytest
import zxingcpp
from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from pagemill.model.artifacts import MakeRequest
from pagemill.model.pages import Block, Box, FormField, Kind
from pagemill.model.visits import OpenRequest
from pagemill.reading.entities.label_words import name_of_label
from pagemill.reading.facts.check_boxes import find_check_boxes
from pagemill.reading.facts.e_invoice import read_invoice
from pagemill.reading.facts.key_values import find_key_values
from pagemill.reading.visits import make_artifact, open_document
from tests.reading.made import page, paragraph, rows, table
from tests.samples import letter, photographed

CII = b"""<?xml version="1.0" encoding="UTF-8"?>
<rsm:CrossIndustryInvoice xmlns:rsm="urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100"
 xmlns:ram="urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100"
 xmlns:udt="urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100">
<rsm:ExchangedDocumentContext><ram:GuidelineSpecifiedDocumentContextParameter><ram:ID>urn:cen.eu:en16931:2017</ram:ID>
</ram:GuidelineSpecifiedDocumentContextParameter></rsm:ExchangedDocumentContext>
<rsm:ExchangedDocument><ram:ID>RE-2026-0042</ram:ID><ram:TypeCode>380</ram:TypeCode>
<ram:IssueDateTime><udt:DateTimeString format="102">20260503</udt:DateTimeString></ram:IssueDateTime></rsm:ExchangedDocument>
<rsm:SupplyChainTradeTransaction>
<ram:IncludedSupplyChainTradeLineItem><ram:AssociatedDocumentLineDocument><ram:LineID>1</ram:LineID>
</ram:AssociatedDocumentLineDocument><ram:SpecifiedTradeProduct><ram:Name>Flour</ram:Name></ram:SpecifiedTradeProduct>
<ram:SpecifiedLineTradeAgreement><ram:NetPriceProductTradePrice><ram:ChargeAmount>1.0005</ram:ChargeAmount>
</ram:NetPriceProductTradePrice></ram:SpecifiedLineTradeAgreement>
<ram:SpecifiedLineTradeDelivery><ram:BilledQuantity unitCode="KGM">1000</ram:BilledQuantity></ram:SpecifiedLineTradeDelivery>
<ram:SpecifiedLineTradeSettlement><ram:SpecifiedTradeSettlementLineMonetarySummation>
<ram:LineTotalAmount>1000.50</ram:LineTotalAmount></ram:SpecifiedTradeSettlementLineMonetarySummation>
</ram:SpecifiedLineTradeSettlement></ram:IncludedSupplyChainTradeLineItem>
<ram:ApplicableHeaderTradeAgreement><ram:BuyerReference>04011000-12345</ram:BuyerReference>
<ram:SellerTradeParty><ram:Name>Mill Nord GmbH</ram:Name><ram:PostalTradeAddress><ram:CountryID>DE</ram:CountryID>
</ram:PostalTradeAddress><ram:SpecifiedTaxRegistration><ram:ID schemeID="FC">201/113/40209</ram:ID>
</ram:SpecifiedTaxRegistration><ram:SpecifiedTaxRegistration><ram:ID schemeID="VA">DE136695976</ram:ID>
</ram:SpecifiedTaxRegistration></ram:SellerTradeParty>
<ram:BuyerTradeParty><ram:Name>Bakery A</ram:Name></ram:BuyerTradeParty></ram:ApplicableHeaderTradeAgreement>
<ram:ApplicableHeaderTradeSettlement><ram:InvoiceCurrencyCode>EUR</ram:InvoiceCurrencyCode>
<ram:SpecifiedTradeSettlementPaymentMeans><ram:PayeePartyCreditorFinancialAccount><ram:IBANID>DE89370400440532013000</ram:IBANID>
</ram:PayeePartyCreditorFinancialAccount></ram:SpecifiedTradeSettlementPaymentMeans>
<ram:ApplicableTradeTax><ram:CalculatedAmount>190.10</ram:CalculatedAmount><ram:BasisAmount>1000.50</ram:BasisAmount>
<ram:CategoryCode>S</ram:CategoryCode><ram:RateApplicablePercent>19.00</ram:RateApplicablePercent></ram:ApplicableTradeTax>
<ram:SpecifiedTradePaymentTerms><ram:DueDateDateTime><udt:DateTimeString format="102">20260602</udt:DateTimeString>
</ram:DueDateDateTime></ram:SpecifiedTradePaymentTerms>
<ram:SpecifiedTradeSettlementHeaderMonetarySummation><ram:TaxBasisTotalAmount>1000.50</ram:TaxBasisTotalAmount>
<ram:TaxTotalAmount currencyID="CHF">185.00</ram:TaxTotalAmount><ram:TaxTotalAmount currencyID="EUR">190.10</ram:TaxTotalAmount>
<ram:GrandTotalAmount>1190.60</ram:GrandTotalAmount><ram:DuePayableAmount>1190.60</ram:DuePayableAmount>
</ram:SpecifiedTradeSettlementHeaderMonetarySummation></ram:ApplicableHeaderTradeSettlement>
</rsm:SupplyChainTradeTransaction></rsm:CrossIndustryInvoice>"""
CII_FIELDS = {
    "syntax": "cii",
    "profile": "urn:cen.eu:en16931:2017",
    "number": "RE-2026-0042",
    "type_code": "380",
    "issue_date": "2026-05-03",
    "due_date": "2026-06-02",
    "currency": "EUR",
    "buyer_reference": "04011000-12345",
    "net": "1000.50",
    "tax": "190.10",
    "total": "1190.60",
    "due": "1190.60",
    "iban": "DE89370400440532013000",
    "seller": {"name": "Mill Nord GmbH", "country": "DE", "vat_id": "DE136695976"},
    "buyer": {"name": "Bakery A"},
    "taxes": [{"category": "S", "rate": "19.00", "base": "1000.50", "amount": "190.10"}],
    "lines": [{"id": "1", "name": "Flour", "quantity": "1000", "price": "1.0005", "net": "1000.50"}],
}
UBL = b"""<?xml version="1.0"?><Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"
 xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2"
 xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2">
<cbc:CustomizationID>urn:xeinkauf.de:kosit:xrechnung_3.0</cbc:CustomizationID><cbc:ID>X-7</cbc:ID>
<cbc:IssueDate>2026-01-31</cbc:IssueDate><cbc:InvoiceTypeCode>380</cbc:InvoiceTypeCode>
<cbc:DocumentCurrencyCode>EUR</cbc:DocumentCurrencyCode>
<cac:AccountingSupplierParty><cac:Party><cac:PartyTaxScheme><cbc:CompanyID>DE136695976</cbc:CompanyID>
<cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme>
<cac:PartyLegalEntity><cbc:RegistrationName>Mill</cbc:RegistrationName></cac:PartyLegalEntity></cac:Party></cac:AccountingSupplierParty>
<cac:TaxTotal><cbc:TaxAmount currencyID="EUR">1.90</cbc:TaxAmount></cac:TaxTotal>
<cac:LegalMonetaryTotal><cbc:TaxExclusiveAmount>10.00</cbc:TaxExclusiveAmount>
<cbc:TaxInclusiveAmount>11.90</cbc:TaxInclusiveAmount><cbc:PayableAmount>11.90</cbc:PayableAmount></cac:LegalMonetaryTotal>
</Invoice>"""
TRANSFER = "BCD\n002\n1\nSCT\n\nMill Nord GmbH\nDE89370400440532013000\nEUR12.50"


def facts_of(path: Path, folder: Path) -> dict[str, Any]:
    """The facts of a document, as the press makes them."""
    folder.mkdir(exist_ok=True)
    open_document(OpenRequest(str(path), str(folder), 10, ("liteparse", "pdfium")).to_bytes())
    make_artifact(
        MakeRequest("facts", str(folder / "document.json"), None, str(folder), str(path)).to_bytes()
    )
    found: dict[str, Any] = orjson.loads((folder / "facts.json").read_bytes())
    return found


def code_image(text: str, symbology: zxingcpp.BarcodeFormat) -> ImageReader:
    """The picture of a code."""
    pixels = zxingcpp.write_barcode_to_image(zxingcpp.create_barcode(text, symbology), scale=4)
    return ImageReader(Image.fromarray(numpy.asarray(pixels)))


def order_form() -> bytes:
    """A form with labels and values, boxes of which two are ticked, a QR code and a barcode."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, (595, 842), invariant=True)
    canvas.drawString(60, 780, "Order form")
    for y, label, value in ((740, "Full name:", "Anna Berg"), (720, "Date of birth:", "3 May 1990")):
        canvas.drawString(60, y, label)
        canvas.drawString(200, y, value)
    for place, label in enumerate(("I agree to the terms", "Send me the newsletter", "Ship by express")):
        y = 680 - 24 * place
        canvas.rect(60, y, 10, 10)
        if place != 1:
            canvas.line(61, y + 1, 69, y + 9)
            canvas.line(61, y + 9, 69, y + 1)
        canvas.drawString(80, y + 1, label)
    canvas.drawImage(code_image(TRANSFER, zxingcpp.BarcodeFormat.QRCode), 400, 700, 90, 90)
    canvas.drawImage(code_image("4006381333931", zxingcpp.BarcodeFormat.EAN13), 400, 500, 140, 60)
    canvas.save()
    return buffer.getvalue()


def with_attachment(pdf: bytes, name: str, raw: bytes) -> bytes:
    """A PDF with a file attached."""
    with pikepdf.open(io.BytesIO(pdf)) as opened:
        opened.attachments[name] = raw
        buffer = io.BytesIO()
        opened.save(buffer)
    return buffer.getvalue()


def test_an_electronic_invoice_is_read_field_by_field() -> None:
    assert read_invoice(CII) == CII_FIELDS


def test_an_invoice_in_the_other_syntax_has_the_same_fields() -> None:
    assert read_invoice(UBL) == {
        "syntax": "ubl",
        "profile": "urn:xeinkauf.de:kosit:xrechnung_3.0",
        "number": "X-7",
        "type_code": "380",
        "issue_date": "2026-01-31",
        "currency": "EUR",
        "net": "10.00",
        "tax": "1.90",
        "total": "11.90",
        "due": "11.90",
        "seller": {"name": "Mill", "vat_id": "DE136695976"},
        "buyer": {},
        "taxes": [],
        "lines": [],
    }


@pytest.mark.parametrize(
    "raw",
    [
        b"<a/>",
        b"",
        b"urn:ferd: but no XML",
        CII[:300],
        b'<Invoice xmlns="urn:example"/>',
        b'<!DOCTYPE x [<!ENTITY e "urn:un:unece:uncefact:">]><x>&e;</x>',
    ],
)
def test_what_is_no_invoice_is_none(raw: bytes) -> None:
    assert read_invoice(raw) is None


def test_an_invoice_in_a_pdf_and_as_a_file_are_both_found(tmp_path: Path) -> None:
    inside, alone = tmp_path / "a.pdf", tmp_path / "b.xml"
    inside.write_bytes(with_attachment(letter(), "factur-x.xml", CII))
    alone.write_bytes(CII)
    assert facts_of(inside, tmp_path / "a")["e_invoice"] == {"file": "factur-x.xml", **CII_FIELDS}
    assert facts_of(alone, tmp_path / "b")["e_invoice"] == {"file": None, **CII_FIELDS}


def test_a_form_gives_its_pairs_boxes_and_codes(tmp_path: Path) -> None:
    path = tmp_path / "form.pdf"
    path.write_bytes(order_form())
    found = facts_of(path, tmp_path / "made")
    assert [(one["label"], one["name"], one["value"]) for one in found["key_values"]] == [
        ("Full name", "name", "Anna Berg"),
        ("Date of birth", "birth_date", "1990-05-03"),
    ]
    x, y, width, height = found["key_values"][0]["box"]
    assert (round(x), round(y + height)) == (200, 105)
    assert width < 60
    assert [(one["label"], one["checked"]) for one in found["check_boxes"]] == [
        ("I agree to the terms", True),
        ("Send me the newsletter", False),
        ("Ship by express", True),
    ]
    assert [round(side) for side in found["check_boxes"][0]["box"]] == [59, 152, 11, 11]
    assert [(one["symbology"], one["text"]) for one in found["barcodes"]] == [
        ("QRCode", TRANSFER),
        ("EAN13", "4006381333931"),
    ]
    x, y, width, height = found["barcodes"][0]["box"]
    assert 395 < x < 420
    assert 50 < y < 70
    assert 60 < width < 91
    assert 60 < height < 91


def test_codes_are_found_on_a_scan_too(tmp_path: Path) -> None:
    path = tmp_path / "scan.pdf"
    path.write_bytes(photographed(order_form(), dpi=150))
    found = facts_of(path, tmp_path / "made")
    assert {one["text"] for one in found["barcodes"]} == {TRANSFER, "4006381333931"}


def test_a_letter_has_none_of_it(tmp_path: Path) -> None:
    path = tmp_path / "letter.pdf"
    path.write_bytes(letter())
    found = facts_of(path, tmp_path / "made")
    assert found["e_invoice"] is None
    assert found["check_boxes"] == found["barcodes"] == found["signatures"] == []


def signature_field(pdf: pikepdf.Pdf, name: str) -> pikepdf.Object:
    """A field that waits for a signature."""
    field = pikepdf.Dictionary(
        Type=pikepdf.Name.Annot,
        Subtype=pikepdf.Name.Widget,
        FT=pikepdf.Name.Sig,
        T=name,
        Rect=[100, 100, 250, 140],
    )
    return pdf.make_indirect(field)


def test_signatures_and_fields_that_wait_for_one_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "signed.pdf"
    with pikepdf.open(io.BytesIO(letter())) as pdf:
        signed = pikepdf.Dictionary(
            Type=pikepdf.Name.Sig,
            Name="Anna Berg",
            Reason="Approved",
            M="D:20260503101500+02'00'",
            ByteRange=[0, 1, 2, 3],
            Contents=b"\0" * 8,
        )
        fields = [signature_field(pdf, "one"), signature_field(pdf, "two")]
        fields[0].V = signed
        pdf.pages[0].Annots = pdf.make_indirect(pikepdf.Array(fields))
        pdf.Root.AcroForm = pikepdf.Dictionary(Fields=pikepdf.Array(fields))
        pdf.save(path)
    first, second = facts_of(path, tmp_path / "made")["signatures"]
    assert first["signed"] is True
    assert (first["name"], first["reason"]) == ("Anna Berg", "Approved")
    assert (first["signed_at"], first["page"]) == ("2026-05-03T10:15:00+02:00", 1)
    assert first["box"][2:] == [150.0, 40.0]
    assert (second["signed"], second["name"]) == (False, "two")


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("Invoice no.:", "invoice_number"),
        ("Invoice #", "invoice_number"),
        ("Rechnungs-Nr.", "invoice_number"),
        ("N° de commande", "order_number"),
        ("Fecha de vencimiento", "due_date"),
        ("Data di emissione:", "invoice_date"),
        ("Te betalen", "total"),
        ("Total sem IVA", "net_total"),
        ("Termin płatności", "due_date"),
        ("Att betala", "total"),
        ("Variabilní symbol", "payment_reference"),
        ("Téléphone", "phone"),
        ("Tél.", "phone"),
        ("Móvil", "phone"),
        ("Cellulare:", "phone"),
        ("Mobiel", "phone"),
        ("Komórka", "phone"),
        ("Numéro de téléphone", "phone"),
        ("Número de identificación fiscal", "tax_number"),
        ("Número de contribuinte", "tax_number"),
        ("Dear Sir", None),
        ("Total number of pages", None),
    ],
)
def test_labels_of_ten_languages_are_known(label: str, name: str | None) -> None:
    assert name_of_label(label) == name


def test_a_table_gives_pairs_beside_and_below_its_labels() -> None:
    beside = page(
        1, table("p1-b1", rows(["Total due", "12.50 EUR"], ["VAT (19%)", "2,00 €"], ["Oak", "1.00 EUR"]))
    )
    assert [(one.name, one.value) for one in find_key_values(beside)] == [
        ("total", "12.50"),
        ("tax_total", "2.00"),
    ]
    below = page(1, table("p1-b1", rows(["A-17", "3 May 2026", "x"]), ["Invoice no.", "Date", "Colour"]))
    assert [(one.name, one.value) for one in find_key_values(below)] == [
        ("invoice_number", "A-17"),
        ("invoice_date", "2026-05-03"),
    ]


@pytest.mark.parametrize(
    ("printed", "text", "value"),
    [
        ("Tel.: +46 8 123 456", "+46 8 123 456", "+468123456"),
        ("Téléphone : 01 23 45 67 89", "01 23 45 67 89", "0123456789"),
        ("Phone: 020 7946 0958 (9 to 5)", "020 7946 0958", "02079460958"),
        ("Mobil: 123.456", "123.456", "123456"),
    ],
)
def test_the_value_of_a_telephone_number_is_its_digits(printed: str, text: str, value: str) -> None:
    [pair] = find_key_values(page(1, paragraph("p1-b1", printed)))
    assert (pair.name, pair.text, pair.value) == ("phone", text, value)


def test_pairs_of_a_document_without_places_have_no_boxes(tmp_path: Path) -> None:
    path = tmp_path / "bill.md"
    path.write_text("Invoice number: 2026-0042\n\nThe sum that is to be paid is the total\nof 12.50 EUR\n")
    found = facts_of(path, tmp_path / "made")["key_values"]
    assert [(one["name"], one["value"]) for one in found] == [
        ("invoice_number", "2026-0042"),
        ("total", "12.50"),
    ]
    assert not [one for one in found if "box" in one or "label_box" in one]


def test_labels_without_a_value_of_their_kind_are_no_pairs() -> None:
    words = (
        "The total of all this is unknown.",
        "Date: to be announced",
        "Invoice number: none",
        "See https://a.example",
        "Note well, that this is a long sentence with more than five words: really",
    )
    read = page(1, *(paragraph(f"p1-b{place}", text) for place, text in enumerate(words, 1)))
    assert find_key_values(read) == []


def test_filled_fields_of_a_form_are_pairs_and_ticked_ones_check_boxes() -> None:
    fields = (
        FormField("due_date", "text", "3 May 2026", box=Box(10, 20, 30, 10)),
        FormField("agree", "checkbox", "Yes", checked=True, box=Box(10, 50, 10, 10)),
    )
    read = page(1, Block("p1-b1", Kind.PARAGRAPH, Box(25, 49, 80, 12), "I agree"), fields=fields)
    [pair] = find_key_values(read)
    assert (pair.label, pair.name, pair.value, pair.source) == ("due_date", "due_date", "2026-05-03", "form")
    [box] = find_check_boxes(read)
    assert (box.label, box.checked, box.source) == ("I agree", True, "form")


def test_signs_in_the_text_are_check_boxes() -> None:
    read = page(1, paragraph("p1-b1", "☐ red ☑ green [x] blue [ ] none"))
    assert [(one.label, one.checked) for one in find_check_boxes(read)] == [
        ("red", False),
        ("green", True),
        ("blue", True),
        ("none", False),
    ]
