"""The wiring: builds a mill from the settings, starts what works in the background, and stops it again."""

import json
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pagemill import tracing
from pagemill.adapters.blobs.base import Blobs
from pagemill.adapters.blobs.encrypted import EncryptedBlobs
from pagemill.adapters.blobs.encryption import key_wrapper
from pagemill.adapters.blobs.local import LocalBlobs, shared_folder
from pagemill.adapters.blobs.scratch import Scratch
from pagemill.adapters.outbound.addresses import allowed_networks
from pagemill.adapters.outbound.client import Outbound
from pagemill.adapters.queues.base import Queue
from pagemill.adapters.queues.local_queue import LocalQueue
from pagemill.adapters.scanners.base import scanner_of
from pagemill.data_folder import lock_data_folder, make_data_folder
from pagemill.db import installation_counts
from pagemill.db import workers as worker_rows
from pagemill.db.database import Database
from pagemill.db.migrate import migrate
from pagemill.db.sqlite import SqliteDatabase
from pagemill.desk.change_poller import LOOK_SECONDS, ChangePoller
from pagemill.desk.commands import drop_lost_claims
from pagemill.desk.installation import claim_files
from pagemill.desk.leader import Leader
from pagemill.desk.sweeper import Sweeper, free_everything
from pagemill.desk.vector_search import embed_waiting
from pagemill.dispatcher import run_webhooks
from pagemill.embeddings import make_embeddings
from pagemill.engines import Engines, Terms, parse_provider_figures
from pagemill.errors import OutageError, Refused
from pagemill.failures import caps_of
from pagemill.heartbeat import Heartbeat, worker_row
from pagemill.log_context import log_words_always
from pagemill.metrics import Metrics
from pagemill.mill import Mill
from pagemill.model.document_budgets import DocumentBudgets
from pagemill.model.ids import new_id
from pagemill.model.push_targets import check_usual_target, push_prefixes
from pagemill.model.references import is_reference, source_prefixes
from pagemill.model.tenant_limits import LimitsOfTenants
from pagemill.notifier import Notifier
from pagemill.password_encryption import password_cipher, shared_key_name
from pagemill.press import Press, PressConfig, SandboxMissing
from pagemill.press.libreoffice import LibreOffice, find_libreoffice
from pagemill.reading.enricher import ENRICHERS_VARIABLE
from pagemill.reading.layout.own_weights import (
    OwnWeights,
    environment_of,
    files_of,
    fingerprint_of,
    weights_of,
)
from pagemill.reading.ocr import tessdata
from pagemill.reading.providers.installed import MODULES_VARIABLE
from pagemill.reading.tokenizer import find_tokenizer
from pagemill.runner import Runner, WorkerCrew, run_periodically
from pagemill.settings import Settings
from pagemill.steps.notify import notify
from pagemill.tenant_settings import refresh_limits

if TYPE_CHECKING:
    from celery import Celery  # type: ignore[import-untyped]

log = logging.getLogger("pagemill.wiring")

# There is a process per core, so each does with one thread what libraries would spread over all cores.
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OMP_THREAD_LIMIT": "1"}
PATIENCE_SECONDS = 2.0
# Limits of single tenants hold in all processes after this time.
LIMITS_SECONDS = 2.0
CLUSTER_ADVICE = "install pagemill[cluster]."


@contextmanager
def open_mill(settings: Settings, *, workers: bool = True) -> Iterator[Mill]:
    """A mill as the settings say, at work until the context ends."""
    with prepare_mill(settings) as mill, run_worker(mill, Runner(mill)) if workers else run_upkeep(mill):
        yield mill


@contextmanager
def prepare_mill(settings: Settings) -> Iterator[Mill]:
    """A mill whose database and press are ready, and that takes no work yet."""
    check_settings(settings)
    folder = make_data_folder(settings.data_dir)
    with ExitStack() as stack:
        if not settings.is_shared:
            stack.enter_context(lock_data_folder(folder))
        workspace = Scratch(files_folder(settings, folder) / "press")
        stack.callback(workspace.close)
        renderings = Scratch(folder / "render")
        stack.callback(renderings.close)
        mill = build(settings, folder, workspace.folder, renderings.folder)
        stack.callback(mill.close)
        stack.enter_context(log_words_always(worker=mill.worker_id))
        stack.enter_context(tracing.exporting(settings.traces_url, settings.traces_ratio, mill.worker_id))
        migrate(mill.db.engine)
        check_blobs(mill.blobs, mill.db, shared_key_name(settings.secret_key, folder))
        refresh_limits(mill)
        limits = Chore("limits", lambda: refresh_limits(mill), LIMITS_SECONDS)
        stack.enter_context(run_chores(mill, limits))
        if not settings.is_shared:
            mill.db.write(lambda tx: free_everything(tx, mill))
        stack.callback(mill.queue.close)
        mill.press.start()
        stack.callback(mill.press.stop)
        yield mill


def check_settings(settings: Settings) -> None:
    """Refused if machines could not work together like this."""
    if settings.broker_url is not None and not settings.is_shared:
        raise Refused(
            "A broker is of use only with a database that all machines reach: set PAGEMILL_DATABASE_URL."
        )
    if settings.is_shared and settings.secret_key is None:
        raise Refused(
            "Machines that share a database need the same key for document passwords: set PAGEMILL_SECRET_KEY."
        )
    if settings.broker_url is not None and not settings.blobs_url:
        raise Refused(
            "Machines that share work need a store for files that all reach: set PAGEMILL_BLOBS_URL."
        )
    check_sources(settings)


def check_sources(settings: Settings) -> None:
    """Refused if documents can't be read from the buckets that the settings name, or results not be pushed there."""
    named = [*source_prefixes(settings.source_prefixes), *push_prefixes(settings.push_prefixes)]
    check_usual_target(settings.push_to, settings.push_prefixes)
    if not any(is_reference(prefix) for prefix in named):
        return
    try:
        import pagemill.adapters.blobs.references  # noqa: F401
    except ImportError as error:
        raise Refused(f"A bucket needs a package that is missing ({error.name}): {CLUSTER_ADVICE}") from error


def build(
    settings: Settings, folder: Path, workspace: Path | None = None, renderings: Path | None = None
) -> Mill:
    """The tools of a mill, which the caller closes; the press and LibreOffice work in the folders that are given, if any."""
    notifier, metrics = Notifier(), Metrics()
    weights = weights_of(settings.layout_weights, (folder, files_folder(settings, folder)))
    return Mill(
        settings=settings,
        db=database_of(settings, folder, notifier),
        blobs=blobs_of(settings, folder),
        queue=queue_of(settings, metrics),
        passwords=password_cipher(settings.secret_key, folder),
        notifier=notifier,
        metrics=metrics,
        caps=caps_of(settings),
        budgets=DocumentBudgets(settings.max_document_crashes, settings.max_document_lost_seconds),
        worker_id=new_id(),
        engines=Engines(terms(settings), fingerprint_of(weights)),
        outbound=Outbound(
            allowed_networks(settings.outbound_allow),
            connections=settings.webhook_connections + settings.fetch_slots,
        ),
        limits=LimitsOfTenants(settings),
        render_places=threading.BoundedSemaphore(settings.slots),
        embeddings=make_embeddings(settings),
        scanner=scanner_of(settings),
        renderer=renderer_of(settings, renderings),
        tokenizer=find_tokenizer(settings.tokenizer),
        # Last: what is refused above leaves no press behind.
        press=press_of(settings, folder, workspace, weights),
    )


def renderer_of(settings: Settings, workspace: Path | None = None) -> LibreOffice | None:
    """The LibreOffice that renders office files; None if it is not installed, or not to be used."""
    program = find_libreoffice(settings.libreoffice) if settings.render_office != "off" else None
    if program is None:
        return None
    return LibreOffice(
        program, settings.sandbox, settings.render_memory_bytes, settings.render_timeout_seconds, workspace
    )


def database_of(settings: Settings, folder: Path, notifier: Notifier) -> Database:
    """The database of the settings: PostgreSQL if it has an address, else SQLite in the data folder."""
    if settings.database_url is None:
        return SqliteDatabase(folder / "pagemill.db", lambda job_ids: notify(notifier, job_ids))
    try:
        from pagemill.db.postgres import PostgresDatabase
    except ImportError as error:
        raise Refused(
            f"PostgreSQL needs a package that is missing ({error.name}): {CLUSTER_ADVICE}"
        ) from error
    url, connections = settings.database_url.get_secret_value(), settings.database_connections
    return PostgresDatabase(url, lambda job_ids: notify(notifier, job_ids), connections)


def blobs_of(settings: Settings, folder: Path) -> Blobs:
    """The blob store of the settings, with encryption if it has keys."""
    wrapper = key_wrapper(settings.encryption_keys, settings.encryption_kms)
    if wrapper is None:
        return plain_blobs(settings, folder)
    return EncryptedBlobs(plain_blobs(settings, folder), wrapper, folder / "clear")


def plain_blobs(settings: Settings, folder: Path) -> Blobs:
    """A bucket or a shared folder if the settings have its address, else the data folder."""
    if not settings.blobs_url:
        return LocalBlobs(folder / "blobs")
    if settings.blobs_url.startswith("file:"):
        return LocalBlobs(shared_folder(settings.blobs_url), is_near=False)
    try:
        from pagemill.adapters.blobs.bucket import bucket_of
    except ImportError as error:
        raise Refused(f"A bucket needs a package that is missing ({error.name}): {CLUSTER_ADVICE}") from error
    return bucket_of(settings, folder / "scratch")


def check_blobs(blobs: Blobs, db: Database, key_name: str | None = None) -> None:
    """Refused if files can never be stored with these settings; if only not now, the service starts and is not ready."""
    if blobs.looks_unmounted and db.read(installation_counts.has_documents):
        raise Refused(
            "There are documents, but none in the folder for files of PAGEMILL_BLOBS_URL. Look whether its disk is mounted. "
            "If the files are lost, make a folder `documents` in it."
        )
    try:
        blobs.check()
        claim_files(blobs, db, key_name)
    except OutageError as error:
        log.warning("files can't be stored yet: %s", error.message)


def queue_of(settings: Settings, metrics: Metrics) -> Queue:
    """The queue of the settings: Celery if there is a broker, else threads of this process."""
    if settings.broker_url is None:
        return LocalQueue()
    app = broker_app(settings)
    from pagemill.adapters.queues.celery_queue import CeleryQueue

    return CeleryQueue(app, metrics.publish_failures.inc)


def broker_app(settings: Settings) -> "Celery":
    """Celery on the broker of the settings; Refused if there is nothing to reach it with."""
    url = settings.broker_url.get_secret_value() if settings.broker_url else ""
    try:
        from pagemill.adapters.queues.celery_queue import app_of

        return app_of(url, broker_options(settings))
    except ImportError as error:
        raise Refused(f"A broker needs a package that is missing ({error.name}): {CLUSTER_ADVICE}") from error
    except ValueError as error:
        raise Refused(f"PAGEMILL_BROKER_URL can't be used: {error}.") from error


def broker_options(settings: Settings) -> dict[str, object]:
    """The options of the broker's transport; Refused if they are not a JSON object."""
    try:
        options = json.loads(settings.broker_options or "{}")
    except ValueError:
        options = None
    if not isinstance(options, dict):
        raise Refused('PAGEMILL_BROKER_OPTIONS takes a JSON object, such as {"master_name": "mymaster"}.')
    return options


def terms(settings: Settings) -> Terms:
    """What providers may take by the settings."""
    at_once = {
        name: max(1, int(count)) for name, count in parse_provider_figures(settings.provider_limits).items()
    }
    call_prices = parse_provider_figures(settings.provider_call_prices)
    return Terms(at_once, parse_provider_figures(settings.provider_prices), call_prices)


def press_of(settings: Settings, folder: Path, workspace: Path | None, weights: OwnWeights | None) -> Press:
    """The press of the settings; Refused if its sandbox is required and can't be had."""
    try:
        return Press(press_config(settings, folder, workspace, weights))
    except SandboxMissing as error:
        reason = f"PAGEMILL_SANDBOX is {settings.sandbox}, but {error}. See docs/security.md."
        raise Refused(reason) from error


def files_folder(settings: Settings, folder: Path) -> Path:
    """The folder on the disk that holds the documents, so that the press can be given them without a copy."""
    return shared_folder(settings.blobs_url) if settings.blobs_url.startswith("file:") else folder


def press_config(
    settings: Settings, folder: Path, workspace: Path | None, weights: OwnWeights | None = None
) -> PressConfig:
    """The configuration of the press, from the settings."""
    # Providers and enrichers without an installed package.
    modules = {name: os.environ.get(name, "") for name in (MODULES_VARIABLE, ENRICHERS_VARIABLE)}
    return PressConfig(
        slots=settings.slots,
        kept_slots=settings.kept_slots,
        memory_bytes=settings.press_memory_bytes,
        most_memory_bytes=settings.press_memory_bytes + 2 * settings.ocr_memory_bytes,
        recycle_after=settings.press_recycle_visits,
        recycle_rss_bytes=settings.press_recycle_bytes,
        disk_bytes=settings.press_disk_bytes,
        sandbox=settings.sandbox,
        workspace=workspace,
        readable=(*filter(None, settings.sandbox_readable.split(os.pathsep)), *files_of(weights)),
        hidden=(str(folder), str(files_folder(settings, folder))),
        preload=("pagemill.reading.visits",),
        environment={**modules, **ONE_THREAD, **tessdata.environment(), **environment_of(weights)},
    )


@contextmanager
def run_worker(mill: Mill, crew: WorkerCrew) -> Iterator[None]:
    """A crew, its heartbeat, watch and upkeep, until the context ends; work under way is given back uncounted."""
    settings, row = mill.settings, worker_row(mill, crew.lanes)
    mill.db.write(lambda tx: worker_rows.register(tx, row))
    mill.pulse.note_try()
    with ExitStack() as stack:
        stack.callback(try_goodbye, lambda: mill.db.write(lambda tx: worker_rows.remove(tx, mill.worker_id)))
        heartbeat = Chore("heartbeat", Heartbeat(mill, row).beat, settings.heartbeat_seconds)
        watch = Chore("watch", lambda: drop_lost_claims(mill), settings.watch_seconds)
        stack.enter_context(run_chores(mill, heartbeat, watch))
        crew.start()
        if crew.notifies:
            stack.enter_context(run_webhooks(mill))
        stack.enter_context(run_upkeep(mill) if settings.is_shared else run_sweeper(mill))
        stack.callback(crew.stop)
        yield


class Chore(NamedTuple):
    """What is done again and again in a thread of its own."""

    name: str
    work: Callable[[], object]
    every_seconds: float


@contextmanager
def run_chores(mill: Mill, *chores: Chore) -> Iterator[None]:
    """Have chores done until the context ends."""
    stopping = threading.Event()
    threads = [run_periodically(one.work, one.every_seconds, stopping, one.name) for one in chores]
    try:
        yield
    finally:
        stopping.set()
        for thread in threads:
            # Removing files may take long; on a shared database, the next leader goes on with it.
            thread.join(PATIENCE_SECONDS if mill.settings.is_shared else None)


@contextmanager
def run_sweeper(mill: Mill) -> Iterator[None]:
    """The upkeep of a mill that has its database for itself."""
    # The clock of a store elsewhere may be late, and what looks older than this process may be an upload under way.
    orphans_before = 0.0 if mill.settings.blobs_url else time.time()
    sweeper = Sweeper(mill, orphans_before)
    upkeep = Chore("sweeper", sweeper.sweep, mill.settings.sweep_seconds)
    with run_chores(mill, upkeep, *vector_chores(mill, partial(embed_waiting, mill))):
        yield


def vector_chores(mill: Mill, work: Callable[[], object]) -> list[Chore]:
    """What makes vectors, beside the sweeper, which would wait for a slow server; nothing where no vectors are made."""
    return [Chore("vectors", work, mill.settings.sweep_seconds)] if mill.embeddings.are_made else []


@contextmanager
def run_upkeep(mill: Mill) -> Iterator[None]:
    """The upkeep of a mill that shares its database, done by one process at a time."""
    if not mill.settings.is_shared:
        yield
        return
    leader = Leader(mill)
    lost_claims = Chore("lost-claims", leader.rescue, leader.rescue_seconds)
    sweeper = Chore("sweeper", leader.sweep, mill.settings.sweep_seconds)
    change_poller = Chore("change-poller", ChangePoller(mill).poll, LOOK_SECONDS)
    try:
        with run_chores(mill, lost_claims, sweeper, change_poller, *vector_chores(mill, leader.embed)):
            yield
    finally:
        try_goodbye(leader.resign)


def try_goodbye(goodbye: Callable[[], object]) -> None:
    """Give up what this process holds; if the database is unavailable, others take it when the lease ends."""
    try:
        goodbye()
    except OutageError as error:
        log.warning("could not tell the database that this process stops: %s", error.message)
