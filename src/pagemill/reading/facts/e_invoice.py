"""Electronic invoices: Factur-X, ZUGFeRD and XRechnung, as XML in a PDF or as a file of their own, read field by field.

Both syntaxes of EN 16931 are known, CII and UBL. Values are the text of the XML, so that nothing is rounded; dates are
written in ISO 8601.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pagemill.errors import DocumentCorrupt
from pagemill.reading.office.xml_parts import Element, local, parse_xml

CII_DATE = re.compile(r"(\d{4})(\d{2})(\d{2})")
# The root elements by which an invoice is known; some files begin with a long header.
ROOTS = {"CrossIndustryInvoice": "cii", "CrossIndustryDocument": "cii", "Invoice": "ubl", "CreditNote": "ubl"}
NAMESPACES = re.compile(
    r"urn:un:unece:uncefact:|urn:ferd:|urn:oasis:names:specification:ubl:schema:xsd:(?:Invoice|CreditNote)-2"
)


@dataclass(frozen=True, slots=True)
class Paths:
    """Where a syntax has its fields: paths of local names from the root; `|` separates places to look at in turn."""

    profile: str
    number: str
    type_code: str
    issue_date: str
    due_date: str
    delivery_date: str
    currency: str
    buyer_reference: str
    order_number: str
    seller: str
    buyer: str
    net: str
    tax: str
    total: str
    prepaid: str
    due: str
    iban: str
    bic: str
    payment_reference: str
    note: str
    taxes: str
    lines: str


_AGREEMENT = "SupplyChainTradeTransaction/ApplicableHeaderTradeAgreement"
_SETTLEMENT = "SupplyChainTradeTransaction/ApplicableHeaderTradeSettlement"
_SUMS = f"{_SETTLEMENT}/SpecifiedTradeSettlementHeaderMonetarySummation"
_MEANS = f"{_SETTLEMENT}/SpecifiedTradeSettlementPaymentMeans"
CII = Paths(
    profile="ExchangedDocumentContext/GuidelineSpecifiedDocumentContextParameter/ID",
    number="ExchangedDocument/ID",
    type_code="ExchangedDocument/TypeCode",
    issue_date="ExchangedDocument/IssueDateTime/DateTimeString",
    due_date=f"{_SETTLEMENT}/SpecifiedTradePaymentTerms/DueDateDateTime/DateTimeString",
    delivery_date="SupplyChainTradeTransaction/ApplicableHeaderTradeDelivery/ActualDeliverySupplyChainEvent/"
    "OccurrenceDateTime/DateTimeString",
    currency=f"{_SETTLEMENT}/InvoiceCurrencyCode",
    buyer_reference=f"{_AGREEMENT}/BuyerReference",
    order_number=f"{_AGREEMENT}/BuyerOrderReferencedDocument/IssuerAssignedID",
    seller=f"{_AGREEMENT}/SellerTradeParty",
    buyer=f"{_AGREEMENT}/BuyerTradeParty",
    net=f"{_SUMS}/TaxBasisTotalAmount",
    tax=f"{_SUMS}/TaxTotalAmount",
    total=f"{_SUMS}/GrandTotalAmount",
    prepaid=f"{_SUMS}/TotalPrepaidAmount",
    due=f"{_SUMS}/DuePayableAmount",
    iban=f"{_MEANS}/PayeePartyCreditorFinancialAccount/IBANID",
    bic=f"{_MEANS}/PayeeSpecifiedCreditorFinancialInstitution/BICID",
    payment_reference=f"{_SETTLEMENT}/PaymentReference",
    note="ExchangedDocument/IncludedNote/Content",
    taxes=f"{_SETTLEMENT}/ApplicableTradeTax",
    lines="SupplyChainTradeTransaction/IncludedSupplyChainTradeLineItem",
)
UBL = Paths(
    profile="CustomizationID",
    number="ID",
    type_code="InvoiceTypeCode|CreditNoteTypeCode",
    issue_date="IssueDate",
    due_date="DueDate|PaymentMeans/PaymentDueDate",
    delivery_date="Delivery/ActualDeliveryDate",
    currency="DocumentCurrencyCode",
    buyer_reference="BuyerReference",
    order_number="OrderReference/ID",
    seller="AccountingSupplierParty/Party",
    buyer="AccountingCustomerParty/Party",
    net="LegalMonetaryTotal/TaxExclusiveAmount",
    tax="TaxTotal/TaxAmount",
    total="LegalMonetaryTotal/TaxInclusiveAmount",
    prepaid="LegalMonetaryTotal/PrepaidAmount",
    due="LegalMonetaryTotal/PayableAmount",
    iban="PaymentMeans/PayeeFinancialAccount/ID",
    bic="PaymentMeans/PayeeFinancialAccount/FinancialInstitutionBranch/ID",
    payment_reference="PaymentMeans/PaymentID",
    note="Note",
    taxes="TaxTotal/TaxSubtotal",
    lines="InvoiceLine|CreditNoteLine",
)
SYNTAXES = {"cii": CII, "ubl": UBL}
HEADER = (
    "profile number type_code issue_date due_date delivery_date currency buyer_reference order_number net tax total prepaid "
    "due iban bic payment_reference note"
).split()
CII_PARTY = {
    "name": "Name",
    "email": "URIUniversalCommunication/URIID|DefinedTradeContact/EmailURIUniversalCommunication/URIID",
    "street": "PostalTradeAddress/LineOne",
    "postcode": "PostalTradeAddress/PostcodeCode",
    "city": "PostalTradeAddress/CityName",
    "country": "PostalTradeAddress/CountryID",
}
UBL_PARTY = {
    "name": "PartyLegalEntity/RegistrationName|PartyName/Name",
    "email": "Contact/ElectronicMail",
    "street": "PostalAddress/StreetName",
    "postcode": "PostalAddress/PostalZone",
    "city": "PostalAddress/CityName",
    "country": "PostalAddress/Country/IdentificationCode",
}
CII_TAX = {
    "category": "CategoryCode",
    "rate": "RateApplicablePercent|ApplicablePercent",
    "base": "BasisAmount",
    "amount": "CalculatedAmount",
}
UBL_TAX = {
    "category": "TaxCategory/ID",
    "rate": "TaxCategory/Percent",
    "base": "TaxableAmount",
    "amount": "TaxAmount",
}
CII_LINE = {
    "id": "AssociatedDocumentLineDocument/LineID",
    "name": "SpecifiedTradeProduct/Name",
    "quantity": "SpecifiedLineTradeDelivery/BilledQuantity",
    "price": "SpecifiedLineTradeAgreement/NetPriceProductTradePrice/ChargeAmount",
    "net": "SpecifiedLineTradeSettlement/SpecifiedTradeSettlementLineMonetarySummation/LineTotalAmount",
    "rate": "SpecifiedLineTradeSettlement/ApplicableTradeTax/RateApplicablePercent",
}
UBL_LINE = {
    "id": "ID",
    "name": "Item/Name",
    "quantity": "InvoicedQuantity|CreditedQuantity",
    "price": "Price/PriceAmount",
    "net": "LineExtensionAmount",
    "rate": "Item/ClassifiedTaxCategory/Percent",
}


def read_invoice(raw: bytes) -> dict[str, object] | None:
    """The invoice in a piece of XML; None if it is no invoice in one of the two syntaxes."""
    if not NAMESPACES.search(raw[:20_000].decode("utf-8", "replace")):
        return None
    try:
        root = parse_xml(raw)
    except DocumentCorrupt:
        return None
    syntax = ROOTS.get(local(root))
    return invoice_fields(root, syntax) if syntax else None


def invoice_fields(root: Element, syntax: str) -> dict[str, object]:
    """The fields of an invoice, those that it has."""
    paths, is_cii = SYNTAXES[syntax], syntax == "cii"
    header = {name: text_at(root, getattr(paths, name)) for name in HEADER}
    header["tax"] = tax_in_own_currency(root, paths.tax, header["currency"])
    for name in ("issue_date", "due_date", "delivery_date"):
        header[name] = iso_date(header[name])
    found: dict[str, object] = {"syntax": syntax, **{name: value for name, value in header.items() if value}}
    party = CII_PARTY if is_cii else UBL_PARTY
    for role in ("seller", "buyer"):
        found[role] = next(
            (fields_at(one, party) | vat_of(one) for one in elements(root, getattr(paths, role))), {}
        )
    found["taxes"] = [fields_at(one, CII_TAX if is_cii else UBL_TAX) for one in elements(root, paths.taxes)]
    found["lines"] = [fields_at(one, CII_LINE if is_cii else UBL_LINE) for one in elements(root, paths.lines)]
    return found


def fields_at(element: Element, paths: dict[str, str]) -> dict[str, str]:
    """The fields below an element, those that it has."""
    found = {name: text_at(element, path) for name, path in paths.items()}
    return {name: value for name, value in found.items() if value}


def vat_of(party: Element) -> dict[str, str]:
    """The VAT id of a party, which may have other numbers of the tax office as well."""
    cii = [(one.get("schemeID"), one.text) for one in elements(party, "SpecifiedTaxRegistration/ID")]
    ubl = [
        (text_at(one, "TaxScheme/ID"), text_at(one, "CompanyID")) for one in elements(party, "PartyTaxScheme")
    ]
    for scheme, number in cii + ubl:
        if number and scheme in ("VA", "VAT"):
            return {"vat_id": number.strip()}
    return {}


def elements(element: Element, path: str) -> Iterator[Element]:
    """The elements at a path of local names, in the first of its places that has any."""
    for place in path.split("|"):
        found = [element]
        for name in place.split("/"):
            found = [child for one in found for child in one if local(child) == name]
        if found:
            yield from found
            return


def text_at(element: Element, path: str) -> str | None:
    """The text of the first element at a path that has any."""
    texts = ((one.text or "").strip() for one in elements(element, path))
    return next((text for text in texts if text), None)


def tax_in_own_currency(root: Element, path: str, currency: str | None) -> str | None:
    """The tax of the invoice, which may be given in the currency of the tax office as well."""
    found = list(elements(root, path))
    own = [one for one in found if one.get("currencyID") in (None, currency)]
    return next(((one.text or "").strip() for one in own or found), None)


def iso_date(text: str | None) -> str | None:
    """A date of either syntax as ISO 8601; one in another form is left as it is."""
    found = CII_DATE.fullmatch(text) if text else None
    return "-".join(found.groups()) if found else text
