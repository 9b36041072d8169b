"""Markdown files: rendered to HTML by the library, and read as that."""

from functools import cache

from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.front_matter import front_matter_plugin
from mdit_py_plugins.tasklists import tasklists_plugin

from pagemill.reading.office.flow import Flow
from pagemill.reading.office.web_pages import read_html


def read_markdown(text: str, warnings: dict[str, None]) -> Flow:
    """The blocks of a Markdown file."""
    return read_html(_parser().render(text), warnings)


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": True, "maxNesting": 40}).enable(["table", "strikethrough"])
    for plugin in (front_matter_plugin, footnote_plugin, tasklists_plugin):
        parser.use(plugin)
    return parser.use(dollarmath_plugin, allow_labels=False, double_inline=True)
