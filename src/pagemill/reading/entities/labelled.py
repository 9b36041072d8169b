"""What is known by the words around it: numbers by their labels, organisations by their legal form, and totals."""

import re
from collections.abc import Iterator

from pagemill.model.entities import EntityMatch, EntityType

NUMBER_SIGN = r"(?:number|numero|número|numéro|nummer|no\.?|nr\.?|n°|nº|n\.º|n\.|num\.?|#)"
LABELS = {
    EntityType.INVOICE_NUMBER: (
        rf"(?:tax\s+)?invoice\s*{NUMBER_SIGN}|rechnungs?\s*-?\s*{NUMBER_SIGN}|facture\s*{NUMBER_SIGN}|"
        rf"{NUMBER_SIGN}\s*de\s*(?:la\s*)?fact(?:ure|ura)|factura\s*{NUMBER_SIGN}|fattura\s*{NUMBER_SIGN}|"
        rf"{NUMBER_SIGN}\s*(?:della\s*)?fattura|factuur\s*{NUMBER_SIGN}|fatura\s*{NUMBER_SIGN}|receipt\s*{NUMBER_SIGN}|"
        rf"beleg\s*-?\s*{NUMBER_SIGN}|faktura\s*{NUMBER_SIGN}"
    ),
    EntityType.ORDER_NUMBER: (
        rf"(?:purchase\s+)?order\s*{NUMBER_SIGN}|bestell?\s*-?\s*{NUMBER_SIGN}|auftrags?\s*-?\s*{NUMBER_SIGN}|"
        rf"commande\s*{NUMBER_SIGN}|{NUMBER_SIGN}\s*de\s*(?:commande|pedido|encomenda)|pedido\s*{NUMBER_SIGN}|"
        rf"ordine\s*{NUMBER_SIGN}|{NUMBER_SIGN}\s*(?:d['’]\s*)?ordine|bestel\s*{NUMBER_SIGN}"
    ),
    EntityType.CUSTOMER_NUMBER: (
        rf"customer\s*{NUMBER_SIGN}|kunden\s*-?\s*{NUMBER_SIGN}|client\s*{NUMBER_SIGN}|{NUMBER_SIGN}\s*(?:de\s*)?client[ei]?|"
        rf"codice\s*cliente|klant\s*{NUMBER_SIGN}"
    ),
}
LABEL_PATTERNS = {
    kind: re.compile(rf"(?<!\w)(?:{words})\s*[:.]?\s*$", re.IGNORECASE) for kind, words in LABELS.items()
}
NUMBERED = {
    kind: re.compile(
        rf"(?<!\w)(?:{words})\s*[:.]?[\s\t]*(?P<value>[A-Z0-9][A-Z0-9/._-]*[A-Z0-9]|\d)(?![\w-])",
        re.IGNORECASE,
    )
    for kind, words in LABELS.items()
}
WORD = re.compile(r"\S+")
BARE_NUMBER = re.compile(r"\s*(?P<value>[A-Z0-9][A-Z0-9/._-]*[A-Z0-9])(?![\w-])", re.IGNORECASE)
TOTAL = re.compile(
    r"(?<!\w)(?:grand total|total due|amount due|balance due|total amount|invoice total|total to pay|total|"
    r"gesamtbetrag|gesamtsumme|rechnungsbetrag|zu zahlen(?:der betrag)?|zahlbetrag|endbetrag|summe|gesamt|"
    r"montant total|total ttc|net à payer|total à payer|importe total|total a pagar|total factura|"
    r"totale(?: fattura| da pagare)?|importo totale|totaal(?:bedrag)?|te betalen|valor total)(?!\w)",
    re.IGNORECASE,
)
# A sum before taxes is no total.
PARTIAL = re.compile(
    r"(?<!\w)(?:sub-?total\w*|zwischensumme|net(?:to)?(?:betrag)?|total ht|sous-total|base imponible|imponibile|"
    r"subtotaal|exkl|excl|before tax)(?!\w)",
    re.IGNORECASE,
)
FORMS = (
    r"GmbH(?:\s*&\s*Co\.?\s*KGa?A?)?|AG|UG(?:\s*\(haftungsbeschränkt\))?|OHG|KG|e\.\s?K\.|e\.\s?V\.|Ltd\.?|Limited|Inc\.?|"
    r"LLC|LLP|Corp\.?|Corporation|PLC|plc|S\.A\.R\.L\.|SARL|SAS|S\.A\.S\.|S\.A\.|S\.L\.U?\.?|S\.r\.l\.|Srl|S\.p\.A\.|SpA|B\.V\.|"
    r"BV|N\.V\.|Lda\.?|Sp\.\s?z\s?o\.\s?o\.|Oy|A/S|ApS|AB"
)
NAME = r"[A-ZÀ-Þ0-9][\w'’.&-]*"
ORGANISATION = re.compile(
    rf"(?<![\w.])({NAME}(?:[ ](?:{NAME}|&|und|and|et|y|e|van|de|der)){{0,5}}),?[ ]({FORMS})(?!\w)"
)


def find_numbers(text: str) -> Iterator[EntityMatch]:
    """Numbers of invoices, orders and customers after their labels."""
    for kind, pattern in NUMBERED.items():
        for found in pattern.finditer(text):
            if any(letter.isdigit() for letter in found["value"]):
                label = " ".join(text[found.start() : found.start("value")].split()).rstrip(" :")
                yield EntityMatch(
                    kind, found.start("value"), found.end("value"), found["value"], None, None, label
                )


def find_stacked_numbers(text: str) -> Iterator[EntityMatch]:
    """Numbers in a cell whose labels are stacked in the cell before: `Invoice no.: Order no.:` and then both numbers."""
    labels, tab, _ = text.partition("\t")
    kinds = [label_of(label) for label in labels.split(":") if label.strip()]
    if not tab or len(kinds) < 2:
        return
    values = WORD.finditer(text, len(labels) + 1)
    # Labels of other kinds have values of several words, so only those before the first of them can be counted off.
    for kind, word in zip(kinds, values, strict=False):
        number = bare_number(word[0])
        if kind is None or number is None:
            return
        yield EntityMatch(kind, word.start(), word.start() + number.end("value"), number["value"])


def label_of(text: str) -> EntityType | None:
    """The kind of number that a text is the label of, if it is nothing else."""
    stripped = text.strip()
    for kind, pattern in LABEL_PATTERNS.items():
        found = pattern.search(stripped)
        if found and found.start() == 0:
            return kind
    return None


def bare_number(text: str) -> re.Match[str] | None:
    """The number that a text begins with, if it has a digit."""
    found = BARE_NUMBER.match(text)
    return found if found and any(letter.isdigit() for letter in found["value"]) else None


def is_total(words: str) -> bool:
    """Whether words before an amount call it a total."""
    return bool(TOTAL.search(words)) and not PARTIAL.search(words)


def find_organisations(text: str) -> Iterator[EntityMatch]:
    """Names before a legal form."""
    for found in ORGANISATION.finditer(text):
        value = " ".join(found[0].split())
        yield EntityMatch(EntityType.ORGANISATION, found.start(), found.end(), value, None)
