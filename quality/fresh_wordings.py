"""The words of the documents of `quality.fresh_bills`, by language."""

from dataclasses import dataclass

# The letter of each language that names everything in sentences: number, issued, total, due, IBAN, order.
Letter = tuple[str, ...]


@dataclass(frozen=True)
class Wording:
    """The words of one language; the first of `months` is January."""

    code: str
    bill: str
    receipt: str
    number: tuple[str, ...]
    order: tuple[str, ...]
    issued: tuple[str, ...]
    due: tuple[str, ...]
    net: tuple[str, ...]
    tax: tuple[str, ...]
    total: tuple[str, ...]
    goods: tuple[str, ...]
    companies: tuple[str, ...]
    months: str
    day: str
    money: tuple[str, ...]
    comma: bool
    letter: Letter


WORDINGS = (
    Wording(
        "en-us",
        "INVOICE",
        "Receipt",
        ("Invoice Number", "Invoice ID", "Receipt no."),
        ("P.O. Number", "Order ID", "Your order"),
        ("Issued", "Invoice Date", "Bill date"),
        ("Due Date", "Pay by", "Please pay before"),
        ("Subtotal", "Net"),
        ("Sales Tax", "Tax"),
        ("TOTAL", "Total Due", "Amount due (USD)"),
        ("Maple syrup", "Shipping", "Gift box"),
        ("Hudson Valley Foods Inc.", "Blue Ridge Tools LLC"),
        "January February March April May June July August September October November December",
        "{month} {d}, {y}",
        ("USD {}", "{} USD"),
        False,
        (
            "Dear Ms. Carter,",
            "we refer to our invoice no. {number} of {issued}, which belongs to your order no. {order}.",
            "The total amount of {total} is due on {due}.",
            "It is made up of {net} and {tax} sales tax ({rate} %).",
            "Kindly transfer it to our account with the IBAN {iban}.",
        ),
    ),
    Wording(
        "de-at",
        "Honorarnote",
        "Kassenbon",
        ("Rechnungs-Nr.", "Rechnung", "Belegnummer"),
        ("Ihre Bestellung", "Auftragsnummer", "Bestell-Nr."),
        ("Rechnungsdatum", "Datum", "Ausgestellt am"),
        ("Fällig am", "Zahlbar bis", "Zahlungsziel"),
        ("Netto", "Summe netto"),
        ("MwSt.", "Umsatzsteuer"),
        ("Gesamtbetrag", "Summe", "Zu zahlen"),
        ("Bauernbrot", "Lieferung", "Arbeitszeit"),
        ("Alpenkost Handels GmbH", "Donau Werkstatt OG"),
        "Jänner Februar März April Mai Juni Juli August September Oktober November Dezember",
        "{d}. {month} {y}",
        ("€ {}", "{} EUR"),
        True,
        (
            "Sehr geehrte Frau Huber,",
            "für die Rechnung Nr. {number} vom {issued} zu Ihrer Bestellung Nr. {order} bitten wir um Zahlung.",
            "Der Gesamtbetrag von {total} ist am {due} fällig.",
            "Er besteht aus {net} und {tax} Umsatzsteuer ({rate} %).",
            "Bitte überweisen Sie auf unser Konto, IBAN {iban}.",
        ),
    ),
    Wording(
        "fr-fr",
        "Facture",
        "Ticket de caisse",
        ("Facture N°", "Référence facture", "N° de reçu"),
        ("Commande", "Votre commande n°", "N° de commande"),
        ("Émise le", "Date de facture", "Date"),
        ("À régler avant le", "Échéance", "Date limite de paiement"),
        ("Total HT", "Net HT"),
        ("TVA", "Montant TVA"),
        ("Total TTC", "À payer", "Net à payer"),
        ("Pain de campagne", "Livraison", "Emballage"),
        ("Boulangerie Martin SARL", "Atelier du Rhône SAS"),
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "{d} {month} {y}",
        ("{} €", "{} EUR"),
        True,
        (
            "Madame,",
            "nous revenons sur la facture n° {number} du {issued}, relative à votre commande n° {order}.",
            "Le montant total de {total} est exigible le {due}.",
            "Il comprend {net} et {tax} de TVA ({rate} %).",
            "Merci de régler sur notre compte, IBAN {iban}.",
        ),
    ),
    Wording(
        "it",
        "FATTURA",
        "Scontrino",
        ("Numero fattura", "Fattura nr.", "Ricevuta n."),
        ("Vs. ordine", "Ordine nr.", "Numero ordine"),
        ("Data fattura", "Emessa il", "Data"),
        ("Da pagare entro il", "Scadenza", "Data di scadenza"),
        ("Imponibile", "Totale netto"),
        ("IVA", "Imposta"),
        ("Totale", "Totale da pagare", "Importo totale"),
        ("Olio d'oliva", "Spedizione", "Confezione"),
        ("Colline Toscane S.r.l.", "Officina Lombarda S.p.A."),
        "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
        "{d:02}/{m:02}/{y}",
        ("€ {}", "{} EUR"),
        True,
        (
            "Gentile Signora,",
            "ci riferiamo alla fattura n. {number} del {issued}, relativa al Vostro ordine n. {order}.",
            "L'importo totale di {total} scade il {due}.",
            "Comprende {net} e {tax} di IVA ({rate} %).",
            "Vogliate versarlo sul nostro conto, IBAN {iban}.",
        ),
    ),
    Wording(
        "nl",
        "FACTUUR",
        "Kassabon",
        ("Factuur nr.", "Factuurnummer", "Bonnummer"),
        ("Uw bestelling", "Ordernummer", "Bestelling nr."),
        ("Factuurdatum", "Datum", "Datum van uitgifte"),
        ("Uiterlijk te betalen op", "Vervaldatum", "Betalen voor"),
        ("Subtotaal", "Totaal excl. btw"),
        ("BTW", "Btw-bedrag"),
        ("Totaal", "Te betalen", "Totaal incl. btw"),
        ("Oude kaas", "Verzending", "Arbeidsuren"),
        ("Polder Zuivel B.V.", "Maas Techniek N.V."),
        "januari februari maart april mei juni juli augustus september oktober november december",
        "{d} {month} {y}",
        ("€ {}", "EUR {}"),
        True,
        (
            "Geachte mevrouw,",
            "wij verwijzen naar factuur nr. {number} van {issued}, bij uw bestelling nr. {order}.",
            "Het totaalbedrag van {total} dient op {due} betaald te zijn.",
            "Het bestaat uit {net} en {tax} btw ({rate} %).",
            "Wij verzoeken u te betalen op IBAN {iban}.",
        ),
    ),
    Wording(
        "es-es",
        "FACTURA",
        "Ticket",
        ("Factura nº", "Número de factura", "Nº de recibo"),
        ("Su pedido", "Pedido nº", "Nº de pedido"),
        ("Fecha de emisión", "Fecha", "Fecha factura"),
        ("Pagar antes del", "Vencimiento", "Fecha de vencimiento"),
        ("Base imponible", "Neto"),
        ("IVA", "Cuota de IVA"),
        ("TOTAL", "Total a pagar", "Importe total"),
        ("Jamón ibérico", "Envío", "Embalaje"),
        ("Huerta del Sur S.L.", "Talleres Ebro S.A."),
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        "{d} de {month} de {y}",
        ("{} €", "{} EUR"),
        True,
        (
            "Estimada señora:",
            "nos referimos a la factura n.º {number} del {issued}, de su pedido n.º {order}.",
            "El importe total de {total} vence el {due}.",
            "Se compone de {net} y {tax} de IVA ({rate} %).",
            "Le rogamos que lo abone en nuestra cuenta, IBAN {iban}.",
        ),
    ),
)
