"""Bills that were drawn after the rules for facts had been mended with `quality.fresh_bills`: other words and templates."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from reportlab.lib import colors
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Table, TableStyle

from quality.facts import Truth
from quality.fresh_bills import Bill, make_bill, put, truth_of, wrapped
from quality.fresh_wordings import Wording
from quality.other_invoices import PAGE, grouped

WORDINGS = (
    Wording(
        "en-gb",
        "Statement of charges",
        "Till receipt",
        ("Invoice no", "Invoice ref.", "Our invoice"),
        ("Order number", "Your order ref.", "Purchase order"),
        ("Date issued", "Tax point", "Date"),
        ("Due", "To be paid by", "Payment due date"),
        ("Total net", "Sub-total"),
        ("VAT", "VAT amount"),
        ("Total to pay", "Total", "Balance due"),
        ("Tea towels", "Carriage", "Engraving"),
        ("Marsh & Daughters Ltd", "Cotswold Looms plc"),
        "January February March April May June July August September October November December",
        "{d} {month} {y}",
        ("£{}", "GBP {}"),
        False,
        (
            "Dear Mr Hughes,",
            "This is a reminder of invoice number {number} dated {issued} for order number {order}.",
            "A total of {total}, that is {net} plus {tax} VAT at {rate}%, was due on {due}.",
            "Our IBAN is {iban}.",
        ),
    ),
    Wording(
        "de-de",
        "Schlussrechnung",
        "Beleg",
        ("Rechnungsnummer", "Rg.-Nr.", "Beleg Nr."),
        ("Bestellnummer", "Ihr Auftrag", "Auftrags-Nr."),
        ("Rechnungsdatum", "Belegdatum", "vom"),
        ("Fälligkeit", "Zahlbar bis zum", "Fällig"),
        ("Nettobetrag", "Zwischensumme"),
        ("USt", "zzgl. MwSt."),
        ("Rechnungsbetrag", "Gesamtsumme", "Endbetrag"),
        ("Dachlatten", "Anfahrt", "Montage"),
        ("Holzbau Krüger GmbH & Co. KG", "Elbe Logistik AG"),
        "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
        "{d:02}.{m:02}.{y}",
        ("{} €", "EUR {}"),
        True,
        (
            "Sehr geehrter Herr Brandt,",
            "wir erinnern an die Rechnung mit der Rechnungsnummer {number} vom {issued}, Bestellnummer {order}.",
            "Offen ist der Rechnungsbetrag in Höhe von {total} ({net} zuzüglich {tax} USt, {rate} %), fällig am {due}.",
            "Unsere Bankverbindung: IBAN {iban}.",
        ),
    ),
    Wording(
        "fr-be",
        "NOTE D'HONORAIRES",
        "Reçu",
        ("Numéro de facture", "Facture no", "Réf. facture"),
        ("Commande n°", "Bon de commande", "Votre commande"),
        ("Date de facturation", "Le", "Date d'émission"),
        ("Date d'échéance", "Payable avant le", "À payer pour le"),
        ("Sous-total", "Montant HT"),
        ("TVA", "T.V.A."),
        ("Montant à payer", "Total TTC", "Total général"),
        ("Chocolat noir", "Frais de port", "Coffret"),
        ("Ateliers de la Meuse SA", "Brasserie Lambert SRL"),
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "{d:02}/{m:02}/{y}",
        ("{} €", "EUR {}"),
        True,
        (
            "Cher Monsieur,",
            "sauf erreur, la facture numéro {number} du {issued} (commande numéro {order}) reste ouverte.",
            "Le total de {total}, soit {net} et {tax} de TVA à {rate} %, était dû le {due}.",
            "Notre compte : IBAN {iban}.",
        ),
    ),
    Wording(
        "pt-pt",
        "FATURA SIMPLIFICADA",
        "Recibo",
        ("Fatura nº", "N.º da fatura", "Número do documento"),
        ("Encomenda nº", "N.º de encomenda", "A sua encomenda"),
        ("Data de emissão", "Data", "Emitida em"),
        ("Data de vencimento", "Pagar até", "Vencimento"),
        ("Total sem IVA", "Subtotal"),
        ("IVA", "Valor do IVA"),
        ("Total com IVA", "Total a pagar", "Total"),
        ("Azulejos", "Portes", "Montagem"),
        ("Cortiça do Alentejo Lda.", "Tejo Software S.A."),
        "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
        "{d} de {month} de {y}",
        ("{} €", "{} EUR"),
        True,
        (
            "Exmo. Senhor,",
            "lembramos a fatura n.º {number} de {issued}, relativa à encomenda n.º {order}.",
            "O valor total de {total}, isto é {net} mais {tax} de IVA ({rate}%), venceu em {due}.",
            "O nosso IBAN: {iban}.",
        ),
    ),
    Wording(
        "sv-se",
        "Slutfaktura",
        "Kvitto",
        ("Fakturanr", "Faktura nummer", "Kvittonummer"),
        ("Er order", "Ordernr", "Beställningsnummer"),
        ("Fakturadatum", "Datum", "Utfärdad"),
        ("Förfallodag", "Betalas senast", "Oss tillhanda senast"),
        ("Delsumma", "Netto"),
        ("Moms", "Momsbelopp"),
        ("Att betala", "Summa att betala", "Totalt"),
        ("Furubräder", "Frakt", "Montering"),
        ("Norrland Trä AB", "Skåne Data AB"),
        "januari februari mars april maj juni juli augusti september oktober november december",
        "{y}-{m:02}-{d:02}",
        ("{} SEK", "SEK {}"),
        True,
        (
            "Hej,",
            "vi påminner om faktura nr {number} av den {issued}, som hör till order nr {order}.",
            "Totalt {total}, det vill säga {net} och {tax} i moms ({rate} %), skulle betalas den {due}.",
            "Vårt konto har IBAN {iban}.",
        ),
    ),
    Wording(
        "es-ar",
        "Factura de venta",
        "Comprobante",
        ("Nro. de factura", "Factura número", "N° de comprobante"),
        ("Orden de compra", "N° de pedido", "Pedido"),
        ("Fecha de emisión", "Fecha", "Emitida el"),
        ("Vence el", "Fecha de vto.", "Vencimiento"),
        ("Subtotal", "Importe neto"),
        ("IVA", "I.V.A."),
        ("Total", "Importe total", "Total a abonar"),
        ("Yerba mate", "Flete", "Envoltorio"),
        ("Pampa y Cielo S.A.", "Imprenta del Plata S.R.L."),
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        "{d:02}/{m:02}/{y}",
        ("USD {}", "{} EUR"),
        True,
        (
            "Estimado señor:",
            "le recordamos la factura número {number} del {issued}, correspondiente al pedido número {order}.",
            "El total de {total}, es decir {net} más {tax} de IVA ({rate} %), venció el {due}.",
            "Nuestro IBAN es {iban}.",
        ),
    ),
)


def draw_head_row(canvas: Canvas, bill: Bill) -> None:
    """A ruled row of labels above a ruled row of values, goods in a table with rules between them, sums at its foot."""
    put(canvas, 40, 800, bill.company, 16, "Times-Bold")
    put(canvas, 40, 784, bill.email, 9, "Times-Roman")
    put(canvas, 40, 735, bill.wording.bill, 14, "Times-Bold")
    grid = TableStyle(
        [("GRID", (0, 0), (-1, -1), 0.5, colors.grey), ("FONT", (0, 0), (-1, -1), "Times-Roman", 9)]
    )
    lower(
        canvas, Table([list(pair) for pair in zip(*bill.head, strict=True)], colWidths=128, style=grid), 715
    )
    rules: list[tuple[Any, ...]] = [
        ("LINEBELOW", (0, 0), (-1, -1), 0.5, colors.grey),
        ("ALIGN", (1, 0), (1, -1), "RIGHT"),
    ]
    rows = [list(row) for row in (*bill.goods, *bill.sums)]
    style = TableStyle([*rules, ("FONT", (0, 0), (-1, -1), "Times-Roman", 10)])
    lower(canvas, Table(rows, colWidths=(380, 132), style=style), 640)
    put(canvas, 40, 50, f"IBAN {grouped(bill.iban)}", 8, "Times-Roman")


def lower(canvas: Canvas, table: Table, top: float) -> None:
    """A table with its upper edge there."""
    _, height = table.wrapOn(canvas, 520, 700)
    table.drawOn(canvas, 40, top - height)


def draw_axis(canvas: Canvas, bill: Bill) -> None:
    """Labels flush right at an axis and values flush left behind it; the sums likewise, in larger letters."""
    canvas.setFont("Helvetica-Bold", 13)
    canvas.drawCentredString(PAGE[0] / 2, 800, bill.company)
    canvas.setFont("Helvetica", 9)
    canvas.drawCentredString(PAGE[0] / 2, 785, bill.email)
    canvas.drawCentredString(PAGE[0] / 2, 745, bill.wording.bill)
    y = 710.0
    for label, value in (
        *bill.head,
        ("", ""),
        *bill.goods,
        ("", ""),
        *bill.sums,
        ("IBAN", grouped(bill.iban)),
    ):
        canvas.setFont("Helvetica", 10)
        canvas.drawRightString(280, y, label)
        canvas.drawString(296, y, value)
        y -= 19


def draw_capitals(canvas: Canvas, bill: Bill) -> None:
    """A receipt in capital letters, with values at the right edge; no order, no IBAN and no day that it is due."""
    canvas.setPageSize((300, 600))
    put(canvas, 20, 570, bill.company, 11, "Courier-Bold")
    put(canvas, 20, 555, bill.email, 8, "Courier")
    put(canvas, 20, 530, bill.wording.receipt.upper(), 12, "Courier-Bold")
    y = 500.0
    for label, value in (*bill.head[:2], *bill.goods, *bill.sums):
        put(canvas, 20, y, label.upper(), 9, "Courier")
        canvas.drawRightString(280, y, value)
        y -= 18


def draw_reminder(canvas: Canvas, bill: Bill) -> None:
    """A reminder that says everything in sentences, without a label of its own line."""
    put(canvas, 80, 780, f"{bill.company}, {bill.email}", 9)
    given = {"iban": grouped(bill.iban), "rate": bill.rate}
    given |= {
        name: getattr(bill, name) for name in ("number", "issued", "due", "order", "total", "net", "tax")
    }
    y = 660.0
    for sentence in bill.wording.letter:
        for line in wrapped(sentence.format(**given), 74):
            put(canvas, 80, y, line, 11)
            y -= 17
        y -= 10


# Each layout with what it does not print.
LAYOUTS: tuple[tuple[Callable[[Canvas, Bill], None], tuple[str, ...]], ...] = (
    (draw_head_row, ()),
    (draw_axis, ()),
    (draw_capitals, ("order_number", "iban", "due")),
    (draw_reminder, ("goods",)),
)
TAG = "last"


def draw_bill(path: Path, wording: Wording, seed: int) -> Truth:
    """Draw a document as a PDF with text; what is true of it."""
    bill, values = make_bill(wording, random.Random(f"{TAG} {wording.code} {seed}"))
    layout, missing = LAYOUTS[seed % len(LAYOUTS)]
    canvas = Canvas(str(path), PAGE, invariant=True)
    layout(canvas, bill)
    canvas.save()
    return truth_of(values, missing)
