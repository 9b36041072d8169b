"""`pagemill batches`: its commands, with their options and their help."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from pagemill.entrypoints.cli.options import (
    DEFAULT_SERVER,
    ApiKey,
    AsJson,
    Enrich,
    Languages,
    Metadata,
    Mode,
    Ocr,
    Pages,
    Server,
    WebhookEvents,
    WebhookUrl,
)
from pagemill.entrypoints.cli.remote.commands import (
    Collection,
    Formats,
    Fresh,
    Inputs,
    PushTo,
    Tags,
)
from pagemill.entrypoints.cli.remote.document_options import (
    names_in,
    with_labels,
    with_outputs,
    with_receivers,
)

HELP = """Hand many documents to a server at once, and get their results in one file.

\b
  pagemill batches submit invoices/ --wait
  pagemill batches submit invoices.zip
  pagemill batches result ID -o invoices-markdown.zip
"""

app = typer.Typer(name="batches", help=HELP, no_args_is_help=True, rich_markup_mode=None)

BatchId = Annotated[str, typer.Argument(metavar="ID", help="Id of the batch.")]


@app.command()
def submit(
    documents: Inputs,
    wait: Annotated[bool, typer.Option("--wait", "-w", help="Wait until all items have ended.")] = False,
    name: Annotated[str, typer.Option(help="What the batch is called, for display.")] = "",
    formats: Formats = None,
    pages: Pages = None,
    ocr: Ocr = "auto",
    mode: Mode = "fast",
    languages: Languages = None,
    enrich: Enrich = None,
    no_reuse: Fresh = False,
    push_to: PushTo = None,
    webhook_url: WebhookUrl = None,
    webhook_event: WebhookEvents = None,
    metadata: Metadata = None,
    collection: Collection = None,
    tags: Tags = None,
    items: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            exists=True,
            help="JSON with options for single documents, by file name or number.",
        ),
    ] = None,
    as_json: AsJson = False,
    server: Server = DEFAULT_SERVER,
    api_key: ApiKey = None,
) -> None:
    """Hand in documents, folders of them, one ZIP or TAR archive, or URLs.

    The id of the batch comes back at once, or with --wait when all items have ended.
    """
    from pagemill.client import Options
    from pagemill.entrypoints.cli.batches import actions
    from pagemill.entrypoints.cli.remote.actions import ServerOptions

    options = Options(pages=pages, ocr=ocr, mode=mode, reuse=False if no_reuse else None)
    options = with_outputs(replace(options, languages=names_in(languages)), formats, None, enrich)
    options = with_labels(options, metadata, collection, tags)
    options = with_receivers(options, push_to, webhook_url, webhook_event)
    hand, each = ServerOptions(server, api_key, as_json), actions.read_each(items)
    raise typer.Exit(actions.submit(hand, documents, options, each, name, wait=wait))


@app.command(name="list")
def list_batches(
    limit: Annotated[int, typer.Option(min=1, help="Show this many, newest first.")] = 20,
    as_json: AsJson = False,
    server: Server = DEFAULT_SERVER,
    api_key: ApiKey = None,
) -> None:
    """List batches, newest first."""
    from pagemill.entrypoints.cli.batches import actions
    from pagemill.entrypoints.cli.remote.actions import ServerOptions

    actions.list_batches(ServerOptions(server, api_key, as_json), limit)


@app.command()
def status(
    batch_id: BatchId,
    watch: Annotated[bool, typer.Option("--watch", "-w", help="Follow the batch until it ends.")] = False,
    as_json: AsJson = False,
    server: Server = DEFAULT_SERVER,
    api_key: ApiKey = None,
) -> None:
    """Show the state of a batch; the exit code is 1 if an item failed."""
    from pagemill.entrypoints.cli.batches import actions
    from pagemill.entrypoints.cli.remote.actions import ServerOptions

    raise typer.Exit(actions.status(ServerOptions(server, api_key, as_json), batch_id, watch=watch))


@app.command()
def items(
    batch_id: BatchId,
    as_json: AsJson = False,
    server: Server = DEFAULT_SERVER,
    api_key: ApiKey = None,
) -> None:
    """List the items of a batch with their jobs and errors."""
    from pagemill.entrypoints.cli.batches import actions
    from pagemill.entrypoints.cli.remote.actions import ServerOptions

    actions.items(ServerOptions(server, api_key, as_json), batch_id)


@app.command()
def result(
    batch_id: BatchId,
    form: Annotated[
        str,
        typer.Option(
            "--format", "-f", help="What is given of each item: what `pagemill result` names, but images."
        ),
    ] = "markdown",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="ZIP file to write. [default: one JSON object per item on stdout]"
        ),
    ] = None,
    server: Server = DEFAULT_SERVER,
    api_key: ApiKey = None,
) -> None:
    """Fetch the results of all items: as a ZIP archive, or as lines of JSON on stdout."""
    from pagemill.entrypoints.cli.batches import actions
    from pagemill.entrypoints.cli.remote.actions import ServerOptions

    actions.result(ServerOptions(server, api_key, False), batch_id, form, output)


@app.command()
def cancel(
    batch_id: BatchId, as_json: AsJson = False, server: Server = DEFAULT_SERVER, api_key: ApiKey = None
) -> None:
    """Stop all items that have not ended."""
    from pagemill.entrypoints.cli.batches import actions
    from pagemill.entrypoints.cli.remote.actions import ServerOptions

    actions.cancel(ServerOptions(server, api_key, as_json), batch_id)


@app.command()
def retry(
    batch_id: BatchId,
    only: Annotated[Literal["failed", "all"], typer.Option(help="What is read again.")] = "failed",
    as_json: AsJson = False,
    server: Server = DEFAULT_SERVER,
    api_key: ApiKey = None,
) -> None:
    """Read again what failed, or all items."""
    from pagemill.entrypoints.cli.batches import actions
    from pagemill.entrypoints.cli.remote.actions import ServerOptions

    actions.retry(ServerOptions(server, api_key, as_json), batch_id, only)


@app.command()
def delete(batch_id: BatchId, server: Server = DEFAULT_SERVER, api_key: ApiKey = None) -> None:
    """Remove a batch with all its documents and results."""
    from pagemill.entrypoints.cli.batches import actions
    from pagemill.entrypoints.cli.remote.actions import ServerOptions

    actions.delete(ServerOptions(server, api_key, False), batch_id)
