"""Running headers, footers and page numbers of made documents."""

from train.made.draft import Draft
from train.made.looks import Look

TOP = ("top-left", "top-center", "top-right")
BOTTOM = ("bottom-left", "bottom-center", "bottom-right")
NUMBERS = (
    "counter(page)",
    '"Page " counter(page)',
    '"Page " counter(page) " of " counter(pages)',
    '"– " counter(page) " –"',
    'counter(page) "/" counter(pages)',
    '"p. " counter(page)',
    "counter(page, lower-roman)",
)


def draw_running(draft: Draft, look: Look) -> None:
    """Put headers, footers and page numbers into the margins, or leave them out."""
    texts = draft.texts
    if texts.chance(0.15):
        return
    size = texts.random.uniform(0.7, 1.0) * look.size
    places = [
        *texts.random.sample(TOP, texts.pick(0, 1, 1, 2)),
        *texts.random.sample(BOTTOM, texts.pick(0, 1, 1, 2)),
    ]
    number_at = texts.random.choice(places) if places and texts.chance(0.8) else None
    rule = "border-bottom: 0.5pt solid;" if texts.chance(0.25) else ""
    extra = texts.pick("", "", "font-style: italic;", "font-weight: bold;", "text-transform: uppercase;")
    style = f"font-size: {size:.1f}pt; {extra}"
    shift = "vertical-align: bottom; padding-bottom: 3pt;" if texts.chance(0.25) else ""
    start = texts.random.randint(0, 300)
    boxes = [
        f"@{place} {{ {_content(draft, place, numbered=place == number_at)} {style} "
        f"{rule if place in TOP else ''} {shift if place in TOP else ''} }}"
        for place in places
    ]
    alternate = texts.pick("", "", ":left", ":right")
    draft.css.append(f"@page{alternate} {{ {' '.join(boxes)} }} body {{ counter-reset: page {start}; }}")
    if texts.chance(0.25):
        draft.css.append(_imprint(draft, size))


def _imprint(draft: Draft, size: float) -> str:
    """Two or three lines at the foot of the first page that say whose it is."""
    texts = draft.texts
    owner = texts.pick(f"© {texts.year()} {texts.name()} et al.", f"© {texts.year()} {texts.title(1, 3)}")
    lines = [
        f"{owner}; {texts.title(2, 4)}.",
        texts.sentence(8, 14),
        texts.pick("All rights reserved.", texts.sentence(3, 9)),
    ]
    text = "\\A ".join(lines[: texts.pick(2, 3)]).replace('"', "")
    place = texts.pick("bottom-left", "bottom-center")
    others = " ".join(f"@{other} {{ content: none; }}" for other in BOTTOM if other != place)
    return (
        f'@page :first {{ {others} @{place} {{ content: "{text}"; white-space: pre; text-align: left; '
        f"font-size: {min(size, 8.0):.1f}pt; {draft.block_css('footer')} }} }}"
    )


def _content(draft: Draft, place: str, *, numbered: bool) -> str:
    texts = draft.texts
    if numbered and texts.chance(0.75):
        return f"content: {texts.random.choice(NUMBERS)}; {draft.block_css('page_number')}"
    role = "header" if place in TOP else "footer"
    text = texts.pick(
        texts.title(1, 6),
        texts.journal(),
        f"{texts.name()} et al. {texts.journal()}",
        f"{texts.name()} et al. / {texts.journal()}",
        f"https://doi.org/10.{texts.random.randint(1000, 9999)}/{texts.random.randint(10000, 99999)}",
        f"© {texts.year()} {texts.name()}",
        f"www.{texts.random.choice(('example.org', 'example.com/report', 'mill.example/docs'))}",
        texts.date(),
        texts.name(),
        f"{texts.language.chapter} {texts.random.randint(1, 20)}",
    ).replace('"', "")
    number = " counter(page)" if numbered else ""
    content = f'"{text} "{number}' if texts.chance(0.5) else f'{number} " {text}"'
    return f"content: {content}; {draft.block_css(role)}"
