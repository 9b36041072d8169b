"""What a label means by its words, in whatever order and however compounded: few words make up many labels.

`Total incl. VAT`, `Rechnungstotal`, `te betalen`: a list of whole labels has some of them, and the words in them are the same.
"""

import re
from functools import lru_cache

# The words of each class, in ten languages.
CLASSES = {
    "number": (
        "number numero número numéro numer nummer číslo cislo no nos nr nro n n° nº núm num č id # code código codice kod kód"
    ),
    "reference": (
        "ref réf rif reference referenz référence referencia referência referentie riferimento kenmerk zeichen"
    ),
    "order": (
        "purchase order orders po bestell bestellung bestelbon bestelling bestel auftrag commande pedido orden ordem "
        "ordine compra "
        "encomenda zamówienie zamówienia beställning objednávka objednávky opdracht acquisto achat inkoop inköp"
    ),
    "customer": (
        "customer client cliente clienti kunde kunden kund klant klient klienta zákazník zákazníka odběratele debitor debiteur "
        "account member"
    ),
    "delivery": (
        "delivery delivered lieferschein lieferung liefer livraison albarán consegna pakbon levering leverans lever "
        "entrega dostawy"
    ),
    "contract": "contract contrat contrato contratto vertrag umowy avtal smlouvy",
    "invoice": (
        "invoice invoices inv bill receipt rechnung rg beleg quittung honorarnote facture fact reçu factura recibo comprobante "
        "fattura ricevuta factuur kassenbon fatura faktura faktury faktur rachunek rachunku kvitto doklad dokladu paragon"
    ),
    # Numbers of other things: they are never meant where a bill calls its own number by a word that is not known.
    "other": (
        "phone tel telefon telefono teléfono téléphone fax mobile register registro hrb siret bank konto "
        "compte cuenta conto rekening blz iban bic page seite pagina página room zimmer chambre camera habitación rum "
        "kamer table tisch meter "
        "zähler compteur contador contatore post article artikel artículo item position pos serial serie project projekt"
    ),
    "document": "document dokument documento dokumentu nota note fiscal",
    "total": (
        "total totale totaal totalt overall gesamt summe summa suma somme soma grand général general razem celkem "
        "complessivo end "
        "eind slut"
    ),
    "amount": (
        "amount balance sum betrag bedrag montant importe importo valor montante kwota wartość belopp částka preis prix "
        "price charges"
    ),
    "pay": (
        "pay payable payment paid due owing outstanding zahlen bezahlen zahlbar zahlung zahl offen offener fällig payer "
        "paiement "
        "régler dû due pagar pague pago pagamento pagare abonar betalen betaal betaling betala betalas zapłaty "
        "płatności úhradě "
        "zaplacení"
    ),
    "until": (
        "by before until latest deadline bis spätestens per ziel avant échéance limite antes hasta vence vencimiento "
        "vencimento entro "
        "scadenza voor vóór uiterste uiterlijk verval até senast förfallo termin splatnost splatnosti"
    ),
    "date": "date dated datum dag day tag fecha data dnia vom",
    "issue": (
        "issue issued ausgestellt ausstellung établi établie émis émise émission emisión emissione emissão emesso "
        "emessa emitido "
        "emitida expedida expedición opgesteld facturation facturación fatturazione wystawienia utfärdad vystavení"
    ),
    "with": (
        "incl including inclusive inc inkl inklusive einschließlich ttc compris con com brutto bruto gross ivato med"
    ),
    "without": (
        "excl excluding exclusive ex exkl exklusive ohne hors ht sin sem senza zonder bez without utan net netto nett "
        "nette neto líquido "
        "sub zwischen sous del imponibile taxable base maatstaf mezi subtotal subtotaal"
    ),
    "tax": (
        "vat gst hst sales tax taxes mwst mws ust umsatzsteuer mehrwertsteuer steuer tva taxe iva imposta impuesto "
        "impuestos imposto "
        "impostos iss btw podatek moms dph igic plus zuzüglich zzgl enth enthaltene davon"
    ),
    "filler": (
        "the of on for to in this your our please der die das des den dem von am im zu zum zur ihre ihr unsere le la "
        "les de du d l à a "
        "au votre notre vs ns el lo los su nuestro nuestra il di da dal della dei vostro nostro het te ten van uw onze "
        "o os as dos sua "
        "nossa do att er vår k w ve vaše naše s z und and et y e"
    ),
}
CLASS_OF = {word: name for name, words in CLASSES.items() for word in words.split()}
# What the parts of a compound are joined with, and how short the first of them may be.
JOINTS, SHORTEST = ("", "s", "en", "n", "o"), 3
WORD = re.compile(r"[^\W_]+[°º]?|#")
MOST_WORDS = 6
# Which number is meant where a label names several things: the order of a customer is no customer.
NUMBERED = {
    "delivery": "delivery_note_number",
    "contract": "contract_number",
    "order": "order_number",
    "customer": "customer_number",
    "invoice": "invoice_number",
    "document": "invoice_number",
}


@lru_cache(maxsize=4_096)
def name_by_parts(text: str) -> str | None:
    """What a label means whose words are all known; None if one is not, or if they mean nothing together."""
    words = WORD.findall(text.casefold())
    if not 0 < len(words) <= MOST_WORDS:
        return None
    found = [parts_of(word) for word in words]
    if not all(found):
        return None
    parts = {part for one in found for part in one}
    if parts <= {"order", "filler"} and len(words) > 1:
        return "order_number"
    return number_name(parts) or date_name(parts) or amount_name(parts)


def is_some_number(text: str) -> bool:
    """Whether a label calls something a number and says not of what, or with one word that is not known."""
    words = WORD.findall(text.casefold())
    if not 0 < len(words) <= MOST_WORDS:
        return False
    found = [parts_of(word) or parts_of_number(word) for word in words]
    parts = {part for one in found for part in one}
    return "number" in parts and parts <= {"number", "filler", "document"} and found.count(()) <= 1


def parts_of_number(word: str) -> tuple[str, ...]:
    """The class of a compound that ends with a word for number, whatever it begins with."""
    return ("number",) if word.endswith(("nummer", "numer")) else ()


def parts_of(word: str) -> tuple[str, ...]:
    """The classes of a word, or of the two words that it is compounded of; nothing if it is not known."""
    for joint in JOINTS:
        if word.endswith(joint) and (alone := CLASS_OF.get(word.removesuffix(joint))):
            return (alone,)
    for end in range(SHORTEST, len(word) - 1):
        first, last = CLASS_OF.get(word[:end]), word[end:]
        for joint in JOINTS if first else ():
            if last.startswith(joint) and (second := CLASS_OF.get(last[len(joint) :])):
                return (str(first), second)
    return ()


def number_name(parts: set[str]) -> str | None:
    """The number that is meant, where the words say that one is; a reference is one to the thing that is named."""
    if not parts & {"number", "reference"} or parts & {"amount", "total", "date", "tax"}:
        return None
    return next((name for part, name in NUMBERED.items() if part in parts), None)


def date_name(parts: set[str]) -> str | None:
    """The date that is meant: the last day to pay, or that of issue."""
    if parts & {"total", "amount", "tax", "number"}:
        return None
    if "until" in parts:
        return "due_date" if parts & {"pay", "date", "issue"} or len(parts) == 1 else None
    if parts & {"delivery", "order", "contract", "customer"}:
        return None
    if {"pay", "date"} <= parts:
        return "due_date"
    return "invoice_date" if "issue" in parts or {"date", "invoice"} <= parts else None


def amount_name(parts: set[str]) -> str | None:
    """The sum that is meant; what is to be paid is the total, whatever else it is called."""
    if parts & {"number", "reference", "date", "until", "issue", "customer", "delivery", "order", "contract"}:
        return None
    if "pay" in parts and ("tax" not in parts or parts & {"total", "amount", "with"}):
        return "total"
    if "without" in parts:
        return "net_total"
    if "tax" in parts:
        return "total" if "with" in parts and parts & {"total", "amount"} else "tax_total"
    return "total" if "total" in parts else None
