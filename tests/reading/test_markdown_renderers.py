"""Markdown results in eight programs that show Markdown, with raw HTML and links let through: nothing becomes active."""

import importlib
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from pagemill.model.pages import Block, Kind
from tests.reading.made import markdown, paragraph
from tests.reading.test_writers_injection import INJECTIONS

PASSIVE = frozenset(
    "p a br em strong code pre h1 h2 ul ol li table thead tbody tr th td hr blockquote".split()
)
LINKS = ("http://", "https://", "mailto:", "#", "/")
TEXTS = [
    *INJECTIONS,
    "](javascript:alert(1))",
    "[click](javascript:alert(1))",
    "![x](javascript:alert(1))",
    '[a]: javascript:alert(1) "x"',
    "<a href='javascript:alert(1)'>x</a>",
    "**<b onmouseover=alert(1)>x</b>**",
    "```\n</code><script>alert(1)</script>\n```",
    '<div markdown="1"><script>alert(1)</script></div>',
]


def function_of(module: str, name: str) -> Callable[[str], str]:
    """A renderer that is a function of a module."""

    def render(text: str) -> str:
        found: Any = getattr(importlib.import_module(module), name)
        return str(found(text))

    return render


def render_by_mistune(text: str) -> str:
    """With its plugins for bare addresses and tables, and without escaping."""
    import mistune

    plugins = ["url", "table", "strikethrough", "footnotes"]
    return str(mistune.create_markdown(escape=False, plugins=plugins)(text))


def render_by_cmark(text: str) -> str:
    """GitHub's own, without its filter."""
    import cmarkgfm
    from cmarkgfm.cmark import Options

    return str(cmarkgfm.github_flavored_markdown_to_html(text, options=Options.CMARK_OPT_UNSAFE))


def render_by_markdown_it(text: str) -> str:
    """With raw HTML and tables."""
    return str(MarkdownIt("commonmark", {"html": True}).enable("table").render(text))


def render_by_python_markdown(text: str) -> str:
    """With its usual extensions."""
    import markdown as python_markdown

    return str(python_markdown.markdown(text, extensions=["extra", "sane_lists"]))


RENDERERS = {
    "cmarkgfm": render_by_cmark,
    "commonmark": function_of("commonmark", "commonmark"),
    "markdown": render_by_python_markdown,
    "markdown-it-py": render_by_markdown_it,
    "markdown2": function_of("markdown2", "markdown"),
    "marko": function_of("marko", "convert"),
    "mistletoe": function_of("mistletoe", "markdown"),
    "mistune": render_by_mistune,
}


class ActiveContent(HTMLParser):
    """Collects what a browser would run, load or follow without a click on a plain link."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Look at one tag."""
        if tag not in PASSIVE:
            self.found.append(tag)
        for name, value in attrs:
            is_bad_link = name in ("href", "src") and not (value or "").lower().startswith(LINKS)
            if name.startswith("on") or is_bad_link:
                self.found.append(f"{tag} {name}={value}")


@pytest.mark.parametrize("name", sorted(RENDERERS))
def test_nothing_that_was_on_a_page_becomes_active(tmp_path: Path, name: str) -> None:
    for number, text in enumerate(TEXTS):
        blocks = (
            paragraph("p1-b1", text),
            Block("p1-b2", Kind.HEADING, None, text, level=1),
            Block("p1-b3", Kind.LIST_ITEM, None, text),
        )
        folder = tmp_path / str(number)
        folder.mkdir()
        content = ActiveContent()
        content.feed(RENDERERS[name](markdown(folder, *blocks)))
        assert not content.found, (text, content.found)


def test_each_renderer_would_let_active_content_through() -> None:
    for name, render in RENDERERS.items():
        content = ActiveContent()
        content.feed(render("[click](javascript:alert(1)) <img src=x onerror=alert(1)>"))
        assert content.found, name
