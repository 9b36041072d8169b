"""Bills, till receipts and letters that were drawn before the rules for facts were ever tried on them.

Other templates and wording than those of `quality.other_invoices`: a bar at the side, a strip of till paper, sentences of a
letter, and pairs two to a line. What is found in them is what to expect of documents that nobody has looked at.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

from reportlab.lib import colors
from reportlab.pdfgen.canvas import Canvas

from quality.facts import Truth, german_iban
from quality.fresh_wordings import Wording
from quality.other_invoices import PAGE, grouped

STRIP = (226, 560)


@dataclass(frozen=True)
class Bill:
    """What a document says, as it is printed; `labels` are those of number, issued, due and order."""

    wording: Wording
    company: str
    email: str
    number: str
    order: str
    issued: str
    due: str
    iban: str
    rate: int
    goods: tuple[tuple[str, str], ...]
    net: str
    tax: str
    total: str
    labels: tuple[str, ...]
    sum_labels: tuple[str, ...]

    @property
    def head(self) -> list[tuple[str, str]]:
        """The labels of the head with their values."""
        return list(zip(self.labels, (self.number, self.issued, self.due, self.order), strict=True))

    @property
    def sums(self) -> list[tuple[str, str]]:
        """The labels of the sums with their amounts."""
        net, tax, total = self.sum_labels
        return [(net, self.net), (f"{tax} {self.rate}%", self.tax), (total, self.total)]


def make_bill(wording: Wording, chance: random.Random) -> tuple[Bill, dict[str, list[str]]]:
    """A document with values by chance, and their normalised values by type; layouts leave out some."""
    cents = [chance.randrange(150, 90_000) for _ in wording.goods]
    net, rate = sum(cents), chance.choice((4, 7, 10, 21))
    tax = net * rate // 100
    form = chance.choice(wording.money)
    issued = date(2025, 2, 1) + timedelta(days=chance.randrange(600))
    due = issued + timedelta(days=chance.choice((7, 14, 60)))
    company = chance.choice(wording.companies)
    number = chance.choice(
        (
            f"{chance.randrange(100, 999)}-{chance.randrange(10**4, 10**5)}",
            f"{issued.year}/{chance.randrange(1, 9999):04}",
            f"RX{chance.randrange(10**6, 10**7)}",
        )
    )
    email = f"{chance.choice(('hello', 'accounts'))}@{company.split()[0].lower()}.example"
    order, iban = f"{chance.choice('ABT')}-{chance.randrange(10**5, 10**6)}", german_iban(chance)
    money = [print_money(wording, one, form) for one in (*cents, net, tax, net + tax)]
    bill = Bill(
        wording,
        company,
        email,
        number,
        order,
        print_date(wording, issued),
        print_date(wording, due),
        iban,
        rate,
        tuple(zip(wording.goods, money[: len(cents)], strict=True)),
        money[-3],
        money[-2],
        money[-1],
        tuple(map(chance.choice, (wording.number, wording.issued, wording.due, wording.order))),
        tuple(map(chance.choice, (wording.net, wording.tax, wording.total))),
    )
    values = {
        "organisation": [company],
        "email": [email],
        "invoice_number": [number],
        "order_number": [order],
        "date": [issued.isoformat(), due.isoformat()],
        "iban": [iban],
        "percentage": [str(rate)],
        "goods": [f"{one / 100:.2f}" for one in cents],
        "amount": [f"{one / 100:.2f}" for one in (net, tax, net + tax)],
        "total": [f"{(net + tax) / 100:.2f}"],
    }
    return bill, values


def print_date(wording: Wording, when: date) -> str:
    """A date as the language has it."""
    month = wording.months.split()[when.month - 1]
    return wording.day.format(d=when.day, m=when.month, y=when.year, month=month)


def print_money(wording: Wording, cents: int, form: str) -> str:
    """An amount as the language has it."""
    text = f"{cents / 100:,.2f}"
    return form.format(text.translate(str.maketrans(",.", ".,")) if wording.comma else text)


def put(canvas: Canvas, x: float, y: float, text: str, size: float = 10, font: str = "Helvetica") -> None:
    """Words at a place."""
    canvas.setFont(font, size)
    canvas.drawString(x, y, text)


def draw_side_bar(canvas: Canvas, bill: Bill) -> None:
    """A shaded bar at the left with labels above their values, goods in the middle, the total in a box of its own."""
    canvas.setFillColor(colors.whitesmoke)
    canvas.rect(0, 0, 170, PAGE[1], stroke=0, fill=1)
    canvas.setFillColor(colors.black)
    put(canvas, 24, 790, bill.company.split()[0], 15, "Helvetica-Bold")
    for place, (label, value) in enumerate([*bill.head, ("IBAN", grouped(bill.iban)[:14])]):
        if place < 4:
            put(canvas, 24, 700 - 50 * place, label, 8)
            put(canvas, 24, 687 - 50 * place, value, 10, "Helvetica-Bold")
    put(canvas, 200, 780, bill.wording.bill, 24, "Helvetica-Bold")
    put(canvas, 200, 750, bill.company)
    put(canvas, 200, 736, bill.email, 9)
    y = 650.0
    for name, value in (*bill.goods, *bill.sums[:2]):
        put(canvas, 200, y, name)
        canvas.drawRightString(560, y, value)
        canvas.line(200, y - 6, 560, y - 6)
        y -= 26
    canvas.rect(330, y - 34, 230, 30)
    put(canvas, 340, y - 24, bill.sums[2][0], 12, "Helvetica-Bold")
    canvas.drawRightString(552, y - 24, bill.total)
    put(canvas, 200, 70, f"IBAN {grouped(bill.iban)}", 9)


def draw_till_strip(canvas: Canvas, bill: Bill) -> None:
    """A strip of till paper: everything in the middle or with dots between, no order and no day that it is due."""
    canvas.setPageSize(STRIP)
    width = STRIP[0]
    for place, (text, size) in enumerate(((bill.company, 10), (bill.email, 8), (bill.wording.receipt, 13))):
        canvas.setFont("Courier", size)
        canvas.drawCentredString(width / 2, 530 - 18 * place, text)
    put(canvas, 14, 460, f"{bill.labels[0]} {bill.number}", 8, "Courier")
    put(canvas, 14, 446, f"{bill.labels[1]} {bill.issued}  14:22", 8, "Courier")
    y = 415.0
    for name, value in (*bill.goods, *bill.sums):
        dots = "." * max(38 - len(name) - len(value), 2)
        put(canvas, 14, y, f"{name} {dots} {value}", 8, "Courier")
        y -= 16
    put(canvas, 14, 60, "* * *", 8, "Courier")


def draw_letter_text(canvas: Canvas, bill: Bill) -> None:
    """A letter that says everything in sentences."""
    put(canvas, 70, 790, bill.company, 12, "Times-Bold")
    put(canvas, 70, 775, bill.email, 10, "Times-Roman")
    given = {
        "number": bill.number,
        "issued": bill.issued,
        "due": bill.due,
        "order": bill.order,
        "total": bill.total,
        "net": bill.net,
        "tax": bill.tax,
        "rate": bill.rate,
        "iban": grouped(bill.iban),
    }
    y = 650.0
    for sentence in bill.wording.letter:
        for line in wrapped(sentence.format(**given)):
            put(canvas, 70, y, line, 11, "Times-Roman")
            y -= 16
        y -= 12


def wrapped(text: str, most: int = 82) -> list[str]:
    """A text in lines, broken between words."""
    lines = [""]
    for word in text.split(" "):
        fits = len(lines[-1]) + len(word) < most
        lines = [*lines[:-1], f"{lines[-1]} {word}".strip()] if fits else [*lines, word]
    return lines


def draw_pairs_in_lines(canvas: Canvas, bill: Bill) -> None:
    """Two pairs to a line, each with a colon; sums as a list with the amount behind a colon."""
    put(canvas, 60, 790, f"{bill.company}   {bill.email}", 10)
    put(canvas, 60, 730, bill.wording.bill, 18)
    pairs = [f"{label}: {value}" for label, value in bill.head]
    for place, text in enumerate(pairs):
        put(canvas, 60 + 260 * (place % 2), 690 - 20 * (place // 2), text)
    y = 620.0
    for name, value in bill.goods:
        put(canvas, 60, y, f"1 x {name}")
        canvas.drawRightString(500, y, value)
        y -= 18
    y -= 16
    for label, value in bill.sums:
        put(canvas, 300, y, f"{label}: {value}", 10, "Helvetica-Bold")
        y -= 18
    put(canvas, 60, y - 40, f"IBAN: {grouped(bill.iban)}", 10)


# Each layout with what it does not print.
LAYOUTS: tuple[tuple[Callable[[Canvas, Bill], None], tuple[str, ...]], ...] = (
    (draw_side_bar, ()),
    (draw_till_strip, ("order_number", "iban", "due")),
    (draw_letter_text, ("goods",)),
    (draw_pairs_in_lines, ()),
)


def draw_bill(path: Path, wording: Wording, seed: int) -> Truth:
    """Draw a document as a PDF with text; what is true of it."""
    bill, values = make_bill(wording, random.Random(f"fresh {wording.code} {seed}"))
    layout, missing = LAYOUTS[seed % len(LAYOUTS)]
    canvas = Canvas(str(path), PAGE, invariant=True)
    layout(canvas, bill)
    canvas.save()
    return truth_of(values, missing)


def truth_of(values: dict[str, list[str]], missing: tuple[str, ...]) -> Truth:
    """What is printed of a document."""
    if "due" in missing:
        values["date"] = values["date"][:1]
    if "goods" not in missing:
        values["amount"] += values["goods"]
    shown = {kind: listed for kind, listed in values.items() if kind not in (*missing, "goods")}
    return Truth((kind, value) for kind, listed in shown.items() for value in listed)
