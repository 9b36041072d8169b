"""VAT ids of the European Union, Great Britain, Northern Ireland, Norway and Switzerland, as they are printed."""

import re
from collections.abc import Iterator

from pagemill.model.entities import EntityMatch, EntityType
from pagemill.reading.entities.vat_checks import CHECKS

SEPARATOR, SPACE = r"[ .\u00a0-]?", r"[ .\u00a0]?"
# Groups of characters by their lengths, or as patterns, between which a separator may be printed. Nothing short is taken
# for the number of a Romanian company, which may have two digits.
FORMATS = {
    "AT": ("U 8", "U 4 4", "U 3 3 2"),
    "BE": (r"[01]\d{3} 3 3",),
    "BG": ("9", "10", "3 3 3", "3 3 4"),
    "CHE": ("3 3 3 (?:MWST|TVA|IVA|TPV)", "3 3 3"),
    "CY": ("8 [A-Z]",),
    "CZ": ("8", "9", "10", "3 2 3", "3 3 2", "4 4"),
    "DE": (r"[1-9]\d{2} 3 3", r"[1-9]\d 2 2 3"),
    "DK": (r"[1-9]\d 2 2 2",),
    "EE": ("3 3 3",),
    "EL": ("3 3 3",),
    "ES": ("[A-HJ-NP-SU-Z] 7 [A-Z0-9]", "[A-HJ-NP-SU-Z] 2 3 3", "8 [A-Z]"),
    "FI": ("7 1", "4 4"),
    "FR": ("[0-9A-HJ-NP-Z]{2} 3 3 3",),
    "GB": ("3 4 2 3", "3 4 2", "3 3 3", "(?:GD|HA) 3"),
    "HR": ("11", "3 4 4", "2 3 3 3"),
    "HU": ("8", "4 4", "3 3 2"),
    "IE": (r"\d[0-9A-Z+*]\d{5} [A-W] [A-IW]?",),
    "IT": ("11", "3 4 4", "5 3 3", "2 3 3 3"),
    "LT": ("12", "9", "3 3 3"),
    "LU": ("8", "3 3 2", "4 4", "2 2 2 2"),
    "LV": ("11", "4 4 3", "6 5"),
    "MT": (r"[1-9]\d{7}", r"[1-9]\d{3} 4"),
    "NL": ("9 B 2", "4 2 3 B 2", "3 3 3 B 2"),
    "NO": ("3 3 3 MVA",),
    "PL": ("3 3 2 2", "3 2 2 3"),
    "PT": (r"[1-9]\d{2} 3 3",),
    "RO": (r"[1-9]\d{5,9}",),
    "SE": ("6 4 2",),
    "SI": (r"[1-9]\d{7}", r"[1-9]\d{3} 4"),
    "SK": (r"[1-9]\d{9}",),
}
# Prefixes that are printed for others, or that have the formats of others.
OTHER_PREFIXES = {"GR": "EL", "XI": "GB"}
COUNTRIES = {"CHE": "CH", "GR": "EL"}
# What says that the number of a Swiss or Norwegian company is its VAT id.
VAT_WORDS = ("MWST", "TVA", "IVA", "TPV", "MVA")


def body(form: str) -> str:
    """The pattern of a number in groups."""
    groups = (rf"\d{{{group}}}" if group.isdigit() else group for group in form.split())
    return SEPARATOR.join(groups)


def pattern_of(prefix: str) -> str:
    """The pattern of a VAT id, with its prefix and its number as groups."""
    bodies = "|".join(map(body, FORMATS[OTHER_PREFIXES.get(prefix, prefix)]))
    # Numbers of orders and articles are often two letters, a hyphen and digits.
    between = SEPARATOR if prefix == "CHE" else SPACE
    return rf"({prefix}){between}((?:{bodies})(?![A-Za-z0-9]))"


VAT_ID = re.compile(
    rf"(?<![A-Za-z0-9])(?=[A-Z]{{2,3}}{SEPARATOR}[A-Z0-9])(?:{'|'.join(map(pattern_of, (*FORMATS, *OTHER_PREFIXES)))})"
)


def find_vat_ids(text: str) -> Iterator[EntityMatch]:
    """VAT ids; valid where a check digit says so, invalid where it says the contrary."""
    for found in VAT_ID.finditer(text):
        prefix, number = (part for part in found.groups() if part is not None)
        number = re.sub(r"[ .\u00a0-]", "", number)
        value = f"{'EL' if prefix == 'GR' else prefix}{number}"
        yield EntityMatch(
            EntityType.VAT_ID,
            found.start(),
            found.end(),
            value,
            is_valid(COUNTRIES.get(prefix, prefix), number),
        )


def is_valid(country: str, number: str) -> bool | None:
    """Whether a number can be one of a country; None if its check digits don't tell."""
    bare = number.removesuffix(next(filter(number.endswith, VAT_WORDS), ""))
    right = CHECKS[country](bare)
    # Swiss numbers of enterprises are VAT ids only with the word behind them, though many leave it out.
    return None if right and country == "CH" and bare == number else right
