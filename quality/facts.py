"""`python -m quality.facts [--own|--fresh|--last|--utility|--folios|--service] [--scanned]`: facts of made-up bills.

The documents are drawn in six languages and several layouts, with values by chance, so that the truth is exact: those of
`quality.other_invoices`, which the rules were not written with but mended with a look at, and likewise, one after the other,
those of `quality.fresh_bills`, `quality.last_bills`, `quality.utility_bills` and `quality.folios`, the last also in the words of
`quality.service_wordings`; or with `--own` those of this module, which the rules were written with.
"""

import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

import orjson
from reportlab.pdfgen.canvas import Canvas

from pagemill.model.artifacts import MakeRequest
from pagemill.reading.visits import make_artifact
from quality.ours import Pagemill, Visits

Truth = Counter[tuple[str, str]]
PER_LANGUAGE = 12
PAGE = (595, 842)
ENGINE = Pagemill()
LABELLED = ("invoice_number", "order_number", "total")


@dataclass(frozen=True)
class Language:
    """The words of a language on an invoice, and how it writes dates and amounts."""

    code: str
    title: str
    number: str
    order: str
    issued: str
    due: str
    net: str
    tax: str
    total: str
    greeting: str
    company: str
    months: str
    day: Callable[["Language", date, random.Random], str]
    amount: Callable[[int, random.Random], str]


def month_day(language: Language, when: date, chance: random.Random) -> str:
    """A date as English has it."""
    month = language.months.split()[when.month - 1]
    return chance.choice(
        (f"{month} {when.day}, {when.year}", f"{when.day} {month} {when.year}", when.isoformat())
    )


def dotted_day(language: Language, when: date, chance: random.Random) -> str:
    """A date as German has it."""
    month = language.months.split()[when.month - 1]
    return chance.choice((f"{when:%d.%m.%Y}", f"{when.day}. {month} {when.year}"))


def slashed_day(language: Language, when: date, chance: random.Random) -> str:
    """A date as the Romance languages and Dutch have it."""
    month = language.months.split()[when.month - 1]
    of = " de " if language.code == "es" else " "
    return chance.choice((f"{when:%d/%m/%Y}", f"{when.day}{of}{month}{of}{when.year}"))


def point_amount(cents: int, chance: random.Random) -> str:
    """An amount with a decimal point."""
    return chance.choice((f"EUR {cents / 100:,.2f}", f"€{cents / 100:,.2f}", f"£{cents / 100:,.2f}"))


def comma_amount(cents: int, chance: random.Random) -> str:
    """An amount with a decimal comma."""
    text = f"{cents / 100:,.2f}".translate(str.maketrans(",.", ".,"))
    return chance.choice((f"{text} EUR", f"{text} €"))


def spaced_amount(cents: int, chance: random.Random) -> str:
    """An amount with spaces between thousands."""
    text = f"{cents / 100:,.2f}".replace(",", " ").replace(".", ",")
    return chance.choice((f"{text} €", f"{text} EUR"))


LANGUAGES = (
    Language(
        "en",
        "Invoice",
        "Invoice number",
        "Order no.",
        "Date",
        "Due",
        "Net amount",
        "VAT",
        "Total due",
        "Dear customer, thank you for your order.",
        "Ltd.",
        "January February March April May June July August September October November December",
        month_day,
        point_amount,
    ),
    Language(
        "de",
        "Rechnung",
        "Rechnungsnummer",
        "Bestellnummer",
        "Datum",
        "Fällig am",
        "Nettobetrag",
        "MwSt.",
        "Gesamtbetrag",
        "Sehr geehrte Damen und Herren, vielen Dank für Ihren Auftrag.",
        "GmbH",
        "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
        dotted_day,
        comma_amount,
    ),
    Language(
        "fr",
        "Facture",
        "Facture n°",
        "Commande n°",
        "Date",
        "Échéance",
        "Total HT",
        "TVA",
        "Total TTC",
        "Madame, Monsieur, nous vous remercions de votre commande.",
        "SARL",
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        slashed_day,
        spaced_amount,
    ),
    Language(
        "es",
        "Factura",
        "Número de factura",
        "Número de pedido",
        "Fecha",
        "Vencimiento",
        "Base imponible",
        "IVA",
        "Importe total",
        "Estimado cliente, gracias por su pedido.",
        "S.L.",
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        slashed_day,
        comma_amount,
    ),
    Language(
        "it",
        "Fattura",
        "Fattura n.",
        "Ordine n.",
        "Data",
        "Scadenza",
        "Imponibile",
        "IVA",
        "Totale fattura",
        "Gentile cliente, grazie per il Suo ordine.",
        "S.r.l.",
        "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
        slashed_day,
        comma_amount,
    ),
    Language(
        "nl",
        "Factuur",
        "Factuurnummer",
        "Bestelnummer",
        "Datum",
        "Vervaldatum",
        "Subtotaal",
        "BTW",
        "Totaalbedrag",
        "Geachte klant, dank u voor uw bestelling.",
        "B.V.",
        "januari februari maart april mei juni juli augustus september oktober november december",
        slashed_day,
        comma_amount,
    ),
)


class Sheet:
    """A page that is drawn line by line, while what is true of it is noted."""

    def __init__(self, path: Path, layout: int) -> None:
        self.canvas, self.truth, self.layout = Canvas(str(path), PAGE, invariant=True), Truth(), layout
        self.y = 780.0

    def line(self, text: str, size: int = 11, x: float = 60) -> None:
        """A line of text."""
        self.canvas.setFont("Helvetica", size)
        self.canvas.drawString(x, self.y, text)
        self.y -= size * 1.6

    def pair(self, label: str, text: str) -> None:
        """A label and its value: in one line, side by side, or below each other, as the layout says."""
        if self.layout == 0:
            self.line(f"{label}: {text}")
        elif self.layout == 1:
            self.canvas.setFont("Helvetica", 11)
            self.canvas.drawString(60, self.y, f"{label}:")
            self.canvas.drawString(230, self.y, text)
            self.y -= 20
        else:
            self.line(f"{label} {text}", x=320)

    def note(self, kind: str, value: str) -> None:
        """Note what is true."""
        self.truth[(kind, value)] += 1


def german_iban(chance: random.Random) -> str:
    """An IBAN whose check digits are right."""
    account = f"{chance.randrange(10**18):018}"
    check = 98 - int(f"{account}131400") % 97
    return f"DE{check:02}{account}"


def draw_invoice(path: Path, language: Language, seed: int) -> Truth:
    """Draw an invoice, a receipt or a letter; what is true of it."""
    chance = random.Random(f"{language.code}{seed}")
    sheet = Sheet(path, seed % 3)
    company = f"{chance.choice(('Mill', 'Grano', 'Korn', 'Molen'))} {chance.choice(('Nord', 'Alfa', 'Delta'))} {language.company}"
    sheet.line(company, 14)
    sheet.note("organisation", company)
    email = f"{chance.choice(('info', 'office'))}@{company.split(maxsplit=1)[0].lower()}.example"
    sheet.line(f"E-mail: {email}")
    sheet.note("email", email)
    sheet.y -= 20
    sheet.line(language.title, 20)
    number = chance.choice(
        (f"{chance.randrange(2020, 2030)}-{chance.randrange(1, 9999):04}", f"F{chance.randrange(10**6)}")
    )
    sheet.pair(language.number, number)
    sheet.note("invoice_number", number)
    if seed % 2:
        order = f"B-{chance.randrange(10**5)}"
        sheet.pair(language.order, order)
        sheet.note("order_number", order)
    issued = date(2025, 1, 1) + timedelta(days=chance.randrange(700))
    for label, when in ((language.issued, issued), (language.due, issued + timedelta(days=14))):
        sheet.pair(label, language.day(language, when, chance))
        sheet.note("date", when.isoformat())
    sheet.y -= 12
    sheet.line(language.greeting)
    sheet.y -= 12
    draw_sums(sheet, language, chance)
    iban = german_iban(chance)
    sheet.y -= 20
    sheet.line(f"IBAN: {' '.join(iban[place : place + 4] for place in range(0, 22, 4))}")
    sheet.note("iban", iban)
    sheet.canvas.save()
    return sheet.truth


def draw_sums(sheet: Sheet, language: Language, chance: random.Random) -> None:
    """Net, tax and total."""
    net, rate = chance.randrange(1_000, 2_000_000), chance.choice((19, 20, 21, 22))
    tax = net * rate // 100
    for label, cents in ((language.net, net), (f"{language.tax} {rate} %", tax), (language.total, net + tax)):
        sheet.pair(label, language.amount(cents, chance))
        sheet.note("amount", f"{cents / 100:.2f}")
    sheet.note("percentage", str(rate))
    sheet.note("total", f"{(net + tax) / 100:.2f}")


def found_in(path: Path) -> Iterator[tuple[str, str, bool | None]]:
    """The type, value and validity of every entity of a document; numbers and totals come from its pairs of label and value."""
    with tempfile.TemporaryDirectory(prefix="pagemill-facts-") as folder:
        Visits(ENGINE, str(path), Path(folder), None).make()
        for name in ("entities", "facts"):
            make_artifact(MakeRequest(name, f"{folder}/document.json", None, folder, str(path)).to_bytes())
        entities = orjson.loads((Path(folder) / "entities.json").read_bytes())["entities"]
        pairs = orjson.loads((Path(folder) / "facts.json").read_bytes())["key_values"]
    yield from ((one["type"], one["value"], one["valid"]) for one in entities if one["type"] not in LABELLED)
    yield from {(one["name"], one["value"], None) for one in pairs if one.get("name") in LABELLED}


def scanned_documents(documents: Iterable[tuple[Path, Truth]]) -> Iterator[tuple[Path, Truth]]:
    """The same documents as scans."""
    from quality.other_invoices import scan

    for seed, (path, truth) in enumerate(documents):
        scan(path, seed)
        yield path, truth


def score(documents: Iterable[tuple[Path, Truth]]) -> dict[str, dict[str, float]]:
    """Precision, recall and F1 by type over all documents, and how many are called valid that are not true."""
    right, found, true, wrongly_valid = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    for path, truth in documents:
        entities = list(found_in(path))
        values = Truth((kind, value) for kind, value, _ in entities)
        for kind in {kind for kind, _ in truth}:
            wanted = Truth({key: count for key, count in truth.items() if key[0] == kind})
            had = Truth({key: count for key, count in values.items() if key[0] == kind})
            right[kind] += (wanted & had).total()
            found[kind] += had.total()
            true[kind] += wanted.total()
        wrongly_valid.update(kind for kind, value, valid in entities if valid and (kind, value) not in truth)
    return {kind: figures(right[kind], found[kind], true[kind], wrongly_valid[kind]) for kind in sorted(true)}


def figures(right: int, found: int, true: int, wrongly_valid: int) -> dict[str, float]:
    """The scores of one type."""
    return {
        "f1": round(2 * right / (found + true), 3) if found + true else 0.0,
        "precision": round(right / found, 3) if found else 0.0,
        "recall": round(right / true, 3),
        "true": true,
        "wrongly_valid": wrongly_valid,
    }


def main(arguments: Sequence[str]) -> int:
    """Print a line of JSON for each type, of the documents that the arguments name, as they are or as scans."""
    # Only now, because the modules of the documents take the truth of this one.
    from quality.fact_sets import SETS, other_documents

    draw = next((made for name, made in SETS.items() if name in arguments), other_documents)
    with tempfile.TemporaryDirectory(prefix="pagemill-facts-") as folder:
        documents = draw(PER_LANGUAGE, Path(folder))
        if "--scanned" in arguments:
            documents = scanned_documents(documents)
        for kind, scores in score(documents).items():
            sys.stdout.write(orjson.dumps({"type": kind, **scores}).decode() + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
