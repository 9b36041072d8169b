"""Invoices that the rules for facts were not written with: other layouts, other label words, other languages, also as scans.

The published figures are those of these documents. Values are by chance, so that the truth is exact.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

import numpy
import pypdfium2
from PIL import Image, ImageFilter
from reportlab.lib import colors
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Table

from quality.facts import Truth, german_iban

PAGE = (595, 842)
SCAN_DPI = 200


@dataclass(frozen=True)
class Words:
    """The words of an invoice in one language; the layouts choose among the labels by chance."""

    code: str
    title: tuple[str, ...]
    number: tuple[str, ...]
    order: tuple[str, ...]
    issued: tuple[str, ...]
    due: tuple[str, ...]
    net: tuple[str, ...]
    tax: tuple[str, ...]
    total: tuple[str, ...]
    item: tuple[str, ...]
    form: str
    months: str
    day_form: str
    comma: bool
    currency: tuple[str, ...]


LANGUAGES = (
    Words(
        "en-gb",
        ("TAX INVOICE", "Sales invoice"),
        ("Invoice No.", "Invoice #", "Bill no."),
        ("PO number", "Purchase order no."),
        ("Date of issue", "Invoice date"),
        ("Payment due", "Payable by"),
        ("Subtotal", "Total excl. VAT"),
        ("VAT",),
        ("Amount payable", "Balance due"),
        ("Oak boards", "Delivery", "Service hours"),
        "plc",
        "January February March April May June July August September October November December",
        "{d} {month} {y}",
        False,
        ("£{}", "GBP {}"),
    ),
    Words(
        "de-ch",
        ("Quittung", "RECHNUNG"),
        ("Rechnung Nr.", "Beleg-Nr."),
        ("Auftrags-Nr.", "Bestell-Nr."),
        ("Ausstellungsdatum", "Rechnungsdatum"),
        ("Zahlbar bis", "Fälligkeitsdatum"),
        ("Zwischensumme", "Summe netto"),
        ("USt.",),
        ("Zu zahlender Betrag", "Endsumme"),
        ("Mahlgut", "Fracht", "Stundensatz"),
        "AG",
        "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
        "{d:02}.{m:02}.{y}",
        True,
        ("{} €", "EUR {}"),
    ),
    Words(
        "fr-be",
        ("FACTURE", "Reçu"),
        ("N° de facture", "Numéro de facture"),
        ("N° de commande",),
        ("Date de facturation", "Date d'émission"),
        ("À payer avant le", "Date d'échéance"),
        ("Sous-total", "Montant HT"),
        ("TVA",),
        ("Net à payer", "Montant TTC"),
        ("Farine de blé", "Transport", "Main d'œuvre"),
        "SAS",
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "{d} {month} {y}",
        True,
        ("{} €", "{} EUR"),
    ),
    Words(
        "pt",
        ("FATURA", "Fatura-recibo"),
        ("Fatura n.º", "Número da fatura"),
        ("N.º de encomenda",),
        ("Data de emissão", "Data da fatura"),
        ("Data de vencimento", "Vencimento"),
        ("Subtotal", "Total sem IVA"),
        ("IVA",),
        ("Total a pagar", "Valor total"),
        ("Milho", "Transporte", "Horas de serviço"),
        "Lda.",
        "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
        "{d} de {month} de {y}",
        True,
        ("{} €", "{} EUR"),
    ),
    Words(
        "sv",
        ("FAKTURA", "Kvitto"),
        ("Fakturanummer", "Faktura nr"),
        ("Ordernummer", "Beställningsnr"),
        ("Fakturadatum",),
        ("Förfallodatum", "Förfallodag"),
        ("Delsumma", "Summa exkl. moms"),
        ("Moms",),
        ("Att betala", "Totalsumma"),
        ("Vetemjöl", "Frakt", "Arbete"),
        "AB",
        "januari februari mars april maj juni juli augusti september oktober november december",
        "{d} {month} {y}",
        True,
        ("{} SEK", "SEK {}"),
    ),
    Words(
        "es-mx",
        ("FACTURA", "Recibo"),
        ("Factura N.º", "N.º de factura"),
        ("Pedido n.º",),
        ("Fecha de emisión", "Fecha de la factura"),
        ("Fecha de vencimiento", "Vencimiento"),
        ("Subtotal", "Total sin IVA"),
        ("Cuota IVA",),
        ("Total a pagar", "Total con IVA"),
        ("Harina", "Flete", "Mano de obra"),
        "S.A.",
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        "{d} de {month} de {y}",
        False,
        ("USD {}", "{} USD"),
    ),
)


@dataclass(frozen=True)
class Invoice:
    """What an invoice says, as pairs of a label and a printed value."""

    company: str
    title: str
    email: str
    iban: str
    head: tuple[tuple[str, str], ...]
    items: tuple[tuple[str, str], ...]
    sums: tuple[tuple[str, str], ...]


def make_invoice(words: Words, chance: random.Random) -> tuple[Invoice, Truth]:
    """An invoice with values by chance, and what is true of it."""
    truth = Truth()
    company = f"{chance.choice(('Stern', 'Vale', 'Campo', 'Rio'))} {chance.choice(('Works', 'Trading', 'Norte'))} {words.form}"
    email = f"{chance.choice(('billing', 'konto'))}@{company.split(maxsplit=1)[0].lower()}.example"
    number = chance.choice(
        (f"{chance.randrange(10**5, 10**6)}", f"INV/{chance.randrange(24, 29)}/{chance.randrange(999):03}")
    )
    order = f"{chance.choice('KQX')}{chance.randrange(10**4, 10**5)}"
    issued = date(2024, 1, 1) + timedelta(days=chance.randrange(900))
    due = issued + timedelta(days=chance.choice((10, 30, 45)))
    iban = german_iban(chance)
    head = [
        (chance.choice(words.number), number),
        (chance.choice(words.issued), print_day(words, issued)),
        (chance.choice(words.due), print_day(words, due)),
        (chance.choice(words.order), order),
    ]
    for kind, value in (
        ("organisation", company),
        ("email", email),
        ("iban", iban),
        ("invoice_number", number),
    ):
        truth[(kind, value)] += 1
    truth[("order_number", order)] += 1
    truth.update([("date", issued.isoformat()), ("date", due.isoformat())])
    items, sums = make_sums(words, chance, truth)
    return Invoice(company, chance.choice(words.title), email, iban, tuple(head), items, sums), truth


def make_sums(
    words: Words, chance: random.Random, truth: Truth
) -> tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]]:
    """The items of an invoice and the sums below them; what is true of them is noted."""
    cents = [chance.randrange(500, 600_000) for _ in words.item]
    net, rate = sum(cents), chance.choice((6, 10, 23, 25))
    tax = net * rate // 100
    form = chance.choice(words.currency)
    items = [(name, print_amount(words, one, form)) for name, one in zip(words.item, cents, strict=True)]
    labels = (chance.choice(words.net), f"{chance.choice(words.tax)} ({rate}%)", chance.choice(words.total))
    sums = [
        (label, print_amount(words, one, form))
        for label, one in zip(labels, (net, tax, net + tax), strict=True)
    ]
    truth.update(("amount", f"{one / 100:.2f}") for one in (*cents, net, tax, net + tax))
    truth.update([("percentage", str(rate)), ("total", f"{(net + tax) / 100:.2f}")])
    return tuple(items), tuple(sums)


def print_day(words: Words, when: date) -> str:
    """A date as the language has it."""
    month = words.months.split()[when.month - 1]
    return words.day_form.format(d=when.day, m=when.month, y=when.year, month=month)


def print_amount(words: Words, cents: int, form: str) -> str:
    """An amount as the language has it."""
    text = f"{cents / 100:,.2f}"
    return form.format(text.translate(str.maketrans(",.", ".,")) if words.comma else text)


def draw_boxed(canvas: Canvas, invoice: Invoice) -> None:
    """The head in a ruled table at the right, the items in a ruled table, the sums below it."""
    text(canvas, 50, 790, invoice.company, 13)
    text(canvas, 50, 772, invoice.email, 9)
    text(canvas, 50, 700, invoice.title, 22)
    place_table(canvas, invoice.head, 330, 680, ruled=True)
    place_table(canvas, [*invoice.items, *invoice.sums], 50, 520, ruled=True, widths=(320, 150))
    text(canvas, 50, 80, f"IBAN {grouped(invoice.iban)}", 9)


def draw_gridded(canvas: Canvas, invoice: Invoice) -> None:
    """Labels above their values in a row across the page, sums flush right at the end."""
    text(canvas, 50, 800, invoice.title, 18)
    text(canvas, 50, 760, invoice.company, 11)
    text(canvas, 50, 746, invoice.email, 10)
    for place, (label, value) in enumerate(invoice.head):
        x = 50 + 130 * place
        text(canvas, x, 690, label, 8)
        text(canvas, x, 676, value, 10)
    y = 620
    for name, value in (*invoice.items, *invoice.sums):
        text(canvas, 50, y, name, 10)
        canvas.drawRightString(540, y, value)
        y -= 22
    text(canvas, 50, y - 30, f"IBAN: {grouped(invoice.iban)}", 10)


def draw_letter(canvas: Canvas, invoice: Invoice) -> None:
    """The head below the address as lines with tabs, sums in a column in the middle."""
    text(canvas, 380, 800, invoice.company, 12)
    text(canvas, 380, 785, invoice.email, 9)
    text(canvas, 60, 640, invoice.title, 14)
    y = 610
    for label, value in invoice.head:
        text(canvas, 60, y, label, 11)
        text(canvas, 260, y, value, 11)
        y -= 18
    y -= 20
    for name, value in (*invoice.items, *invoice.sums):
        text(canvas, 60, y, f"{name} ", 11)
        canvas.drawRightString(430, y, value)
        y -= 20
    text(canvas, 60, 60, f"{invoice.company} · IBAN {grouped(invoice.iban)}", 8)


LAYOUTS: tuple[Callable[[Canvas, Invoice], None], ...] = (draw_boxed, draw_gridded, draw_letter)


def text(canvas: Canvas, x: float, y: float, words: str, size: float) -> None:
    """Words at a place."""
    canvas.setFont(canvas.own_font, size)  # type: ignore[attr-defined]
    canvas.drawString(x, y, words)


def place_table(
    canvas: Canvas,
    rows: "list[tuple[str, str]] | tuple[tuple[str, str], ...]",
    x: float,
    top: float,
    *,
    ruled: bool,
    widths: tuple[float, float] | None = None,
) -> None:
    """A table whose upper left corner is there."""
    style = [("FONT", (0, 0), (-1, -1), canvas.own_font, 10)]  # type: ignore[attr-defined]
    lines = [("GRID", (0, 0), (-1, -1), 0.6, colors.black)] if ruled else []
    table = Table([list(row) for row in rows], colWidths=widths, style=[*style, *lines])
    _, height = table.wrapOn(canvas, 500, 700)
    table.drawOn(canvas, x, top - height)


def grouped(iban: str) -> str:
    """An IBAN in groups of four."""
    return " ".join(iban[place : place + 4] for place in range(0, len(iban), 4))


def draw_other_invoice(path: Path, words: Words, seed: int) -> Truth:
    """Draw an invoice as a PDF with text; what is true of it."""
    chance = random.Random(f"other {words.code} {seed}")
    invoice, truth = make_invoice(words, chance)
    canvas = Canvas(str(path), PAGE, invariant=True)
    canvas.own_font = ("Times-Roman", "Helvetica")[seed % 2]  # type: ignore[attr-defined]
    layout = LAYOUTS[seed % len(LAYOUTS)]
    layout(canvas, invoice)
    canvas.save()
    # A letter has the name of its sender in the last line again.
    truth[("organisation", invoice.company)] += layout is draw_letter
    return truth


def scan(path: Path, seed: int) -> None:
    """Make a PDF the picture of itself, as a scanner would: askew, a little blurred and grainy."""
    with pypdfium2.PdfDocument(path) as pdf:
        picture = pdf[0].render(scale=SCAN_DPI / 72).to_pil().convert("L")
    noise = numpy.random.default_rng(seed)
    turned = picture.rotate(noise.uniform(-0.7, 0.7), Image.Resampling.BICUBIC, fillcolor=255)
    grey = numpy.asarray(turned.filter(ImageFilter.GaussianBlur(0.6)), numpy.float32)
    grainy = Image.fromarray(
        numpy.clip(grey + noise.normal(0, 6, grey.shape) - 4, 0, 255).astype(numpy.uint8)
    )
    grainy.save(path, "PDF", resolution=SCAN_DPI, quality=80)
