"""`pagemill doctor`: what is installed, what is missing, and what to do about it."""

import json
import os
import platform
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from threading import Event
from typing import Literal

from pagemill import __version__, faultpoints
from pagemill.client import ApiError, Client
from pagemill.embeddings import Embeddings
from pagemill.entrypoints.cli.doctor.check import Check
from pagemill.entrypoints.cli.doctor.login_provider import login_provider
from pagemill.entrypoints.cli.doctor.shared_services import shared_parts
from pagemill.entrypoints.cli.serve.listening import bind_socket
from pagemill.entrypoints.configuration import settings_from
from pagemill.entrypoints.output.terminal import EXIT_FAILED, answer, answer_json, format_size
from pagemill.errors import PagemillError, Refused
from pagemill.press import Done, Outcome, Press, PressConfig, SandboxMissing, Visit
from pagemill.press.libreoffice import NotRendered
from pagemill.press.sandbox import is_confined
from pagemill.reading.enricher import ENRICHERS_VARIABLE
from pagemill.reading.providers.installed import MODULES_VARIABLE, every_provider
from pagemill.reading.tokenizer import find_tokenizer
from pagemill.settings import Settings, default_folder
from pagemill.wiring import renderer_of

OLDEST_PYTHON = (3, 11)
# RETURNING came with this version.
OLDEST_SQLITE = (3, 35, 0)
PROBE_SECONDS = 10.0
# Read by the commands that talk to a server, by the providers, by tests that have something fail, and by compose.yaml.
OTHER_VARIABLES = {
    "PAGEMILL_SERVER",
    MODULES_VARIABLE,
    ENRICHERS_VARIABLE,
    faultpoints.VARIABLE,
    "PAGEMILL_IMAGE",
    "PAGEMILL_PUBLISH",
}
MARKS = {"ok": "ok     ", "note": "note   ", "missing": "MISSING"}


def doctor(*, data_dir: Path | None, as_json: bool) -> int:
    """Check everything and print the findings; 1 if something is missing that is needed."""
    checks = list(every_check(data_dir))
    healthy = all(check.state != "missing" for check in checks)
    if as_json:
        answer_json(
            {"version": __version__, "healthy": healthy, "checks": [asdict(check) for check in checks]}
        )
    else:
        for check in checks:
            answer(f"{MARKS[check.state]} {check.name}: {check.found}")
            if check.advice:
                answer(f"        {check.advice}")
    return 0 if healthy else EXIT_FAILED


def every_check(data_dir: Path | None) -> Iterator[Check]:
    """All checks, one after the other."""
    yield python()
    try:
        settings = settings_from(data_dir=data_dir)
    except Refused as refused:
        yield Check("settings", "missing", refused.message, "Correct the environment or the file .env.")
        settings = Settings.model_construct(data_dir=data_dir or default_folder())
    else:
        yield from choices(settings)
    yield from data_folder(settings)
    if not settings.is_shared:
        yield database()
    yield from shared_parts(settings)
    yield from login_provider(settings)
    yield from press(settings)
    yield from providers(settings)
    yield rendering(settings)
    yield embeddings(settings)
    yield tokenizer(settings)
    yield port_check(settings)


def embeddings(settings: Settings) -> Check:
    """What makes vectors for search by meaning."""
    made = Embeddings(settings)
    if not made.are_made:
        return Check(
            "embeddings", "note", "off", "PAGEMILL_EMBEDDINGS=minilm or server adds search by meaning."
        )
    if wrong := made.wrong():
        return Check("embeddings", "missing", settings.embeddings, f"It can't be used: {wrong}.")
    return Check("embeddings", "ok", settings.embeddings)


def tokenizer(settings: Settings) -> Check:
    """What counts the tokens of chunks."""
    try:
        found = find_tokenizer(settings.tokenizer)
    except Refused as refused:
        return Check("tokenizer", "missing", refused.message, "`pagemill serve` refuses to start like this.")
    if found is None:
        return Check("tokenizer", "note", "none", "PAGEMILL_TOKENIZER has tokens of chunks counted exactly.")
    return Check("tokenizer", "ok", found.path)


def python() -> Check:
    """The interpreter."""
    found = f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    if sys.version_info < OLDEST_PYTHON:
        return Check("python", "missing", found, "Python 3.11 or later is needed.")
    return Check("python", "ok", found)


def choices(settings: Settings) -> Iterator[Check]:
    """Settings that don't fit together or this machine."""
    cores = os.cpu_count() or 1
    if not settings.is_local and not settings.api_key:
        advice = "Set PAGEMILL_API_KEY; `pagemill serve` refuses to start without."
        yield Check("api key", "missing", f"none, but PAGEMILL_HOST is {settings.host}", advice)
    if strangers := unknown_variables(os.environ):
        yield Check("variables", "note", ", ".join(strangers), "No setting has this name; is it misspelt?")
    if settings.slots > cores:
        found = f"PAGEMILL_SLOTS is {settings.slots} on {cores} cores"
        yield Check("slots", "note", found, "More slots than cores make nothing faster.")
    if settings.lease_seconds < 2 * settings.heartbeat_seconds:
        found = "PAGEMILL_LEASE_SECONDS is less than two heartbeats"
        yield Check(
            "lease", "missing", found, "Raise it, or workers lose their claims while they are at work."
        )
    if not settings.kept_slots:
        found = "PAGEMILL_KEPT_SLOTS is 0"
        yield Check("kept slots", "note", found, "Small documents wait behind large ones.")
    yield Check("settings", "ok", f"{settings.slots} slots and {settings.kept_slots} kept on {cores} cores")


def unknown_variables(environment: Iterable[str]) -> list[str]:
    """Those that look like ours and are none of our settings."""
    known = {f"PAGEMILL_{name.upper()}" for name in Settings.model_fields} | OTHER_VARIABLES
    return sorted(name for name in environment if name.startswith("PAGEMILL_") and name not in known)


def data_folder(settings: Settings) -> Iterator[Check]:
    """Whether files can be kept, and how many."""
    folder = settings.data_dir.absolute()
    there = next(place for place in (folder, *folder.parents) if place.exists())
    try:
        with tempfile.TemporaryFile(dir=there):
            free_bytes = shutil.disk_usage(there).free
    except OSError as error:
        found = f"{folder} can't be written: {error.strerror}"
        yield Check("data folder", "missing", found, "Set PAGEMILL_DATA_DIR to a folder that can be.")
        return
    yield Check("data folder", "ok", f"{folder}{'' if there == folder else ' (will be made)'}")
    if free_bytes < settings.min_free_bytes:
        advice = f"Free some space; uploads are refused below {format_size(settings.min_free_bytes)}."
        yield Check("disk", "missing", f"{format_size(free_bytes)} free", advice)
    else:
        yield Check("disk", "ok", f"{format_size(free_bytes)} free")


def database() -> Check:
    """SQLite and its write-ahead log."""
    with tempfile.TemporaryDirectory() as folder, closing(sqlite3.connect(Path(folder, "probe.db"))) as probe:
        mode = probe.execute("PRAGMA journal_mode=WAL").fetchone()[0]
    found = f"{sqlite3.sqlite_version}, journal mode {mode}"
    if sqlite3.sqlite_version_info < OLDEST_SQLITE or mode != "wal":
        return Check(
            "sqlite", "missing", found, "SQLite 3.35 or later with WAL is needed; install a newer Python."
        )
    return Check("sqlite", "ok", found)


def press(settings: Settings) -> Iterator[Check]:
    """Whether native code can be kept apart: a child is started and looks around."""
    config = PressConfig(
        slots=1,
        kept_slots=0,
        memory_bytes=settings.press_memory_bytes,
        start_seconds=PROBE_SECONDS,
        sandbox=settings.sandbox,
    )
    try:
        probed = Press(config)
    except SandboxMissing as error:
        advice = "Choose another PAGEMILL_SANDBOX; `pagemill serve` refuses to start with this one."
        yield Check("sandbox of the press", "missing", f"{settings.sandbox} can't be had: {error}", advice)
        return
    with probed:
        [outcome] = probed.run(
            [Visit("probe", "pagemill.entrypoints.cli.doctor.sandbox_probe:look_around", b"", PROBE_SECONDS)]
        )
        held = probed.sandbox
    if not isinstance(outcome, Done):
        yield Check(
            "press", "missing", failed_visit(outcome), "Pages can't be read; look at limits on this process."
        )
        return
    found: dict[str, bool] = json.loads(outcome.answer)
    yield Check("press", "ok", f"a child process answered in {outcome.seconds * 1000:.0f} ms")
    confined = is_confined(held.split("+"))
    advice = (
        "" if confined else "A document that takes a reader over reaches your files: see docs/security.md."
    )
    yield Check("sandbox of the press", "ok" if confined else "note", held, advice)
    for name, words, advice in PROTECTIONS:
        yield Check(
            words,
            "ok" if found[name] else "note",
            "on" if found[name] else "off",
            "" if found[name] else advice,
        )


PROTECTIONS = (
    ("no_network", "no network in the press", "Only Linux on x86-64 and 64-bit ARM with seccomp has it."),
    (
        "dies_with_parent",
        "children end with their parent",
        "Only Linux has it; look for children after a kill -9.",
    ),
    ("no_new_privileges", "no new privileges in the press", "Only Linux has it."),
    ("memory_limited", "memory limit of the press", "A hostile document may take all memory."),
)


def failed_visit(outcome: Outcome) -> str:
    """What became of a visit that brought no answer."""
    return f"the self-test ended as {type(outcome).__name__.lower()}: {getattr(outcome, 'detail', '') or 'no answer'}"


def providers(settings: Settings) -> Iterator[Check]:
    """The engines that read pages."""
    wanted = [name.strip() for name in settings.providers.split(",")]
    # The usual chain names some that not everybody has; who names one should have it.
    needed = wanted if settings.origin("providers") != "default" else []
    known = {listing.name: listing for listing in every_provider()}
    for name in sorted({*wanted, *known}):
        listing = known.get(name)
        if listing is not None and listing.version is not None:
            used = "" if name in wanted else " (not used)"
            yield Check(f"provider {name}", "ok", f"{listing.version}{used}")
            continue
        reason = listing.unavailable if listing is not None and listing.unavailable else "not installed"
        state: Literal["missing", "note"] = "missing" if name in needed else "note"
        advice = "Install it, or take it out of PAGEMILL_PROVIDERS." if name in needed else ""
        yield Check(f"provider {name}", state, reason, advice)


def rendering(settings: Settings) -> Check:
    """Whether office files can be rendered to pages: a small text is, in the sandbox."""
    name, renderer = "rendering of office files", renderer_of(settings)
    if settings.render_office == "off":
        return Check(name, "note", "switched off by PAGEMILL_RENDER_OFFICE")
    if renderer is None:
        missing: Literal["missing", "note"] = "missing" if settings.render_office == "always" else "note"
        advice = "Office files are read all the same; install LibreOffice to see their pages."
        return Check(name, missing, "LibreOffice is not installed", advice)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "probe.rtf")
        source.write_text(r"{\rtf1 pagemill}")
        try:
            renderer.render(source, Path(folder, "probe.pdf"), Event())
        except (NotRendered, SandboxMissing) as error:
            advice = "Office files are read all the same, without images of their pages."
            return Check(name, "note", f"LibreOffice {renderer.version}, which made no PDF: {error}", advice)
    return Check(name, "ok", f"LibreOffice {renderer.version}, confined, without a network")


def port_check(settings: Settings) -> Check:
    """Whether the port is free, or who answers there."""
    if answering := version_at(settings):
        return Check("port", "ok", f"a pagemill {answering} serves on port {settings.port}")
    try:
        with bind_socket(settings):
            return Check("port", "ok", f"{settings.port} is free on {settings.host}")
    except PagemillError as error:
        return Check("port", "note", f"{settings.port} is taken by something else", error.message)


def version_at(settings: Settings) -> str | None:
    """The version of a server that answers at the address of the settings."""
    key = settings.api_key.get_secret_value() if settings.api_key else None
    try:
        with Client(f"http://127.0.0.1:{settings.port}", key, timeout_seconds=2.0, retries=0) as client:
            return client.health().version
    except ApiError:
        return None
