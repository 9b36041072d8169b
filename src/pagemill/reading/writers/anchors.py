"""Anchors: what links inside of a document lead to."""

from html import escape

from pagemill.model.pages import Block


def anchors(block: Block, end: str = "") -> str:
    """The anchors of a block's bookmarks in HTML, with `end` behind them; empty if it has none."""
    names = block.origin.bookmarks if block.origin else ()
    return "".join(f'<a id="{escape(name)}"></a>' for name in names) + end if names else ""
