"""Entities: facts that are printed in a document, with their normalised values and where they are."""

from dataclasses import dataclass
from enum import StrEnum

from pagemill.model.pages import Box


class EntityType(StrEnum):
    """What an entity is."""

    DATE = "date"
    AMOUNT = "amount"
    PERCENTAGE = "percentage"
    EMAIL = "email"
    URL = "url"
    PHONE = "phone"
    IBAN = "iban"
    VAT_ID = "vat_id"
    INVOICE_NUMBER = "invoice_number"
    ORDER_NUMBER = "order_number"
    CUSTOMER_NUMBER = "customer_number"
    ORGANISATION = "organisation"


@dataclass(frozen=True, slots=True)
class EntityMatch:
    """An entity in a text, from character `start` up to `end`.

    `valid` is True if the value was checked and is right, False if it can't be, and None if it can't be checked.
    """

    type: EntityType
    start: int
    end: int
    value: str
    valid: bool | None = None
    currency: str | None = None
    label: str | None = None


@dataclass(frozen=True, slots=True)
class Entity:
    """An entity of a document; its match counts from the beginning of the plain text."""

    match: EntityMatch
    text: str
    page: int
    block: str | None
    box: Box | None
