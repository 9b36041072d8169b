"""`pagemill webhooks`: its commands, with their options and their help."""

from typing import Annotated, Literal

import typer

from pagemill.entrypoints.cli.options import DEFAULT_SERVER, ApiKey, AsJson, Server

HELP = """Have a server notify others of what happens to jobs.

\b
  pagemill webhooks add https://app.example/hook --event job.completed
  pagemill webhooks deliveries --state failed
"""

app = typer.Typer(name="webhooks", help=HELP, no_args_is_help=True, rich_markup_mode=None)

WebhookId = Annotated[str, typer.Argument(metavar="ID", help="Id of the webhook.")]
DeliveryId = Annotated[str, typer.Argument(metavar="DELIVERY", help="Id of the delivery.")]
Events = Annotated[
    list[str] | None,
    typer.Option(
        "--event", metavar="TYPE", help="Such as job.completed or job.*; may be repeated. [default: ends]"
    ),
]
State = Annotated[
    Literal["pending", "sending", "delivered", "failed", "cancelled"] | None,
    typer.Option(help="Only deliveries in this state."),
]
Since = Annotated[
    str, typer.Option(metavar="TIME", help="Those made since then, such as 2026-11-15T00:00:00Z.")
]


@app.command()
def add(
    url: Annotated[str, typer.Argument(metavar="URL", help="Where the events are sent.")],
    event: Events = None,
    description: Annotated[str, typer.Option(help="Your own words, for the list.")] = "",
    progress_percent: Annotated[
        int | None, typer.Option(min=1, max=100, help="Send job.progress in such steps. [default: 10]")
    ] = None,
    progress_pages: Annotated[
        int | None, typer.Option(min=1, help="Send job.progress every so many pages instead.")
    ] = None,
    as_json: AsJson = False,
    server: Server = DEFAULT_SERVER,
    api_key: ApiKey = None,
) -> None:
    """Register an address and show its secret, this once."""
    from pagemill.entrypoints.cli.remote.actions import ServerOptions
    from pagemill.entrypoints.cli.webhooks import actions

    steps = {"progress_percent": progress_percent, "progress_pages": progress_pages}
    actions.add(ServerOptions(server, api_key, as_json), url, event or (), description, steps)


@app.command("list")
def list_webhooks(as_json: AsJson = False, server: Server = DEFAULT_SERVER, api_key: ApiKey = None) -> None:
    """List the registered addresses."""
    from pagemill.entrypoints.cli.remote.actions import ServerOptions
    from pagemill.entrypoints.cli.webhooks import actions

    actions.list_webhooks(ServerOptions(server, api_key, as_json))


@app.command()
def remove(webhook_id: WebhookId, server: Server = DEFAULT_SERVER, api_key: ApiKey = None) -> None:
    """Remove an address; what waits for it is cancelled."""
    from pagemill.entrypoints.cli.remote.actions import ServerOptions
    from pagemill.entrypoints.cli.webhooks import actions

    actions.remove(ServerOptions(server, api_key, as_json=False), webhook_id)


@app.command()
def enable(webhook_id: WebhookId, server: Server = DEFAULT_SERVER, api_key: ApiKey = None) -> None:
    """Send to an address again that was disabled."""
    from pagemill.entrypoints.cli.remote.actions import ServerOptions
    from pagemill.entrypoints.cli.webhooks import actions

    actions.enable(ServerOptions(server, api_key, as_json=False), webhook_id)


@app.command()
def disable(webhook_id: WebhookId, server: Server = DEFAULT_SERVER, api_key: ApiKey = None) -> None:
    """Send nothing more to an address until it is enabled again."""
    from pagemill.entrypoints.cli.remote.actions import ServerOptions
    from pagemill.entrypoints.cli.webhooks import actions

    actions.disable(ServerOptions(server, api_key, as_json=False), webhook_id)


@app.command()
def rotate(
    webhook_id: WebhookId,
    overlap: Annotated[
        float, typer.Option(min=0, metavar="SECONDS", help="The old secret is valid so long.")
    ] = 86_400,
    as_json: AsJson = False,
    server: Server = DEFAULT_SERVER,
    api_key: ApiKey = None,
) -> None:
    """Make a new secret and show it, this once.

    Doing so again while the old one is valid drops that at once.
    """
    from pagemill.entrypoints.cli.remote.actions import ServerOptions
    from pagemill.entrypoints.cli.webhooks import actions

    actions.rotate(ServerOptions(server, api_key, as_json), webhook_id, overlap)


@app.command("test")
def try_out(
    webhook_id: WebhookId, as_json: AsJson = False, server: Server = DEFAULT_SERVER, api_key: ApiKey = None
) -> None:
    """Send a test message and show how it was answered.

    The exit code is 1 if it was not taken.
    """
    from pagemill.entrypoints.cli.remote.actions import ServerOptions
    from pagemill.entrypoints.cli.webhooks import actions

    raise typer.Exit(actions.try_out(ServerOptions(server, api_key, as_json), webhook_id))


@app.command()
def deliveries(
    webhook: Annotated[str | None, typer.Option(metavar="ID", help="Only those of this webhook.")] = None,
    job: Annotated[str | None, typer.Option(metavar="ID", help="Only those about this job.")] = None,
    state: State = None,
    limit: Annotated[int, typer.Option(min=1, max=200, help="Show this many, newest first.")] = 20,
    as_json: AsJson = False,
    server: Server = DEFAULT_SERVER,
    api_key: ApiKey = None,
) -> None:
    """List what was sent or is to be sent, newest first."""
    from pagemill.entrypoints.cli.remote.actions import ServerOptions
    from pagemill.entrypoints.cli.webhooks import actions

    wanted: dict[str, str | int | None] = {"webhook": webhook, "job": job, "state": state, "limit": limit}
    actions.deliveries(ServerOptions(server, api_key, as_json), wanted)


@app.command()
def delivery(
    delivery_id: DeliveryId, as_json: AsJson = False, server: Server = DEFAULT_SERVER, api_key: ApiKey = None
) -> None:
    """Show one delivery: its message, and every attempt with the answer to it."""
    from pagemill.entrypoints.cli.remote.actions import ServerOptions
    from pagemill.entrypoints.cli.webhooks import actions

    actions.show_log(ServerOptions(server, api_key, as_json), delivery_id)


@app.command()
def replay(
    delivery_id: DeliveryId, as_json: AsJson = False, server: Server = DEFAULT_SERVER, api_key: ApiKey = None
) -> None:
    """Send a delivery that has ended once more."""
    from pagemill.entrypoints.cli.remote.actions import ServerOptions
    from pagemill.entrypoints.cli.webhooks import actions

    actions.replay(ServerOptions(server, api_key, as_json), delivery_id)


@app.command("replay-failed")
def replay_failed(
    webhook_id: WebhookId,
    since: Since,
    as_json: AsJson = False,
    server: Server = DEFAULT_SERVER,
    api_key: ApiKey = None,
) -> None:
    """Send everything that failed for a webhook since a time once more."""
    from pagemill.entrypoints.cli.remote.actions import ServerOptions
    from pagemill.entrypoints.cli.webhooks import actions

    actions.replay_failed(ServerOptions(server, api_key, as_json), webhook_id, since)
