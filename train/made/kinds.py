"""Kinds of made documents: which elements they have and how they follow each other."""

from collections.abc import Callable, Mapping
from functools import partial

from train.made import elements
from train.made.draft import Draft
from train.made.looks import Look, draw_look
from train.made.running import draw_running

Element = Callable[[Draft, Look], None]


def _flow(draft: Draft, look: Look, shares: Mapping[str, float], count: int) -> None:
    """So many elements after each other, drawn by their shares, under headings of two or three levels."""
    texts = draft.texts
    names, weights = list(shares), list(shares.values())
    level, since = 1, 9
    for _ in range(count):
        if draft.full:
            return
        if since > texts.random.randint(1, 6):
            level = max(1, min(4, level + texts.pick(-1, 0, 0, 1))) if since < 9 else texts.pick(1, 2)
            elements.heading(draft, level, look)
            since = 0
            if texts.chance(0.12):
                elements.heading(draft, min(level + 1, 4), look)
        ELEMENTS[texts.random.choices(names, weights)[0]](draft, look)
        since += 1


ELEMENTS: Mapping[str, Element] = {
    "paragraph": lambda draft, _: elements.paragraph(draft),
    "short": lambda draft, _: elements.paragraph(draft, 1, 1),
    "items": lambda draft, _: elements.items(draft),
    "table": lambda draft, _: elements.table(draft),
    "figure": elements.figure,
    "formula": lambda draft, _: elements.formula(draft),
    "code": lambda draft, _: elements.code(draft),
    "quote": lambda draft, _: elements.quote(draft),
    "box": elements.box,
    "note": lambda draft, _: elements.note(draft),
    "contents": elements.contents,
    "bibliography": elements.bibliography,
}
PLAIN = {"paragraph": 10.0, "short": 1.5, "items": 2.0, "quote": 0.4}


def _document(draft: Draft, shares: Mapping[str, float], columns: int | None, count: int) -> None:
    """A document that opens with a title."""
    look = draw_look(draft, columns)
    draw_running(draft, look)
    wide = draft.texts.chance(0.6)
    if wide:
        _title(draft, look)
    draft.add('<div class="flow">')
    if not wide:
        _title(draft, look)
    _flow(draft, look, shares, draft.texts.random.randint(count // 2, count))
    draft.add("</div>")


def _title(draft: Draft, look: Look) -> None:
    texts = draft.texts
    if texts.chance(0.3):
        return
    plain = Look(look.width, look.height, look.size, look.columns, "")
    elements.heading(draft, 1, plain, texts.title(2, 14))
    if texts.chance(0.25):
        elements.heading(draft, 2, plain)
    if texts.chance(0.5):
        names = ", ".join(texts.name() for _ in range(texts.random.randint(1, 5)))
        draft.add(f'<p class="byline" {draft.block("text")}>{names}</p>')
        if texts.chance(0.6):
            draft.add(
                f'<p class="byline small" {draft.block("text")}>{texts.title(2, 6)}, {texts.place()}, {texts.date()}</p>'
            )
    if texts.chance(0.4):
        _front(draft)
    if texts.chance(0.3):
        elements.heading(draft, 4, plain, texts.language.abstract)
        elements.paragraph(draft, 3, 7, "quote")


def _front(draft: Draft) -> None:
    """What journals print below a title: institutes with raised numbers, dates, where it is published and by what licence."""
    texts = draft.texts
    lines = [
        f"<sup>{at}</sup>{texts.title(2, 8)}, {texts.place()}" for at in range(1, texts.random.randint(2, 6))
    ]
    lines += [f"<sup>*</sup> Corresponding author: {texts.name()}"] if texts.chance(0.5) else []
    draft.add(f'<p class="note" {draft.block("text")}>{"<br>".join(lines)}</p>')
    dates = [f"{word}: {texts.date()}" for word in ("Received", "Accepted", "Published")]
    kept = texts.random.sample(
        [
            texts.pick(" ", "<br>").join(dates[: texts.pick(1, 2, 3)]),
            texts.journal(),
            f"doi:10.{texts.random.randint(1000, 9999)}/{texts.random.randint(10000, 99999)}",
            f"© {texts.year()} {texts.name()} et al.; {texts.title(2, 4)}.",
            texts.pick("This is an open access article. ", "") + texts.prose(1, 2),
        ],
        texts.random.randint(1, 5),
    )
    for text in kept:
        draft.add(f'<p class="note" {draft.block("text")}>{text}</p>')


def magazine(draft: Draft) -> None:
    """Narrow columns, large titles, pull quotes, pictures and boxes; the text opens with a drop cap."""
    look = draw_look(draft, draft.texts.pick(2, 3, 3))
    draw_running(draft, look)
    plain = Look(look.width, look.height, look.size, look.columns, "")
    for _ in range(draft.texts.random.randint(1, 3)):
        elements.heading(draft, 1, plain, draft.texts.title(2, 9))
        if draft.texts.chance(0.6):
            draft.add(f'<p class="quote" {draft.block("text")}>{draft.texts.prose(1, 2)}</p>')
        draft.add('<div class="flow" style="column-fill: balance">')
        draft.add(f'<p class="drop first" {draft.block("text")}>{draft.texts.prose(3, 6)}</p>')
        shares = {"paragraph": 10.0, "quote": 1.2, "figure": 1.0, "box": 0.8, "short": 1.0}
        _flow(draft, plain, shares, draft.texts.random.randint(6, 14))
        draft.add("</div>")


def letter(draft: Draft) -> None:
    """Addresses, a date, a subject, text and a signature."""
    look = draw_look(draft, 1)
    draw_running(draft, look)
    texts = draft.texts
    for cls in texts.pick(("flat right", "flat"), ("flat", "flat"), ("flat small", "flat")):
        lines = [
            texts.name(),
            f"{texts.title(1, 2)} {texts.random.randint(1, 99)}",
            f"{texts.random.randint(10000, 99999)} {texts.place()}",
        ]
        draft.add(f'<p class="{cls}" {draft.block("text")}>{"<br>".join(lines)}</p>')
    draft.add(f'<p class="flat right" {draft.block("text")}>{texts.place()}, {texts.date()}</p>')
    if texts.chance(0.7):
        elements.heading(
            draft, texts.pick(2, 3, 4), Look(look.width, look.height, look.size, 1, ""), texts.title(2, 9)
        )
    draft.add(f'<p class="flat" {draft.block("text")}>Dear {texts.name()},</p>')
    for _ in range(texts.random.randint(2, 6)):
        elements.items(draft) if texts.chance(0.12) else elements.paragraph(draft, 1, 4)
    draft.add(
        f'<p class="flat" {draft.block("text")}>{texts.pick("Yours sincerely", "Kind regards", "Mit freundlichen Grüßen")},</p>'
    )
    draft.add(f'<p class="flat" {draft.block("text")}><br>{texts.name()}<br>{texts.title(1, 3)}</p>')


def invoice(draft: Draft) -> None:
    """A title, parties side by side, a table of items, totals and terms."""
    look = draw_look(draft, 1)
    draw_running(draft, look)
    texts = draft.texts
    plain = Look(look.width, look.height, look.size, 1, "")
    elements.heading(
        draft, 1, plain, texts.pick("Invoice", "INVOICE", "Rechnung", "Order confirmation", texts.title(1, 3))
    )
    draft.add('<div class="two">')
    for title in ("Bill to", "Ship to") if texts.chance(0.5) else ("", ""):
        draft.add("<div>")
        if title:
            elements.heading(draft, 4, plain, title)
        draft.add(
            f'<p class="flat" {draft.block("text")}>{texts.name()}<br>{texts.title(1, 3)}<br>{texts.place()}</p></div>'
        )
    draft.add("</div>")
    _fields(draft, texts.random.randint(2, 5))
    elements.table(draft, texts.random.randint(2, 12))
    _fields(draft, texts.random.randint(2, 4))
    elements.paragraph(draft, 1, 3, "flat small")


def _fields(draft: Draft, count: int) -> None:
    """Names and values beside each other, which are a table of two columns."""
    texts = draft.texts
    rows = "".join(
        f"<tr><td>{texts.title(1, 3)}:</td><td>{texts.pick(texts.number(), texts.date())}</td></tr>"
        for _ in range(count)
    )
    draft.add(f'<table class="fields" {draft.block("table")}>{rows}</table>')


def form(draft: Draft) -> None:
    """Sections of fields to be filled in, with lines, boxes and remarks."""
    look = draw_look(draft, 1)
    draw_running(draft, look)
    texts = draft.texts
    elements.heading(draft, 1, look, texts.title(2, 6))
    elements.paragraph(draft, 1, 2, "flat")
    for _ in range(texts.random.randint(2, 6)):
        elements.heading(draft, texts.pick(2, 3), look)
        for _ in range(texts.random.randint(2, 6)):
            blank = texts.pick(
                "_" * texts.random.randint(12, 40),
                "☐ " + texts.title(1, 2) + " ☐ " + texts.title(1, 2),
                "." * 40,
            )
            draft.add(
                f'<p class="flat" {draft.block("text")}>{texts.title(1, 4)}{texts.pick(":", "")} {blank}</p>'
            )
        if texts.chance(0.3):
            _fields(draft, texts.random.randint(2, 5))


def slides(draft: Draft) -> None:
    """Slides: a title, bullets, boxes of text, tables and pictures in large type."""
    texts = draft.texts
    paper = texts.pick((720, 405), (720, 540), (960, 540), (842, 595))
    look = draw_look(draft, 1, paper)
    draw_running(draft, look)
    draft.css.append(
        f"body {{ font-size: {texts.random.uniform(13, 20):.1f}pt; }} .slide {{ break-after: page; }}"
    )
    plain = Look(paper[0], paper[1], 16, 1, "")
    for _ in range(texts.random.randint(2, 5)):
        draft.add('<div class="slide">')
        elements.heading(draft, 1, plain, texts.title(1, 7))
        kind = texts.pick("items", "items", "two", "table", "figure", "text", "cover")
        if kind == "two":
            draft.add('<div class="two"><div>')
            elements.items(draft)
            draft.add("</div><div>")
            elements.paragraph(draft, 1, 2, "flat")
            draft.add("</div></div>")
        elif kind == "cover":
            draft.add(f'<p class="byline" {draft.block("text")}>{texts.name()}<br>{texts.date()}</p>')
        else:
            ELEMENTS[{"text": "short"}.get(kind, kind)](draft, plain)
        draft.add("</div>")


def catalogue(draft: Draft) -> None:
    """A grid of cards, each with a small title and a few lines."""
    look = draw_look(draft, 1)
    draw_running(draft, look)
    texts = draft.texts
    across = texts.pick(2, 3)
    draft.css.append(
        f".grid {{ display: grid; grid-template-columns: repeat({across}, 1fr); gap: 12pt; }} "
        ".grid > div { break-inside: avoid; }"
    )
    elements.heading(draft, 1, look)
    draft.add('<div class="grid">')
    for _ in range(texts.random.randint(4, 12)):
        draft.add("<div>")
        elements.heading(draft, 3, look, texts.title(1, 5))
        elements.paragraph(draft, 1, 3, "flat")
        if texts.chance(0.4):
            draft.add(f'<p class="flat" {draft.block("text")}>{texts.number()}</p>')
        draft.add("</div>")
    draft.add("</div>")


Kind = Callable[[Draft], None]
SHARES: Mapping[str, Mapping[str, float]] = {
    "report": {**PLAIN, "table": 1.2, "figure": 0.8, "note": 0.6, "box": 0.4},
    "paper": {**PLAIN, "formula": 1.5, "figure": 0.8, "table": 0.8, "bibliography": 0.25, "note": 0.3},
    "paper_wide": {**PLAIN, "formula": 1.5, "figure": 0.5, "table": 0.6, "note": 0.8},
    "book": {"paragraph": 12.0, "note": 1.2, "quote": 0.8, "short": 2.0},
    "legal": {"paragraph": 6.0, "note": 4.0, "items": 1.0, "quote": 1.0, "short": 1.0},
    "manual": {"short": 5.0, "items": 4.0, "code": 2.0, "figure": 1.0, "table": 1.0, "box": 1.0},
    "statistics": {"table": 5.0, "short": 3.0, "figure": 1.5, "note": 0.6},
    "front": {"contents": 3.0, "paragraph": 1.0},
    "newsletter": {"paragraph": 6.0, "items": 2.0, "box": 1.0, "figure": 1.5, "short": 2.0},
}
COLUMNS = {"paper": 2, "paper_wide": 1, "book": 1, "legal": 1, "front": 1}
COUNTS = {"statistics": 14, "front": 6}
KINDS: Mapping[str, Kind] = {
    **{
        kind: partial(_document, shares=shares, columns=COLUMNS.get(kind), count=COUNTS.get(kind, 20))
        for kind, shares in SHARES.items()
    },
    "magazine": magazine,
    "letter": letter,
    "invoice": invoice,
    "form": form,
    "slides": slides,
    "catalogue": catalogue,
}
