"""The options of a submission, as the OpenAPI document describes them."""

from typing import Any

from pagemill.entrypoints.api import examples
from pagemill.model.formats import FORMATS, ON_DEMAND
from pagemill.model.options import (
    CHANGE_CHOICES,
    EMBEDDED_CHOICES,
    MAX_EXPIRES_SECONDS,
    MAX_PRIORITY,
    MODES,
    OCR_CHOICES,
    SPLIT_CHOICES,
    TYPOGRAPHY_CHOICES,
)

OPTIONS: dict[str, dict[str, Any]] = {
    "pages": {
        "type": "string",
        "description": "Pages to read, such as `1-3,7`; all if left out.",
        "example": "1-3,7",
    },
    "formats": {
        "type": "string",
        "description": f"What to make, separated by commas or repeated: {', '.join(FORMATS)}; these if left out. Further, made "
        f"when they are first asked for: {', '.join(ON_DEMAND)}; `images` has Markdown and HTML refer to the figures.",
        "example": "markdown,json",
    },
    "providers": {
        "type": "string",
        "description": "Engines to read with, tried in this order; those of the installation if left out.",
        "example": "liteparse,pdfium",
    },
    "keep_running_headers": {
        "type": "boolean",
        "default": False,
        "description": "Keep running headers and footers.",
    },
    "ocr": {
        "type": "string",
        "enum": list(OCR_CHOICES),
        "default": "auto",
        "description": "OCR, recognising text in images: where a page needs it, on every page, or never.",
    },
    "mode": {
        "type": "string",
        "enum": list(MODES),
        "default": "fast",
        "description": "`accurate` also reads the words in pictures on pages that have text.",
    },
    "languages": {
        "type": "string",
        "example": "en,de",
        "description": "Languages of scanned pages as ISO 639 codes; found out if left out.",
    },
    "tracked_changes": {
        "type": "string",
        "enum": list(CHANGE_CHOICES),
        "default": "final",
        "description": "What is read of an office file with tracked changes: the text with them, without them, or both.",
    },
    "typography": {
        "type": "string",
        "enum": list(TYPOGRAPHY_CHOICES),
        "default": "printed",
        "description": "Quotes, dashes and ligatures as they are printed, or written in ASCII.",
    },
    "embedded_files": {
        "type": "string",
        "enum": list(EMBEDDED_CHOICES),
        "default": "list",
        "description": "Files inside of the document (attachments, embedded files, images of office files): list them, or "
        "`process` each as a document of its own, found at `/v1/jobs/{id}/children`. Those of an archive always are.",
    },
    "render": {
        "type": "boolean",
        "default": False,
        "description": "Also render an office file to pages by LibreOffice, where that is installed: its blocks get the pages "
        "and boxes on which they were printed, and its pages have images.",
    },
    "enrich": {
        "type": "string",
        "description": "What is added to the result before it is published, separated by commas or repeated: chunks, entities, "
        "facts, parts, class (the class of the document, from rules and labelled examples), names (persons, places and more, by "
        "the language model), and the enrichers that are installed.",
    },
    "extract": {
        "type": "string",
        "description": "Values to extract before the result is published, as JSON with a `schema` and perhaps `instructions`; "
        "found at `/v1/jobs/{id}/enrichments/extraction`. A failure costs a warning.",
        "example": '{"schema": {"type": "object", "properties": {"total": {"type": "number"}}}}',
    },
    "split": {
        "type": "string",
        "enum": list(SPLIT_CHOICES),
        "default": "off",
        "description": "Where a stack of scans has several documents: `suggest` makes `/v1/jobs/{id}/parts` with the result, and "
        "`auto` makes each part a document of its own, found at `/v1/jobs/{id}/children`.",
    },
    "password": {
        "type": "string",
        "description": "The password of an encrypted document. Prefer a form field to the query.",
    },
    "priority": {
        "type": "integer",
        "minimum": -MAX_PRIORITY,
        "maximum": MAX_PRIORITY,
        "default": 0,
        "description": "Higher is read earlier.",
    },
    "metadata": {
        "type": "string",
        "description": "Your own labels: a JSON object of strings, at most 64 of them and 16 kB.",
        "example": '{"customer": "4711"}',
    },
    "tags": {
        "type": "string",
        "description": "Tags of the document, separated by commas, for lists and search; kept as `tags` of the metadata.",
        "example": "paid,march",
    },
    "collection": {
        "type": "string",
        "description": "The collection that the document belongs to; kept as `collection` of the metadata.",
        "example": "bills",
    },
    "expires_in": {
        "type": "number",
        "minimum": 1,
        "maximum": MAX_EXPIRES_SECONDS,
        "description": "Seconds until the document and its results are removed.",
    },
    "reuse": {
        "type": "boolean",
        "default": True,
        "description": "Answer from an equal result if there is one.",
    },
    "filename": {
        "type": "string",
        "description": "The name of the document, for display.",
        "example": "report.pdf",
    },
    "webhook_url": {
        "type": "string",
        "example": "https://app.example/hook",
        "description": "An address that is notified of this job, beside registered webhooks.",
    },
    "webhook_events": {
        "type": "string",
        "example": "job.completed,job.failed",
        "description": "The events that it is notified of; the ends of the job if left out.",
    },
    "webhook_secret": {
        "type": "string",
        "description": "`whsec_…` that signs what is sent there; that of `GET /v1/webhooks/job-secret` if left out.",
    },
    "push_to": {
        "type": "string",
        "example": "s3://results/march/",
        "description": "A bucket or folder, one that PAGEMILL_PUSH_PREFIXES allows, that the result is pushed to at the end.",
    },
    "upload_id": {
        "type": "string",
        "example": examples.EXAMPLE_ID,
        "description": "Take the document that was uploaded at `/v1/uploads`, by a link or in parts; the body is empty then.",
    },
}
FORM_OPTIONS = {name: schema for name, schema in OPTIONS.items() if name != "upload_id"}
FILE = {
    "type": "string",
    "format": "binary",
    "description": "The document: a PDF, an image, an office file or a text.",
}
