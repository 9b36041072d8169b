"""`pagemill admin`: the commands of operators, with their options and their help."""

from pathlib import Path
from typing import Annotated

import typer

from pagemill.entrypoints.cli.admin.tenant_commands import tenants_app
from pagemill.entrypoints.cli.options import AsJson
from pagemill.model.states import Lane
from pagemill.model.tenants import DEFAULT_SCOPES, Scope

HELP = """Look after an installation: lanes, workers, stuck work, keys, tenants, backups, migrations, the audit log.

These commands work on the database itself, the one of PAGEMILL_DATABASE_URL or else the one in PAGEMILL_DATA_DIR,
beside the processes that use it. What they change is seen within a second or two.
"""
KEYS_HELP = "Make, list and revoke the keys of tenants."

app = typer.Typer(name="admin", help=HELP, no_args_is_help=True, rich_markup_mode=None)
keys_app = typer.Typer(name="keys", help=KEYS_HELP, no_args_is_help=True, rich_markup_mode=None)

LaneName = Annotated[Lane, typer.Argument(metavar="LANE", help="fast, bulk, ocr, remote or notify.")]
WorkerName = Annotated[str, typer.Argument(metavar="WORKER", help="Id of a worker, or the name of its host.")]


@app.command()
def lanes(as_json: AsJson = False) -> None:
    """Show what waits and runs in each lane."""
    from pagemill.entrypoints.cli.admin import actions

    actions.lanes(as_json=as_json)


@app.command()
def pause(lane: LaneName) -> None:
    """Have nothing more claimed from a lane.

    What is being read is finished. Documents are still taken in and wait until `pagemill admin resume`.
    """
    from pagemill.entrypoints.cli.admin import actions

    actions.pause(lane)


@app.command()
def resume(lane: LaneName) -> None:
    """Have a paused lane claimed from again."""
    from pagemill.entrypoints.cli.admin import actions

    actions.resume(lane)


@app.command()
def workers(as_json: AsJson = False) -> None:
    """Show the workers, and what they hold."""
    from pagemill.entrypoints.cli.admin import actions

    actions.workers(as_json=as_json)


@app.command()
def drain(worker: WorkerName) -> None:
    """Have a worker claim nothing more.

    It finishes what it holds; when `pagemill admin workers` shows that it holds nothing, it can be stopped without
    anything being read twice.
    """
    from pagemill.entrypoints.cli.admin import actions

    actions.drain(worker)


@app.command()
def undrain(worker: WorkerName) -> None:
    """Have a drained worker claim again."""
    from pagemill.entrypoints.cli.admin import actions

    actions.undrain(worker)


@app.command()
def stuck(
    running_seconds: Annotated[float, typer.Option(min=0, help="Read for longer than this is stuck.")] = 900,
    waiting_seconds: Annotated[float, typer.Option(min=0, help="Ready for longer than this is stuck.")] = 900,
    as_json: AsJson = False,
) -> None:
    """Show work that does not move.

    That is: claims of workers that are not heard of, chunks that are read or wait for too long, and jobs that no
    chunk is left of. The exit code is 1 if there are any.
    """
    from pagemill.entrypoints.cli.admin import actions

    raise typer.Exit(actions.stuck(running_seconds, waiting_seconds, as_json=as_json))


@app.command()
def requeue(
    ids: Annotated[list[str], typer.Argument(metavar="ID", help="Ids of jobs or chunks.")],
) -> None:
    """Have work taken up again now.

    What is being read is taken from its worker, which can't publish it any more, and is given to the next one; that
    counts as no attempt. A job that failed gets a new run.
    """
    from pagemill.entrypoints.cli.admin import actions

    actions.requeue(ids)


@app.command()
def reindex() -> None:
    """Have everything that was read indexed again for search.

    The service does it in its upkeep, while it goes on; until a document is indexed, it is not found.
    """
    from pagemill.entrypoints.cli.admin import actions

    actions.reindex()


@app.command()
def migrate(
    check: Annotated[bool, typer.Option("--check", help="Only say whether it is needed.")] = False,
) -> None:
    """Bring the database to the newest shape.

    Workers of the former version can go on meanwhile. With --check the exit code is 1 if there is something to do.
    """
    from pagemill.entrypoints.cli.admin import actions

    if check:
        raise typer.Exit(actions.check_shape())
    actions.migrate()


@keys_app.command("add")
def add_key(
    tenant: Annotated[str, typer.Argument(metavar="TENANT", help="Whose jobs the key opens.")],
    name: Annotated[str, typer.Argument(metavar="NAME", help="What the key is known by in lists.")],
    scope: Annotated[
        list[Scope],
        typer.Option(help="What it may be used for: read, write (with read) or admin (with both)."),
    ] = list(DEFAULT_SCOPES),  # noqa: B006
    expires_days: Annotated[
        float | None,
        typer.Option(min=0, help="Days until it is worth nothing; it does not expire if left out."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Make a key for a tenant.

    It is shown once and kept only as a hash. A tenant needs no other preparation: its first key makes it. With the
    scope admin it sees to the keys of its tenant over HTTP.
    """
    from pagemill.entrypoints.cli.admin import keys

    keys.add_key(tenant, name, scope, expires_days, as_json=as_json)


@keys_app.command("list")
def list_keys(as_json: AsJson = False) -> None:
    """List the keys, without what they are."""
    from pagemill.entrypoints.cli.admin import keys

    keys.list_keys(as_json=as_json)


@keys_app.command("revoke")
def revoke_key(
    key: Annotated[
        str, typer.Argument(metavar="KEY", help="Id or name of the key, as `keys list` shows it.")
    ],
) -> None:
    """Make a key worthless, within two seconds.

    Its event streams, long polls and uploads end, and so do sessions of web pages that were begun with it. Jobs of
    its tenant go on.
    """
    from pagemill.entrypoints.cli.admin import keys

    keys.revoke_key(key)


app.add_typer(keys_app)
app.add_typer(tenants_app)


@app.command("audit")
def show_audit(
    limit: Annotated[int, typer.Option(min=1, help="How many lines to show.")] = 50,
    as_json: AsJson = False,
) -> None:
    """Show who did what: keys, tenants, lanes, workers, requeued work.

    Newest first, of all tenants. Lines are kept for PAGEMILL_AUDIT_SECONDS.
    """
    from pagemill.entrypoints.cli.admin import keys

    keys.show_audit(limit, as_json=as_json)


@app.command()
def backup(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A folder that is not there yet.")],
    link: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="A former backup; files that it has are linked, not copied."),
    ] = None,
) -> None:
    """Save an embedded installation, beside the running service.

    The folder gets the database as it is at one moment, every file that it names, and the key that encrypts
    passwords. With PostgreSQL, see "Backup and restore" in docs/operations.md. The exit code is 1 if a file is missing.
    """
    from pagemill.entrypoints.cli.admin import storage

    raise typer.Exit(storage.make_backup(folder, link))


@app.command()
def restore(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A folder that `admin backup` has made.")],
) -> None:
    """Put a backup into the data folder, which must be empty.

    Every file is compared with its checksum before anything is written.
    """
    from pagemill.entrypoints.cli.admin import storage

    storage.restore(folder)


@app.command()
def verify(
    repair: Annotated[
        bool, typer.Option("--repair", help="Have documents read again whose results are missing or damaged.")
    ] = False,
    checksums: Annotated[
        bool, typer.Option("--checksums/--sizes", help="Read every file, or look at sizes alone.")
    ] = True,
    as_json: AsJson = False,
) -> None:
    """Compare the rows with the stored files.

    Shows files that are missing, damaged or named by no row. With --repair, results that lack a file are used no more,
    and their jobs read their documents again; files without a row are left to the sweeper. The exit code is 1 if a
    file is missing or damaged.
    """
    from pagemill.entrypoints.cli.admin import storage

    raise typer.Exit(storage.verify(repair=repair, checksums=checksums, as_json=as_json))


@app.command()
def rotate(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Count the files, and change none.")] = False,
) -> None:
    """Encrypt stored files with the first of PAGEMILL_ENCRYPTION_KEYS.

    Files that are not encrypted, or with another key, are written again, each at once in place of the former. It can be
    stopped and repeated at any time, beside the running service. Afterwards the former key is not needed any more.
    """
    from pagemill.entrypoints.cli.admin import storage

    storage.rotate(dry_run=dry_run)


@app.command()
def adopt() -> None:
    """Make the stored files those of this database.

    The database and the blob store carry the id of their installation, and a service refuses to start with files of
    another one. Adopt them after a database was lost or replaced on purpose. Files that no row names are removed
    when they are older than PAGEMILL_ORPHAN_SECONDS. It also makes PAGEMILL_SECRET_KEY the key of the installation:
    a process with another one does not start.
    """
    from pagemill.entrypoints.cli.admin import actions

    actions.adopt()
