"""`pagemill admin tenants`: the commands with their options and their help."""

from pathlib import Path
from typing import Annotated

import typer

from pagemill.entrypoints.cli.options import AsJson

HELP = "List, limit, export and delete tenants."
tenants_app = typer.Typer(name="tenants", help=HELP, no_args_is_help=True, rich_markup_mode=None)

TenantName = Annotated[str, typer.Argument(metavar="TENANT", help="Name of the tenant.")]


def limit_option(text: str) -> object:
    """An option for a limit of a tenant."""
    return typer.Option(min=-1, help=f"{text} -1 goes back to the setting.")


@tenants_app.command("list")
def list_tenants(as_json: AsJson = False) -> None:
    """List the tenants, with the limits that differ from the settings."""
    from pagemill.entrypoints.cli.admin import tenants

    tenants.list_tenants(as_json=as_json)


@tenants_app.command("set")
def set_limits(
    tenant: TenantName,
    *,
    retention_seconds: Annotated[
        float | None, limit_option("Documents and results are kept this long, and no longer.")
    ] = None,
    max_pending_jobs: Annotated[int | None, limit_option("Most jobs that may wait.")] = None,
    max_tenant_bytes: Annotated[int | None, limit_option("Most bytes of documents; 0 is no limit.")] = None,
    max_tenant_pages_per_day: Annotated[
        int | None, limit_option("Most pages in a day; 0 is no limit.")
    ] = None,
    max_requests_per_minute: Annotated[
        int | None, limit_option("Most requests in a minute; 0 is no limit.")
    ] = None,
    max_tenant_uploads: Annotated[int | None, limit_option("Most large uploads at once.")] = None,
    max_tenant_waiting_requests: Annotated[
        int | None, limit_option("Most long polls and streams at once.")
    ] = None,
    enrich: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="What is added to every document, such as class,entities. -1 goes back to the setting.",
        ),
    ] = None,
) -> None:
    """Give a tenant limits of its own.

    They hold within two seconds in all processes; what is not named stays as it is. A shorter retention holds for the
    jobs that are there, too.
    """
    from pagemill.entrypoints.cli.admin import tenants

    changes = {name: value for name, value in locals().items() if name not in ("tenant", "tenants")}
    tenants.change_limits(tenant, changes)


@tenants_app.command("delete")
def delete_tenant(
    tenant: TenantName,
    yes: Annotated[bool, typer.Option("--yes", help="Do it.")] = False,
) -> None:
    """Delete everything that a tenant has, at once and for good.

    Its keys are revoked and its jobs stopped; documents, results, webhooks, deliveries, events and limits are
    deleted. Only the lines of the audit log stay.
    """
    from pagemill.entrypoints.cli.admin import tenants

    tenants.delete_tenant(tenant, confirmed=yes)


@tenants_app.command("export")
def export_tenant(
    tenant: TenantName,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A ZIP file that is not there yet.")],
) -> None:
    """Write everything that a tenant has into a ZIP file.

    Its rows as JSON lines, its documents, and what was made of them. Secrets are left out. The exit code is 1 if a
    file is missing in the store.
    """
    from pagemill.entrypoints.cli.admin import tenants

    raise typer.Exit(tenants.export_tenant(tenant, file))
