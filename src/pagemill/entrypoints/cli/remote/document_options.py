"""What may be asked of documents, put together from the options of a command."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pagemill.entrypoints.cli.options import pairs_in
from pagemill.entrypoints.cli.remote.inputs import read_order

if TYPE_CHECKING:
    from pagemill.client import Options


def with_outputs(
    options: "Options",
    formats: str | None,
    providers: str | None,
    enrich: str | None,
    extract: Path | None = None,
) -> "Options":
    """The options with what is made, and by which engines."""
    made = replace(options, formats=names_in(formats), providers=names_in(providers))
    return replace(made, enrich=names_in(enrich), extract=read_order(extract))


def with_labels(
    options: "Options", metadata: list[str] | None, collection: str | None, tags: list[str] | None
) -> "Options":
    """The options with the labels of the documents."""
    return replace(
        options, metadata=pairs_in(metadata), collection=collection, tags=tuple(tags or ()) or None
    )


def with_receivers(
    options: "Options", push_to: str | None, webhook_url: str | None, webhook_events: list[str] | None
) -> "Options":
    """The options with where results are pushed to, and who is notified."""
    events = tuple(webhook_events or ()) or None
    return replace(options, push_to=push_to, webhook_url=webhook_url, webhook_events=events)


def names_in(text: str | None) -> tuple[str, ...] | None:
    """The names in a list with commas; None if there is none."""
    return tuple(text.split(",")) if text else None
