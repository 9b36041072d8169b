"""The shape of a provider: an engine that reads pages.

Third parties register theirs in the entry point group `pagemill.providers`.
"""

from collections.abc import Iterator, Sequence
from typing import Protocol

from pagemill.errors import PageUnreadable
from pagemill.model.pages import Page, PageError


class Refusal(Exception):
    """A provider can't read what it was asked to; the next in the chain is tried."""


def reason_without_path(error: Exception, path: str) -> str:
    """What a provider said of a document that it did not read; the path of the file must not leak."""
    message = str(error) if isinstance(error, Refusal) else f"{type(error).__name__}: {error}"
    return message.replace(path, "the document")


class MissingLanguage(Refusal):
    """A page is in a script that a provider could read if one more of its language files were installed."""

    def __init__(self, script: str, package: str) -> None:
        super().__init__(
            f"the page is in the {script} script, which no installed engine reads; install a language file of Tesseract "
            f"for it, such as the one in {package}"
        )


def unread_page(provider: str, number: int, message: str) -> Page:
    """A page that a provider could not read."""
    error = PageError(PageUnreadable.code, message)
    return Page(number, 0, 0, provider, confidence=0.0, error=error)


class Provider(Protocol):
    """An engine that reads pages of a PDF."""

    name: str

    def version(self) -> str:
        """The version of the engine; another version may read the same page differently."""
        ...

    def available(self) -> str | None:
        """None if the provider can be used here, otherwise why not."""
        ...

    def read(self, path: str, pages: Sequence[int], password: str | None) -> Iterator[Page]:
        """One page for each number asked, in that order, with `error` set where it can't be read.

        Pages that are asked for together may be read with a look at each other, so what comes out
        depends on `pages` and on nothing else. Raises Refusal if the document as a whole can't be read.
        """
        ...
