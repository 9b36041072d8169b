"""The commands that find documents on a running server: their options and their help."""

from typing import Annotated, Any

import typer

from pagemill.entrypoints.cli.filter_options import filters_in, with_filters, with_list_filters
from pagemill.entrypoints.cli.options import DEFAULT_SERVER, ApiKey, AsJson, JobId, Server, State


@with_list_filters
def jobs(
    status: Annotated[State | None, typer.Option(help="Only jobs with this status.")] = None,
    filename: Annotated[str | None, typer.Option(help="Part of the document's name.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="Show this many, newest first.")] = 20,
    *,
    as_json: AsJson = False,
    server: Server = DEFAULT_SERVER,
    api_key: ApiKey = None,
    **filters: Any,
) -> None:
    """List jobs, newest first."""
    from pagemill.entrypoints.cli.remote.actions import ServerOptions
    from pagemill.entrypoints.cli.remote.actions import jobs as run

    hand = ServerOptions(server, api_key, as_json)
    run(hand, status=status, filename=filename, limit=limit, **filters_in(filters))


@with_filters
def search(
    query: Annotated[str, typer.Argument(metavar="WORDS", help='Words, a "phrase", begin*, -without.')],
    limit: Annotated[int, typer.Option(min=1, max=100, help="Show this many, best first.")] = 20,
    mode: Annotated[
        str, typer.Option(help="text finds words, vector what is near in meaning, hybrid both.")
    ] = "text",
    *,
    as_json: AsJson = False,
    server: Server = DEFAULT_SERVER,
    api_key: ApiKey = None,
    **filters: Any,
) -> None:
    """Search in everything that was read.

    The exit code is 1 if nothing was found.

    \b
    Examples:
      pagemill search 'grain prices' --collection bills --tag paid --tag march
      pagemill search '"net total"' --class invoice --metadata customer=4711
    """
    from pagemill.entrypoints.cli.remote.actions import ServerOptions
    from pagemill.entrypoints.cli.remote.searching import search as run

    hand = ServerOptions(server, api_key, as_json)
    raise typer.Exit(run(hand, query, limit=limit, mode=mode, **filters_in(filters)))


def labels(as_json: AsJson = False, server: Server = DEFAULT_SERVER, api_key: ApiKey = None) -> None:
    """List the collections and tags of all jobs, with how many jobs have each."""
    from pagemill.entrypoints.cli.remote.actions import ServerOptions
    from pagemill.entrypoints.cli.remote.searching import list_labels

    list_labels(ServerOptions(server, api_key, as_json))


def label(
    job_id: JobId,
    collection: Annotated[
        str | None, typer.Option(help="The collection that it belongs to; empty for none.")
    ] = None,
    tags: Annotated[
        list[str] | None,
        typer.Option("--tag", help="A tag instead of those that it has; may be repeated, empty for none."),
    ] = None,
    as_json: AsJson = False,
    server: Server = DEFAULT_SERVER,
    api_key: ApiKey = None,
) -> None:
    """Change the collection and the tags of a job, or show them."""
    from pagemill.entrypoints.cli.remote.actions import ServerOptions
    from pagemill.entrypoints.cli.remote.searching import label as run

    run(ServerOptions(server, api_key, as_json), job_id, collection=collection, tags=tags)


FINDING_COMMANDS = (jobs, search, label, labels)
