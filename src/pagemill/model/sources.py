"""Sources: where a document that is not uploaded comes from."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit, urlunsplit

from pagemill.model.filenames import sanitise_filename


@dataclass(frozen=True, slots=True)
class Source:
    """A URL that a document is fetched from, the headers that its server wants, and what the caller asked for.

    Both may be secret: many URLs carry a signature in their query.
    """

    url: str = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    is_named: bool = False
    reuse: bool = True

    @property
    def shown_url(self) -> str:
        """The URL without what may be secret in it."""
        parts = urlsplit(self.url)
        return urlunsplit((parts.scheme, parts.netloc, parts.path, "", ""))

    def address_json(self) -> str:
        """Everything but the headers, to be encrypted."""
        return json.dumps({"url": self.url, "is_named": self.is_named, "reuse": self.reuse})

    def headers_json(self) -> str | None:
        """The headers, to be encrypted; None if there are none."""
        return json.dumps(dict(self.headers)) if self.headers else None


def source_from(address: str, headers: str | None) -> Source:
    """A source from its decrypted parts."""
    return Source(**json.loads(address), headers=json.loads(headers) if headers else {})


def filename_of_url(url: str) -> str:
    """The name of a document by the last part of its URL's path."""
    return sanitise_filename(unquote(urlsplit(url).path.rpartition("/")[2], errors="replace"))
