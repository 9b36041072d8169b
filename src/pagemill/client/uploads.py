"""A document on its way to the server, read in pieces and from the start again for each attempt."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from pagemill.client.models import Options

Given = str | Path | bytes | BinaryIO


def name_of(document: Given, filename: str | None) -> str:
    """The name that the document is handed in under."""
    if filename:
        return filename
    if isinstance(document, str | Path):
        return Path(document).name
    name = getattr(document, "name", None)
    return Path(name).name if isinstance(name, str) else "document.pdf"


@contextmanager
def open_document(document: Given) -> Iterator[BinaryIO]:
    """The document as an open file; one that the caller opened stays open."""
    if isinstance(document, str | Path):
        with Path(document).open("rb") as file:
            yield file
    elif isinstance(document, bytes):
        yield BytesIO(document)
    else:
        yield document


def form_fields(options: Options) -> Mapping[str, str]:
    """The options as form fields; what is None is left to the server."""
    fields = {
        "pages": options.pages,
        "formats": join_names(options.formats),
        "providers": join_names(options.providers),
        "keep_running_headers": flag(options.keep_running_headers),
        "ocr": options.ocr,
        "mode": options.mode,
        "languages": join_names(options.languages),
        "tracked_changes": options.tracked_changes,
        "typography": options.typography,
        "embedded_files": options.embedded_files,
        "render": flag(options.render),
        "enrich": join_names(options.enrich),
        "extract": json.dumps(dict(options.extract)) if options.extract is not None else None,
        "split": options.split,
        "password": options.password,
        "metadata": json.dumps(dict(options.metadata)) if options.metadata is not None else None,
        "tags": join_names(options.tags),
        "collection": options.collection,
        "priority": number(options.priority),
        "expires_in": number(options.expires_in_seconds),
        "reuse": flag(options.reuse),
        "push_to": options.push_to,
        "webhook_url": options.webhook_url,
        "webhook_events": join_names(options.webhook_events),
        "webhook_secret": options.webhook_secret,
    }
    return {name: value for name, value in fields.items() if value is not None}


def json_options(options: Options) -> dict[str, object]:
    """The options as a JSON object; what is None is left to the server."""
    renamed = {"expires_in_seconds": "expires_in"}
    return {
        renamed.get(name, name): dict(value) if isinstance(value, Mapping) else value
        for name in Options.__dataclass_fields__
        if (value := getattr(options, name)) is not None
    }


def join_names(names: tuple[str, ...] | None) -> str | None:
    """Names as one field."""
    return ",".join(names) if names is not None else None


def flag(value: bool | None) -> str | None:
    """A yes or no as one field."""
    return None if value is None else str(value).lower()


def number(value: float | None) -> str | None:
    """A number as one field."""
    return None if value is None else f"{value:f}".rstrip("0").rstrip(".")
