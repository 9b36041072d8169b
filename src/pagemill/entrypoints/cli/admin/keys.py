"""What `pagemill admin keys` and `pagemill admin audit` do."""

from collections.abc import Sequence
from dataclasses import asdict

from pagemill.db import audit
from pagemill.desk import tenant_keys
from pagemill.entrypoints.cli.admin.actions import format_time, open_database, show
from pagemill.entrypoints.configuration import settings_from
from pagemill.entrypoints.output.terminal import answer, answer_json, printable_path, say
from pagemill.model.tenants import ApiKey, Scope

DAY_SECONDS = 86_400


def add_key(
    tenant: str, name: str, scopes: Sequence[Scope], expires_days: float | None, *, as_json: bool
) -> None:
    """Make a key and show it."""
    settings = settings_from()
    with open_database(settings) as db:
        is_first_key = not settings.api_key and not tenant_keys.list_keys(db)
        seconds = None if expires_days is None else expires_days * DAY_SECONDS
        made = tenant_keys.add(db, tenant, name, scopes=scopes, expires_in_seconds=seconds)
    if is_first_key:
        say("From now on every request needs a key: one like this, or the operator's in PAGEMILL_API_KEY.")
    if as_json:
        answer_json({"key": made.key, **asdict(made.row)})
        return
    say("This is the only time that the key is shown.")
    answer(made.key)


def list_keys(*, as_json: bool) -> None:
    """List the keys."""
    with open_database(settings_from()) as db:
        found = tenant_keys.list_keys(db)
    if as_json:
        answer_json({"keys": [asdict(key) for key in found]})
        return
    head = ("ID", "TENANT", "NAME", "KEY", "SCOPES", "MADE", "LAST USED", "EXPIRES", "REVOKED")
    show(head, [key_row(key) for key in found])


def key_row(key: ApiKey) -> tuple[str, ...]:
    """A key as a row of the list."""
    return (
        key.id,
        key.tenant,
        printable_path(key.name),
        f"{key.hint}…" if key.hint else "",
        ",".join(key.scopes),
        format_time(key.created_at),
        format_time(key.last_used_at),
        format_time(key.expires_at),
        format_time(key.revoked_at),
    )


def revoke_key(key: str) -> None:
    """Make a key worthless."""
    with open_database(settings_from()) as db:
        gone = tenant_keys.revoke(db, key)
    answer(f"{gone.name} of {gone.tenant} is revoked")


def show_audit(limit: int, *, as_json: bool) -> None:
    """Show the newest lines of the audit log."""
    with open_database(settings_from()) as db:
        lines = db.read(lambda conn: audit.newest(conn, None, None, limit))
    if as_json:
        answer_json({"lines": [asdict(line) for line in lines]})
        return
    rows = [
        (format_time(line.at), line.tenant, line.actor, line.action, printable_path(line.subject))
        for line in lines
    ]
    show(("AT", "TENANT", "BY", "WHAT", "TO"), rows)
