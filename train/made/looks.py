"""How made documents look: paper, type, spacing, headings, tables and running lines, all by chance."""

from dataclasses import dataclass

from train.made.draft import Draft
from train.made.texts import Texts

SERIF = (
    "Liberation Serif",
    "DejaVu Serif",
    "EB Garamond",
    "Crimson",
    "Linux Libertine O",
    "Latin Modern Roman",
    "Gentium",
    "Bitstream Charter",
    "TeX Gyre Pagella",
    "TeX Gyre Termes",
    "TeX Gyre Bonum",
    "FreeSerif",
)
SANS = (
    "Liberation Sans",
    "DejaVu Sans",
    "Carlito",
    "Lato",
    "Roboto",
    "Open Sans",
    "Latin Modern Sans",
    "FreeSans",
    "TeX Gyre Heros",
    "TeX Gyre Adventor",
    "Liberation Sans Narrow",
)
MONO = ("Liberation Mono", "DejaVu Sans Mono", "Latin Modern Mono", "FreeMono")
PAPERS = ((595, 842), (595, 842), (612, 792), (612, 792), (420, 595), (432, 648), (612, 1008), (499, 709))
COLOURS = ("#000", "#000", "#000", "#111", "#333", "#1f3864", "#7a1f1f", "#1a5276", "#00695c", "#b34700")


@dataclass(frozen=True, slots=True)
class Look:
    """The measures that other parts of a document need."""

    width: float
    height: float
    size: float
    columns: int
    numbered: str


def draw_look(draft: Draft, columns: int | None = None, paper: tuple[float, float] | None = None) -> Look:
    """Choose how a document looks and write its style sheet."""
    texts = draft.texts
    width, height = paper or texts.random.choice(PAPERS)
    columns = columns or texts.random.choices((1, 2, 3), (6, 4, 1))[0]
    size = texts.random.uniform(7.2, 10.2) if columns > 1 else texts.random.uniform(8.0, 13.0)
    look = Look(width, height, size, columns, texts.pick("", "", "", "1", "1.", "I", "A", "chapter"))
    draft.css += [
        _page_css(texts, look),
        *_type_css(texts, look),
        *_heading_css(texts),
        _table_css(texts),
        _FIXED_CSS,
    ]
    return look


def _page_css(texts: Texts, look: Look) -> str:
    top, side = texts.random.uniform(36, 90), texts.random.uniform(34, 95)
    bottom = texts.random.uniform(36, 90)
    inner = side * texts.random.uniform(0.8, 1.4)
    return f"@page {{ size: {look.width}pt {look.height}pt; margin: {top:.0f}pt {side:.0f}pt {bottom:.0f}pt {inner:.0f}pt; }}"


def _families(texts: Texts) -> tuple[str, str]:
    """Families of body text and headings."""
    if texts.language.code not in {"en", "de", "fr", "es"}:
        return texts.language.fonts, texts.language.fonts
    body = texts.random.choice(SERIF if texts.chance(0.55) else SANS)
    head = body if texts.chance(0.6) else texts.random.choice(SERIF + SANS)
    return f"'{body}', 'DejaVu Serif'", f"'{head}', 'DejaVu Sans'"


def _type_css(texts: Texts, look: Look) -> list[str]:
    body, _ = _families(texts)
    leading = texts.random.uniform(1.05, 1.35) if look.columns > 1 else texts.random.uniform(1.05, 1.8)
    indent, gap = texts.pick(
        (1.5, 0.0), (0.0, 0.8), (0.0, 0.5), (1.2, 0.3), (0.0, 1.1), (2.5, 0.0), (0.0, 0.25)
    )
    align = texts.pick("justify", "justify", "left", "start")
    hyphens = "auto" if texts.chance(0.5) else "manual"
    rule = f"column-rule: 0.5pt solid {texts.pick('#000', '#999')};" if texts.chance(0.15) else ""
    return [
        f"body {{ font: {look.size:.2f}pt/{leading:.2f} {body}; margin: 0; text-align: {align}; hyphens: {hyphens}; }}",
        f"p {{ margin: 0 0 {gap}em; text-indent: {indent}em; }} p.first {{ text-indent: 0; }} p.flat {{ text-indent: 0; }}",
        f".flow {{ columns: {look.columns}; column-gap: {texts.random.uniform(10, 30):.0f}pt; {rule} column-fill: auto; }}",
        f"li {{ margin: 0 0 {texts.random.uniform(0, 0.6):.2f}em; }}",
        f"ul, ol {{ margin: {texts.random.uniform(0, 0.8):.2f}em 0; }}",
        f"ul, ol {{ padding-inline-start: {texts.random.uniform(1.2, 3.2):.1f}em; }}",
        f"pre {{ font: {texts.random.uniform(0.8, 0.98):.2f}em/1.25 '{texts.random.choice(MONO)}'; white-space: pre-wrap; }}",
        f"pre {{ text-align: left; {texts.pick('', 'background: #f2f2f2;', 'border: 0.5pt solid; padding: 4pt;')} }}",
    ]


def _heading_css(texts: Texts) -> list[str]:
    _, family = _families(texts)
    rules = []
    ratio = texts.random.uniform(1.0, 1.6) * texts.random.uniform(1.0, 1.5)
    colour, align = texts.random.choice(COLOURS), texts.pick("left", "left", "start", "center")
    for level in range(1, 5):
        weight = "bold" if texts.chance(0.75) else "normal"
        case = texts.pick("none", "none", "none", "uppercase")
        variant = texts.pick("normal", "normal", "normal", "small-caps")
        style = "italic" if (weight == "normal" and ratio < 1.15) or texts.chance(0.08) else "normal"
        above = texts.random.uniform(0.3, 1.8)
        below = texts.random.uniform(0.0, 0.9)
        extra = texts.pick(
            *[""] * 9,
            "text-decoration: underline;",
            "border-bottom: 0.7pt solid;",
            "background: #dde6f0; padding: 2pt 4pt;",
            "letter-spacing: 0.12em;",
        )
        rules.append(
            f"h{level} {{ font: {style} {variant} {weight} {ratio:.2f}em/1.2 {family}; color: {colour}; text-align: {align}; "
            f"text-transform: {case}; margin: {above:.2f}em 0 {below:.2f}em; hyphens: manual; break-after: avoid; {extra} }}"
        )
        ratio = max(1.0, ratio * texts.random.uniform(0.72, 0.95))
        if texts.chance(0.3):
            align = "start"
    return rules


def _table_css(texts: Texts) -> str:
    """Rules, stripes or nothing at all between the cells."""
    kind = texts.pick("ruled", "bare", "lines", "booktabs", "zebra", "head", "frame")
    border = {
        "ruled": "td, th { border: 0.6pt solid #333; }",
        "bare": "",
        "lines": "td, th { border-bottom: 0.4pt solid #999; }",
        "booktabs": "table { border-top: 1pt solid; border-bottom: 1pt solid; } tr.head td, tr.head th "
        "{ border-bottom: 0.6pt solid; }",
        "zebra": "tr:nth-child(even) td { background: #e8eef4; }",
        "head": "th { background: #345; color: #fff; }",
        "frame": "table { border: 0.8pt solid #000; }",
    }[kind]
    pad = f"{texts.random.uniform(0.5, 5):.1f}pt {texts.random.uniform(2, 12):.1f}pt"
    weight = "bold" if texts.chance(0.75) else "normal"
    return (
        f"table {{ border-collapse: collapse; font-size: {texts.random.uniform(0.75, 1.0):.2f}em; line-height: 1.2; "
        f"margin: {texts.random.uniform(0.2, 1.2):.1f}em {texts.pick('0', 'auto')}; text-indent: 0; "
        f"{texts.pick('width: 100%;', '', '')} break-inside: avoid; }} "
        f"td, th {{ padding: {pad}; text-align: {texts.pick('left', 'start', 'center')}; "
        "vertical-align: top; hyphens: manual; } "
        f"th {{ font-weight: {weight}; }} td.n {{ text-align: {texts.pick('right', 'center', 'left')}; }} {border}"
    )


_FIXED_CSS = """
.caption { font-size: 0.88em; margin: 0.3em 0 0.9em; text-indent: 0; text-align: start; }
.note { font-size: 0.8em; text-indent: 0; margin: 0 0 0.2em; line-height: 1.2; }
.formula { text-align: center; text-indent: 0; margin: 0.6em 0; font-style: italic; }
.quote { margin: 0.7em 2.5em; font-size: 0.95em; text-indent: 0; }
.pull { font-size: 1.45em; line-height: 1.2; font-style: italic; text-align: center; margin: 0.7em 0;
  text-indent: 0; color: #456; }
.byline { text-indent: 0; font-size: 0.95em; text-align: inherit; margin: 0.2em 0 0.8em; }
.box { border: 0.6pt solid #777; background: #f4f4ee; padding: 6pt 8pt; margin: 0.8em 0; break-inside: avoid; }
.aside { float: inline-end; width: 34%; border: 0.6pt solid #777; padding: 6pt; margin: 0 0 6pt 10pt;
  font-size: 0.88em; background: #eef3f6; }
.drop::first-letter { font-size: 3.1em; line-height: 0.85; padding-right: 3pt; }
.span { column-span: all; }
.toc { text-indent: 0; margin: 0 0 0.25em; display: flex; }
.toc .dots { flex: 1; overflow: hidden; white-space: nowrap; margin: 0 3pt; }
figure { margin: 0.6em 0; break-inside: avoid; text-align: center; }
.bib { text-indent: -1.6em; padding-inline-start: 1.6em; margin: 0 0 0.3em; font-size: 0.92em; }
.two { display: flex; gap: 18pt; } .two > * { flex: 1; }
.right { text-align: end; } .small { font-size: 0.82em; }
.fields td { border-bottom: 0.4pt solid #888; }
"""
