"""Extraction without a model: the usual fields of invoices, receipts and letters, from facts and entities."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pagemill.model.extraction import ExtractedValue, Extraction, ExtractionOrder
from pagemill.model.pages import Box
from pagemill.reading.extraction.by_model import faults

Row = Mapping[str, Any]
ENGINE = "rules"
# What a field of a schema may be called, by the name of the fact that it is filled from.
CALLED = {
    "invoice_number": "invoice_number invoice_no invoice_id number bill_number receipt_number document_number",
    "order_number": "order_number order_no purchase_order po_number order_id",
    "customer_number": "customer_number customer_no customer_id account_number client_number",
    "contract_number": "contract_number contract_no contract_id",
    "delivery_note_number": "delivery_note_number delivery_note",
    "invoice_date": "invoice_date date issue_date issued issued_at date_of_issue letter_date receipt_date",
    "due_date": "due_date due payment_due payable_by payment_due_date",
    "delivery_date": "delivery_date date_of_supply delivered_at",
    "birth_date": "birth_date date_of_birth born",
    "total": "total total_amount amount amount_due grand_total total_due gross gross_total total_gross invoice_total",
    "net_total": "net_total net subtotal sub_total total_net net_amount amount_net",
    "tax_total": "tax_total tax vat vat_amount tax_amount total_tax",
    "currency": "currency currency_code",
    "iban": "iban bank_account seller_iban",
    "bic": "bic swift",
    "vat_id": "vat_id vat_number seller_vat_id tax_id",
    "tax_number": "tax_number",
    "phone": "phone telephone phone_number",
    "email": "email e_mail email_address",
    "subject": "subject re",
    "organisation": "organisation organization company seller vendor supplier sender merchant seller_name vendor_name issuer",
    "name": "name full_name",
    "address": "address",
    "payment_reference": "payment_reference reference",
}
NAME_OF = {called: name for name, words in CALLED.items() for called in words.split()}
# The same fields in an electronic invoice, which is right where the print may be read wrongly.
IN_E_INVOICE = {
    "invoice_number": "number",
    "order_number": "order_number",
    "invoice_date": "issue_date",
    "due_date": "due_date",
    "delivery_date": "delivery_date",
    "total": "total",
    "net_total": "net",
    "tax_total": "tax",
    "currency": "currency",
    "iban": "iban",
    "bic": "bic",
    "payment_reference": "payment_reference",
}


def extract_by_rules(order: ExtractionOrder, facts: Row, entities: Sequence[Row]) -> Extraction:
    """What of a schema can be filled without a model; what can't be is named."""
    record: dict[str, Any] = {}
    values: list[ExtractedValue] = []
    unknown: list[str] = []
    for field, shape in order.schema.get("properties", {}).items():
        name = NAME_OF.get(snake_case(field))
        if name is None or not isinstance(shape, dict) or shape.get("type") in ("object", "array"):
            unknown.append(f"/{field}: only a language model can tell; set PAGEMILL_LLM_URL")
            continue
        found = find(name, facts, entities)
        value = in_type(found, shape) if found else None
        if found and value is not None and not faults(shape, value):
            record[field] = value
            values.append(place(f"/{field}", value, found))
    return Extraction(
        ENGINE, record, tuple(values), tuple(faults(order.schema, record)), not_supported=tuple(unknown)
    )


def snake_case(name: str) -> str:
    """The name of a field in small letters, with lines between words."""
    return re.sub(r"[\s-]+", "_", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)).lower()


def find(name: str, facts: Row, entities: Sequence[Row]) -> Row | None:
    """The fact of a name: what a person said, that of the electronic invoice or of a label, or the first entity of that type."""
    labelled = [one for one in facts.get("key_values", ()) if one.get("name") == name]
    corrected = next((one for one in labelled if one.get("corrected")), None)
    if corrected:
        return corrected  # type: ignore[no-any-return]
    stated = (facts.get("e_invoice") or {}).get(IN_E_INVOICE.get(name, ""))
    if stated:
        return {"value": stated, "text": None}
    if labelled:
        return labelled[0]  # type: ignore[no-any-return]
    wanted = {"currency": "amount", "invoice_date": "date"}.get(name, name)
    matching = [one for one in entities if one["type"] == wanted]
    if name == "currency":
        return next(({**one, "value": one["currency"]} for one in matching if one.get("currency")), None)
    if name == "total":
        amounts = [one for one in entities if one["type"] == "amount" and one.get("label") == "total"]
        return amounts[-1] if amounts else None
    return matching[0] if matching else None


def in_type(found: Row, shape: Row) -> str | int | float | None:
    """A value in the type that the schema wants; None if it has none."""
    value = str(found["value"])
    kinds = shape.get("type", "string")
    if "string" in kinds:
        return value
    try:
        if "number" in kinds:
            return float(value)
        return int(value) if "integer" in kinds else None
    except ValueError:
        return None


def place(pointer: str, value: str | int | float, found: Row) -> ExtractedValue:
    """A value with where it is printed; one of an electronic invoice is not printed, but right."""
    box = found.get("box")
    return ExtractedValue(
        pointer,
        value,
        found.get("text"),
        True,
        found.get("page"),
        found.get("block"),
        Box(*box) if box else None,
    )
