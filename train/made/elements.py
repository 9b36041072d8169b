"""Elements of made documents; each adds blocks with their roles to a draft."""

from train.made.draft import Draft
from train.made.looks import Look
from train.made.texts import ROMAN

BULLETS = ("disc", "circle", "square", "'– '", "'• '", "'▪ '", "'➢ '", "'* '", "'✓ '")
NUMBERS = ("decimal", "lower-alpha", "lower-roman", "upper-alpha")
CODE = (
    "def {w}({v}):",
    "    return {v} + {n}",
    "for {v} in range({n}):",
    "    print({v})",
    "if ({v} > {n}) {{",
    "}}",
    "import {w}",
    "$ {w} --{v} {n}",
    "# {w} {w}",
    "{v} = {w}.{w}({n}, {v})",
    "SELECT {v} FROM {w} WHERE {v} = {n};",
    "    {v}[{n}] = '{w}'",
    '<{w} {v}="{n}">',
    "public static void {w}() {{",
    "// {w} {w} {w}",
)


def paragraph(draft: Draft, least: int = 1, most: int = 6, cls: str = "") -> None:
    """A paragraph, now and then with emphasis, a run-in title or a mark of a note."""
    texts = draft.texts
    text = texts.prose(least, most)
    if texts.chance(0.12):
        text = f"<{texts.pick('b', 'i', 'b')}>{texts.title(1, 4)}{texts.pick('.', ':', ' –')}</b></i> {text}"
    elif texts.chance(0.1):
        words = text.split(" ")
        at = texts.random.randrange(len(words))
        words[at] = f"<b>{words[at]}</b>"
        text = " ".join(words)
    if texts.chance(0.06):
        text = (
            f"({draft.count('clause')}) {text}" if texts.chance(0.5) else f"{draft.count('clause')}. {text}"
        )
    draft.add(f'<p class="{cls}" {draft.block("text")}>{text}</p>')


def heading(draft: Draft, level: int, look: Look, text: str = "", cls: str = "") -> None:
    """A heading of a level, numbered if the document numbers its headings."""
    texts = draft.texts
    text = text or texts.title(1, texts.pick(4, 7, 12))
    label = _number(draft, level, look.numbered)
    draft.add(f'<h{level} class="{cls}" {draft.block("heading")}>{label}{text}</h{level}>')


def _number(draft: Draft, level: int, numbered: str) -> str:
    if not numbered or level > 3:
        return ""
    for deeper in range(level + 1, 5):
        draft.counters.pop(f"h{deeper}", None)
    numbers = [draft.counters.get(f"h{one}", 1) for one in range(1, level)] + [draft.count(f"h{level}")]
    last = numbers[-1]
    if numbered == "chapter":
        return (
            f"{draft.texts.language.chapter} {last}{draft.texts.pick('. ', ': ', ' ')}" if level == 1 else ""
        )
    if numbered == "I":
        return f"{ROMAN[(last - 1) % 15].upper()}. " if level == 1 else f"{chr(64 + last % 26 or 65)}. "
    if numbered == "A":
        return f"{chr(64 + (last - 1) % 26 + 1)}. "
    return ".".join(map(str, numbers)) + ("." if numbered == "1." else "") + " "


def items(draft: Draft, depth: int = 0) -> None:
    """A list with bullets or numbers; items may hold lists."""
    texts = draft.texts
    ordered = texts.chance(0.4)
    style = texts.random.choice(NUMBERS if ordered else BULLETS)
    tag = "ol" if ordered else "ul"
    draft.add(f'<{tag} style="list-style-type: {style}">')
    long = texts.chance(0.3)
    for _ in range(texts.random.randint(2, 7)):
        text = texts.prose(1, 3) if long else texts.sentence(2, 14).rstrip("" if texts.chance(0.4) else ".")
        draft.add(f"<li {draft.block('list_item')}>{text}")
        if depth < 2 and texts.chance(0.1):
            items(draft, depth + 1)
        draft.add("</li>")
    draft.add(f"</{tag}>")


def table(draft: Draft, rows: int | None = None) -> None:
    """A table of words and figures, now and then with spans, groups, long cells or gaps; a caption above or below."""
    texts = draft.texts
    above, below = texts.pick((True, False), (False, True), (False, False), (True, False))
    if above:
        caption(draft, texts.language.table)
    columns = texts.random.randint(2, 7)
    long_column = texts.random.randrange(columns) if texts.chance(0.3) else -1
    words = [texts.chance(0.3) or column == 0 for column in range(columns)]
    draft.add(f"<table {draft.block('table')}>")
    head = "".join(f"<th>{texts.title(1, 3)}</th>" for _ in range(columns))
    if texts.chance(0.15) and columns > 3:
        draft.add(f"<tr class=head><th></th><th colspan={columns - 1}>{texts.title(1, 4)}</th></tr>")
    draft.add(f"<tr class=head>{head}</tr>")
    for _ in range(rows or texts.random.randint(2, 14)):
        draft.add(_row(draft, words, long_column))
    draft.add("</table>")
    if below:
        caption(draft, texts.language.table)
    if texts.chance(0.12):
        draft.add(
            f'<p class="note" {draft.block("text")}>{texts.pick("Note: ", "Source: ", "* ")}{texts.sentence()}</p>'
        )


def _row(draft: Draft, words: list[bool], long_column: int) -> str:
    texts = draft.texts
    if texts.chance(0.05):
        return f"<tr><td colspan={len(words)}><b>{texts.title(1, 3)}</b></td></tr>"
    cells = []
    for column, worded in enumerate(words):
        if column == long_column:
            cells.append(f"<td>{texts.prose(1, 2)}</td>")
        elif worded:
            cells.append(f"<td>{texts.title(1, 4)}</td>")
        else:
            cells.append(f"<td class=n>{_value(draft)}</td>")
    return f"<tr>{''.join(cells)}</tr>"


def _value(draft: Draft) -> str:
    """A figure, now and then nothing or a word."""
    texts = draft.texts
    if texts.chance(0.06):
        return ""
    return texts.pick("–", "yes") if texts.chance(0.05) else texts.number()


def caption(draft: Draft, word: str) -> None:
    """A caption with its number."""
    texts = draft.texts
    label = f"{word}{texts.pick('', '', '.')} {draft.count(word)}{texts.pick('.', ':', '', ' –', ' |')}"
    label = texts.pick("{}", "<b>{}</b>", "<i>{}</i>").format(label)
    text = texts.prose(1, 3) if texts.chance(0.35) else texts.title(2, 12)
    draft.add(f'<p class="caption" {draft.block("caption")}>{label} {text}</p>')


def figure(draft: Draft, look: Look) -> None:
    """A picture or a chart with labels inside, and its caption below or beside it."""
    texts = draft.texts
    width = (look.width * 0.7) / look.columns * texts.random.uniform(0.5, 0.95)
    height = width * texts.random.uniform(0.35, 0.8)
    beside = texts.chance(0.15)
    draft.add('<div class="two"><div>' if beside else "<figure>")
    draft.add(f'<svg width="{width:.0f}pt" height="{height:.0f}pt" viewBox="0 0 {width:.0f} {height:.0f}">')
    draft.add(
        f'<rect width="100%" height="100%" fill="{texts.pick("#dde", "#eee", "#fff", "#cdd5c8")}" stroke="#555"/>'
    )
    if texts.chance(0.6):
        _labels(draft, width, height)
    draft.add("</svg>" + ("</div><div>" if beside else ""))
    if texts.chance(0.85):
        caption(draft, texts.language.figure)
    draft.add("</div></div>" if beside else "</figure>")


def _labels(draft: Draft, width: float, height: float) -> None:
    texts = draft.texts
    mark = draft.block("figure")
    size = texts.random.uniform(5.5, 8.5)
    for place in range(texts.random.randint(2, 9)):
        label = texts.pick(
            texts.number(),
            texts.title(1, 2),
            str(place * 10),
            f"{texts.title(1, 1)} ({texts.pick('m', 's', '%')})",
        )
        x, y = texts.random.uniform(0.04, 0.8) * width, texts.random.uniform(0.1, 0.95) * height
        draft.add(f'<text x="{x:.0f}" y="{y:.0f}" font-size="{size:.1f}" {mark}>{label}</text>')


def formula(draft: Draft) -> None:
    """A displayed formula, perhaps with a number."""
    texts = draft.texts
    number = (
        f' <span style="float:right;font-style:normal">({draft.count("formula")})</span>'
        if texts.chance(0.5)
        else ""
    )
    draft.add(f'<p class="formula" {draft.block("formula")}>{texts.formula()}{number}</p>')


def code(draft: Draft) -> None:
    """A listing."""
    texts = draft.texts
    fill = {"w": texts.word(), "v": texts.pick(*"xyzijk"), "n": texts.random.randint(0, 99)}
    lines = [
        texts.random.choice(CODE).format(**{**fill, "w": texts.word()})
        for _ in range(texts.random.randint(2, 14))
    ]
    draft.add(
        f"<pre {draft.block('code')}>" + "\n".join(line.replace("<", "&lt;") for line in lines) + "</pre>"
    )


def contents(draft: Draft, look: Look) -> None:
    """A table of contents with or without leaders."""
    texts = draft.texts
    heading(
        draft,
        texts.pick(1, 2),
        Look(look.width, look.height, look.size, look.columns, ""),
        texts.language.contents,
    )
    leader = texts.pick(". " * 120, "." * 200, "", "· " * 90)
    numbered, page = texts.chance(0.6), 1
    mark = draft.block("contents")
    for entry in range(texts.random.randint(5, 28)):
        depth = texts.pick(0, 0, 1, 1, 2)
        page += texts.random.randint(0, 9)
        label = (
            f"{entry // 3 + 1}.{entry % 3 + 1} "
            if numbered and depth
            else f"{entry + 1}. "
            if numbered
            else ""
        )
        text = f'<span style="padding-inline-start:{depth * 1.4}em">{label}{texts.title(1, 7)}</span>'
        draft.add(f'<p class="toc" {mark}>{text}<span class="dots">{leader}</span><span>{page}</span></p>')


def bibliography(draft: Draft, look: Look) -> None:
    """References."""
    texts = draft.texts
    heading(draft, texts.pick(1, 2, 3), look, texts.language.references)
    style = texts.pick("[{}] ", "{}. ", "")
    for number in range(1, texts.random.randint(5, 25)):
        authors = ", ".join(f"{texts.name()}" for _ in range(texts.random.randint(1, 4)))
        where = f"<i>{texts.title(2, 5)}</i> {number}, {number * 7}–{number * 9}"
        text = f"{authors} ({texts.year()}). {texts.title(4, 12)}. {where}."
        draft.add(f'<p class="bib" {draft.block("text")}>{style.format(number)}{text}</p>')


def quote(draft: Draft) -> None:
    """A quotation set off from the text, or one pulled out of it in large type."""
    kind = draft.texts.pick("quote", "quote", "pull")
    draft.add(f'<p class="{kind}" {draft.block("text")}>{draft.texts.prose(1, 2)}</p>')


def box(draft: Draft, look: Look) -> None:
    """A box or a sidebar with a title of its own."""
    draft.add(f'<div class="{draft.texts.pick("box", "aside") if look.columns == 1 else "box"}">')
    if draft.texts.chance(0.7):
        heading(draft, 4, look)
    for _ in range(draft.texts.random.randint(1, 3)):
        items(draft, 2) if draft.texts.chance(0.3) else paragraph(draft, 1, 3, "flat")
    draft.add("</div>")


def note(draft: Draft) -> None:
    """A paragraph with a footnote, which the typesetter puts at the foot of the page."""
    texts = draft.texts
    mark, note_mark = draft.block("text"), draft.block("footnote")
    text = texts.prose(1, texts.pick(2, 2, 5)) if texts.chance(0.6) else texts.source()
    draft.add(
        f'<p {mark}>{texts.prose(1, 3)}<span class="fn" {note_mark}>{text}</span> {texts.prose(1, 2)}</p>'
    )
