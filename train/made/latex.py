"""Made documents set by LaTeX: papers, theses, books and slides in the classes that their readers know."""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from train.coded import coded_pages
from train.made.languages import LANGUAGES
from train.made.latex_draft import NUMBER, LatexDraft, escape
from train.made.latex_look import draw_margins, draw_notes
from train.made.latex_noted import COURT, JOURNAL, set_court, set_journal
from train.made.texts import Texts
from train.truth import Piece, write_pieces

LATEX = "latex"
CLASSES = (
    ("article", "10pt"),
    ("article", "11pt,twocolumn"),
    ("article", "12pt"),
    ("report", "11pt"),
    ("book", "11pt,openany"),
    ("IEEEtran", "conference"),
    ("IEEEtran", "journal"),
    ("acmart", "sigconf,nonacm"),
    ("acmart", "manuscript,nonacm"),
    ("memoir", "11pt,openany"),
    ("scrartcl", "11pt"),
    ("scrreprt", "11pt"),
    ("amsart", "11pt"),
    ("elsarticle", "review"),
    ("beamer", "t"),
    ("beamer", "aspectratio=169"),
    (COURT, "11pt"),
    (JOURNAL, "10pt,twocolumn"),
    (COURT, "12pt"),
    (JOURNAL, "9pt,twocolumn"),
    (COURT, "10pt"),
    (JOURNAL, "10pt,twocolumn"),
    (COURT, "11pt,a4paper"),
    (JOURNAL, "11pt,twocolumn,a4paper"),
    (COURT, "12pt,a4paper"),
    (JOURNAL, "9pt,twocolumn,a4paper"),
)
FONTS = (
    "",
    "",
    r"\usepackage{mathptmx}",
    r"\usepackage{palatino}",
    r"\usepackage{charter}",
    r"\usepackage{helvet}\renewcommand{\familydefault}{\sfdefault}",
)
TERMS = (
    r"\sum_{i=1}^{n} x_i",
    r"\frac{a+b}{c}",
    r"\alpha f(x)",
    r"\int_0^1 g(t)\,dt",
    r"\lambda_k",
    r"\log p(y \mid x)",
    r"e^{-\beta t}",
    r"\sqrt{n}",
)
# What sets the beginning of documents that are set in the class `extarticle`, which knows more sizes.
NOTED = {COURT: set_court, JOURNAL: set_journal}
CHAPTERED = frozenset({"book", "report", "memoir", "scrreprt"})
MOST_PAGES = 4
# Numbers further down than this are those of pages.
PAGE_NUMBER_POINTS = 690.0
TIMEOUT_SECONDS = 300


def make_latex(folder: Path, count: int, seed: int) -> Iterator[Path]:
    """So many documents, each with its pieces beside it; none where LaTeX is not installed."""
    if not shutil.which("pdflatex"):
        print("pdflatex is missing, so no LaTeX documents are made", file=sys.stderr)
        return
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        name, options = CLASSES[number % len(CLASSES)]
        path = folder / f"{LATEX}-{name}-{seed}-{number}.pdf"
        if path.with_suffix(".json").exists() or _make(path, name, options, seed * 100_000 + number):
            yield path


def _make(path: Path, name: str, options: str, seed: int) -> bool:
    """Whether LaTeX could set it."""
    texts = Texts(seed, LANGUAGES[0])
    draft = LatexDraft(texts)
    draft.preamble = [
        rf"\documentclass[{options}]{{{'extarticle' if name in NOTED else name}}}",
        r"\usepackage[T1]{fontenc}\usepackage{lmodern,xcolor,booktabs}",
    ]
    if name == "beamer":
        draft.preamble.append(rf"\usetheme{{{texts.pick('Madrid', 'default', 'Boadilla', 'Berlin')}}}")
        _slides(draft)
    elif name in NOTED:
        draft.preamble += [texts.pick(*FONTS), texts.pick("", r"\sloppy")]
        draw_margins(draft, own_style=False)
        NOTED[name](draft)
        if name == JOURNAL:
            _flow(draft, name)
    else:
        draft.preamble += [
            "" if name == "acmart" else texts.pick(*FONTS),
            texts.pick("", r"\setlength{\parindent}{0pt}\setlength{\parskip}{6pt}"),
        ]
        draw_notes(draft)
        draw_margins(draft, own_style=name == "acmart")
        _title(draft)
        _flow(draft, name)
    coloured = path.with_suffix(".coded.pdf")
    if not (_run(draft.source(coded=False), path) and _run(draft.source(coded=True), coloured)):
        return False
    pages = list(coded_pages(coloured, draft.roles))[:MOST_PAGES]
    write_pieces(path.with_suffix(".json"), [[_numbered(piece) for piece in pieces] for pieces in pages])
    coloured.unlink()
    return True


def _numbered(piece: Piece) -> Piece:
    is_page_number = piece.role == NUMBER and piece.top > PAGE_NUMBER_POINTS
    return replace(piece, role="page_number") if is_page_number else piece


def _run(source: str, path: Path) -> bool:
    with tempfile.TemporaryDirectory() as scratch:
        (Path(scratch) / "a.tex").write_text(source, "utf-8")
        command = ["pdflatex", "-interaction=nonstopmode", "a.tex"]
        subprocess.run(command, cwd=scratch, stdout=subprocess.DEVNULL, timeout=TIMEOUT_SECONDS, check=False)
        made = Path(scratch) / "a.pdf"
        if not made.exists():
            print(f"{path.name} can't be set", file=sys.stderr)
            return False
        shutil.move(made, path)
    return True


def _title(draft: LatexDraft) -> None:
    """A title, names and institutes with raised signs, and an abstract; not in every document."""
    texts = draft.texts
    if texts.chance(0.4):
        return
    names = ", ".join(f"{texts.name()}$^{{{at}}}$" for at in range(1, texts.random.randint(2, 5)))
    places = r"\\".join(
        draft.block("text", f"$^{{{at}}}$ {escape(texts.title(2, 5))}, {texts.place()}") for at in (1, 2)
    )
    title = rf"\{texts.pick('Large', 'LARGE', 'huge')}\bfseries"
    draft.parts += [
        rf"\begin{{center}}{{{title} {draft.block('heading', escape(texts.title(4, 12)))}\par}}\medskip",
        rf"{draft.block('text', names)}\\{{\small {places}}}\end{{center}}",
        rf"\begin{{center}}\bfseries {draft.block('heading', 'Abstract')}\end{{center}}",
        rf"{{\small {draft.block('text', escape(texts.prose(3, 7)))}\par}}",
    ]
    if texts.chance(0.3):
        sign, word = texts.pick("*", r"$^\dagger$", ""), texts.pick("Corresponding author", "E-mail")
        mail = f"{sign}{word}: {texts.name()}"
        draft.parts.append(rf"\let\thefootnote\relax\footnotetext{{{draft.block('footnote', mail)}}}")


def _flow(draft: LatexDraft, name: str) -> None:
    texts = draft.texts
    levels = (
        ("chapter", "section", "subsection")
        if name in {"book", "report", "memoir", "scrreprt"}
        else ("section", "subsection")
    )
    for _ in range(texts.random.randint(8, 18)):
        level = texts.random.choice(levels[1:] if texts.chance(0.7) and len(levels) > 2 else levels)
        draft.parts.append(rf"\{level}{{{draft.block('heading', escape(texts.title(1, 7)))}}}")
        for _ in range(texts.random.randint(1, 4)):
            texts.random.choices((_paragraph, _items, _table, _formula, _quote), (9, 1.5, 1, 2, 0.5))[0](
                draft
            )


def _paragraph(draft: LatexDraft) -> None:
    text = escape(draft.texts.prose(2, 6))
    if draft.texts.chance(draft.noted):
        number = len(draft.roles)
        draft.roles.append("text")
        told = draft.texts.prose(1, draft.longest_note) if draft.texts.chance(0.6) else draft.texts.source()
        note = rf"\footnote{{{draft.block('footnote', escape(told))}}}"
        draft.parts.append(
            rf"\blk{{{number}}}{{{text}}}{note}\blk{{{number}}}{{ {escape(draft.texts.prose(1, 2))}}}"
        )
    else:
        draft.parts.append(draft.block("text", text))


def _items(draft: LatexDraft) -> None:
    kind = draft.texts.pick("itemize", "enumerate")
    items = "\n".join(
        rf"\item {draft.block('list_item', escape(draft.texts.sentence(3, 20)))}"
        for _ in range(draft.texts.random.randint(2, 6))
    )
    draft.parts.append(rf"\begin{{{kind}}}{items}\end{{{kind}}}")


def _table(draft: LatexDraft) -> None:
    texts = draft.texts
    columns = texts.random.randint(2, 5)
    number = len(draft.roles)
    draft.roles.append("table")
    rows = [
        " & ".join(
            rf"\blk{{{number}}}{{{escape(texts.number() if column else texts.title(1, 2))}}}"
            for column in range(columns)
        )
        for _ in range(texts.random.randint(3, 9))
    ]
    caption = rf"\caption{{{draft.block('caption', escape(texts.sentence(3, 14)))}}}"
    rule = texts.pick(r"\toprule", r"\hline", "")
    body = "\\\\\n".join(rows)
    tabular = rf"\begin{{tabular}}{{l{'r' * (columns - 1)}}}{rule} {body}\\{rule}\end{{tabular}}"
    draft.parts.append(rf"\begin{{table}}[h]\centering {caption}{tabular}\end{{table}}")


def _formula(draft: LatexDraft) -> None:
    chosen = " + ".join(draft.texts.random.sample(TERMS, draft.texts.random.randint(2, 4)))
    draft.parts.append(rf"\begin{{equation}}{draft.block('formula', f'y = {chosen}')}\end{{equation}}")


def _quote(draft: LatexDraft) -> None:
    draft.parts.append(rf"\begin{{quote}}{draft.block('text', escape(draft.texts.prose(1, 3)))}\end{{quote}}")


def _slides(draft: LatexDraft) -> None:
    for _ in range(5):
        title = draft.block("heading", escape(draft.texts.title(1, 6)))
        start = len(draft.parts)
        draft.texts.random.choice((_items, _items, _paragraph, _formula))(draft)
        inner = "\n\n".join(draft.parts[start:])
        del draft.parts[start:]
        draft.parts.append(rf"\begin{{frame}}\frametitle{{{title}}}{inner}\end{{frame}}")
