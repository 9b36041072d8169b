"""Facts of a document beside its entities: pairs of a label and a value, check boxes, barcodes and signatures."""

from dataclasses import dataclass
from enum import StrEnum

from pagemill.model.pages import Box


class FactSource(StrEnum):
    """Where a fact was read: in a field of a form, in the words, in the row of a table, or in the picture of the page."""

    FORM = "form"
    TEXT = "text"
    TABLE = "table"
    PICTURE = "picture"


@dataclass(frozen=True, slots=True)
class KeyValue:
    """A label and the value that belongs to it; `name` is what the label means, where that is known.

    `value` is normalised if its kind is known, `text` is as printed. `box` is around the value, `label_box` around the label.
    """

    label: str
    text: str
    value: str
    page: int
    source: FactSource
    name: str | None = None
    block: str | None = None
    box: Box | None = None
    label_box: Box | None = None


@dataclass(frozen=True, slots=True)
class CheckBox:
    """A box to be ticked, the words beside it, and whether it is ticked."""

    label: str
    checked: bool
    page: int
    source: FactSource
    box: Box | None = None


@dataclass(frozen=True, slots=True)
class Barcode:
    """A barcode or a two-dimensional code on a page."""

    symbology: str
    text: str
    page: int
    box: Box


@dataclass(frozen=True, slots=True)
class Signature:
    """A digital signature, or a field that waits for one; nothing is said of its being right."""

    signed: bool
    name: str | None = None
    reason: str | None = None
    signed_at: str | None = None
    page: int | None = None
    box: Box | None = None


@dataclass(frozen=True, slots=True)
class DocumentValues:
    """All facts of a document; `e_invoice` is the invoice that it carries as XML, field by field."""

    key_values: tuple[KeyValue, ...] = ()
    check_boxes: tuple[CheckBox, ...] = ()
    barcodes: tuple[Barcode, ...] = ()
    signatures: tuple[Signature, ...] = ()
    e_invoice: dict[str, object] | None = None
