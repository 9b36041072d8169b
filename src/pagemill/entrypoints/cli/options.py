"""Options that several commands take."""

from pathlib import Path
from typing import Annotated, Literal

import typer

DEFAULT_SERVER = "http://127.0.0.1:8080"
State = Literal["pending", "processing", "completed", "failed", "cancelled"]
AsJson = Annotated[bool, typer.Option("--json", help="Answer in JSON on stdout, with nothing else there.")]
FormatNames = Annotated[
    str,
    typer.Option(
        "--format",
        "-f",
        help="What to make: markdown, json, text, html, markdown_det, chunks, entities, facts, parts, line_labels, tables, "
        "blocks, docx, images, layout, searchable, pdfa, view, archive; several with commas.",
    ),
]
Pages = Annotated[str | None, typer.Option(metavar="RANGES", help="Only these pages, such as 1-3,7.")]
Password = Annotated[str | None, typer.Option(help="Password of an encrypted document.")]
KeepHeaders = Annotated[
    bool, typer.Option("--keep-headers", help="Keep running headers and footers in the text.")
]
Ocr = Annotated[
    Literal["auto", "force", "off"],
    typer.Option(help="OCR, recognising text in images: where it is needed, on every page, or never."),
]
Mode = Annotated[
    Literal["fast", "accurate"],
    typer.Option(help="accurate also reads the words in pictures on pages that have text."),
]
Typography = Annotated[
    Literal["printed", "ascii"],
    typer.Option(help="Quotes, dashes and ligatures as they are printed, or in ASCII."),
]
TrackedChanges = Annotated[
    Literal["final", "original", "both"],
    typer.Option(help="What is read of an office file with tracked changes."),
]
EmbeddedFiles = Annotated[
    Literal["list", "process"],
    typer.Option(help="List the files inside of documents, or read each as a document of its own."),
]
Render = Annotated[
    bool | None,
    typer.Option("--render", help="Also render office files to pages by LibreOffice, where it is installed."),
]
Enrich = Annotated[
    str | None, typer.Option(metavar="NAMES", help="Add these to the result, such as class,entities,facts.")
]
Extract = Annotated[
    Path | None,
    typer.Option(metavar="FILE", exists=True, help="Extract values: a JSON file with a schema in `schema`."),
]
SplitStack = Annotated[
    Literal["off", "suggest", "auto"] | None,
    typer.Option("--split", help="Look for several documents in a stack of scans, or also split it."),
]
Languages = Annotated[
    str | None, typer.Option("--lang", metavar="CODES", help="Languages of scanned pages, such as en,de.")
]
Providers = Annotated[
    str | None,
    typer.Option(metavar="NAMES", help="Engines to read with, in this order. [default: PAGEMILL_PROVIDERS]"),
]
WebhookUrl = Annotated[
    str | None, typer.Option(metavar="URL", help="Notify this address of what becomes of the documents.")
]
WebhookEvents = Annotated[
    list[str] | None,
    typer.Option(
        "--webhook-event", metavar="TYPE", help="Of these events; may be repeated. [default: the ends]"
    ),
]
Metadata = Annotated[
    list[str] | None,
    typer.Option("--metadata", metavar="KEY=VALUE", help="Metadata of the documents; may be repeated."),
]
Server = Annotated[
    str,
    typer.Option(envvar="PAGEMILL_SERVER", metavar="URL", help="Address of the server.", show_envvar=True),
]
ApiKey = Annotated[
    str | None,
    typer.Option(envvar="PAGEMILL_API_KEY", metavar="KEY", help="API key of the server.", show_envvar=True),
]
JobId = Annotated[str, typer.Argument(metavar="ID", help="Id of the job.")]
JobIds = Annotated[list[str] | None, typer.Argument(metavar="ID", help="Ids of the jobs.")]


def pairs_in(lines: list[str] | None) -> dict[str, str] | None:
    """Metadata from lines such as `customer=4711`; None if there are none."""
    parted = [line.partition("=") for line in lines or ()]
    if not all(sign and key for key, sign, _ in parted):
        raise typer.BadParameter("Write metadata as KEY=VALUE.", param_hint="--metadata")
    return {key: value for key, _, value in parted} or None
