"""The words of labels in ten languages: English, German, French, Spanish, Italian, Dutch, Portuguese, Polish, Swedish, Czech.

The one table that entities and pairs of labels and values are found by.
"""

import re

from pagemill.reading.entities.label_parts import name_by_parts
from pagemill.reading.entities.values import CODES

# What a number is called, before or after the thing that it numbers.
NUMBER_SIGN = (
    r"(?:number|numero|número|numéro|numer|nummer|číslo|cislo|no\.?|nos\.?|nr\.?|n°|nº|n\.º|n\.|num\.?|č\.|r[ée]f\.?|id|#|nro\.?|"
    r"r[ée]f[ée]rence|referencia|riferimento)"
)
# The thing that is numbered, as a pattern; both orders are tried, with `de`, `du`, `della` and the like between them.
NUMBERED_THINGS = {
    "invoice_number": (
        r"(?:tax\s+)?invoice|receipt|bill|(?:schluss|teil|abschlags)?rechnungs?|rg\.?|beleg|quittungs?|bon|kassenbons?|facture|reçu|factura|recibo|fattura|ricevuta|factuur|"
        r"documento|comprobante|fatura|(?:slut|del)?faktur[ay]?|rachunku|kvitto|faktury|dokladu"
    ),
    "order_number": (
        r"(?:purchase\s+|sales\s+)?order|p\.?\s?o\.?|bestell?|bestellungs?|bestelling|auftrags?|(?:bon\s+de\s+)?commande|pedido|orden\s+de\s+compra|ordine|bestel|opdracht|encomenda|"
        r"zamówieni[ae]|beställnings?|order|objednávky"
    ),
    "customer_number": (
        r"customer|account|client|kunden|debitoren|client[ei]?|cliente|klant|debiteur|klienta|kund|zákazníka|odběratele"
    ),
    "delivery_note_number": (
        r"delivery\s+note|lieferschein|bon\s+de\s+livraison|albarán|bolla|ddt|pakbon|guia\s+de\s+remessa|wz|följesedels?|"
        r"dodacího\s+listu"
    ),
    "contract_number": r"contract|vertrags?|contrat|contrato|contratto|contract|umowy|avtals?|smlouvy",
}
# An order is often called that of its reader, and nothing more.
POSSESSIVE = (
    r"(?:your|our|ihre?|unsere?|votre|notre|vs\.?|ns\.?|su|nuestr[oa]|vostro|nostr[oa]|uw|onze|(?:a\s+)?(?:sua|nossa|vossa)|er|vår|"
    r"vaše|naše)"
)
BETWEEN = r"(?:d[aeiou]l?l?a?|de\s+la|de\s+l['’]|d['’])?"
# Labels whose value is of a known kind, as patterns.
DATES = {
    "invoice_date": (
        r"invoice\s+date|date\s+of\s+(?:issue|invoice)|issue\s+date|issued(?:\s+on)?|dated|rechnungsdatum|ausstellungsdatum|"
        r"ausgestellt\s+am|belegdatum|date\s+de\s+(?:la\s+)?facture|date\s+de\s+facturation|date\s+d['’]émission|"
        r"fecha\s+de\s+(?:la\s+)?factura|fecha\s+de\s+emisión|data\s+(?:della\s+)?fattura|data\s+di\s+emissione|factuurdatum|"
        r"data\s+da\s+fatura|data\s+de\s+emissão|data\s+wystawienia|data\s+faktury|fakturadatum|datum\s+vystavení|date|datum|"
        r"fecha|data"
    ),
    "due_date": (
        r"due\s+(?:date|by|on)|due|payable\s+(?:by|until)|payment\s+due|fällig(?:\s+am|keit|keitsdatum)?|zahlbar\s+bis|"
        r"zahlungsziel|(?:date\s+d['’])?échéance|à\s+payer\s+avant(?:\s+le)?|(?:fecha\s+de\s+)?vencimiento|(?:data\s+di\s+)?"
        r"scadenza|vervaldatum|te\s+betalen\s+v[oó]{1,2}r|(?:data\s+de\s+)?vencimento|termin\s+płatności|förfallodatum|"
        r"förfallodag|datum\s+splatnosti|splatnost"
    ),
    "delivery_date": (
        r"delivery\s+date|delivered\s+on|date\s+of\s+supply|liefer(?:datum|termin)|leistungsdatum|date\s+de\s+livraison|"
        r"fecha\s+de\s+entrega|data\s+di\s+consegna|leverdatum|leveringsdatum|data\s+de\s+entrega|data\s+(?:dostawy|sprzedaży)|"
        r"leveransdatum|datum\s+(?:dodání|plnění)"
    ),
    "birth_date": (
        r"date\s+of\s+birth|born(?:\s+on)?|geburtsdatum|geboren\s+am|date\s+de\s+naissance|né(?:e)?\s+le|fecha\s+de\s+"
        r"nacimiento|data\s+di\s+nascita|geboortedatum|data\s+de\s+nascimento|data\s+urodzenia|födelsedatum|datum\s+narození"
    ),
}
TOTAL = (
    r"grand\s+total|total\s+due|amount\s+due|amount\s+payable|balance(?:\s+due)?|montant\s+dû|solde(?:\s+dû)?|saldo(?:\s+pendiente|\s+dovuto)?|total\s+amount(?:\s+due)?|invoice\s+total|"
    r"total\s+to\s+pay|total\s+payable|please\s+pay|total\s*\((?:incl|inc)[^)]*\)|total\s+incl(?:uding|\.)?\s+(?:vat|tax)|total|"
    r"gesamtbetrag(?:\s+brutto)?|gesamtsumme|rechnungsbetrag|rechnungssumme|bruttobetrag|zu\s+zahlen(?:der\s+betrag)?|"
    r"zahlbetrag|endbetrag|endsumme|summe|gesamt|montant\s+total|montant\s+ttc|total\s+ttc|(?:net\s+)?à\s+payer|(?:total|montant|"
    r"somme)\s+à\s+payer|importe\s+total|total\s+a\s+pagar|total\s+factura|total\s+con\s+iva|total\s+g[eé]n[eé]ral|total\s+a\s+abonar|total\s+com\s+iva|"
    r"totale(?:\s+fattura|\s+da\s+pagare|\s+documento|\s+complessivo|\s+ivato)?|importo\s+totale|netto\s+a\s+pagare|"
    r"totaal(?:bedrag)?(?:\s+incl\.?(?:\s+btw)?)?|te\s+betalen|eindtotaal|valor\s+total|montante\s+total|valor\s+a\s+pagar|"
    r"(?:razem\s+)?do\s+zapłaty|razem\s+brutto|wartość\s+brutto|kwota\s+do\s+zapłaty|suma|att\s+betala|totalt|totalsumma|"
    r"summa\s+att\s+betala|summa|k\s+úhradě|celkem(?:\s+k\s+úhradě|\s+s\s+dph)?|částka\s+k\s+úhradě"
)
# A sum before taxes, or of taxes, is no total.
PARTIAL = (
    r"sub-?\s?total\w*|zwischensumme|nettobetrag|nettosumme|net(?:to)?(?:\s+(?:amount|total))?|summe\s+netto|gesamt\s+netto|total\s+"
    r"ht|montant\s+ht|sous-total|total\s+sin\s+iva|base\s+imponible|imponibile|totale\s+netto|subtotaal|totaal\s+excl\.?|exkl|excl\w*|"
    r"before\s+tax|total\s+sem\s+iva|razem\s+netto|wartość\s+netto|kwota\s+netto|delsumma|summa\s+exkl\w*|mezisoučet|základ\s+daně|"
    r"celkem\s+bez\s+dph"
)
TAX = (
    r"(?:total\s+)?(?:vat|sales\s+tax|gst|tax)(?:\s+amount)?|(?:zzgl\.\s+|enth\.\s+)?(?:mwst\.?|ust\.?|umsatzsteuer|"
    r"mehrwertsteuer)(?:betrag)?|(?:montant\s+)?tva|(?:cuota\s+)?iva|(?:importo\s+|imposta\s+)?iva|btw(?:-bedrag)?|"
    r"(?:kwota\s+)?vat|podatek\s+vat|moms|dph"
)
# What a telephone is called, by language; of some words many languages have the same.
PHONE_WORDS = {
    "any": r"tel|fax|telefax",
    "en": r"(?:tele|mobile\s+|cell\s+)?phone|mobile|cell|landline",
    "de": r"(?:mobil)?telefon|(?:tele)?fon|handy|mobil|rufnummer|festnetz",
    "fr": r"t[ée]l[ée]phone|t[ée]l|(?:t[ée]l(?:[ée]phone|\.)?\s+)?(?:portable|mobile)|t[ée]l[ée]copie|fixe",
    "es": r"(?:tel[ée]fono\s+)?m[óo]vil|tel[ée]fono|celular|tfn?o|tlfn?o?|telf",
    "it": r"(?:telefono\s+)?cellulare|telefono|cell",
    "nl": r"telefoon|mobiel|gsm",
    "pt": r"telefone|telem[óo]vel|telem|tlm|tlf|celular",
    "pl": r"(?:tel(?:efon)?\.?\s+)?kom(?:[óo]rka|[óo]rkowy|\.)|telefonu?|faks",
    "sv": r"(?:mobil)?telefon|tfn|mobil",
    "cs": r"(?:mobiln[íi]\s+)?telefonu?|mobil",
}
ANY_PHONE = "|".join(PHONE_WORDS.values())
# Those of them that often mean something else.
ORDINARY_WORDS = r"mobile|cell|portable|handy|fixe|mobil|kom\."
NAMED_TEXTS = {
    "iban": r"iban(?:\s*(?:no|nr|code)\.?)?",
    "bic": r"bic(?:\s*/\s*swift)?|swift(?:\s*/\s*bic)?(?:\s+code)?",
    "vat_id": (
        r"vat\s*(?:reg(?:istration)?\.?\s*)?(?:id|no|number|nr)\.?|ust\.?-?\s?id(?:-?nr)?\.?|umsatzsteuer-id(?:entnummer)?|"
        r"n°\s*(?:de\s*)?tva(?:\s+intracommunautaire)?|nif(?:-iva)?|cif|p(?:artita)?\.?\s*iva|btw-?(?:nummer|nr|id)\.?|"
        r"nipc|nip|moms(?:reg(?:istrerings)?\.?)?\s?-?(?:nr|nummer)\.?|dič"
    ),
    "tax_number": (
        r"tax\s+(?:no|number|id)\.?|steuer-?(?:nummer|nr)\.?|codice\s+fiscale|ičo?|regon|"
        r"org(?:anisations)?\.?\s?-?(?:nr|nummer)\.?|siret|siren|kvk(?:-nummer)?|"
        r"n[úu]mero\s+de\s+(?:identificaci[óo]n\s+fiscal|identificação\s+fiscal|contribuinte)|"
        r"contribuinte(?:\s+n\.?\s?[ºo°])?|n\.?[º°o]\.?\s*(?:de\s+)?contribuinte"
    ),
    "phone": (rf"(?:{ANY_PHONE})\.?(?:\s*-?{NUMBER_SIGN})?|{NUMBER_SIGN}\s*{BETWEEN}\s*(?:{ANY_PHONE})"),
    "email": r"e-?mail(?:adresse)?|correo(?:\s+electrónico)?|courriel|e-post",
    "name": (
        r"(?:full\s+|first\s+|last\s+|family\s+)?name|vor-?\s?(?:und\s+nach)?name|nachname|nom(?:\s+et\s+prénom)?|prénom|nombre(?:\s+y\s+"
        r"apellidos)?|apellidos|nome(?:\s+e\s+cognome)?|cognome|naam|voornaam|achternaam|nome\s+completo|imię(?:\s+i\s+"
        r"nazwisko)?|nazwisko|namn|förnamn|efternamn|jméno(?:\s+a\s+příjmení)?|příjmení"
    ),
    "address": (
        r"(?:postal\s+|street\s+)?address|anschrift|adresse|straße|dirección|domicilio|indirizzo|via|adres|straat|endereço|"
        r"morada|ulica|adress|gata|adresa|ulice"
    ),
    "subject": r"subject|re|betreff|betrifft|objet|asunto|oggetto|betreft|onderwerp|assunto|dotyczy|temat|ämne|angående|věc",
    "payment_reference": (
        r"payment\s+reference|(?:your\s+|our\s+)?ref(?:erence)?\.?|verwendungszweck|(?:ihr|unser)\s+zeichen|référence(?:\s+de\s+"
        r"paiement)?|referencia|riferimento|betalingskenmerk|kenmerk|referência|tytuł\s+(?:przelewu|płatności)|ocr(?:-nummer)?|"
        r"variabilní\s+symbol"
    ),
}


def number_label(things: str) -> str:
    """The pattern of a label such as `invoice no.`, `n° de facture` or `Rechnungsnummer`."""
    return rf"(?:{things})\s*-?\s*{NUMBER_SIGN}|{NUMBER_SIGN}\s*{BETWEEN}\s*(?:{things})(?!\w)"


NUMBER_LABELS = {name: number_label(things) for name, things in NUMBERED_THINGS.items()}
AMOUNTS = {"total": TOTAL, "net_total": PARTIAL, "tax_total": TAX}
# All labels, each with a colon or not; where two fit, the one with more characters is meant.
KNOWN = {
    name: re.compile(rf"(?:{words})", re.IGNORECASE)
    for name, words in {**NUMBER_LABELS, **DATES, **AMOUNTS, **NAMED_TEXTS}.items()
}


# The thing alone is the label of its number where a colon follows or somebody owns it: `Rechnung:`, `Your order`.
OWNED = {
    name: re.compile(rf"{POSSESSIVE}\s+(?:{things}|{NUMBER_LABELS[name]})", re.IGNORECASE)
    for name, things in NUMBERED_THINGS.items()
}
THINGS = {name: re.compile(rf"(?:{things})\s*:", re.IGNORECASE) for name, things in NUMBERED_THINGS.items()}
# What is taxed, and the currency of an amount, may follow its label.
BESIDE_LABEL = re.compile(
    rf"\(?\s*\d{{1,2}}(?:[.,]\d{{1,2}})?\s?%\s*\)?|[(\[]\s*(?:in\s+)?(?:{CODES}|[€$£])\s*[)\]]|\s(?:{CODES})$"
)


def name_of_label(text: str) -> str | None:
    """What a label means, if it is a known one and nothing else."""
    bare = " ".join(text.split()).strip(" :*=")
    for name, pattern in KNOWN.items():
        if pattern.fullmatch(bare) or pattern.fullmatch(bare.strip(".")):
            return name
    owned = next((name for name, pattern in OWNED.items() if pattern.fullmatch(bare)), None)
    thing = next((name for name, pattern in THINGS.items() if pattern.fullmatch(text.strip())), None)
    return owned or thing or name_by_parts(bare)
