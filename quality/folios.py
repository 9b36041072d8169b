"""Folios of hotels, bills of subscriptions and tickets of tills: the check on rules that were mended with all other sets.

Each prints values more than once, days beside what was bought, or the label and its value in one cell.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path

from reportlab.lib import colors
from reportlab.pdfgen.canvas import Canvas

from quality.facts import Truth, german_iban
from quality.folio_wordings import FolioWords
from quality.fresh_bills import put, wrapped
from quality.other_invoices import PAGE, grouped

TAG = "folio"


@dataclass
class Folio:
    """A document that is being drawn; what it prints is noted as true."""

    words: FolioWords
    canvas: Canvas
    chance: random.Random
    truth: Truth = field(default_factory=Truth)

    def __post_init__(self) -> None:
        chance, words = self.chance, self.words
        self.company, self.title = chance.choice(words.companies), chance.choice(words.title)
        self.number = chance.choice(
            (
                f"{chance.randrange(16**8):08X}-{chance.randrange(1, 99):04}",
                f"{chance.randrange(10**4, 10**5)}",
                f"HR-{chance.randrange(10**6, 10**7)}",
                f"{chance.randrange(24, 27)}-{chance.randrange(10**3, 10**4)}/{chance.randrange(1, 9)}",
            )
        )
        self.order = chance.choice(
            (f"PO-{chance.randrange(10**4, 10**5)}", f"45{chance.randrange(10**6, 10**8)}")
        )
        self.issued = date(2025, 1, 3) + timedelta(days=chance.randrange(600))
        self.due = self.issued + timedelta(days=chance.choice((10, 21, 30)))
        self.cents = [chance.randrange(400, 60_000) for _ in words.goods]
        self.rate = chance.choice((6, 9, 12, 25))
        self.net = sum(self.cents)
        self.tax = self.net * self.rate // 100
        self.iban = german_iban(chance)
        self.day_form, self.money_form = chance.choice(words.day), chance.choice(words.money)

    def note(self, kind: str, value: str) -> None:
        """Note what is true, once."""
        self.truth[(kind, value)] = 1

    def money(self, cents: int) -> str:
        """An amount as it is printed."""
        self.truth[("amount", f"{cents / 100:.2f}")] += 1
        text = f"{cents / 100:,.2f}"
        return self.money_form.format(text.translate(str.maketrans(",.", ".,")) if self.words.comma else text)

    def day(self, when: date) -> str:
        """A date as it is printed."""
        self.truth[("date", when.isoformat())] += 1
        month = self.words.months.split()[when.month - 1]
        return self.day_form.format(d=when.day, m=when.month, y=when.year, month=month)

    def total(self) -> str:
        """The total as it is printed."""
        self.note("total", f"{(self.net + self.tax) / 100:.2f}")
        return self.money(self.net + self.tax)

    def rated(self) -> str:
        """The rate of the tax as it is printed."""
        self.truth[("percentage", str(self.rate))] += 1
        return f"{self.rate} %"

    def invoice_number(self) -> str:
        """The number as it is printed."""
        self.note("invoice_number", self.number)
        return self.number

    def order_number(self) -> str:
        """The number of the order as it is printed."""
        self.note("order_number", self.order)
        return self.order

    def account(self) -> str:
        """The IBAN as it is printed."""
        self.note("iban", self.iban)
        return grouped(self.iban)

    def head(self, *, order: bool = True) -> list[tuple[str, str]]:
        """Labels with their values."""
        choice = self.chance.choice
        pairs = [
            (choice(self.words.number), self.invoice_number()),
            (choice(self.words.issued), self.day(self.issued)),
            (choice(self.words.due), self.day(self.due)),
        ]
        return [*pairs, (choice(self.words.order), self.order_number())] if order else pairs

    def sums(self) -> list[tuple[str, str]]:
        """Labels of the sums with their amounts."""
        choice = self.chance.choice
        return [
            (choice(self.words.net), self.money(self.net)),
            (f"{choice(self.words.tax)} ({self.rated()})", self.money(self.tax)),
            (choice(self.words.total), self.total()),
        ]


def draw_hotel(folio: Folio) -> None:
    """What was had on which day in rows with rules, labels and values in two columns above, the account below."""
    canvas, words = folio.canvas, folio.words
    canvas.setFont("Times-Bold", 17)
    canvas.drawCentredString(PAGE[0] / 2, 795, folio.company)
    canvas.setFont("Times-Roman", 12)
    canvas.drawCentredString(PAGE[0] / 2, 772, folio.title)
    head = [*folio.head(order=False), (words.room, f"{folio.chance.randrange(100, 600)}")]
    for place, (label, value) in enumerate(head):
        x, y = 60 + 250 * (place % 2), 735.0 - 18 * (place // 2)
        put(canvas, x, y, f"{label}:", 10, "Times-Roman")
        put(canvas, x + 120, y, value, 10, "Times-Roman")
    columns, y = (60, 150, 330, 430), 680.0
    for x, name in zip(columns, words.columns, strict=True):
        put(canvas, x, y, name, 10, "Times-Bold")
    for name, cents in zip(words.goods, folio.cents, strict=True):
        y -= 20
        canvas.line(60, y + 14, 535, y + 14)
        values = (folio.day(folio.issued - timedelta(days=2)), name, folio.rated(), folio.money(cents))
        for x, value in zip(columns, values, strict=True):
            put(canvas, x, y, value, 10, "Times-Roman")
    y -= 36
    for label, value in folio.sums():
        put(canvas, 330, y, label, 10, "Times-Roman")
        put(canvas, 470, y, value, 10, "Times-Roman")
        y -= 18
    put(canvas, 60, 80, f"IBAN: {folio.account()}", 9, "Times-Roman")


def draw_subscription(folio: Folio) -> None:
    """Pairs in tight columns, the total and its day as a headline, and the total once more at the foot of the sums."""
    canvas, words = folio.canvas, folio.words
    put(canvas, 45, 800, folio.title, 22, "Helvetica-Bold")
    y = 770.0
    for label, value in folio.head():
        put(canvas, 45, y, label, 9, "Helvetica-Bold")
        put(canvas, 165, y, value, 9)
        y -= 13
    put(canvas, 45, y - 20, folio.company, 9, "Helvetica-Bold")
    put(
        canvas,
        45,
        y - 60,
        words.headline.format(total=folio.total(), due=folio.day(folio.due)),
        15,
        "Helvetica-Bold",
    )
    y -= 100
    for name, cents in zip(words.goods, folio.cents, strict=True):
        put(canvas, 45, y, name, 9)
        canvas.drawRightString(550, y, folio.money(cents))
        y -= 16
    for label, value in folio.sums():
        put(canvas, 300, y - 10, label, 9)
        canvas.drawRightString(550, y - 10, value)
        y -= 16
    put(canvas, 45, 60, f"IBAN {folio.account()}", 8)


def draw_cells(folio: Folio) -> None:
    """Ruled cells that hold a small label and its value below it; sums in a shaded block."""
    canvas = folio.canvas
    put(canvas, 40, 800, folio.company, 14, "Helvetica-Bold")
    put(canvas, 40, 770, folio.title, 11)
    cells = [*folio.head(), (folio.words.customer, f"{folio.chance.randrange(10**4, 10**7)}")]
    for place, (label, value) in enumerate(cells):
        left, bottom = 40 + 171 * (place % 3), 710 - 40 * (place // 3)
        canvas.rect(left, bottom, 171, 40)
        put(canvas, left + 5, bottom + 27, label, 7)
        put(canvas, left + 5, bottom + 9, value, 11)
    y = 620.0
    for name, cents in zip(folio.words.goods, folio.cents, strict=True):
        put(canvas, 40, y, name)
        canvas.drawRightString(553, y, folio.money(cents))
        y -= 18
    canvas.setFillColor(colors.lightgrey)
    canvas.rect(300, y - 58, 255, 66, stroke=0, fill=1)
    canvas.setFillColor(colors.black)
    for label, value in folio.sums():
        put(canvas, 308, y - 10, label, 10, "Helvetica-Bold")
        canvas.drawRightString(548, y - 10, value)
        y -= 18
    put(canvas, 40, 70, f"IBAN: {folio.account()}", 9)


def draw_till(folio: Folio) -> None:
    """A narrow ticket; the number and the day stand at its foot, and no order and no account at all."""
    canvas, chance = folio.canvas, folio.chance
    canvas.setPageSize((240, 520))
    canvas.setFont("Courier-Bold", 10)
    canvas.drawCentredString(120, 490, folio.company)
    y = 455.0
    rows = [(name, folio.money(cents)) for name, cents in zip(folio.words.goods, folio.cents, strict=True)]
    for label, value in (*rows, *folio.sums()):
        put(canvas, 12, y, label, 8, "Courier")
        canvas.drawRightString(228, y, value)
        y -= 16
    y -= 14
    for label, value in (
        (chance.choice(folio.words.number), folio.invoice_number()),
        (chance.choice(folio.words.issued), folio.day(folio.issued)),
    ):
        put(canvas, 12, y, f"{label}: {value}", 8, "Courier")
        y -= 14


def draw_mail(folio: Folio) -> None:
    """A letter that says everything in sentences."""
    put(folio.canvas, 70, 790, folio.company, 11, "Times-Bold")
    given = {
        "number": folio.invoice_number(),
        "issued": folio.day(folio.issued),
        "order": folio.order_number(),
        "total": folio.total(),
        "tax": folio.money(folio.tax),
        "net": folio.money(folio.net),
        "due": folio.day(folio.due),
        "rate": folio.rated().removesuffix(" %"),
        "iban": folio.account(),
    }
    y = 700.0
    for sentence in folio.words.letter:
        for line in wrapped(sentence.format(**given), 80):
            put(folio.canvas, 70, y, line, 11, "Times-Roman")
            y -= 16
        y -= 8


LAYOUTS: tuple[Callable[[Folio], None], ...] = (
    draw_hotel,
    draw_subscription,
    draw_cells,
    draw_till,
    draw_mail,
)


def draw_folio(path: Path, words: FolioWords, seed: int) -> Truth:
    """Draw a document as a PDF with text; what is true of it."""
    canvas = Canvas(str(path), PAGE, invariant=True)
    folio = Folio(words, canvas, random.Random(f"{TAG} {words.code} {seed}"))
    folio.note("organisation", folio.company)
    LAYOUTS[seed % len(LAYOUTS)](folio)
    canvas.save()
    return folio.truth
