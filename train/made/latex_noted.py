"""Documents set by LaTeX whose pages end in notes: decisions of courts, and first pages of journals."""

from collections.abc import Sequence

from train.made.latex_draft import LatexDraft, escape
from train.made.texts import ROMAN, Texts

COURT, JOURNAL = "court", "journal"
# What a note of a court cites, of cases, laws and files.
_CASES = (
    "Cf. Case of {a} v. {p}. {t}. Judgment of {d}. Series {l} No. {n}, para. {m}{and_}.",
    "{a} v. {p}, No. {n}/{m}, {d}, § {m}.",
    "See {a} v. {b}, {n} {l}.{k}d {m}, {k} ({l}. Cir. {y}){and_}.",
    "Ibid., para. {m}.",
    "Id. at {m}.",
    "Cf. Law No. {n}.{m} of {d}, which {w} (evidence file, folios {n}-{m}).",
    "Evidence file, folio {n}; statement of {a}, {d}, {w}.",
    "{a}, {t}, {p}, {y}, p. {m}, available at: https://www.example.org/{l}/{n}.pdf.",
    "{w}. Cf. {a}, {t}, supra note {k}, at {m}.",
    "{w}",
)
# What journals print at the foot of a first page.
_FOOT_NOTES = (
    "{sign}Correspondence to: {a}, {mail}",
    "{sign}Corresponding author. E-mail: {mail}",
    "{sign}Correspondence: {a}, {s}, {p}. {mail}",
    "To whom correspondence should be addressed. {mail}",
    "{a} and {b} are with the {s}, {p} (e-mail: {mail}). {a} is with {t}, {q}.",
    "{a} is at the {s}, {t}, {p}, {q}. E-mail: {mail}",
    "1 {s}, {p}. 2 {t}, {q}. Correspondence to: {a} <{mail}>.",
    "1 {s}, {p}. 2 {t}, {q}.",
    "Proceedings of the {k}th {s}, {p}, {y}. Copyright {y} by the author(s).",
    "{sign}Equal contribution.",
    "{sign}These authors contributed equally to this work.",
    "{sign}Present address: {s}, {p}.",
    "Citation: {a} ({y}) {t}. {j}.",
    "Received {d}; accepted {e}; published {y}.",
    "This is an open-access article distributed under the terms of the {s}, {w}",
    "Copyright: © {y} {a} et al. {w}",
    "Editor: {a}, {s}, {p}",
    "This work was supported by {s} under grant {n}. {w}",
)
_PARTIES = (
    "The Commission",
    "The State",
    "The representatives",
    "The Court",
    "The applicant",
    "The defendant",
)


def set_court(draft: LatexDraft) -> None:
    """A decision: parties, numbered paragraphs, titles between them, and many notes, some of which go on on the next page."""
    texts = draft.texts
    draft.preamble += [
        _note_look(texts),
        texts.pick("", r"\interfootnotelinepenalty=0", r"\interfootnotelinepenalty=50"),
    ]
    for line in range(texts.random.randint(1, 4)):
        title = escape(texts.title(2, 7).upper() if texts.chance(0.7) else texts.title(2, 7))
        weight = r"\bfseries" if line < 2 or texts.chance(0.5) else ""
        draft.parts.append(rf"\begin{{center}}{{{weight} {draft.block('heading', title)}}}\end{{center}}")
    if texts.chance(0.5):
        draft.parts += [
            draft.block("text", f"{texts.name()}, {escape(texts.title(1, 2))};")
            for _ in range(texts.random.randint(3, 7))
        ]
    number = texts.random.randint(1, 90)
    noted = texts.pick(0.3, 0.55, 0.8)
    for section in range(texts.random.randint(3, 7)):
        _court_title(draft, section)
        for _ in range(texts.random.randint(2, 6)):
            _court_paragraph(draft, number, noted)
            number += 1


def _note_look(texts: Texts) -> str:
    """How notes begin, and how far they are apart: a number that hangs, or one with white after it."""
    wide = texts.random.uniform(0.8, 2.8)
    begin = texts.pick(
        rf"\makeatletter\renewcommand\@makefntext[1]{{\noindent\hb@xt@{wide:.1f}em{{\@makefnmark\hss}}#1}}\makeatother",
        rf"\usepackage[hang]{{footmisc}}\setlength{{\footnotemargin}}{{{wide:.1f}em}}",
        r"\makeatletter\renewcommand\@makefntext[1]{\noindent\@thefnmark\ #1}\makeatother",
        "",
    )
    rule = texts.pick(
        "",
        "",
        r"\renewcommand{\footnoterule}{}",
        r"\renewcommand{\footnoterule}{\hrule width\textwidth\vskip 3pt}",
    )
    apart = rf"\setlength{{\footnotesep}}{{{texts.random.uniform(6, 15):.0f}pt}}"
    size = texts.pick(
        "",
        r"\renewcommand{\footnotesize}{\fontsize{8}{9.6}\selectfont}",
        r"\renewcommand{\footnotesize}{\fontsize{9}{10.5}\selectfont}",
    )
    start = (
        rf"\AtBeginDocument{{\setcounter{{footnote}}{{{texts.pick(0, 0, texts.random.randint(5, 180))}}}}}"
    )
    return f"{begin}{rule}{apart}{size}{start}"


def _court_title(draft: LatexDraft, section: int) -> None:
    texts = draft.texts
    label = texts.pick(
        f"{ROMAN[section % 15].upper()}. ", f"{chr(65 + section)}. ", f"{ROMAN[section % 15].upper()} -- ", ""
    )
    title = escape(texts.title(1, 8))
    place, weight = (
        texts.pick("center", "flushleft", "center"),
        texts.pick(r"\bfseries", r"\bfseries\itshape", r"\scshape", r"\itshape"),
    )
    text = draft.block("heading", label + (title.upper() if texts.chance(0.5) else title))
    draft.parts.append(rf"\begin{{{place}}}{{{weight} {text}}}\end{{{place}}}")


def _court_paragraph(draft: LatexDraft, number: int, noted: float) -> None:
    texts = draft.texts
    block = len(draft.roles)
    draft.roles.append("text")
    label = texts.pick(rf"\noindent {number}.\hspace{{2em}}", f"{number}. ", "")
    parts = [rf"\blk{{{block}}}{{{label}{texts.pick(*_PARTIES)} {escape(texts.prose(1, 2))}}}"]
    for _ in range(texts.random.randint(1, 3)):
        if texts.chance(noted):
            parts.append(rf"\footnote{{{draft.block('footnote', _court_note(texts))}}}")
        parts.append(rf"\blk{{{block}}}{{ {escape(texts.prose(1, 3))}}}")
    draft.parts.append("".join(parts))
    if texts.chance(0.12):
        draft.parts.append(
            rf"\begin{{quote}}\small {draft.block('text', escape(texts.prose(1, 4)))}\end{{quote}}"
        )


def _court_note(texts: Texts) -> str:
    """One to eight citations or sentences."""
    return escape(" ".join(_citation(texts) for _ in range(texts.pick(1, 1, 1, 2, 2, 3, 5, 8))))


def _citation(texts: Texts) -> str:
    return _filled(texts, _CASES)


def _filled(texts: Texts, patterns: Sequence[str]) -> str:
    """One of the patterns with names, titles, places, dates and numbers in it."""
    number = texts.random.randint
    return texts.pick(*patterns).format(
        a=texts.name(), b=texts.name(), p=texts.place(), q=texts.place(), t=texts.title(2, 7), s=texts.title(2, 6),
        d=texts.date(), e=texts.date(), y=texts.year(), j=texts.journal(), m=number(1, 400), n=number(1, 999), k=number(2, 9),
        l=texts.pick("A", "C", "F", "U.S"), w=texts.prose(1, 2), mail=_mail(texts), sign=texts.pick("", "* ", "† "),
        and_=texts.pick("", "", f", and Case of {texts.name()} v. {texts.place()}, para. {number(1, 99)}"),
    )  # fmt: skip


def set_journal(draft: LatexDraft) -> None:
    """The first page of a paper: title, authors and institutes above, and more of them, or what letters mean, at the foot."""
    texts = draft.texts
    draft.noted = texts.pick(0.0, 0.05, 0.15)
    draft.preamble.append(_note_look(texts))
    spanned = texts.chance(0.7)
    head = [_title(draft), _names(draft)]
    if texts.chance(0.6):
        head.append(_institutes(draft))
    if texts.chance(0.5):
        head.append(rf"\medskip{{\small {draft.block('text', escape(texts.prose(3, 8)))}\par}}\bigskip")
    if spanned:
        align = texts.pick(r"\centering", r"\raggedright")
        draft.parts.append(rf"\twocolumn[{{{align} {' '.join(head)}\vspace{{8pt}}}}]")
    else:
        draft.parts += head
    _foot(draft)


def _title(draft: LatexDraft) -> str:
    texts = draft.texts
    size, weight = texts.pick(r"\Large", r"\LARGE", r"\huge", r"\large"), texts.pick(r"\bfseries", "")
    return rf"{{{size}{weight} {draft.block('heading', escape(texts.title(5, 14)))}\par}}\medskip"


def _names(draft: LatexDraft) -> str:
    count = draft.texts.random.randint(1, 6)
    names = ", ".join(f"{draft.texts.name()}$^{{{at + 1}}}$" for at in range(count))
    return draft.block("text", names) + r"\par"


def _institutes(draft: LatexDraft) -> str:
    texts = draft.texts
    lines = [
        draft.block("text", f"$^{{{at + 1}}}${escape(texts.title(3, 9))}, {texts.place()}, {texts.place()}")
        for at in range(texts.random.randint(1, 5))
    ]
    return rf"{{\footnotesize {(chr(92) * 2).join(lines)}\par}}"


def _foot(draft: LatexDraft) -> None:
    """Notes without a number below the first column, or across the foot of the page."""
    texts = draft.texts
    count = texts.random.randint(1, 5)
    notes = [draft.block("footnote", escape(_foot_note(texts))) for _ in range(count)]
    if texts.chance(0.65):
        draft.parts += [rf"{{\renewcommand\thefootnote{{}}\footnotetext{{{note}}}}}" for note in notes]
        return
    size = texts.pick(r"\footnotesize", r"\scriptsize")
    text = rf"\par\vspace{{{texts.random.randint(0, 4)}pt}}".join(notes)
    margin, lifted = texts.random.randint(60, 80), 2 * count + texts.random.randint(2, 6)
    draft.preamble.append(
        r"\usepackage[absolute]{textpos}\setlength{\TPHorizModule}{1pt}\setlength{\TPVertModule}{1pt}"
    )
    place = rf"(\dimexpr 1in+\hoffset+\oddsidemargin,\dimexpr \paperheight-{margin}pt)"
    draft.parts += [
        rf"\enlargethispage{{-{lifted}\baselineskip}}",
        rf"\begin{{textblock*}}{{\textwidth}}[0,1]{place}{size}\noindent {text}\end{{textblock*}}",
    ]


def _foot_note(texts: Texts) -> str:
    return _meanings(texts) if texts.chance(0.2) else _filled(texts, _FOOT_NOTES)


def _mail(texts: Texts) -> str:
    return f"{texts.word().lower()}@{texts.word().lower()}.{texts.pick('edu', 'org', 'ac.uk', 'de', 'cn')}"


def _meanings(texts: Texts) -> str:
    pairs = sorted(
        (texts.word()[: texts.random.randint(2, 5)].upper(), texts.words(texts.random.randint(1, 4)))
        for _ in range(texts.random.randint(3, 14))
    )
    return (
        texts.pick("", "Abbreviations: ", "Abbreviations used: ")
        + "; ".join(f"{one}{texts.pick(' = ', ', ', ': ')}{other}" for one, other in pairs)
        + "."
    )
