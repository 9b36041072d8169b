"""A draft of a made document: HTML whose blocks are marked, so that it can be set plain and in the colours of its blocks."""

import re
from dataclasses import dataclass, field

from train.coded import MOST_BLOCKS, colour_of
from train.made.texts import Texts

_MARK = re.compile(r"§(\d+)§")
_MARK_CSS = re.compile(r"¤(\d+)¤")
CODED_CSS = "*, *::before, *::after, *::marker, *::first-letter { color: inherit !important; }"


@dataclass(slots=True)
class Draft:
    """HTML with marks; `roles` has the role of each block in reading order."""

    texts: Texts
    parts: list[str] = field(default_factory=list)
    roles: list[str] = field(default_factory=list)
    css: list[str] = field(default_factory=list)
    counters: dict[str, int] = field(default_factory=dict)

    def block(self, role: str) -> str:
        """An attribute that marks an element as a block of that role."""
        self.roles.append(role)
        return f"§{len(self.roles) - 1}§"

    def block_css(self, role: str) -> str:
        """A declaration that marks what a style sheet prints as a block of that role."""
        self.roles.append(role)
        return f"¤{len(self.roles) - 1}¤"

    def add(self, html: str) -> None:
        """Go on with more HTML."""
        self.parts.append(html)

    def count(self, name: str) -> int:
        """The next number of its kind."""
        self.counters[name] = self.counters.get(name, 0) + 1
        return self.counters[name]

    @property
    def full(self) -> bool:
        """Whether there are nearly as many blocks as there are colours."""
        return len(self.roles) > MOST_BLOCKS - 200

    def plain(self) -> str:
        """The document as it should look."""
        return _MARK_CSS.sub("", _MARK.sub("", self._html("")))

    def coded(self) -> str:
        """The document with every block in its colour."""
        html = _MARK.sub(
            lambda mark: f'style="{_paint(int(mark[1]))};fill:#{colour_of(int(mark[1]))} !important"',
            self._html(CODED_CSS),
        )
        return _MARK_CSS.sub(lambda mark: f"{_paint(int(mark[1]))};", html)

    def _html(self, more_css: str) -> str:
        language = self.texts.language
        direction = "rtl" if language.right_to_left else "ltr"
        css = "\n".join([*self.css, more_css])
        body = "\n".join(self.parts)
        return (
            f'<!doctype html><html lang="{language.code}" dir="{direction}"><meta charset="utf-8">'
            f"<style>{css}</style><body>{body}</body></html>"
        )


def _paint(block: int) -> str:
    return f"color:#{colour_of(block)} !important"
