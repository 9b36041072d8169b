"""Names of organisations: capitalised words before a legal form, or in two languages behind one."""

import re
from collections.abc import Iterator

from pagemill.model.entities import EntityMatch, EntityType

# Legal forms by country; where a form has dots, a space may follow each, and the last may be left out.
DOTTED = (
    # Czech, Slovak
    "spol. s r.o.|s.r.o.|a.s.|v.o.s.|k.s.|o.p.s.|z.s.|z.ú.|"
    # Polish
    "Sp.z o.o.|Sp.j.|Sp.k.|Sp.p.|S.K.A.|S.A.|P.S.A.|"
    # Romance languages
    "S.A.R.L.|S.A.S.U.|S.A.S.|S.N.C.|S.C.I.|S.C.A.|S.L.U.|S.L.L.|S.L.|S.A.U.|S.R.L.|S.r.l.s.|S.r.l.|S.p.A.|S.a.s.|S.n.c.|"
    "S.c.a.r.l.|S.c.r.l.|S.C.P.|S.Coop.|Lda.|Ltda.|"
    # Dutch
    "B.V.B.A.|B.V.|N.V.|V.O.F.|"
    # German
    "e.K.|e.Kfm.|e.Kfr.|e.V.|e.G.|e.U.|Ges.m.b.H.|"
    # English
    "Ltd.|Inc.|Corp.|P.L.C.|L.L.C.|L.L.P.|"
    # Swedish, Slovene, Croatian, Bulgarian
    "ek.för.|d.o.o.|j.d.o.o.|d.d.|d.n.o.|k.d.|"
    # Greek
    "Α.Ε.|Ε.Π.Ε.|Ο.Ε.|Ε.Ε.|Ι.Κ.Ε."
)
COMPANY = r"(?:\s?&\s?Co\.?\s?(?:KGaA|KG|OHG))"
PLAIN = (
    rf"(?:g?GmbH|GMBH|gUG|UG|AG|SE){COMPANY}|g?GmbH|GMBH|mbH|AG|UG(?:\s?\(haftungsbeschränkt\))?|KGaA|OHG|OG|KG|GbR|eG|eGen|"
    r"PartG(?:\s?mbB)?|PartGmbB|Limited|(?:Pty|Pvt)\.?\s?(?:Ltd\.?|Limited)|LLC|LLP|Corporation|PLC|plc|"
    r"SARL|SASU|SAS|EURL|SNC|SCOP|SA|SRL|SLU|SAU|Srls?|SpA|SGPS|Unipessoal,?\s?L\.?da\.?|S/A|L\.da|EIRELI|"
    r"BVBA|BV|NV|VOF|SPRL|Sp\.?\s?z\.?\s?o\.?\s?o\.?|[Ss]półka\s(?:z\s?o\.\s?o\.|jawna|akcyjna|komandytowa)|"
    r"AB(?:\s?\(publ\.?\))?|Aktiebolag|Handelsbolag|Oyj|Oy|Ky|A/S|ApS|I/S|K/S|P/S|ASA|OÜ|UAB|SIA|"
    r"Kft\.?|Zrt\.?|Nyrt\.?|Bt\.?|Kkt\.?|ЕООД|ООД|ЕАД|АД|EOOD|OOD|EAD|ΑΕ|ΕΠΕ|ΙΚΕ"
)
# These are also words, units or grades: they need a word with small letters before them.
SHORT = r"HB|KB|SE|AS|sro"
UPPER = "".join(chr(code) for code in range(0x530) if chr(code).isupper())
# Small words within names.
PARTICLES = (
    r"und|and|of|the|et|du|des|de|del|della|dei|di|da|do|dos|das|la|le|les|y|e|i|a|och|van|der|den|het|voor|für|am|im|zu|"
    r"d['’]\w+|l['’]\w+"
)
NAME = rf"[{UPPER}0-9][\w'’.&-]*"
NAMES = rf"{NAME}(?:[ ](?:{NAME}|&|{PARTICLES})){{0,6}}"


def dotted_pattern(form: str) -> str:
    """The pattern of a form with dots: with or without spaces behind them, and with or without the last."""
    return re.escape(form).replace(r"\.", r"\.[ ]?").replace(r"\ ", "[ ]?").removesuffix(r"\.[ ]?") + r"\.?"


FORMS = "|".join([*map(dotted_pattern, sorted(DOTTED.split("|"), key=len, reverse=True)), PLAIN])
ORGANISATION = re.compile(rf"(?<![\w.])(?P<name>{NAMES}),?[ ](?:(?:{FORMS})|(?P<short>{SHORT}))(?!\w|\.\w)")
# In Lithuanian and Latvian the form comes first, and the name is quoted.
FORM_FIRST = re.compile(
    rf"(?<!\w)(?:UAB|SIA|AAS|VšĮ)[ ](?:[„“\"«](?P<quoted>[^„“”\"«»\n\t]{{1,60}})[“”\"»]|{NAME})"
)
LAST_WORD = re.compile(rf"[{UPPER}][\w'’.&-]*$")


def find_organisations(text: str) -> Iterator[EntityMatch]:
    """Names with a legal form."""
    for pattern in (ORGANISATION, FORM_FIRST):
        for found in pattern.finditer(text):
            if pattern is FORM_FIRST or not found["short"] or is_named(found["name"]):
                value = " ".join(found[0].split())
                yield EntityMatch(EntityType.ORGANISATION, found.start(), found.end(), value, None)


def is_named(name: str) -> bool:
    """Whether words before a short form are a name: they end with a capitalised word, which is more than capitals."""
    last = LAST_WORD.search(name)
    return last is not None and any(map(str.islower, last[0]))
