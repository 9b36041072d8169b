"""Characters of the fonts Symbol and Wingdings, whose codes say nothing without the font, as Unicode has them."""

import re
from collections.abc import Mapping

# Characters are found at the codes of the font and, as Word stores them, in the private area of Unicode.
_PRIVATE = re.compile("[\uf020-\uf0ff]")
BULLET = "•"


def _row(first: int, characters: str) -> dict[int, str]:
    """Characters from a code on, one code each; a blank leaves its code out."""
    return {first + at: character for at, character in enumerate(characters) if character != " "}


SYMBOL: Mapping[int, str] = {
    **_row(
        0x20,
        " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_ αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼",
    ),
    **_row(0xA0, "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈… ―↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊⟨®©™∑"),
    **_row(0xF1, "⟩∫"),
}
WINGDINGS: Mapping[int, str] = {
    **_row(0x21, "✏✂✁"),
    **_row(0x28, "☎✆✉"),
    **_row(0x41, "✌"),
    **_row(0x45, "☜☞☝☟"),
    **_row(0x4A, "☺"),
    **_row(0x4C, "☹"),
    **_row(0x6C, "● ■☐☐❑❒ ◆◆❖"),
    **_row(0x81, "①②③④⑤⑥⑦⑧⑨⑩"),
    **_row(0x9F, "••  ◯ ◉"),
    **_row(0xA7, "▪☐"),
    **_row(0xAB, "★"),
    **_row(0xD5, "⌫⌦ ➢"),
    **_row(0xDF, "←→↑↓↖↗↙↘➔"),
    **_row(0xF0, "⇨"),
    **_row(0xFB, "✗✓☒☒"),
}
WINGDINGS_2: Mapping[int, str] = {**_row(0x4F, "✗✓☒☑☒☒"), **_row(0xA3, "☐")}
FONTS: Mapping[str, Mapping[int, str]] = {
    "symbol": SYMBOL,
    "wingdings": WINGDINGS,
    "wingdings 2": WINGDINGS_2,
    "wingdings 3": {},
    "webdings": {},
}

# Where the font is not known: most such characters in a text are marks of Wingdings.
EITHER: Mapping[int, str] = {**SYMBOL, **WINGDINGS}


def symbol_character(font: str | None, code: int) -> str:
    """The character of a font of symbols, a bullet where it is not known; other characters of Unicode are left as they are."""
    known = FONTS.get(font.casefold()) if font else EITHER
    if 0xF020 <= code <= 0xF0FF:
        return (known or {}).get(code & 0xFF, BULLET)
    return chr(code) if known is None or not 0x20 <= code <= 0xFF else known.get(code, BULLET)


def read_symbols(text: str, font: str | None) -> str:
    """Text as its font shows it; of one that is no font of symbols only the characters of the private area change."""
    if (font or "").casefold() in FONTS:
        return "".join(one if one.isspace() else symbol_character(font, ord(one)) for one in text)
    return (
        text
        if text.isprintable()
        else _PRIVATE.sub(lambda found: symbol_character(None, ord(found[0])), text)
    )
