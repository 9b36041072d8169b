"""Values by what their labels are made of, by where they are printed, and by what they add up to."""

from decimal import Decimal

import pytest

from pagemill.model.fact_types import KeyValue
from pagemill.model.pages import Box, Page
from pagemill.reading.entities.label_parts import name_by_parts
from pagemill.reading.facts.deduced_pairs import amount_in
from pagemill.reading.facts.key_values import find_key_values
from pagemill.reading.facts.segments import Segment
from tests.reading.made import page


def pieces(*lines: str) -> list[Segment]:
    """Texts in lines below each other, far enough apart that none is below another."""
    return [Segment(text, Box(60, 60 + 60 * place, 8.0 * len(text), 10)) for place, text in enumerate(lines)]


def named(segments: list[Segment], read: Page | None = None) -> dict[str | None, str]:
    """The values that are found, by the names of their labels."""
    found: list[KeyValue] = find_key_values(read or page(1), segments)
    return {one.name: one.value for one in found}


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("Total incl. GST", "total"),
        ("Rechnungstotal", "total"),
        ("Totaal te betalen", "total"),
        ("Net à payer", "total"),
        ("Total exkl. MWST", "net_total"),
        ("Zwischentotal", "net_total"),
        ("VAT due", "tax_total"),
        ("Te betalen voor", "due_date"),
        ("Customer order no.", "order_number"),
        ("Document no.", "invoice_number"),
        ("Codice cliente", "customer_number"),
        ("Amount", None),
        ("Total energy", None),
        ("Meter no.", None),
    ],
)
def test_a_label_means_what_its_words_mean_together(label: str, name: str | None) -> None:
    assert name_by_parts(label) == name


def test_pairs_between_bars_are_told_apart() -> None:
    line = "Factuur INV-2024-14825 | Uw bestelling: A-671010 | Klantnummer: 4711042"
    assert named(pieces(line)) == {
        "invoice_number": "INV-2024-14825",
        "order_number": "A-671010",
        "customer_number": "4711042",
    }


def test_a_value_in_the_middle_below_its_label_is_its_value() -> None:
    label, value = Segment("Inv #", Box(100, 100, 20, 8)), Segment("FA2302934", Box(75, 114, 70, 12))
    assert named([label, value]) == {"invoice_number": "FA2302934"}


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("here is invoice 26-3956/5, issued on 3 May 2025", "26-3956/5"),
        ("anbei die Rechnung HR-7015881 vom 3. August 2025", "HR-7015881"),
        ("the invoice 2025 was", None),
        ("we bill 1200 EUR", None),
        ("facture 12/03/2025", None),
    ],
)
def test_the_number_of_a_thing_follows_its_name(line: str, found: str | None) -> None:
    assert named(pieces(line)).get("invoice_number") == found


def test_the_total_is_found_by_what_it_adds_up_to() -> None:
    lines = ("Xyz: 100.00 EUR", "Abc 20 %: 20.00 EUR", "Fin: 120.00 EUR")
    assert named(pieces(*lines))["total"] == "120.00"
    assert "total" not in named(pieces("Xyz: 100.00 EUR", "Abc 20 %: 21.00 EUR", "Fin: 121.00 EUR"))


def test_what_is_taxed_is_no_total_whatever_its_label_says() -> None:
    found = named(pieces("Suma 100.00 EUR", "IVA 20 % 20.00 EUR", "Fin 120.00 EUR"))
    assert (found["net_total"], found["total"]) == ("100.00", "120.00")


def test_the_only_number_of_a_bill_is_its_number() -> None:
    bill = ("Vorgangsnummer: 26-5161/2", "Kundennummer: 4711042", "Gesamtbetrag: 12.50 EUR")
    assert named(pieces(*bill))["invoice_number"] == "26-5161/2"
    assert "invoice_number" not in named(pieces(*bill, "Fallnummer: 88-12345"))
    assert "invoice_number" not in named(pieces(*bill[:2]))
    assert "invoice_number" not in named(pieces("Meter no.: 88123", "Total: 12.50 EUR"))


@pytest.mark.parametrize(
    ("value", "amount"),
    [
        ("12.50", Decimal("12.50")),
        ("see below", None),
        ("1" * 29, None),
        ("NaN", None),
        ("", None),
        (None, None),
    ],
)
def test_what_is_no_amount_of_a_bill_is_left_out_of_its_arithmetic(
    value: str | None, amount: Decimal | None
) -> None:
    assert amount_in(value) == amount
