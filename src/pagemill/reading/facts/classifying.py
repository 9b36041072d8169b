"""What a document is, by rules: its title, the words of its text, and the labelled values that it has."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from pagemill.model.document_types import UNKNOWN, DocumentType
from pagemill.model.fact_types import KeyValue
from pagemill.model.pages import Kind, Page

# Words of titles in English, German, French, Spanish, Italian, Dutch, Portuguese, Polish, Swedish and Czech.
TITLES = {
    "invoice": (
        r"(?:tax |sales |pro ?forma )?invoice|rechnung|facture|factura|fattura|factuur|fatura|faktura(?: vat)?|faktúra"
    ),
    "credit_note": (
        r"credit (?:note|memo)|gutschrift|avoir|nota de crédito|nota di credito|creditnota|faktura korygująca|"
        r"kreditfaktura|dobropis"
    ),
    "receipt": (
        r"(?:sales )?receipt|quittung|kassenbon|kassenbeleg|reçu|ticket de caisse|recibo|ricevuta|scontrino|"
        r"kassabon|bon|paragon|kvitto|účtenka"
    ),
    "order": (
        r"purchase order|order confirmation|bestellung|auftragsbestätigung|bon de commande|orden de compra|"
        r"pedido|ordine|bestelling|encomenda|zamówienie|beställning|objednávka"
    ),
    "delivery_note": (
        r"delivery note|packing (?:slip|list)|lieferschein|bon de livraison|albarán|bolla(?: di consegna)?|"
        r"pakbon|guia de remessa|dokument wz|följesedel|dodací list"
    ),
    "quote": (
        r"quotation|quote|estimate|angebot|kostenvoranschlag|devis|presupuesto|preventivo|offerte|orçamento|"
        r"oferta|offert|nabídka"
    ),
    "contract": (
        r"(?:\w+ )?(?:agreement|contract)|(?:\w+)?vertrag|contrat(?: de \w+)?|contrato(?: de \w+)?|"
        r"contratto(?: di \w+)?|overeenkomst|umowa(?: \w+)?|avtal|smlouva(?: \w+)?"
    ),
    "bank_statement": (
        r"(?:bank|account) statement|kontoauszug|relevé de compte|extracto(?: bancario)?|estratto conto|"
        r"rekeningafschrift|extrato|wyciąg(?: bankowy)?|kontoutdrag|výpis z účtu"
    ),
    "resume": r"curriculum vitae|résumé|resume|cv|lebenslauf|currículo|życiorys|životopis",
}
GREETINGS = re.compile(
    r"^(?:dear\b|to whom it may concern|sehr geehrte|liebe[rs]? |guten tag|madame|monsieur|chère? |estimad[oa]s?|gentile|egregio|"
    r"geachte|beste |prezad[oa]s?|exm[oa]|szanown|bästa |hej |vážen)",
    re.IGNORECASE,
)
ABSTRACT = re.compile(
    r"^(?:abstract|zusammenfassung|résumé|resumen|references|bibliography|literatur)\b", re.IGNORECASE
)
TITLE_PATTERNS = {
    name: re.compile(
        rf"(?:{words})(?:\s*(?:no\.?|nr\.?|n°|#|:)?\s*[\w/.-]*\d[\w/.-]*)?[\s.:]*", re.IGNORECASE
    )
    for name, words in TITLES.items()
}
# All types that rules find; the last two have no title of their own.
TYPES = (*TITLES, "letter", "paper")
# What a title, a labelled value and a greeting count; fitted by hand on documents of tests, checked on the drawn invoices.
TITLE_SCORE, HEADING_SCORE, LABEL_SCORE, GREETING_SCORE = 0.6, 0.75, 0.15, 0.55
LABELLED = {
    "invoice": ("invoice_number", "due_date", "iban", "vat_id", "total"),
    "receipt": ("total",),
    "order": ("order_number", "delivery_date"),
    "delivery_note": ("delivery_note_number",),
    "contract": ("contract_number",),
}
LEAST_SCORE, LEAST_MARGIN = 0.5, 0.15
TITLE_HEIGHT_SHARE = 0.5
LONGEST_TITLE = 60


@dataclass(slots=True)
class TypeSigns:
    """What speaks for each type, added up."""

    scores: dict[str, float] = field(default_factory=dict)
    reasons: dict[str, list[str]] = field(default_factory=dict)

    def add(self, name: str, score: float, reason: str) -> None:
        """Something speaks for a type; the same reason counts once."""
        if reason not in self.reasons.setdefault(name, []):
            self.reasons[name].append(reason)
            self.scores[name] = self.scores.get(name, 0.0) + score

    def verdict(self) -> DocumentType:
        """The type that most speaks for; unknown if that is little, or if as much speaks for another."""
        ranked = sorted(self.scores.items(), key=lambda one: -one[1])[:2]
        if not ranked or ranked[0][1] < LEAST_SCORE:
            return DocumentType(UNKNOWN, 0.0, ("no title or label of a known type",))
        (name, score), margin = ranked[0], ranked[0][1] - (ranked[1][1] if len(ranked) > 1 else 0)
        if margin < LEAST_MARGIN:
            also = f"as much speaks for {name} as for {ranked[1][0]}"
            return DocumentType(UNKNOWN, round(min(margin, 1.0), 2), (also,))
        return DocumentType(name, round(min(score, 1.0), 2), tuple(self.reasons[name]))


@dataclass(frozen=True, slots=True)
class TypeSign:
    """Something on a page that speaks for a type of document."""

    type: str
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class PageEvidence:
    """What of a page says which type its document has; titles count on the first page only."""

    titles: tuple[TypeSign, ...]
    others: tuple[TypeSign, ...]


def classify(pages: Iterable[PageEvidence]) -> DocumentType:
    """What pages are that belong together."""
    signs = TypeSigns()
    for place, page in enumerate(pages):
        for sign in (*(page.titles if place == 0 else ()), *page.others):
            signs.add(sign.type, sign.score, sign.reason)
    return signs.verdict()


def evidence_of(page: Page, pairs: Sequence[KeyValue]) -> PageEvidence:
    """What a page with these labelled values says of the type of its document."""
    titles = [
        TypeSign(name, HEADING_SCORE if is_heading else TITLE_SCORE, f"the title {title!r}")
        for name, title, is_heading in titles_of(page)
    ]
    return PageEvidence(tuple(titles), (*word_signs(page), *label_signs(pairs)))


def titles_of(page: Page) -> list[tuple[str, str, bool]]:
    """The titles in the upper half of a page that name a type, with the type, and whether they are headings."""
    found = []
    for block in page.blocks:
        high = block.box is None or block.box.y < TITLE_HEIGHT_SHARE * (page.height or 1)
        for line in block.text.split("\n") if high and len(block.text) <= LONGEST_TITLE else ():
            names = [name for name, pattern in TITLE_PATTERNS.items() if pattern.fullmatch(line.strip())]
            found += [(name, line.strip(), block.kind is Kind.HEADING) for name in names[:1]]
    return found


def word_signs(page: Page) -> Iterator[TypeSign]:
    """Greetings of letters and headings of papers."""
    for block in page.blocks:
        if block.kind is not Kind.TABLE and GREETINGS.match(block.text):
            yield TypeSign("letter", GREETING_SCORE, f"the greeting {block.text[:30]!r}")
        if block.kind is Kind.HEADING and ABSTRACT.match(block.text):
            yield TypeSign("paper", LEAST_SCORE / 1.5, f"the heading {block.text[:30]!r}")


def label_signs(pairs: Sequence[KeyValue]) -> Iterator[TypeSign]:
    """Labelled values that documents of a type have."""
    for pair in pairs:
        for name, wanted in LABELLED.items():
            if pair.name in wanted:
                yield TypeSign(name, LABEL_SCORE, f"a value for {pair.name}")
