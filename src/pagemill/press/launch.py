"""Starts children."""

import json
import os
import re
import socket
import subprocess
import sys
import time
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path

from pagemill.press.children import Channels, Child
from pagemill.press.config import Orders, PressConfig
from pagemill.press.ledger import Ledger

# The path comes first: it may be what makes the package importable.
SCRIPT = """
import json, sys
orders = json.loads(sys.argv[1])
sys.path[:] = orders["path"]
from pagemill.press.child import main
main(orders)
"""

# Children get these and no others: the rest may hold the keys of stores and databases.
KEPT_VARIABLES = re.compile(
    r"PATH|HOME|USER|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|LD_LIBRARY_PATH|DYLD_\w+|PYTHON\w+|__PYVENV_LAUNCHER__"
    r"|MALLOC_\w+|OMP_\w+|OPENBLAS_\w+|MKL_\w+|ORT_\w+|TESSDATA_PREFIX|FONTCONFIG_\w+|XDG_\w+"
)
# One thread per child: the slots already use every core. Few arenas: each reserves address space.
DEFAULT_VARIABLES = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "TOKIO_WORKER_THREADS": "1",
    "MALLOC_ARENA_MAX": "2",
}


def launch(config: PressConfig) -> Child:
    """A new child that has not said hello yet; call it from a thread that lives as long as the press."""
    with ExitStack() as on_failure:
        wire, child_wire = map(on_failure.enter_context, socket.socketpair())
        grants, offered = map(on_failure.enter_context, socket.socketpair())
        ledger = Ledger.create()
        on_failure.callback(ledger.close)
        channels = Channels(wire, grants, offered, ledger)
        process = _spawn(config, channels, child_wire)
        on_failure.pop_all()
    child_wire.close()
    wire.setblocking(False)
    grants.setblocking(False)
    return Child(process, channels, time.monotonic() + config.start_seconds, config.answer_bytes)


def _spawn(config: PressConfig, channels: Channels, child_wire: socket.socket) -> subprocess.Popen[bytes]:
    orders = _orders(config, child_wire.fileno(), channels.offered.fileno())
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT, json.dumps(asdict(orders))],
        stdin=subprocess.DEVNULL,
        stdout=channels.ledger.fd,
        stderr=channels.ledger.fd,
        pass_fds=(orders.wire_fd, orders.grants_fd),
        env=_environment(config),
        start_new_session=True,
    )


def _orders(config: PressConfig, wire_fd: int, grants_fd: int) -> Orders:
    return Orders(
        parent_pid=os.getpid(),
        path=[str(Path(entry or ".").resolve()) for entry in (*config.extra_path, *sys.path)],
        wire_fd=wire_fd,
        grants_fd=grants_fd,
        memory_bytes=config.memory_bytes,
        most_memory_bytes=config.most_memory_bytes,
        recycle_after=config.recycle_after,
        recycle_rss_bytes=config.recycle_rss_bytes,
        answer_bytes=config.answer_bytes,
        no_network=config.no_network,
        preload=list(config.preload),
    )


def _environment(config: PressConfig) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if KEPT_VARIABLES.fullmatch(name)}
    return {**DEFAULT_VARIABLES, **kept, **config.environment}
