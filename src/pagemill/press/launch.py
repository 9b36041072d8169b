"""Starts children."""

import itertools
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict, replace
from functools import cached_property
from pathlib import Path

from pagemill.press.bubblewrap import wrap_command
from pagemill.press.children import Channels, Child, ChildProcess
from pagemill.press.config import Orders, PressConfig
from pagemill.press.ledger import Ledger
from pagemill.press.sandbox import FileAccess, plan_sandbox, readers_need
from pagemill.press.workplace import Workplace, remove_tree

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
    r"PATH|LANG|LANGUAGE|LC_\w+|TZ|LD_LIBRARY_PATH|DYLD_\w+|PYTHON\w+|__PYVENV_LAUNCHER__"
    r"|MALLOC_\w+|OMP_\w+|OPENBLAS_\w+|MKL_\w+|ORT_\w+|TESSDATA_PREFIX|FONTCONFIG_\w+"
)
# One thread per child: the slots already use every core. Few arenas: each reserves address space.
DEFAULT_VARIABLES = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "TOKIO_WORKER_THREADS": "1",
    "MALLOC_ARENA_MAX": "2",
}

# What starts the process of a child; tests put something there that forks one with the modules loaded.
start_process: Callable[..., ChildProcess] = subprocess.Popen


class Launcher:
    """Starts children, each in a sandbox and a workplace of its own."""

    def __init__(self, config: PressConfig) -> None:
        self._config = config
        self._plan = plan_sandbox(config.sandbox)
        self._count = itertools.count(1)
        self._path = [str(Path(entry or ".").resolve()) for entry in (*config.extra_path, *sys.path)]
        self._own_workspace: str | None = None

    @cached_property
    def _workspace(self) -> Path:
        """The folder of the children's folders."""
        if self._config.workspace is not None:
            return self._config.workspace.resolve()
        self._own_workspace = tempfile.mkdtemp(prefix="pagemill-press-")
        return Path(self._own_workspace).resolve()

    @cached_property
    def _access(self) -> FileAccess:
        """The files that all children may reach."""
        hidden = (*self._config.hidden, str(self._workspace), str(Path(".env").resolve()))
        return readers_need([*self._path, *self._config.readable], hidden)

    def launch(self) -> Child:
        """A new child that has not said hello yet; call it from a thread that lives as long as the press."""
        with ExitStack() as on_failure:
            workplace = Workplace(self._workspace / f"{os.getpid()}-{next(self._count)}")
            on_failure.callback(workplace.remove)
            wire, child_wire = map(on_failure.enter_context, socket.socketpair())
            grants, offered = map(on_failure.enter_context, socket.socketpair())
            ledger = Ledger.create()
            on_failure.callback(ledger.close)
            channels = Channels(wire, grants, offered, ledger)
            process = self._spawn(channels, child_wire, workplace)
            on_failure.pop_all()
        child_wire.close()
        wire.setblocking(False)
        grants.setblocking(False)
        return Child(
            process,
            channels,
            workplace,
            deadline=time.monotonic() + self._config.start_seconds,
            largest_bytes=self._config.answer_bytes,
            is_wrapped=self._plan.is_wrapped,
        )

    def close(self) -> None:
        """Remove the folder of the children, if it is ours."""
        if self._own_workspace is not None:
            remove_tree(self._own_workspace)

    def _spawn(self, channels: Channels, child_wire: socket.socket, workplace: Workplace) -> ChildProcess:
        access = self._access_of(workplace)
        orders = self._orders(child_wire.fileno(), channels.offered.fileno(), access)
        command = [sys.executable, "-c", SCRIPT, json.dumps(asdict(orders))]
        if self._plan.is_wrapped:
            command = wrap_command(
                command,
                readable=(*access.readable, *interpreter_places()),
                writable=access.writable,
                folder=workplace.folder,
            )
        return start_process(
            command,
            stdin=subprocess.DEVNULL,
            stdout=channels.ledger.fd,
            stderr=channels.ledger.fd,
            pass_fds=(orders.wire_fd, orders.grants_fd),
            env=self._environment(workplace),
            cwd=workplace.folder,
            start_new_session=True,
        )

    def _access_of(self, workplace: Workplace) -> FileAccess:
        written = (workplace.outputs, workplace.temporary, *self._config.writable)
        return replace(self._access, readable=(*self._access.readable, workplace.inputs), writable=written)

    def _orders(self, wire_fd: int, grants_fd: int, access: FileAccess) -> Orders:
        config = self._config
        return Orders(
            parent_pid=os.getpid(),
            path=self._path,
            wire_fd=wire_fd,
            grants_fd=grants_fd,
            memory_bytes=config.memory_bytes,
            most_memory_bytes=config.most_memory_bytes,
            recycle_after=config.recycle_after,
            recycle_rss_bytes=config.recycle_rss_bytes,
            answer_bytes=config.answer_bytes,
            disk_bytes=config.disk_bytes,
            preload=list(config.preload),
            sandbox=asdict(self._plan),
            access=asdict(access),
        )

    def _environment(self, workplace: Workplace) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if KEPT_VARIABLES.fullmatch(name)}
        folders = {"HOME": workplace.temporary, "TMPDIR": workplace.temporary}
        return {**DEFAULT_VARIABLES, **kept, **folders, **self._config.environment}


def interpreter_places() -> tuple[str, ...]:
    """The program that runs Python and what it finds its library by; a child that is confined after its start needs neither."""
    real = Path(sys.executable).resolve()
    return (sys.prefix, str(real), str(real.parent), sys.base_prefix)
