"""Running headers, footers and page numbers of made documents."""

from train.made.draft import Draft
from train.made.looks import Look

TOP = ("top-left", "top-center", "top-right")
BOTTOM = ("bottom-left", "bottom-center", "bottom-right")
NUMBERS = ('counter(page)', '"Page " counter(page)', '"Page " counter(page) " of " counter(pages)', '"– " counter(page) " –"',
           'counter(page) "/" counter(pages)', '"p. " counter(page)', 'counter(page, lower-roman)')  # fmt: skip


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


def _content(draft: Draft, place: str, *, numbered: bool) -> str:
    texts = draft.texts
    if numbered and texts.chance(0.75):
        return f"content: {texts.random.choice(NUMBERS)}; {draft.block_css('page_number')}"
    role = "header" if place in TOP else "footer"
    text = texts.pick(
        texts.title(1, 6),
        f"{texts.title(1, 3)} {texts.year()}, {texts.random.randint(1, 40)}:{texts.random.randint(1, 400)}",
        f"© {texts.year()} {texts.name()}",
        f"www.{texts.random.choice(('example.org', 'example.com/report', 'mill.example/docs'))}",
        texts.date(),
        texts.name(),
        f"{texts.language.chapter} {texts.random.randint(1, 20)}",
    ).replace('"', "")
    number = " counter(page)" if numbered else ""
    content = f'"{text} "{number}' if texts.chance(0.5) else f'{number} " {text}"'
    return f"content: {content}; {draft.block_css(role)}"
