"""A block's text cut into runs of one style each."""

from collections.abc import Iterator

from pagemill.model.pages import Block, Span

PLAIN = Span(0, 0)


def styled_runs(block: Block) -> Iterator[tuple[str, Span]]:
    """The pieces of the text in order, each with the style it has; spaces at the edge of a style are plain."""
    at = 0
    for span in block.spans:
        text = block.text[max(span.start, at) : span.end]
        bare = text.strip()
        if not bare:
            continue
        start = span.start + len(text) - len(text.lstrip())
        if start > at:
            yield block.text[at:start], PLAIN
        yield bare, span
        at = start + len(bare)
    if at < len(block.text):
        yield block.text[at:], PLAIN
