"""Kinds of everyday documents: contracts, minutes, exams, newspapers, receipts, posters, decks and others."""

from collections.abc import Callable, Mapping, Sequence

from train.made import elements
from train.made.draft import Draft
from train.made.looks import Look, draw_look
from train.made.running import draw_running
from train.made.texts import ROMAN, Texts


def _plain(look: Look) -> Look:
    """The same without numbers before headings."""
    return Look(look.width, look.height, look.size, look.columns, "")


def _text(draft: Draft, text: str, cls: str = "flat", role: str = "text") -> None:
    draft.add(f'<p class="{cls}" {draft.block(role)}>{text}</p>')


def _phone(texts: Texts) -> str:
    return f"{texts.random.randint(100, 999)} {texts.random.randint(1000, 9999)}"


def contract(draft: Draft) -> None:
    """Parties, clauses whose numbers have one to three parts, titles in capitals or run in, and lines to sign on."""
    look = draw_look(draft, 1)
    draw_running(draft, look)
    texts, plain = draft.texts, _plain(look)
    elements.heading(draft, 1, plain, texts.title(2, 6).upper())
    for party in range(texts.pick(2, 2, 3)):
        _text(
            draft,
            f"({party + 1}) {texts.name()}, {texts.title(2, 4)}, {texts.place()} ({texts.title(1, 2)}); and",
        )
    word = texts.pick("", "Article ", "Section ", "§ ")
    run_in = texts.chance(0.3)
    for clause in range(1, texts.random.randint(4, 10)):
        label, title = f"{word}{clause}{texts.pick('.', '', ')')}", texts.title(1, 5)
        if run_in:
            _text(draft, f"<b>{label} {title}.</b> {texts.prose(1, 3)}", "")
        else:
            elements.heading(draft, texts.pick(3, 3, 4), plain, f"{label} {title}")
        for part in range(1, texts.random.randint(2, 6)):
            number = texts.pick(f"{clause}.{part}", f"({chr(96 + part)})", f"({ROMAN[part]})")
            _text(draft, f"{number} {texts.prose(1, 3)}", texts.pick("flat", ""))
    draft.add('<div class="two">')
    for _ in range(2):
        draft.add("<div>")
        _text(draft, "_" * 24)
        _text(draft, f"{texts.name()}<br>{texts.title(1, 2)}<br>{texts.place()}, {texts.date()}")
        draft.add("</div>")
    draft.add("</div>")


def minutes(draft: Draft) -> None:
    """Who was there, points with short titles, what was decided, and who does it."""
    look = draw_look(draft, 1)
    draw_running(draft, look)
    texts, plain = draft.texts, _plain(look)
    elements.heading(
        draft, 1, plain, f"{texts.pick('Minutes', 'Protokoll', 'Meeting notes')}: {texts.title(1, 4)}"
    )
    for name in ("Date", "Place", "Present", "Apologies"):
        value = texts.pick(
            texts.date(), texts.place(), ", ".join(texts.name() for _ in range(texts.random.randint(1, 6)))
        )
        _text(draft, f"{texts.pick('<b>', '')}{name}:</b> {value}")
    for point in range(1, texts.random.randint(3, 9)):
        elements.heading(
            draft,
            texts.pick(2, 3),
            plain,
            f"{texts.pick(f'{point}. ', f'TOP {point}: ', '')}{texts.title(1, 6)}",
        )
        for _ in range(texts.random.randint(1, 3)):
            texts.random.choices((elements.paragraph, elements.items), (4, 1))[0](draft)
        if texts.chance(0.5):
            _text(
                draft,
                f"<b>{texts.pick('Decision', 'Action', 'Beschluss')}:</b> {texts.sentence()} ({texts.name()}, {texts.date()})",
            )
    if texts.chance(0.5):
        elements.table(draft, texts.random.randint(2, 6))


def curriculum(draft: Draft) -> None:
    """A name, ways to reach it, and sections whose entries have their years at the left or at the right."""
    look = draw_look(draft, 1)
    texts, plain = draft.texts, _plain(look)
    elements.heading(draft, 1, plain, texts.name())
    _text(
        draft,
        f"{texts.place()} · {_phone(texts)} · {texts.word()}@example.org",
        "byline",
    )
    draft.css.append(
        ".entry { display: flex; gap: 10pt; margin: 0 0 .4em; } .entry > p { margin: 0; } "
        ".entry > :first-child { flex: 0 0 7.5em; }"
    )
    at_left = texts.chance(0.6)
    for _ in range(texts.random.randint(3, 6)):
        elements.heading(draft, 2, plain, texts.title(1, 3))
        for _ in range(texts.random.randint(1, 5)):
            years = f"{texts.year()} – {texts.year()}"
            text = f"<b>{texts.title(1, 4)}</b>, {texts.title(1, 3)}, {texts.place()}"
            if at_left:
                draft.add('<div class="entry">')
                _text(draft, years)
                _text(draft, f"{text}<br>{texts.sentence(4, 20)}")
                draft.add("</div>")
            else:
                _text(draft, f'{text} <span style="float: right">{years}</span>')
                if texts.chance(0.6):
                    elements.items(draft, 2)


def exam(draft: Draft) -> None:
    """Tasks with points, answers to choose from, gaps and lines to write on."""
    look = draw_look(draft, draft.texts.pick(1, 1, 2))
    draw_running(draft, look)
    texts, plain = draft.texts, _plain(look)
    elements.heading(draft, 1, plain, f"{texts.title(1, 5)}{texts.pick('', ' – Test', ' Quiz')}")
    _text(draft, f"Name: {'_' * 26} {texts.pick('Date', 'Class')}: {'_' * 12}")
    draft.add('<div class="flow">')
    word = texts.pick("Task {}", "Question {}", "{}.", "Exercise {}:", "")
    for task in range(1, texts.random.randint(4, 12)):
        titled = bool(word) and not word.startswith("{") and texts.chance(0.7)
        if titled:
            points = texts.pick("", f" ({texts.random.randint(1, 20)} points)")
            elements.heading(draft, texts.pick(3, 4), plain, word.format(task) + points)
        _text(draft, f"{'' if titled else f'{task}. '}{texts.prose(1, 3)}")
        if texts.chance(0.5):
            draft.add(f'<ol style="list-style-type: {texts.pick("upper-alpha", "lower-alpha", "circle")}">')
            for _ in range(texts.random.randint(3, 5)):
                draft.add(f"<li {draft.block('list_item')}>{texts.sentence(1, 9)}</li>")
            draft.add("</ol>")
        elif texts.chance(0.4):
            for _ in range(texts.random.randint(1, 4)):
                _text(draft, "_" * 60)
        elif texts.chance(0.3):
            elements.figure(draft, look)
    draft.add("</div>")


def newspaper(draft: Draft) -> None:
    """Several articles on a page: kickers, large titles, standfirsts, bylines, places before the text, narrow columns."""
    look = draw_look(draft, draft.texts.pick(3, 3, 4), draft.texts.pick((595, 842), (780, 1100), (612, 1008)))
    draw_running(draft, look)
    texts, plain = draft.texts, _plain(look)
    if texts.chance(0.5):
        _text(draft, f"{texts.title(2, 4)} · {texts.date()} · {texts.number()}", "byline small")
    for _ in range(texts.random.randint(2, 5)):
        if texts.chance(0.4):
            _text(draft, texts.title(1, 2).upper(), "flat small")
        elements.heading(draft, texts.pick(1, 2, 2), plain, texts.title(3, 10))
        if texts.chance(0.6):
            _text(draft, texts.prose(1, 2), texts.pick("quote", "flat", "byline"))
        if texts.chance(0.6):
            _text(
                draft,
                f"{texts.pick('By ', 'Von ', '')}{texts.name()}{texts.pick('', f', {texts.title(1, 2)}')}",
                "byline small",
            )
        draft.add('<div class="flow" style="column-fill: balance">')
        _text(
            draft,
            f"{texts.place().upper()}{texts.pick(' – ', ', ', ': ')}{texts.prose(2, 4)}",
            texts.pick("first", "drop first"),
        )
        for _ in range(texts.random.randint(2, 9)):
            draw = texts.random.random()
            if draw < 0.08:
                elements.heading(draft, 4, plain)
            elif draw < 0.14:
                elements.quote(draft)
            elif draw < 0.2:
                elements.figure(draft, look)
            elements.paragraph(draft, 1, 3)
        draft.add("</div>")


def questions(draft: Draft) -> None:
    """Questions in bold and their answers, under a few titles."""
    look = draw_look(draft)
    draw_running(draft, look)
    texts = draft.texts
    elements.heading(draft, 1, _plain(look), texts.title(2, 7))
    elements.paragraph(draft, 1, 3)
    draft.add('<div class="flow">')
    lettered = texts.chance(0.3)
    for _ in range(texts.random.randint(4, 14)):
        if texts.chance(0.2):
            elements.heading(draft, 2, look)
        question = texts.words(texts.random.randint(4, 14)).capitalize() + "?"
        if lettered:
            _text(draft, f"<b>Q: {question}</b>")
            _text(draft, f"A: {texts.prose(1, 3)}")
        else:
            elements.heading(draft, texts.pick(3, 4), _plain(look), question)
            elements.paragraph(draft, 1, 4)
        if texts.chance(0.15):
            elements.items(draft)
    draft.add("</div>")


def receipt(draft: Draft) -> None:
    """A slip of paper: the shop, what was bought with prices at the right, a sum, thanks."""
    texts = draft.texts
    paper = texts.pick((226, 500), (298, 420), (420, 595), (595, 842))
    look = draw_look(draft, 1, paper)
    draft.css.append(f"@page {{ margin: {texts.random.randint(12, 40)}pt; }} .shop {{ text-align: center; }}")
    if texts.chance(0.6):
        elements.heading(draft, texts.pick(2, 3), _plain(look), texts.title(1, 3))
    _text(
        draft,
        f"{texts.title(1, 2)} {texts.random.randint(1, 99)}<br>{texts.random.randint(10000, 99999)} {texts.place()}",
        "flat shop",
    )
    if texts.chance(0.5):
        draft.css.append(
            "body { font-family: 'DejaVu Sans Mono', 'Liberation Mono', monospace; line-height: 1.2; }"
        )
    hour = f"{texts.random.randint(8, 20)}:{texts.random.randint(10, 59)}"
    number = f"{texts.pick('#', 'No. ', 'Bon-Nr. ')}{texts.random.randint(1, 9999)}"
    if texts.chance(0.5):
        _text(draft, f"{texts.date()} {hour} {number}")
    else:
        _slip_rows(
            draft, [(number, f"{texts.title(1, 1)} {texts.random.randint(1, 30)}"), (texts.date(), hour)]
        )
    _slip_rows(draft, [row for _ in range(texts.random.randint(3, 12)) for row in _goods(texts)])
    _slip_rows(
        draft,
        [
            (name, _price(texts))
            for name in texts.pick(("Subtotal", "Tax 8%", "TOTAL"), ("Total",), ("Summe", "MwSt 19%"))
        ],
    )
    if texts.chance(0.6):
        _slip_rows(
            draft, [(name, _price(texts)) for name in texts.pick(("VISA ****2210", "Change"), ("BAR",))]
        )
    _text(
        draft,
        f"{texts.pick('Thank you!', 'Thank you for your visit', 'Vielen Dank!')}<br>www.example.org",
        "flat shop",
    )


def _price(texts: Texts) -> str:
    currency = texts.pick("", "", "", "$", "EUR ")
    return f"{currency}{texts.random.random() ** 2 * 90:.2f}{texts.pick('', '', ' A', ' B', '*')}"


def _goods(texts: Texts) -> list[tuple[str, str]]:
    """What was bought and its price, now and then with a line about it below."""
    count = f"{texts.random.randint(1, 9)}{texts.pick(' ', ' x ')}" if texts.chance(0.4) else ""
    rows = [(f"{count}{texts.title(1, 3)}", _price(texts))]
    if texts.chance(0.25):
        amount = f"{texts.random.random() * 3:.3f} kg x {texts.random.random() * 9:.2f}"
        rows.append((f"&nbsp;&nbsp;{texts.pick(amount, texts.words(2), f'+ {texts.words(1)}')}", ""))
    return rows


def _slip_rows(draft: Draft, rows: Sequence[tuple[str, str]]) -> None:
    """Names at the left edge of a slip and what belongs to them at the right, now and then with a line above."""
    line = draft.texts.pick("", "", "border-top:1px dashed #000", "border-top:1px solid #000")
    mark = draft.block("table")
    body = "".join(f"<tr><td>{name}</td><td class=n>{price}</td></tr>" for name, price in rows)
    draft.add(f'<div style="{line}"><table style="width:100%" {mark}>{body}</table></div>')


def poster(draft: Draft) -> None:
    """A leaflet: large words, short lines of different sizes, boxes, addresses."""
    texts = draft.texts
    paper = texts.pick((595, 842), (842, 595), (420, 595), (612, 792), (297, 630))
    look = draw_look(draft, 1, paper)
    plain = _plain(look)
    align = texts.pick("center", "left", "left")
    draft.css.append(
        f"body {{ text-align: {align}; }} .large {{ font-size: {texts.random.uniform(1.2, 2.2):.2f}em; line-height: 1.25; }}"
    )
    elements.heading(draft, 1, plain, texts.title(1, 5))
    for _ in range(texts.random.randint(2, 6)):
        draw = texts.random.random()
        if draw < 0.35:
            elements.heading(draft, texts.pick(2, 3), plain, texts.title(1, 4))
            elements.paragraph(draft, 1, 2, "flat")
        elif draw < 0.5:
            elements.items(draft)
        elif draw < 0.65:
            elements.box(draft, look)
        elif draw < 0.85:
            _text(draft, texts.prose(1, 2), "flat large")
        else:
            elements.figure(draft, look)
    _text(draft, f"{texts.date()}, {texts.place()}<br>www.example.org<br>{_phone(texts)}")


def deck(draft: Draft) -> None:
    """Slides with boxes placed freely: titles at any height, texts beside pictures, captions without numbers, logos, footers."""
    texts = draft.texts
    width, height = texts.pick((720, 405), (720, 540), (960, 540), (1280, 720))
    look = draw_look(draft, 1, (width, height))
    size = texts.random.uniform(0.022, 0.034) * width
    draft.css.append(
        f"@page {{ margin: 0; }} body {{ font-size: {size:.1f}pt; line-height: 1.2; }} "
        f".slide {{ position: relative; height: {height - 1}pt; overflow: hidden; break-after: page; }} "
        ".slide > div { position: absolute; } p { text-indent: 0; }"
    )
    title_top, left = texts.random.uniform(0.04, 0.14), texts.random.uniform(0.04, 0.1)
    footer = texts.pick("", texts.title(1, 5), f"{texts.name()} | {texts.date()}", texts.place())
    backs = texts.pick("", "", "background: #1f2d3d; color: #fff;", "background: #f5efe2;")
    for number in range(1, texts.random.randint(3, 5)):
        draft.add(f'<div class="slide" style="{backs}">')
        draft.add(
            f'<div style="left:{left * 100:.0f}%;top:{title_top * 100:.0f}%;width:{90 - left * 100:.0f}%">'
        )
        elements.heading(draft, texts.pick(1, 1, 2), _plain(look), texts.title(1, 9))
        draft.add("</div>")
        split = texts.random.uniform(0.35, 0.65)
        boxes = texts.pick(
            ((left, 0.88),),
            ((left, split - 0.06), (split, 0.94 - split)),
            ((left, split - 0.06), (split, 0.94 - split)),
        )
        for x, across in boxes:
            draft.add(
                f'<div style="left:{x * 100:.0f}%;top:{texts.random.randint(27, 38)}%;width:{across * 100:.0f}%">'
            )
            _on_slide(draft, look)
            draft.add("</div>")
        if footer:
            draft.add(f'<div style="left:{left * 100:.0f}%;top:94%;font-size:.55em">')
            _text(draft, footer, "flat", "footer")
            draft.add("</div>")
        if texts.chance(0.7):
            draft.add('<div style="right:4%;top:94%;font-size:.55em">')
            _text(draft, str(number + 3), "flat", "page_number")
            draft.add("</div>")
        draft.add("</div>")


def _on_slide(draft: Draft, look: Look) -> None:
    texts = draft.texts
    draw = texts.random.random()
    if draw < 0.5:
        draft.add(f'<ul style="list-style-type: {texts.random.choice(elements.BULLETS)}">')
        for _ in range(texts.random.randint(2, 6)):
            draft.add(f"<li {draft.block('list_item')}>{texts.words(texts.random.randint(1, 11))}</li>")
        draft.add("</ul>")
    elif draw < 0.65:
        _text(draft, texts.prose(1, 2))
    elif draw < 0.8:
        elements.figure(draft, Look(look.width * 0.5, look.height * 0.5, look.size, 1, ""))
    elif draw < 0.9:
        elements.table(draft, texts.random.randint(2, 5))
    else:
        elements.heading(draft, 3, _plain(look), texts.title(1, 3))
        _text(draft, texts.sentence(3, 12))


EVERYDAY: Mapping[str, Callable[[Draft], None]] = {
    one.__name__: one
    for one in (contract, minutes, curriculum, exam, newspaper, questions, receipt, poster, deck)
}
