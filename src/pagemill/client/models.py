"""Values of the client's own: what may be asked of a job, and how a server does. `shapes` has what the API answers with."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Facts = Mapping[str, Any]
# The artifacts that are one file, by name, with their addresses below that of the job.
ARTIFACTS = {
    "markdown": "markdown",
    "json": "result",
    "text": "text",
    "html": "html",
    "markdown_det": "markdown_det",
    "chunks": "chunks",
    "entities": "entities",
    "facts": "facts",
    "parts": "parts",
    "line_labels": "line_labels",
    "tables": "tables.xlsx",
    "blocks": "blocks.jsonl",
    "docx": "document.docx",
    "layout": "layout.pdf",
    "searchable": "searchable.pdf",
    "pdfa": "document.pdfa.pdf",
    "view": "view.html",
    "archive": "archive.zip",
}


@dataclass(frozen=True, slots=True)
class Options:
    """What may be asked of a job, beside handing in the document; None leaves it to the server."""

    pages: str | None = None
    formats: tuple[str, ...] | None = None
    providers: tuple[str, ...] | None = None
    keep_running_headers: bool | None = None
    ocr: str | None = None
    mode: str | None = None
    languages: tuple[str, ...] | None = None
    tracked_changes: str | None = None
    typography: str | None = None
    embedded_files: str | None = None
    render: bool | None = None
    enrich: tuple[str, ...] | None = None
    extract: Mapping[str, object] | None = None
    split: str | None = None
    password: str | None = field(default=None, repr=False)
    metadata: Mapping[str, str] | None = None
    tags: tuple[str, ...] | None = None
    collection: str | None = None
    priority: int | None = None
    expires_in_seconds: float | None = None
    reuse: bool | None = None
    push_to: str | None = None
    webhook_url: str | None = None
    webhook_events: tuple[str, ...] | None = None
    webhook_secret: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class ServerHealth:
    """What a server says about itself; `reasons` says why it is not ready."""

    alive: bool
    ready: bool
    version: str
    reasons: tuple[str, ...]
    facts: Facts
