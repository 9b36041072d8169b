"""What the commands of `pagemill admin` do.

SQLite lets several processes write in turn, so these work beside an embedded service, too. Only its tables are not
changed under it: a migration needs the data folder for itself, and the service migrates at its start anyway.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import asdict
from pathlib import Path

from pagemill.data_folder import lock_data_folder, make_data_folder
from pagemill.db import migrate as shapes
from pagemill.db.database import Database
from pagemill.desk import admin, installation, search_indexing
from pagemill.entrypoints.configuration import settings_from
from pagemill.entrypoints.output.terminal import (
    EXIT_FAILED,
    answer,
    answer_json,
    format_count,
    printable_path,
    say,
    table,
)
from pagemill.errors import Refused
from pagemill.model.states import Lane
from pagemill.model.views import utc_time
from pagemill.notifier import Notifier
from pagemill.password_encryption import shared_key_name
from pagemill.settings import Settings
from pagemill.wiring import blobs_of, database_of

HOLDS_SHOWN = 3
NUMBERS = frozenset({"WAITING", "RUNNING", "OLDEST WAITS", "PID", "SLOTS", "SEEN", "PAGES/S", "FOR"})


@contextmanager
def open_database(settings: Settings) -> Iterator[Database]:
    """The database of the installation as it is; Refused if it is not there or its tables are too old."""
    folder = Path(settings.data_dir).absolute()
    if not settings.is_shared and not (folder / "pagemill.db").exists():
        raise Refused(
            f"There is no database in {folder}. Set PAGEMILL_DATA_DIR or PAGEMILL_DATABASE_URL as the service has it."
        )
    db = database_of(settings, folder, Notifier())
    try:
        shapes.check(db.engine)
        yield db
    finally:
        db.close()


def reindex() -> None:
    """Have every result indexed again by the service."""
    with open_database(settings_from()) as db:
        count = search_indexing.reindex(db)
    answer(f"{format_count(count, 'result')} will be indexed by the service.")


def lanes(*, as_json: bool) -> None:
    """Show the lanes."""
    with open_database(settings_from()) as db:
        found = admin.lane_states(db)
    if as_json:
        answer_json({"lanes": [asdict(one) for one in found]})
        return
    rows = [
        (
            one.lane,
            f"{one.ready:,}",
            f"{one.running:,}",
            format_duration(one.oldest_seconds),
            "paused" if one.paused else "",
        )
        for one in found
    ]
    show(("LANE", "WAITING", "RUNNING", "OLDEST WAITS", ""), rows)


def pause(lane: Lane) -> None:
    """Pause a lane."""
    with open_database(settings_from()) as db:
        news = admin.pause(db, lane)
    answer(f"{lane} is paused" if news else f"{lane} was paused before")


def resume(lane: Lane) -> None:
    """Resume a lane."""
    with open_database(settings_from()) as db:
        news = admin.resume(db, lane)
    answer(f"{lane} goes on" if news else f"{lane} was not paused")


def workers(*, as_json: bool) -> None:
    """Show the workers."""
    settings = settings_from()
    with open_database(settings) as db:
        found = admin.worker_states(db, settings.lease_seconds)
    if as_json:
        answer_json({"workers": [asdict(one) for one in found]})
        return
    head = ("ID", "HOST", "PID", "STATE", "SLOTS", "LANES", "SEEN", "PAGES/S", "VERSION", "HOLDS", "ENGINES")
    show(head, [worker_row(one) for one in found])


def worker_row(one: admin.BusyWorker) -> tuple[str, ...]:
    """A worker as a row of the list."""
    return (
        one.id,
        printable_path(one.host),
        str(one.pid),
        f"{one.state}, {one.trouble}" if one.trouble else one.state,
        str(one.slots),
        ",".join(one.lanes),
        f"{format_duration(one.silent_seconds)} ago",
        f"{one.pages_per_second:.1f}",
        one.version,
        holding(one.holds),
        ", ".join(one.engines),
    )


def holding(holds: Sequence[admin.HeldChunk]) -> str:
    """What a worker holds, in a few words."""
    if not holds:
        return "nothing"
    some = ", ".join(
        f"{one.step} of {one.job_id} for {format_duration(one.seconds)}" for one in holds[:HOLDS_SHOWN]
    )
    return some if len(holds) <= HOLDS_SHOWN else f"{some} and {len(holds) - HOLDS_SHOWN} more"


def adopt() -> None:
    """Make the stored files those of this database."""
    settings = settings_from()
    folder = Path(settings.data_dir).absolute()
    with open_database(settings) as db, closing(blobs_of(settings, folder)) as blobs:
        former = installation.adopt_files(blobs, db, shared_key_name(settings.secret_key, folder))
        admin.record_adoption(db, former)
    answer(f"the stored files were those of {former or 'no installation'} and are now those of this database")


def drain(worker: str) -> None:
    """Drain a worker."""
    with open_database(settings_from()) as db:
        for worker_id in admin.drain(db, worker):
            answer(f"{worker_id} claims nothing more")


def undrain(worker: str) -> None:
    """Let a worker claim again."""
    with open_database(settings_from()) as db:
        for worker_id in admin.undrain(db, worker):
            answer(f"{worker_id} claims again")


def stuck(running_seconds: float, waiting_seconds: float, *, as_json: bool) -> int:
    """Show what is stuck; 1 if there is anything."""
    settings = settings_from()
    with open_database(settings) as db:
        found = admin.find_stuck_work(
            db, admin.StuckLimits(running_seconds, waiting_seconds, settings.lease_seconds)
        )
    if as_json:
        answer_json({"stuck": [asdict(one) for one in found]})
    elif found:
        rows = [
            (
                one.why,
                format_duration(one.seconds),
                one.tenant,
                one.lane,
                one.step,
                one.job_id,
                one.chunk_id or "",
            )
            for one in found
        ]
        show(("WHY", "FOR", "TENANT", "LANE", "STEP", "JOB", "CHUNK"), rows)
    else:
        say("Nothing is stuck.")
    return EXIT_FAILED if found else 0


def requeue(ids: Sequence[str]) -> None:
    """Have jobs or chunks taken up again."""
    with open_database(settings_from()) as db:
        for one in ids:
            answer(f"{one}: {admin.requeue(db, one)}")


def migrate() -> None:
    """Run the migrations, and put the log of a restored dump in order."""
    settings = settings_from()
    folder = make_data_folder(settings.data_dir)
    with nullcontext() if settings.is_shared else lock_data_folder(folder):
        db = database_of(settings, folder, Notifier())
        try:
            found = shapes.migrate(db.engine)
            shapes.settle_log(db.engine)
        finally:
            db.close()
    answer(f"Database schema version: {found}")


def check_shape() -> int:
    """Say whether a migration is needed; 1 if it is."""
    try:
        with open_database(settings_from()):
            answer("nothing is to be migrated")
    except Refused as error:
        answer(error.message)
        return EXIT_FAILED
    return 0


def show(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table."""
    for line in table(head, rows, NUMBERS):
        answer(line)


def format_duration(seconds: float) -> str:
    """A time span in the unit that suits it."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    if seconds < 3_600:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3_600:.1f} h"


def format_time(at: float | None) -> str:
    """A time, to the second; empty if it has not come."""
    return "" if at is None else utc_time(at).strftime("%Y-%m-%d %H:%M:%SZ")
