"""`pagemill worker`: takes turns until somebody stops it."""

import os
import signal
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pagemill.data_folder import keep_files_private
from pagemill.entrypoints.cli.serve.stop_signals import Stop
from pagemill.entrypoints.output import logs
from pagemill.entrypoints.output.live_line import LiveLine
from pagemill.entrypoints.output.terminal import format_count
from pagemill.entrypoints.worker.health import serve_health
from pagemill.errors import Refused
from pagemill.garbage_collection import collect_rarely
from pagemill.mill import Mill
from pagemill.model.states import Lane
from pagemill.runner import turn_slots_of
from pagemill.settings import Settings
from pagemill.wiring import prepare_mill, run_worker

if TYPE_CHECKING:
    from pagemill.entrypoints.worker.crew import CeleryCrew

TICK_SECONDS = 1.0
HARD_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def work(settings: Settings, lanes: Sequence[Lane]) -> None:
    """Take turns until SIGINT or SIGTERM; Refused if a worker can't start like this."""
    keep_files_private()
    logs.set_up(settings.log_level, settings.log_format, LiveLine(), logs.secrets_of(settings))
    stop = Stop(HARD_SIGNALS)
    with stop.heard(), prepare_mill(settings) as mill:
        crew = crew_of(mill, lanes)
        with run_worker(mill, crew), serve_health(mill, lambda: crew.is_listening):
            collect_rarely()
            where = f"{', '.join(crew.lanes)} in {format_count(settings.slots, 'slot')}"
            logs.announce(settings.log_format, f"pagemill takes work from {where}. Ctrl-C stops it.")
            while crew.is_listening and not stop.wait(TICK_SECONDS):
                continue
    logs.announce(settings.log_format, "Stopped; work that was in progress was given back.")
    # A library that still waits for a broker must not keep the process.
    os._exit(0)


def crew_of(mill: Mill, lanes: Sequence[Lane]) -> "CeleryCrew":
    """The threads that take turns; Refused if nothing would wake them, or there is no work in these lanes."""
    if mill.settings.broker_url is None:
        raise Refused("A worker has to be woken by a broker: set PAGEMILL_BROKER_URL.")
    if not turn_slots_of(mill, lanes) and Lane.NOTIFY not in lanes:
        raise Refused(
            f"There is nothing to be done here in the lanes {', '.join(lanes)}. `remote` needs a provider on another "
            "machine (PAGEMILL_VLM_URL, PAGEMILL_MISTRAL_KEY)."
        )
    # Only now, because an installation without a broker need not have Celery.
    from pagemill.entrypoints.worker.crew import CeleryCrew

    return CeleryCrew(mill, lanes)


def lanes_of(text: str) -> tuple[Lane, ...]:
    """The lanes in a text such as `fast,bulk`; Refused if there is no such lane."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    known = [lane.value for lane in Lane]
    for name in names:
        if name not in known:
            raise Refused(f"There is no lane {name!r}; there are {', '.join(known)}.")
    return tuple(Lane(name) for name in names) or tuple(Lane)
