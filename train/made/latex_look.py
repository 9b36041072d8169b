"""Margins, running lines and notes of documents set by LaTeX."""

from typing import Protocol

from train.made.texts import Texts


class Coloured(Protocol):
    """A document whose blocks can be coloured."""

    texts: Texts
    preamble: list[str]
    noted: float
    longest_note: int

    def block(self, role: str, text: str) -> str:
        """Text in the colour of a new block."""


def draw_notes(draft: Coloured) -> None:
    """Choose how many notes there are, how long they get, and how they are set."""
    texts = draft.texts
    draft.noted, draft.longest_note = texts.pick((0.1, 2), (0.25, 2), (0.25, 4), (0.7, 3), (0.9, 5))
    draft.preamble.append(
        texts.pick("", "", r"\usepackage[hang,flushmargin]{footmisc}", r"\usepackage[bottom]{footmisc}")
    )
    draft.preamble.append(
        texts.pick(
            "",
            "",
            "",
            r"\renewcommand{\footnoterule}{}",
            r"\renewcommand{\thefootnote}{\alph{footnote}}",
            r"\usepackage{setspace}\onehalfspacing",
            r"\usepackage{setspace}\doublespacing",
        )
    )


def draw_margins(draft: Coloured, *, own_style: bool) -> None:
    """Choose margins and running lines; a class with a style of its own keeps it."""
    texts = draft.texts
    draft.preamble.append(r"\pagestyle{plain}")
    if own_style or texts.chance(0.25):
        return
    if texts.chance(0.5):
        sides, ends = texts.random.randint(50, 110), texts.random.randint(60, 100)
        draft.preamble.append(rf"\usepackage[hmargin={sides}pt,vmargin={ends}pt]{{geometry}}")
    size = texts.pick(r"\footnotesize", r"\small", r"\scriptsize", "", r"\itshape", r"\scshape", r"\bfseries")
    start = rf"\setcounter{{page}}{{{texts.random.randint(1, 300)}}}"
    places = [f"head[{side}]" for side in "LCR"] + [f"foot[{side}]" for side in "LCR"]
    chosen = texts.random.sample(places, texts.pick(1, 2, 2, 3))
    lines = [rf"\fancy{place}{{{size} {_running(draft, place)}}}" for place in chosen]
    rule = rf"\renewcommand{{\headrulewidth}}{{{texts.pick('0pt', '0pt', '0.4pt')}}}"
    draft.preamble.append(
        rf"\usepackage{{fancyhdr}}\AtBeginDocument{{\pagestyle{{fancy}}\fancyhf{{}}{''.join(lines)}{rule}{start}}}"
        rf"\fancypagestyle{{plain}}{{\fancyhf{{}}{''.join(lines)}}}"
    )


def _running(draft: Coloured, place: str) -> str:
    """A number of the page, or what the document, its author or its journal are called."""
    texts = draft.texts
    if texts.chance(0.45):
        number = texts.pick(r"\thepage", r"Page \thepage", r"-- \thepage\ --", r"p.\ \thepage")
        return draft.block("page_number", number)
    text = texts.pick(
        texts.title(2, 6), texts.journal(), f"{texts.name()} et al.", texts.date(), f"Draft of {texts.date()}"
    )
    number = texts.pick("", "", r"\quad\thepage", r"\ \textbar\ \thepage")
    role = "header" if place.startswith("head") else "footer"
    return draft.block(role, f"{text.replace('&', 'and').replace('%', '').replace('#', '')}{number}")
