"""Bills as utilities, tradesmen and advisers write them, drawn without a look at the rules for facts.

Values stand in boxes under their labels, in a heading, between bars, behind dots and beside numbers that are others.
"""

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from reportlab.lib import colors
from reportlab.pdfgen.canvas import Canvas

from quality.facts import Truth
from quality.fresh_bills import Bill, make_bill, put, truth_of
from quality.other_invoices import PAGE, grouped
from quality.utility_wordings import BillWords

TAG = "utility"


def draw_window_letter(canvas: Canvas, bill: Bill, words: BillWords, customer: str) -> None:
    """An address for the window at the left, pairs at the right of it, goods with quantities, the bank in the foot."""
    put(canvas, 350, 800, bill.company, 13, "Helvetica-Bold")
    put(canvas, 350, 785, bill.email, 9)
    for place, line in enumerate(("J. Ferrer", "Birch Lane 14", "40210 Oakham")):
        put(canvas, 60, 720 - 14 * place, line)
    pairs = [(words.customer, customer), *bill.head]
    for place, (label, value) in enumerate(pairs):
        put(canvas, 330, 720 - 16 * place, label, 9, "Helvetica-Bold")
        put(canvas, 450, 720 - 16 * place, value, 9)
    put(canvas, 60, 600, bill.wording.bill, 16, "Helvetica-Bold")
    canvas.line(60, 570, 535, 570)
    put(canvas, 60, 575, words.columns[0], 9)
    canvas.drawRightString(420, 575, words.columns[1])
    canvas.drawRightString(535, 575, words.columns[2])
    y = 550.0
    for name, value in bill.goods:
        put(canvas, 60, y, name)
        canvas.drawRightString(420, y, "1")
        canvas.drawRightString(535, y, value)
        y -= 18
    canvas.line(330, y + 8, 535, y + 8)
    for label, value in bill.sums:
        put(canvas, 330, y - 6, label)
        canvas.drawRightString(535, y - 6, value)
        y -= 18
    put(canvas, 60, 60, words.bank, 8, "Helvetica-Bold")
    put(canvas, 60, 49, f"IBAN {grouped(bill.iban)}", 8)


def draw_heading(canvas: Canvas, bill: Bill, words: BillWords, customer: str) -> None:
    """The number and the date in the heading, the order and the day in lines under it, sums with dots between."""
    put(canvas, 70, 790, bill.company, 11, "Times-Bold")
    put(canvas, 70, 776, bill.email, 9, "Times-Roman")
    heading = words.heading.format(number=bill.number, issued=bill.issued)
    put(canvas, 70, 700, heading, 15, "Times-Bold")
    put(canvas, 70, 676, f"{words.customer}: {customer}", 10, "Times-Roman")
    for place, (label, value) in enumerate(bill.head[2:]):
        put(canvas, 70, 660 - 16 * place, f"{label}: {value}", 10, "Times-Roman")
    y = 600.0
    for label, value in (*bill.goods, *bill.sums):
        put(canvas, 70, y, label, 11, "Times-Roman")
        start = 76 + canvas.stringWidth(label, "Times-Roman", 11)
        end = 514 - canvas.stringWidth(value, "Times-Roman", 11)
        dots = "." * int((end - start) / canvas.stringWidth(".", "Times-Roman", 11))
        put(canvas, start, y, dots, 11, "Times-Roman")
        canvas.drawRightString(520, y, value)
        y -= 20
    put(canvas, 70, y - 30, f"{words.bank}: {grouped(bill.iban)}", 10, "Times-Roman")


def draw_boxes(canvas: Canvas, bill: Bill, words: BillWords, customer: str) -> None:
    """Boxes side by side, each with a small label above a large value; below them the rest in narrow lines."""
    put(canvas, 50, 800, bill.company, 18, "Helvetica-Bold")
    put(canvas, 50, 784, bill.email, 9)
    put(canvas, 400, 800, bill.wording.bill, 12)
    boxes = [bill.head[0], bill.head[2], bill.sums[2]]
    for place, (label, value) in enumerate(boxes):
        left = 50 + 168 * place
        canvas.setFillColor(colors.whitesmoke)
        canvas.roundRect(left, 690, 156, 54, 6, stroke=1, fill=1)
        canvas.setFillColor(colors.black)
        canvas.setFont("Helvetica", 8)
        canvas.drawCentredString(left + 78, 728, label)
        canvas.setFont("Helvetica-Bold", 13)
        canvas.drawCentredString(left + 78, 704, value)
    y = 650.0
    for label, value in ((words.customer, customer), bill.head[1], bill.head[3], *bill.goods, *bill.sums[:2]):
        put(canvas, 50, y, label, 9)
        put(canvas, 240, y, value, 9)
        y -= 15
    put(canvas, 50, y - 25, f"{words.bank}  IBAN {grouped(bill.iban)}", 9)


def draw_bars(canvas: Canvas, bill: Bill, words: BillWords, customer: str) -> None:
    """Number and dates between bars in one line, goods in lines, sums at the right under each other with colons."""
    put(canvas, 60, 800, f"{bill.company} | {bill.email}", 9, "Courier")
    put(canvas, 60, 760, bill.wording.bill, 16, "Courier-Bold")
    summary = words.summary.format(number=bill.number, issued=bill.issued, due=bill.due)
    put(canvas, 60, 735, summary, 8.5, "Courier")
    label, order = bill.head[3]
    put(canvas, 60, 720, f"{label}: {order} | {words.customer}: {customer}", 8.5, "Courier")
    y = 680.0
    for name, value in bill.goods:
        put(canvas, 60, y, f"{name:<40}{value:>20}", 9, "Courier")
        y -= 15
    y -= 10
    for label, value in bill.sums:
        put(canvas, 60, y, f"{label + ':':>40}{value:>20}", 9, "Courier")
        y -= 15
    put(canvas, 60, y - 20, f"IBAN: {grouped(bill.iban)}", 9, "Courier")


def draw_slip(canvas: Canvas, bill: Bill, words: BillWords, customer: str) -> None:
    """Pairs in two columns at the top, and at the foot a slip to be torn off that says the number and the IBAN."""
    put(canvas, 50, 800, bill.company, 14, "Helvetica-Bold")
    put(canvas, 50, 786, bill.email, 9)
    put(canvas, 50, 750, bill.wording.bill, 12, "Helvetica-Bold")
    pairs = [*bill.head[1:], (words.customer, customer)]
    for place, (label, value) in enumerate(pairs):
        x, y = 50 + 260 * (place % 2), 720.0 - 30 * (place // 2)
        put(canvas, x, y, label, 8)
        put(canvas, x + 120, y, value, 10)
    y = 620.0
    for label, value in (*bill.goods, *bill.sums):
        put(canvas, 50, y, label)
        canvas.drawRightString(500, y, value)
        y -= 17
    canvas.setDash(3, 3)
    canvas.line(0, 220, PAGE[0], 220)
    canvas.setDash()
    label, number = bill.head[0]
    put(canvas, 50, 180, label, 8)
    put(canvas, 50, 168, number, 11, "Courier")
    put(canvas, 300, 180, "IBAN", 8)
    put(canvas, 300, 168, grouped(bill.iban), 11, "Courier")


Layout = Callable[[Canvas, Bill, BillWords, str], None]
LAYOUTS: tuple[Layout, ...] = (draw_window_letter, draw_heading, draw_boxes, draw_bars, draw_slip)


def made_number(chance: random.Random) -> str:
    """The number of an invoice in one of the forms that are usual."""
    return chance.choice(
        (
            f"{chance.randrange(10**5, 10**6)}",
            f"INV-{chance.randrange(2024, 2027)}-{chance.randrange(10**5):05}",
            f"FA{chance.randrange(10**7):07}",
            f"A/{chance.randrange(20, 27)}/{chance.randrange(100, 1000)}",
        )
    )


def draw_bill(path: Path, words: BillWords, seed: int) -> Truth:
    """Draw a document as a PDF with text; what is true of it."""
    chance = random.Random(f"{TAG} {words.wording.code} {seed}")
    bill, values = make_bill(words.wording, chance)
    bill = replace(bill, number=made_number(chance))
    values["invoice_number"] = [bill.number]
    canvas = Canvas(str(path), PAGE, invariant=True)
    LAYOUTS[seed % len(LAYOUTS)](canvas, bill, words, f"{chance.randrange(10**6, 10**8)}")
    canvas.save()
    return truth_of(values, ())
