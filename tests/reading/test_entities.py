"""Entities: found as they are printed in several languages, normalised, and called valid only if they are."""

from dataclasses import replace
from pathlib import Path

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagemill.model.entities import EntityType
from pagemill.model.pages import Block, Box, Kind, Line
from pagemill.reading.entities.finding import matches_in
from pagemill.reading.writers.base import Ending, Facts
from pagemill.reading.writers.entities import EntitiesWriter
from tests.reading.made import page, rows, table


def found(text: str, kind: str) -> list[tuple[str, bool | None]]:
    """The values of one type in a text, and whether they are valid."""
    return [(one.value, one.valid) for one in matches_in(text) if one.type.value == kind]


@pytest.mark.parametrize(
    ("text", "value", "valid"),
    [
        ("on 2026-05-03.", "2026-05-03", True),
        ("Datum: 03.05.2026", "2026-05-03", True),
        ("3. März 2026", "2026-03-03", True),
        ("1er août 2026", "2026-08-01", True),
        ("3 de mayo de 2026", "2026-05-03", True),
        ("3 maggio 2026", "2026-05-03", True),
        ("3 mei 2026", "2026-05-03", True),
        ("May 3, 2026", "2026-05-03", True),
        ("2026年5月3日", "2026-05-03", True),
        ("25/12/2026", "2026-12-25", True),
        ("12/25/2026", "2026-12-25", True),
        ("03/05/2026", "2026-05-03", None),
        ("03.05.26", "2026-05-03", None),
    ],
)
def test_dates_are_read_as_they_are_written(text: str, value: str, valid: bool | None) -> None:
    assert found(text, "date") == [(value, valid)]


@pytest.mark.parametrize(
    "text", ["31.02.2026", "2026-13-01", "1.2.3.4", "99/99/2026", "3 mills 2026", "v1.2.2026.1"]
)
def test_what_the_calendar_does_not_have_is_no_date(text: str) -> None:
    assert found(text, "date") == []


@pytest.mark.parametrize(
    ("text", "value", "currency", "valid"),
    [
        ("1.250,00 EUR", "1250.00", "EUR", True),
        ("€ 1,250.00", "1250.00", "EUR", True),
        ("€1250", "1250", "EUR", True),
        ("1 250,50 €", "1250.50", "EUR", True),
        ("CHF 1'250.00", "1250.00", "CHF", True),
        ("£12.5", "12.5", "GBP", True),
        ("-12,00 €", "-12.00", "EUR", True),
        ("(12.00 EUR)", "-12.00", "EUR", True),
        ("1.250 EUR", "1250", "EUR", None),
        ("$10.00", "10.00", "USD", None),
        ("1 EUR 12.50", "12.50", "EUR", True),
        ("1\tAUD 86.45", "86.45", "AUD", True),
        ("5 EUR 3 pieces", "5", "EUR", True),
        ("120.50 MXN", "120.50", "MXN", True),
    ],
)
def test_amounts_are_normalised(text: str, value: str, currency: str, valid: bool | None) -> None:
    [one] = [match for match in matches_in(text) if match.type is EntityType.AMOUNT]
    assert (one.value, one.currency, one.valid) == (value, currency, valid)


def test_an_iban_is_valid_if_its_check_digits_are() -> None:
    assert found("IBAN DE89 3704 0044 0532 0130 00, BIC X", "iban") == [("DE89370400440532013000", True)]
    assert found("IBAN DE88 3704 0044 0532 0130 00", "iban") == [("DE88370400440532013000", False)]
    assert found("DE89 3704 0044 0532 0130 0", "iban") == []
    assert found("FR7630006000011234567890189", "iban") == [("FR7630006000011234567890189", True)]


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 21), st.integers(1, 9))
def test_an_iban_with_one_wrong_digit_is_never_valid(place: int, shift: int) -> None:
    right = "DE89370400440532013000"
    if place >= 2:
        wrong = f"{right[:place]}{(int(right[place]) + shift) % 10}{right[place + 1 :]}"
        assert [valid for _, valid in found(wrong, "iban")] == [False]


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("Invoice No. INV-2026/0042", "invoice_number", "INV-2026/0042"),
        ("Rechnungsnummer: 2026-0815", "invoice_number", "2026-0815"),
        ("Facture n° F2026-12", "invoice_number", "F2026-12"),
        ("Número de factura: 77/2026", "invoice_number", "77/2026"),
        ("Fattura n. 123", "invoice_number", "123"),
        ("Factuurnummer 2026001", "invoice_number", "2026001"),
        ("Bestellnummer\tB-99", "order_number", "B-99"),
        ("Purchase order number: PO-7", "order_number", "PO-7"),
        ("Kunden-Nr. 4711", "customer_number", "4711"),
        ("a@b.example or HTTP", "email", "a@b.example"),
        ("Korn AG konto @ campo.example now", "email", "konto@campo.example"),
        ("see www.mill.example/a?b=1.", "url", "http://www.mill.example/a?b=1"),
        ("Tel. 030 123456-78", "phone", "03012345678"),
        ("+49 (0)30 1234567", "phone", "+49301234567"),
        ("19 % MwSt", "percentage", "19"),
        ("Mühle Müller GmbH & Co. KG, Köln", "organisation", "Mühle Müller GmbH & Co. KG"),
        ("by Grain Traders Ltd.", "organisation", "Grain Traders Ltd."),
    ],
)
def test_labels_and_forms_tell_what_something_is(text: str, kind: str, value: str) -> None:
    assert [one for one, _ in found(text, kind)] == [value]


@pytest.mark.parametrize(
    "text", ["Invoice number", "The invoice no longer holds.", "order now", "a@b", "100 percent", "AG"]
)
def test_words_alone_are_nothing(text: str) -> None:
    assert matches_in(text) == []


@settings(max_examples=200, deadline=None)
@given(st.text("0123456789.,-/ €$%EURDEFRab:@+()\n\t年月日", max_size=60))
def test_matches_are_in_order_and_never_overlap(text: str) -> None:
    matches = matches_in(text)
    ends = [0, *(one.end for one in matches)]
    assert all(
        one.start >= end and one.start < one.end <= len(text) for one, end in zip(matches, ends, strict=False)
    )


def test_entities_have_their_page_their_box_and_their_label(tmp_path: Path) -> None:
    value = Block("p1-b2", Kind.PARAGRAPH, Box(300, 400, 80, 20), "2026-0042")
    due = Block("p1-b4", Kind.PARAGRAPH, Box(300, 500, 80, 20), "1.190,00 EUR")
    blocks = (
        Block("p1-b1", Kind.PARAGRAPH, Box(72, 400, 100, 20), "Rechnungsnummer:"),
        value,
        Block("p1-b3", Kind.PARAGRAPH, Box(72, 500, 80, 20), "Gesamtbetrag"),
        due,
        table("p1-b5", rows(("Zwischensumme", "1.000,00 EUR"), ("Summe", "1.190,00 EUR"))),
    )
    writer = EntitiesWriter(tmp_path)
    writer.open(Facts(1))
    writer.page(page(1, *blocks))
    writer.close(Ending((), ()))
    listed = orjson.loads((tmp_path / "entities.json").read_bytes())["entities"]
    assert [(one["type"], one["value"], one["block"], one.get("label")) for one in listed] == [
        ("invoice_number", "2026-0042", "p1-b2", "Rechnungsnummer"),
        ("amount", "1190.00", "p1-b4", "total"),
        ("amount", "1000.00", "p1-b5", None),
        ("amount", "1190.00", "p1-b5", "total"),
    ]
    assert listed[0]["box"] == [300, 400, 80, 20]
    assert (listed[0]["page"], listed[1]["currency"], listed[1]["valid"]) == (1, "EUR", True)


def test_in_recognised_text_only_what_has_a_check_digit_is_valid(tmp_path: Path) -> None:
    text = "On 2026-05-03 pay 12.00 EUR to DE89 3704 0044 0532 0130 00"
    block = Block("p1-b1", Kind.PARAGRAPH, Box(72, 72, 400, 12), text)
    scanned = replace(page(1, block), lines=(Line(text, Box(72, 72, 400, 12)),))
    for read, expected in ((page(1, block), [True, True, True]), (scanned, [None, None, True])):
        writer = EntitiesWriter(tmp_path)
        writer.open(Facts(1))
        writer.page(read)
        writer.close(Ending((), ()))
        found = orjson.loads((tmp_path / "entities.json").read_bytes())["entities"]
        assert [one["valid"] for one in found] == expected


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Tel.: 601 234 567", "601234567"),
        ("Teléfono: 91 123 45 67", "911234567"),
        ("Telefone: 21 345 67 89", "213456789"),
        ("Telemóvel: 912 345 678", "912345678"),
        ("Phone: (555) 123-4567", "5551234567"),
        ("Téléphone : 01 23 45 67 89", "0123456789"),
        ("Cellulare: 347 123 4567", "3471234567"),
        ("Mobiel: 06-12345678", "0612345678"),
        ("tel. kom. 601 234 567", "601234567"),
        ("Mobil: 070-123 45 67", "0701234567"),
        ("Telefonnummer: 030/1234567", "0301234567"),
        ("Número de teléfono: 912 34 56 78", "912345678"),
        ("Tel./Fax: 030 1234567", "0301234567"),
        ("Tel.: 601 234 567 12.05.2026", "601234567"),
        ("Tél. 01 23 45 67 89 / 06 12 34 56 78", "0123456789"),
        ("Tel.: 0044 20 7946 0958", "+442079460958"),
        ("+49 30 1234567\t12", "+49301234567"),
    ],
)
def test_national_numbers_are_found_behind_words_for_telephone(text: str, value: str) -> None:
    assert found(text, "phone") == [(value, None)]


@pytest.mark.parametrize(
    "text",
    [
        "Invoice 601 234 567",
        "order 00123456789",
        "Telephone order number 12345678",
        "Mobile 123 456 789",
        "Telefon 12.05.2026",
        "Téléphone 12345",
        "Handy 4711",
        "Hotel: 601 234 567",
    ],
)
def test_numbers_of_other_things_are_no_telephone_numbers(text: str) -> None:
    assert found(text, "phone") == []


@pytest.mark.parametrize(
    "name",
    [
        "Novák s.r.o.",
        "Novák, s.r.o.",
        "Novák spol. s r.o.",
        "Škoda Auto a. s.",
        "Svensson HB",
        "Volvo AB (publ)",
        "Kowalski Sp.j.",
        "Kowalski i S-ka Sp. k.",
        "Żabka Polska S.A.",
        "Rossi & Figli S.n.c.",
        "Dupont S.A.S.U.",
        "Dupont EURL",
        "García S.L.U.",
        "Silva Unipessoal Lda",
        "Jansen V.O.F.",
        "Allianz SE",
        "Muster Technik SE & Co. KG",
        "Bäckerei Huber OG",
        "Novo Nordisk A/S",
        "Fortum Oyj",
        "Kovács Kft.",
        "Petrol d.d.",
        "UAB „Vilniaus prekyba“",
        "Алфа ЕООД",
    ],
)
def test_organisations_are_known_by_the_legal_forms_of_many_countries(name: str) -> None:
    assert found(f"from {name}", "organisation") == [(name, None)]


@pytest.mark.parametrize("text", ["512 KB", "SAME AS", "RUE SE", "page 4 A.S.", "ek. för."])
def test_short_forms_alone_name_no_organisation(text: str) -> None:
    assert found(text, "organisation") == []


def test_a_telephone_number_may_be_beside_its_label(tmp_path: Path) -> None:
    label = Block("p1-b1", Kind.PARAGRAPH, Box(72, 400, 60, 12), "Telefón:")
    known = Block("p1-b2", Kind.PARAGRAPH, Box(72, 430, 60, 12), "Teléfono")
    values = (
        Block("p1-b3", Kind.PARAGRAPH, Box(160, 400, 80, 12), "555 666 777"),
        Block("p1-b4", Kind.PARAGRAPH, Box(160, 430, 80, 12), "91 123 45 67"),
    )
    writer = EntitiesWriter(tmp_path)
    writer.open(Facts(1))
    writer.page(page(1, label, known, *values))
    writer.close(Ending((), ()))
    listed = orjson.loads((tmp_path / "entities.json").read_bytes())["entities"]
    assert [(one["type"], one["value"], one["block"]) for one in listed] == [("phone", "911234567", "p1-b4")]
