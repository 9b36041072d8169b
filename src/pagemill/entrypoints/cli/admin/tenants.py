"""What `pagemill admin tenants` does."""

from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path

from pagemill.db import tenant_limits
from pagemill.desk import tenant_export, tenants
from pagemill.desk.tenant_keys import check_names
from pagemill.entrypoints.cli.admin.actions import open_database, show
from pagemill.entrypoints.configuration import settings_from
from pagemill.entrypoints.output.terminal import EXIT_FAILED, answer, answer_json, format_count, say
from pagemill.errors import Refused
from pagemill.model.tenant_limits import TenantOverride
from pagemill.reading.enricher import enricher_names
from pagemill.wiring import blobs_of

# What an option is given to go back to the settings.
AS_SETTINGS = -1


def list_tenants(*, as_json: bool) -> None:
    """Show the tenants and what differs for them."""
    with open_database(settings_from()) as db:
        found = tenants.list_tenants(db)
    if as_json:
        answer_json({"tenants": [asdict(one) for one in found]})
        return
    show(("TENANT", "LIMITS OF ITS OWN"), [(one.tenant, describe(one)) for one in found])


def describe(override: TenantOverride) -> str:
    """What differs for a tenant, in a line."""
    shown = (
        (name, value if isinstance(value, str) else f"{value:g}")
        for name, value in override.changes().items()
    )
    return " ".join(f"{name}={value}" for name, value in shown)


def change_limits(tenant: str, changes: dict[str, float | str | None]) -> None:
    """Change what differs for a tenant; what is not given stays."""
    check_names(tenant, "limits")
    with open_database(settings_from()) as db:
        former = db.read(lambda conn: tenant_limits.one(conn, tenant))
        given = {name: value for name, value in changes.items() if value is not None}
        check_enrichers(str(given.get("enrich") or ""))
        new = {
            name: None if value in (AS_SETTINGS, str(AS_SETTINGS)) else value for name, value in given.items()
        }
        override = replace(former, **new)  # type: ignore[arg-type]
        sooner = tenants.change_limits(db, override)
    answer(f"{tenant}: {describe(override) or 'as the settings say'}")
    if sooner:
        say(f"{format_count(sooner, 'job')} will be removed earlier than before.")


def check_enrichers(listed: str) -> None:
    """Raises Refused if something is to be added to every document that no enricher here makes."""
    known = enricher_names()
    for name in filter(None, (one.strip() for one in listed.split(","))):
        if name not in (*known, str(AS_SETTINGS)):
            raise Refused(f"There is no enricher {name}; known here are {', '.join(known)}.")


def delete_tenant(tenant: str, *, confirmed: bool) -> None:
    """Delete everything that a tenant has."""
    if not confirmed:
        raise Refused(f"Everything of {tenant} would be deleted for good. Add --yes if that is wanted.")
    settings = settings_from()
    with (
        open_database(settings) as db,
        closing(blobs_of(settings, Path(settings.data_dir).absolute())) as blobs,
    ):
        erased = tenants.delete_tenant(db, blobs, tenant)
    answer(f"{tenant} is deleted: {format_count(erased.jobs, 'job')}, all rows and all files")


def export_tenant(tenant: str, path: Path) -> int:
    """Write everything that a tenant has into a file; 1 if a file was missing."""
    settings = settings_from()
    with (
        open_database(settings) as db,
        closing(blobs_of(settings, Path(settings.data_dir).absolute())) as blobs,
    ):
        made = tenant_export.export_tenant(db, blobs, tenant, path)
    answer(f"{path}: {format_count(made.rows, 'row')}, {format_count(made.files, 'file')}")
    for name in made.missing:
        say(f"{name} is missing in the store")
    return EXIT_FAILED if made.missing else 0
