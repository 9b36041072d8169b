"""The words of the documents of `quality.folios`, by language."""

from dataclasses import dataclass


@dataclass(frozen=True)
class FolioWords:
    """The words of one language; the first of `months` is January. A tuple has several words for the same."""

    code: str
    title: tuple[str, ...]
    number: tuple[str, ...]
    order: tuple[str, ...]
    issued: tuple[str, ...]
    due: tuple[str, ...]
    net: tuple[str, ...]
    tax: tuple[str, ...]
    total: tuple[str, ...]
    goods: tuple[str, ...]
    companies: tuple[str, ...]
    columns: tuple[str, str, str, str]
    customer: str
    room: str
    # With the total and the day that it is due.
    headline: str
    # Sentences that name all.
    letter: tuple[str, ...]
    months: str
    day: tuple[str, ...]
    money: tuple[str, ...]
    comma: bool


WORDS = (
    FolioWords(
        "en-us",
        ("Invoice", "Sales invoice", "Folio"),
        ("Invoice number", "Invoice #", "Invoice No", "Folio no."),
        ("PO number", "Order reference", "Order no", "Purchase order #"),
        ("Date of issue", "Invoice date", "Issued on"),
        ("Date due", "Payment due by", "Due on"),
        ("Subtotal", "Total before tax", "Taxable amount"),
        ("Sales tax", "Tax", "State tax"),
        ("Amount due", "Balance", "Invoice total", "Total charge"),
        ("Team plan", "Extra seats", "Onboarding"),
        ("Larkspur Analytics, Inc.", "Old Harbor Hotels LLC"),
        ("Date", "Item", "Tax rate", "Amount"),
        "Customer ID",
        "Room",
        "{total} due {due}",
        (
            "Hello,",
            "attached is invoice {number}, issued on {issued} against your purchase order {order}.",
            "The balance of {total} includes {tax} tax ({rate}%) on {net}.",
            "Kindly transfer it by {due} to IBAN {iban}.",
        ),
        "January February March April May June July August September October November December",
        ("{month} {d}, {y}", "{d} {month} {y}"),
        ("${}", "USD {}"),
        False,
    ),
    FolioWords(
        "de-de",
        ("Rechnung", "Hotelrechnung", "Abrechnung"),
        ("Rechnungsnummer", "Rechnung Nr", "Rechn.-Nr.", "Vorgangsnummer"),
        ("Bestellnummer", "Auftrag Nr.", "Bestellreferenz", "Ihre Auftragsnummer"),
        ("Rechnungsdatum", "Ausstellungsdatum", "Datum der Rechnung"),
        ("Fälligkeitsdatum", "Bitte zahlen bis", "Zahlbar bis spätestens"),
        ("Summe netto", "Nettosumme", "Warenwert netto"),
        ("Umsatzsteuer", "MwSt.", "enthaltene USt."),
        ("Gesamtbetrag", "Summe brutto", "Zahlbetrag", "Zu zahlender Betrag"),
        ("Übernachtung", "Frühstück", "Parkplatz"),
        ("Hotel am Deich GmbH", "Kranverleih Süd OHG"),
        ("Datum", "Bezeichnung", "USt.", "Betrag"),
        "Kunden-Nr.",
        "Zimmer",
        "{total} zahlbar bis {due}",
        (
            "Guten Tag,",
            "anbei die Rechnung {number} vom {issued} zu Ihrem Auftrag {order}.",
            "Der Gesamtbetrag von {total} enthält {tax} Umsatzsteuer ({rate} %) auf {net}.",
            "Bitte überweisen Sie ihn bis zum {due} auf das Konto mit der IBAN {iban}.",
        ),
        "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
        ("{d:02}.{m:02}.{y}", "{d}. {month} {y}"),
        ("{} €", "{} EUR", "€ {}"),
        True,
    ),
    FolioWords(
        "fr-ca",
        ("Facture", "Relevé", "Facture de séjour"),
        ("Numéro de la facture", "No de facture", "Facture nº", "No facture"),
        ("Bon de commande nº", "No de commande", "Commande", "Référence de commande"),
        ("Date de facturation", "Date d'émission", "Facturé le"),
        ("Date d'échéance", "Payable au plus tard le", "Exigible le"),
        ("Sous-total", "Total avant taxes", "Montant avant taxes"),
        ("TPS", "Taxes", "TVA"),
        ("Solde à payer", "Montant dû", "Total", "Total à régler"),
        ("Chambre double", "Petit déjeuner", "Stationnement"),
        ("Auberge du Fjord SARL", "Imprimerie Laval SA"),
        ("Date", "Article", "Taux", "Montant"),
        "No de client",
        "Chambre",
        "{total} à payer avant le {due}",
        (
            "Bonjour,",
            "voici la facture {number} du {issued} pour votre commande {order}.",
            "Le montant dû de {total} comprend {tax} de taxes ({rate} %) sur {net}.",
            "Merci de le verser au plus tard le {due} sur le compte IBAN {iban}.",
        ),
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        ("{d} {month} {y}", "{y}-{m:02}-{d:02}"),
        ("{} $", "{} CAD"),
        True,
    ),
    FolioWords(
        "es-mx",
        ("Factura", "Estado de cuenta", "Nota de venta"),
        ("Folio de factura", "Factura no.", "Número de factura", "No. de factura"),
        ("Orden de compra", "No. de orden", "Pedido no.", "Número de orden"),
        ("Fecha de emisión", "Emitida", "Fecha de la factura"),
        ("Fecha de pago", "Pagar antes del", "Vencimiento"),
        ("Subtotal", "Importe antes de IVA", "Neto"),
        ("IVA", "Impuestos", "I.V.A."),
        ("Total", "Monto total", "Total a pagar", "Saldo pendiente"),
        ("Habitación", "Desayuno", "Lavandería"),
        ("Posada del Río S.A.", "Ferretería Luna S.L."),
        ("Fecha", "Concepto", "IVA", "Importe"),
        "Cliente no.",
        "Habitación",
        "{total} a pagar antes del {due}",
        (
            "Buenos días:",
            "adjuntamos la factura {number} del {issued} por su pedido {order}.",
            "El saldo de {total} incluye {tax} de IVA ({rate} %) sobre {net}.",
            "Le rogamos pagarlo antes del {due} en la cuenta IBAN {iban}.",
        ),
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        ("{d:02}/{m:02}/{y}", "{d} de {month} de {y}"),
        ("${}", "{} MXN", "USD {}"),
        False,
    ),
    FolioWords(
        "it-it",
        ("Fattura", "Conto", "Fattura immediata"),
        ("Fattura numero", "N. fattura", "Numero", "Numero della fattura"),
        ("Ordine di acquisto", "Ordine numero", "N. ordine", "Riferimento ordine"),
        ("Data di emissione", "Data", "Emessa in data"),
        ("Scadenza", "Pagare entro il", "Termine di pagamento"),
        ("Imponibile", "Subtotale", "Totale netto IVA"),
        ("IVA", "Imposta", "Importo IVA"),
        ("Totale", "Totale dovuto", "Totale IVA inclusa", "Saldo"),
        ("Camera singola", "Colazione", "Garage"),
        ("Albergo Lago Blu S.r.l.", "Vetreria Conti S.p.A."),
        ("Data", "Voce", "IVA", "Importo"),
        "N. cliente",
        "Camera",
        "{total} da pagare entro il {due}",
        (
            "Buongiorno,",
            "in allegato la fattura {number} del {issued} relativa al Vostro ordine {order}.",
            "Il totale di {total} comprende {tax} di IVA ({rate}%) su {net}.",
            "Vi preghiamo di versarlo entro il {due} sul conto IBAN {iban}.",
        ),
        "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
        ("{d}/{m}/{y}", "{d} {month} {y}"),
        ("€ {}", "{} €", "{} EUR"),
        True,
    ),
    FolioWords(
        "sv-se",
        ("Faktura", "Hotellnota", "Kvitto"),
        ("Fakturanummer", "Faktura nr", "Fakturans nummer", "Notanummer"),
        ("Inköpsorder", "Order nr", "Ert ordernummer", "Beställning nr"),
        ("Fakturadatum", "Utställd", "Datum för faktura"),
        ("Förfallodatum", "Betalas före", "Sista betalningsdag"),
        ("Summa exkl. moms", "Nettobelopp", "Belopp före moms"),
        ("Moms", "Varav moms", "Momsbelopp"),
        ("Att betala", "Totalbelopp", "Summa inkl. moms", "Belopp att betala"),
        ("Enkelrum", "Frukost", "Parkering"),
        ("Hotell Vinden AB", "Malmö Måleri AB"),
        ("Datum", "Vara", "Moms", "Belopp"),
        "Kundnummer",
        "Rum",
        "{total} att betala senast {due}",
        (
            "Hej,",
            "här kommer faktura {number} av {issued} för er order {order}.",
            "Totalbeloppet {total} innehåller {tax} moms ({rate} %) på {net}.",
            "Vänligen betala senast {due} till kontot med IBAN {iban}.",
        ),
        "januari februari mars april maj juni juli augusti september oktober november december",
        ("{y}-{m:02}-{d:02}", "{d} {month} {y}"),
        ("{} kr", "{} SEK"),
        True,
    ),
)
