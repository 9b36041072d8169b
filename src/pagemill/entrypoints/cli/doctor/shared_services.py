"""What `pagemill doctor` finds out about the parts that machines share: the database, the store for files, the broker."""

import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from sqlalchemy import text

from pagemill.adapters.blobs.base import Blobs
from pagemill.adapters.scanners.base import scanner_of
from pagemill.db import migrate as shapes
from pagemill.desk import installation
from pagemill.entrypoints.cli.doctor.check import Check
from pagemill.entrypoints.output.logs import redact, secrets_of
from pagemill.errors import PagemillError, Refused
from pagemill.model.states import Lane
from pagemill.notifier import Notifier
from pagemill.settings import Settings
from pagemill.wiring import blobs_of, broker_app, check_settings, database_of

SERVER = text("SELECT current_setting('server_version')")


def shared_parts(settings: Settings) -> Iterator[Check]:
    """Those of the parts that the settings name, each asked as a start would ask it."""
    try:
        check_settings(settings)
    except Refused as refused:
        yield Check("machines", "missing", refused.message, "`pagemill serve` refuses to start like this.")
    with tempfile.TemporaryDirectory() as folder:
        if settings.is_shared:
            yield database(settings, Path(folder))
        if settings.blobs_url:
            yield files(settings, Path(folder))
    if settings.broker_url is not None:
        yield broker(settings)
    if settings.scanner_url or settings.scanner_command:
        yield scanner(settings)


def database(settings: Settings, folder: Path) -> Check:
    """Whether PostgreSQL answers, and has the tables that this version needs."""
    advice = "Look at PAGEMILL_DATABASE_URL, and whether the server runs and lets this machine in."
    try:
        with (
            closing(database_of(settings, folder, Notifier())) as db,
            shapes.connect(db.engine) as conn,
        ):
            version, found = conn.execute(SERVER).scalar_one(), shapes.revision_of(conn)
    except Refused as refused:
        return Check("database", "missing", refused.message)
    except PagemillError as error:
        return Check("database", "missing", error_text(settings, error), advice)
    known = shapes.newest_revision()
    if found is None or found < known:
        seen = f"PostgreSQL {version}, tables of version {found or 'none'}, and this pagemill needs {known}"
        return Check("database", "note", seen, "Run `pagemill admin migrate`, or the next start will.")
    remark = "" if found == known else " of a later pagemill, which this one leaves as they are"
    return Check("database", "ok", f"PostgreSQL {version}, tables of version {found}{remark}")


def files(settings: Settings, folder: Path) -> Check:
    """Whether files can be stored."""
    advice = "Look at PAGEMILL_BLOBS_URL, at AWS_ENDPOINT_URL or its like, and whether the store answers."
    try:
        with closing(blobs_of(settings, folder)) as blobs:
            blobs.check()
            if foreign := foreign_owner(settings, folder, blobs):
                return Check("files", "missing", foreign, installation.ADVICE)
    except Refused as refused:
        return Check("files", "missing", refused.message)
    except PagemillError as error:
        return Check("files", "missing", error_text(settings, error), advice)
    return Check("files", "ok", f"{settings.blobs_url} takes them")


def foreign_owner(settings: Settings, folder: Path, blobs: Blobs) -> str | None:
    """Whose the files are if they are not those of the database; None also if the database does not know yet."""
    try:
        with closing(database_of(settings, folder, Notifier())) as db:
            shapes.check(db.engine)
            return installation.find_foreign_owner(blobs, db)
    except PagemillError:
        # The check of the database says what is wrong with it.
        return None


def broker(settings: Settings) -> Check:
    """Whether wake-ups can be sent; work goes on without them, only later."""
    advice = "Look at PAGEMILL_BROKER_URL, and whether the server runs and lets this machine in."
    try:
        app = broker_app(settings)
    except Refused as refused:
        return Check("broker", "missing", refused.message)
    from pagemill.adapters.queues.celery_queue import BrokerConnection

    try:
        with closing(BrokerConnection(app)) as line:
            line.free_places(Lane.FAST)
    except Exception as error:  # each transport has errors of its own
        return Check("broker", "missing", error_text(settings, error), advice)
    return Check("broker", "ok", f"{app.connection_for_write().transport_cls} takes wake-ups")


def scanner(settings: Settings) -> Check:
    """Whether the malware scanner answers, and with which signatures."""
    advice = {
        "wait": "Documents wait until it does.",
        "fail": "Documents fail with scanner_unavailable.",
        "pass": "Documents are read without a scan, with the warning not_scanned.",
    }[settings.scanner_down]
    try:
        known = scanner_of(settings)
        return Check("scanner", "ok", known.version() if known else "none")
    except PagemillError as error:
        return Check("scanner", "missing", error_text(settings, error), advice)


def error_text(settings: Settings, error: Exception) -> str:
    """What went wrong, on one line and without passwords."""
    return redact(" ".join(str(error).split()), secrets_of(settings))
