"""The wiring: builds a mill from the settings, starts what works in the background, and stops it again."""

import fcntl
import logging
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from pagemill.adapters.blobs.local import LocalBlobs
from pagemill.adapters.queue.local import LocalQueue
from pagemill.bell import Bell
from pagemill.db import workers as worker_rows
from pagemill.db.database import Database
from pagemill.db.migrate import migrate
from pagemill.desk.commands import drop_lost_claims
from pagemill.desk.upkeep import Sweeper, free_everything
from pagemill.engines import Engines, Terms, by_name
from pagemill.errors import Refused
from pagemill.meters import Meters
from pagemill.mill import DEFAULT_TENANT, Mill
from pagemill.model.ids import new_id
from pagemill.model.jobs import Worker
from pagemill.model.states import Lane
from pagemill.model.verdicts import Caps
from pagemill.press import Press, PressConfig
from pagemill.reading.providers import MODULES_VARIABLE
from pagemill.runner import Runner, now_and_then
from pagemill.seal import seal_of
from pagemill.settings import Settings
from pagemill.steps.notify import notify

log = logging.getLogger("pagemill.wiring")

# There is a process per core, so each does with one thread what libraries would spread over all cores.
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OMP_THREAD_LIMIT": "1"}
TESSDATA_VARIABLE = "TESSDATA_PREFIX"


@contextmanager
def opened(settings: Settings, *, workers: bool = True) -> Iterator[Mill]:
    """A mill on the data folder of the settings, at work until the context ends."""
    folder = prepared(settings.data_dir)
    with ExitStack() as stack:
        stack.enter_context(locked(folder))
        mill = build(settings, folder)
        stack.callback(mill.db.close)
        migrate(mill.db.engine)
        mill.db.write(lambda tx: free_everything(tx, mill))
        mill.press.start()
        stack.callback(mill.press.stop)
        if workers:
            stack.enter_context(at_work(mill))
        yield mill


def build(settings: Settings, folder: Path) -> Mill:
    """The tools of an embedded mill."""
    bell = Bell()
    return Mill(
        settings=settings,
        db=Database(folder / "pagemill.db", lambda job_ids: notify(bell, job_ids)),
        blobs=LocalBlobs(folder / "blobs"),
        queue=LocalQueue(),
        press=Press(press_config(settings)),
        seal=seal_of(settings.secret_key, folder),
        bell=bell,
        meters=Meters(),
        caps=Caps(settings.max_crashes, settings.max_errors, settings.max_lost, settings.retry_base_seconds),
        worker_id=new_id(),
        engines=Engines(terms(settings)),
    )


def tessdata() -> dict[str, str]:
    """Where Tesseract's own languages lie, if the environment says so."""
    folder = os.environ.get(TESSDATA_VARIABLE)
    return {TESSDATA_VARIABLE: folder} if folder else {}


def terms(settings: Settings) -> Terms:
    """What providers may take by the settings."""
    at_once = {name: max(1, int(count)) for name, count in by_name(settings.provider_limits).items()}
    return Terms(at_once, by_name(settings.provider_prices))


def press_config(settings: Settings) -> PressConfig:
    """What the press is told by the settings."""
    return PressConfig(
        slots=settings.slots,
        kept_slots=settings.kept_slots,
        memory_bytes=settings.press_memory_bytes,
        most_memory_bytes=settings.press_memory_bytes + 2 * settings.ocr_memory_bytes,
        recycle_after=settings.press_recycle_visits,
        recycle_rss_bytes=settings.press_recycle_bytes,
        preload=("pagemill.reading.visits",),
        environment={MODULES_VARIABLE: os.environ.get(MODULES_VARIABLE, ""), **ONE_THREAD, **tessdata()},
    )


@contextmanager
def at_work(mill: Mill) -> Iterator[None]:
    """Runner, heartbeat, watch and sweeper, until the context ends; work under way is given back uncounted."""
    settings, stopping = mill.settings, threading.Event()
    mill.db.write(lambda tx: worker_rows.register(tx, worker_row(mill)))
    runner, sweeper = Runner(mill), Sweeper(mill, orphans_before=time.time())
    runner.start()
    threads = [
        now_and_then(lambda: heartbeat(mill), settings.heartbeat_seconds, stopping, "heartbeat"),
        now_and_then(lambda: drop_lost_claims(mill), settings.watch_seconds, stopping, "watch"),
        now_and_then(sweeper.sweep, settings.sweep_seconds, stopping, "sweeper"),
    ]
    try:
        yield
    finally:
        stopping.set()
        runner.stop()
        for thread in threads:
            thread.join()
        mill.db.write(lambda tx: worker_rows.remove(tx, mill.worker_id))


def worker_row(mill: Mill) -> Worker:
    """The row of this process."""
    lanes = [lane.value for lane in Lane]
    return Worker(
        mill.worker_id, DEFAULT_TENANT, socket.gethostname(), os.getpid(), mill.settings.slots, lanes, 0, 0, 0
    )


def heartbeat(mill: Mill) -> None:
    """Say that this worker is alive; one whose row was taken away starts with a new one."""
    speed = mill.meters.pages_per_second()
    if not mill.db.write(lambda tx: worker_rows.renew(tx, mill.worker_id, speed)):
        log.warning("the row of this worker was gone; its claims were given to others")
        mill.db.write(lambda tx: worker_rows.register(tx, worker_row(mill)))


def prepared(folder: Path) -> Path:
    """The data folder, made if it is not there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Refused(
            f"The data folder {folder} can't be made: {error.strerror}. Set PAGEMILL_DATA_DIR."
        ) from error
    return folder.absolute()


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the data folder alone; the lock goes with the process, however it ends."""
    try:
        file = (folder / "lock").open("a+")
    except OSError as error:
        raise Refused(
            f"The data folder {folder} can't be written: {error.strerror}. Set PAGEMILL_DATA_DIR."
        ) from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise Refused(
                f"Another pagemill uses the data folder {folder}. Stop it, or set PAGEMILL_DATA_DIR to another folder."
            ) from error
        yield
