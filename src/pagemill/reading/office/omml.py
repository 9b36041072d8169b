"""Formulas of office files (OMML) as LaTeX."""

import re
from collections.abc import Callable

from pagemill.reading.office.xml_parts import Element, attribute, child, children, is_on, local, value_of

_COMMAND = re.compile(r"\\[A-Za-z]+")
_SYMBOLS = dict(
    pair.split("=")
    for pair in (
        r"α=\alpha β=\beta γ=\gamma δ=\delta ε=\epsilon ζ=\zeta η=\eta θ=\theta κ=\kappa λ=\lambda μ=\mu ν=\nu "
        r"ξ=\xi π=\pi ρ=\rho σ=\sigma τ=\tau φ=\phi χ=\chi ψ=\psi ω=\omega Γ=\Gamma Δ=\Delta Θ=\Theta "
        r"Λ=\Lambda Π=\Pi Σ=\Sigma Φ=\Phi Ψ=\Psi Ω=\Omega ±=\pm ×=\times ÷=\div ⋅=\cdot ∙=\cdot ≤=\leq ≥=\geq "
        r"≠=\neq ≈=\approx ≡=\equiv ∞=\infty ∂=\partial ∇=\nabla ∈=\in ∉=\notin ⊂=\subset ⊆=\subseteq ∪=\cup "
        r"∩=\cap ∀=\forall ∃=\exists →=\rightarrow ←=\leftarrow ⇒=\Rightarrow ⇔=\Leftrightarrow ∑=\sum ∏=\prod "
        r"∫=\int ∬=\iint ∮=\oint ⋃=\bigcup ⋂=\bigcap √=\surd °=^{\circ} …=\ldots ⋯=\cdots ∝=\propto "
        r"∅=\emptyset ′=' −=- –=-"
    ).split()
) | {"\u2061": "", "\xa0": " "}
_ESCAPES = {
    "#": r"\#",
    "$": r"\$",
    "%": r"\%",
    "&": r"\&",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "\\": r"\backslash ",
}
_ACCENTS = {
    "\u0302": r"\hat",
    "^": r"\hat",
    "\u0303": r"\tilde",
    "~": r"\tilde",
    "\u0304": r"\bar",
    "\u0305": r"\bar",
    "\u0307": r"\dot",
    "\u0308": r"\ddot",
    "\u20d7": r"\vec",
    "\u20d6": r"\overleftarrow",
    "\u030c": r"\check",
    "\u0306": r"\breve",
    "\u0301": r"\acute",
    "\u0300": r"\grave",
}
_FUNCTIONS = frozenset(
    "arccos arcsin arctan arg cos cosh cot coth csc deg det dim exp gcd hom inf ker lg lim liminf limsup ln log max min"
    " sec sin sinh sup tan tanh".split()
)
_BRACKETS = {
    "{": r"\{",
    "}": r"\}",
    "⌊": r"\lfloor",
    "⌋": r"\rfloor",
    "⌈": r"\lceil",
    "⌉": r"\rceil",
    "⟨": r"\langle",
    "⟩": r"\rangle",
    "‖": r"\|",
    "": r".",
}


def latex(math: Element) -> str:
    """A formula as LaTeX, on one line."""
    return " ".join(_all(math).split())


def _all(element: Element | None) -> str:
    if element is None:
        return ""
    return "".join(_one(child_) for child_ in children(element))


def _one(element: Element) -> str:
    make = _MAKERS.get(local(element))
    if make is not None:
        return make(element)
    return "" if local(element).endswith("Pr") else _all(element)


def _text(element: Element) -> str:
    raw = "".join(one.text or "" for one in children(element, "t"))
    if raw.strip() in _FUNCTIONS:
        return f"\\{raw.strip()} "
    if is_on(child(element, "rPr", "nor")):
        return f"\\text{{{''.join(_ESCAPES.get(character, character) for character in raw)}}}"
    return "".join(_character(character) for character in raw)


def _character(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    symbol = _SYMBOLS.get(character)
    if symbol is None:
        return character
    return f"{symbol} " if symbol[-1:].isalpha() else symbol


def _part(element: Element, name: str) -> str:
    return _all(child(element, name)).strip()


def _fraction(element: Element) -> str:
    top, bottom = _part(element, "num"), _part(element, "den")
    kind = value_of(element, "fPr", "type")
    if kind in ("lin", "skw"):
        return f"{{{top}}}/{{{bottom}}}"
    if kind == "noBar":
        return rf"\genfrac{{}}{{}}{{0pt}}{{}}{{{top}}}{{{bottom}}}"
    return rf"\frac{{{top}}}{{{bottom}}}"


def _scripts(element: Element) -> str:
    """A base with something raised or lowered, or both."""
    low, high = _part(element, "sub"), _part(element, "sup")
    base = _part(element, "e")
    scripts = (f"_{{{low}}}" if low else "") + (f"^{{{high}}}" if high else "")
    if local(element) == "sPre":
        return f"{{}}{scripts}{base}"
    bare = len(base) == 1 or _COMMAND.fullmatch(base)
    return f"{base}{scripts}" if bare else f"{{{base}}}{scripts}"


def _radical(element: Element) -> str:
    degree = "" if is_on(child(element, "radPr", "degHide")) else _part(element, "deg")
    return rf"\sqrt{f'[{degree}]' if degree else ''}{{{_part(element, 'e')}}}"


def _nary(element: Element) -> str:
    sign = attribute(child(element, "naryPr", "chr"), "val", "∫") or "∫"
    low, high = _part(element, "sub"), _part(element, "sup")
    limits = (f"_{{{low}}}" if low else "") + (f"^{{{high}}}" if high else "")
    return f"{_character(sign).strip()}{limits} {_part(element, 'e')} "


def _delimit(element: Element) -> str:
    properties = child(element, "dPr")
    begin = attribute(child(properties, "begChr"), "val", "(") or ""
    end = attribute(child(properties, "endChr"), "val", ")") or ""
    between = attribute(child(properties, "sepChr"), "val", "|") or "|"
    inside = f" {between} ".join(_all(one).strip() for one in children(element, "e"))
    return rf"\left{_bracket(begin)} {inside} \right{_bracket(end)} "


def _bracket(sign: str) -> str:
    return _BRACKETS.get(sign, sign)


def _function(element: Element) -> str:
    return f"{_part(element, 'fName')} {_part(element, 'e')} "


def _limit(element: Element) -> str:
    mark, command = ("_", r"\underset") if local(element) == "limLow" else ("^", r"\overset")
    base, limit = _part(element, "e"), _part(element, "lim")
    return f"{base}{mark}{{{limit}}} " if base.startswith("\\") else f"{command}{{{limit}}}{{{base}}} "


def _accent(element: Element) -> str:
    sign = attribute(child(element, "accPr", "chr"), "val", "\u0302") or "\u0302"
    return f"{_ACCENTS.get(sign, chr(92) + 'hat')}{{{_part(element, 'e')}}}"


def _bar(element: Element) -> str:
    over = value_of(element, "barPr", "pos") == "top"
    return f"{chr(92)}{'overline' if over else 'underline'}{{{_part(element, 'e')}}}"


def _group_sign(element: Element) -> str:
    over = value_of(element, "groupChrPr", "pos") == "top"
    return f"{chr(92)}{'overbrace' if over else 'underbrace'}{{{_part(element, 'e')}}}"


def _matrix(element: Element) -> str:
    rows = (" & ".join(_all(cell).strip() for cell in children(row, "e")) for row in children(element, "mr"))
    return rf"\begin{{matrix}} {(' ' + chr(92) * 2 + ' ').join(rows)} \end{{matrix}} "


def _array(element: Element) -> str:
    rows = (_all(row).strip() for row in children(element, "e"))
    return rf"\begin{{aligned}} {(' ' + chr(92) * 2 + ' ').join(rows)} \end{{aligned}} "


def _box(element: Element) -> str:
    return rf"\boxed{{{_part(element, 'e')}}}"


_MAKERS: dict[str, Callable[[Element], str]] = {
    "r": _text,
    "f": _fraction,
    "sSub": _scripts,
    "sSup": _scripts,
    "sSubSup": _scripts,
    "sPre": _scripts,
    "rad": _radical,
    "nary": _nary,
    "d": _delimit,
    "func": _function,
    "limLow": _limit,
    "limUpp": _limit,
    "acc": _accent,
    "bar": _bar,
    "groupChr": _group_sign,
    "m": _matrix,
    "eqArr": _array,
    "borderBox": _box,
}
