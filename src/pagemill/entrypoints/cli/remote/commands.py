"""The commands that talk to a running server: their options and their help."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from pagemill.entrypoints.cli.options import (
    DEFAULT_SERVER,
    ApiKey,
    AsJson,
    EmbeddedFiles,
    Enrich,
    Extract,
    JobId,
    JobIds,
    KeepHeaders,
    Languages,
    Metadata,
    Mode,
    Ocr,
    Pages,
    Password,
    Providers,
    Render,
    Server,
    SplitStack,
    State,
    TrackedChanges,
    Typography,
    WebhookEvents,
    WebhookUrl,
)
from pagemill.entrypoints.cli.remote.document_options import (
    names_in,
    with_labels,
    with_outputs,
    with_receivers,
)
from pagemill.entrypoints.cli.remote.finding_commands import FINDING_COMMANDS

Formats = Annotated[
    str | None,
    typer.Option(
        "--format",
        "-f",
        help="What to make: markdown, json, text, html, or what `result` names; several with commas. "
        "[default: those four]",
    ),
]
Inputs = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE|FOLDER|URL",
        help="Documents, folders that hold them, patterns in quotes, or URLs that the server fetches.",
    ),
]
Headers = Annotated[
    list[str] | None,
    typer.Option(
        "--header", "-H", metavar="NAME: VALUE", help="Header for the servers of URLs; may be repeated."
    ),
]
WithStatus = Annotated[
    State | None, typer.Option("--status", help="Instead of ids: all jobs with this status.")
]
WithName = Annotated[
    str | None, typer.Option("--filename", help="Instead of ids: all jobs with this in the document's name.")
]
Fresh = Annotated[
    bool, typer.Option("--no-reuse", help="Read the document even if its result is already there.")
]
Priority = Annotated[int | None, typer.Option(help="Higher goes first among your own.")]
ExpiresIn = Annotated[float | None, typer.Option(min=1, metavar="SECONDS", help="Keep the job this long.")]
PushTo = Annotated[
    str | None, typer.Option(metavar="URL", help="Push the results to this bucket or folder, by the server.")
]

Collection = Annotated[str | None, typer.Option(help="The collection that the documents belong to.")]
Tags = Annotated[list[str] | None, typer.Option("--tag", help="A tag of the documents; may be repeated.")]


def submit(
    documents: Inputs,
    wait: Annotated[bool, typer.Option("--wait", "-w", help="Wait until all are done.")] = False,
    formats: Formats = None,
    pages: Pages = None,
    password: Password = None,
    keep_headers: KeepHeaders = False,
    ocr: Ocr = "auto",
    mode: Mode = "fast",
    languages: Languages = None,
    typography: Typography = "printed",
    tracked_changes: TrackedChanges = "final",
    embedded_files: EmbeddedFiles = "list",
    enrich: Enrich = None,
    extract: Extract = None,
    split: SplitStack = None,
    render: Render = None,
    providers: Providers = None,
    no_reuse: Fresh = False,
    priority: Priority = None,
    expires_in: ExpiresIn = None,
    push_to: PushTo = None,
    webhook_url: WebhookUrl = None,
    webhook_event: WebhookEvents = None,
    metadata: Metadata = None,
    collection: Collection = None,
    tags: Tags = None,
    header: Headers = None,
    as_json: AsJson = False,
    server: Server = DEFAULT_SERVER,
    api_key: ApiKey = None,
) -> None:
    """Hand documents to a server; the ids of their jobs come back at once, or with --wait when all are done.

    Example: pagemill submit 'scans/**/*.tif' https://example.org/a.pdf -H 'Authorization: Bearer KEY'
    """
    from pagemill.client import Options
    from pagemill.entrypoints.cli.remote import actions

    options = Options(pages=pages, password=password, ocr=ocr, mode=mode, typography=typography, split=split)
    options = replace(options, tracked_changes=tracked_changes, embedded_files=embedded_files, render=render)
    options = replace(options, reuse=False if no_reuse else None, keep_running_headers=keep_headers or None)
    options = replace(
        options, expires_in_seconds=expires_in, priority=priority, languages=names_in(languages)
    )
    options = with_outputs(options, formats, providers, enrich, extract)
    options = with_labels(options, metadata, collection, tags)
    options = with_receivers(options, push_to, webhook_url, webhook_event)
    hand, headers = actions.ServerOptions(server, api_key, as_json), actions.parse_headers(header or ())
    raise typer.Exit(actions.submit(hand, documents, options, headers, wait=wait))


def status(
    job_id: JobId,
    watch: Annotated[bool, typer.Option("--watch", "-w", help="Follow the job until it ends.")] = False,
    as_json: AsJson = False,
    server: Server = DEFAULT_SERVER,
    api_key: ApiKey = None,
) -> None:
    """Show the state of a job.

    The exit code is 1 if the job failed.
    """
    from pagemill.entrypoints.cli.remote.actions import ServerOptions
    from pagemill.entrypoints.cli.remote.actions import status as run

    raise typer.Exit(run(ServerOptions(server, api_key, as_json), job_id, watch=watch))


def result(
    job_id: JobId,
    name: Annotated[
        str,
        typer.Option(
            "--format",
            "-f",
            help="markdown, json, text, html, markdown_det, chunks, entities, facts, parts, line_labels, tables, blocks, "
            "docx, images, layout, searchable, pdfa, view or archive.",
        ),
    ] = "markdown",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="File to write, or folder for images. [default: stdout]"),
    ] = None,
    password: Password = None,
    server: Server = DEFAULT_SERVER,
    api_key: ApiKey = None,
) -> None:
    """Fetch what was made of a document.

    \b
    Examples:
      pagemill result ID
      pagemill result ID --format json -o report.json
      pagemill result ID --format images -o figures
    """
    from pagemill.entrypoints.cli.remote.actions import ServerOptions
    from pagemill.entrypoints.cli.remote.actions import result as run

    run(ServerOptions(server, api_key, False), job_id, name, output, password)


def pages(
    job_id: JobId,
    first: Annotated[int, typer.Option(min=1, help="The page to start with.")] = 1,
    follow: Annotated[bool, typer.Option("--follow", help="Wait for pages until the job ends.")] = False,
    server: Server = DEFAULT_SERVER,
    api_key: ApiKey = None,
) -> None:
    """Print what was read on each page, one JSON object per line.

    \b
    Examples:
      pagemill pages ID | jq .number
      pagemill pages ID --follow
    """
    from pagemill.entrypoints.cli.remote.actions import ServerOptions
    from pagemill.entrypoints.cli.remote.actions import pages as run

    run(ServerOptions(server, api_key, False), job_id, first=first, follow=follow)


def cancel(
    job_ids: JobIds = None,
    status: WithStatus = None,
    filename: WithName = None,
    as_json: AsJson = False,
    server: Server = DEFAULT_SERVER,
    api_key: ApiKey = None,
) -> None:
    """Stop jobs.

    \b
    Examples:
      pagemill cancel ID
      pagemill cancel --status pending --filename draft
    """
    from pagemill.entrypoints.cli.remote.actions import ServerOptions
    from pagemill.entrypoints.cli.remote.actions import cancel as run
    from pagemill.entrypoints.cli.remote.selection import select_jobs

    raise typer.Exit(run(ServerOptions(server, api_key, as_json), select_jobs(job_ids, status, filename)))


def retry(
    job_ids: JobIds = None,
    status: WithStatus = None,
    filename: WithName = None,
    failed: Annotated[bool, typer.Option("--failed", help="Read only the pages again that failed.")] = False,
    password: Password = None,
    as_json: AsJson = False,
    server: Server = DEFAULT_SERVER,
    api_key: ApiKey = None,
) -> None:
    """Read the documents of finished jobs again.

    The old result of a job stays readable until the new one is there.

    \b
    Examples:
      pagemill retry ID --failed
      pagemill retry --status failed
    """
    from pagemill.entrypoints.cli.remote.actions import ServerOptions
    from pagemill.entrypoints.cli.remote.actions import retry as run
    from pagemill.entrypoints.cli.remote.selection import select_jobs

    selection = select_jobs(job_ids, status, filename)
    only = "failed" if failed else "all"
    raise typer.Exit(run(ServerOptions(server, api_key, as_json), selection, only=only, password=password))


def delete(
    job_ids: JobIds = None,
    status: WithStatus = None,
    filename: WithName = None,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Don't ask before deleting jobs that a filter finds.")
    ] = False,
    as_json: AsJson = False,
    server: Server = DEFAULT_SERVER,
    api_key: ApiKey = None,
) -> None:
    """Remove jobs with their documents and results.

    \b
    Examples:
      pagemill delete ID
      pagemill delete --status failed --yes
    """
    from pagemill.entrypoints.cli.remote.actions import ServerOptions
    from pagemill.entrypoints.cli.remote.actions import delete as run
    from pagemill.entrypoints.cli.remote.selection import select_jobs

    selection = select_jobs(job_ids, status, filename)
    raise typer.Exit(run(ServerOptions(server, api_key, as_json), selection, confirmed=yes))


def events(
    job_id: Annotated[
        str | None, typer.Argument(metavar="ID", help="Id of the job. [default: all jobs]")
    ] = None,
    follow: Annotated[
        bool, typer.Option("--follow", help="Go on as things happen; for one job, to its end.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document per line.")] = False,
    server: Server = DEFAULT_SERVER,
    api_key: ApiKey = None,
) -> None:
    """Show the event log, of one job or of all.

    The log of all jobs has the requests that were refused, too.
    """
    from pagemill.entrypoints.cli.remote.actions import ServerOptions
    from pagemill.entrypoints.cli.remote.actions import events as run

    run(ServerOptions(server, api_key, as_json), job_id, follow=follow)


def mcp(
    folder: Annotated[
        list[Path] | None,
        typer.Option(help="Documents may be handed in from below this folder; may be repeated. [default: .]"),
    ] = None,
    server: Server = DEFAULT_SERVER,
    api_key: ApiKey = None,
) -> None:
    """Offer a server to language models as tools of the Model Context Protocol, over stdin and stdout."""
    from pagemill.entrypoints.cli.remote.actions import ServerOptions, connect
    from pagemill.entrypoints.cli.remote.mcp_tools import build_server

    with connect(ServerOptions(server, api_key, as_json=False)) as client:
        build_server(client, folder or [Path()]).run("stdio")


COMMANDS = (submit, *FINDING_COMMANDS, status, result, pages, cancel, retry, delete, events, mcp)
