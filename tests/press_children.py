"""Children of the press that are forked from a process with the modules loaded; tests/press starts them as the service does.

Loading takes nine tenths of the CPU time in which a child starts, and many tests start one. The press is the parent of what is
forked here, as it is of a process that it starts itself: it waits for it, and what it is ends with the press.
"""

import ctypes
import fcntl
import gc
import importlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

from pagemill.press import launch

ROOT = Path(__file__).parents[1]
MODULES = (
    "pagemill.press.child",
    "pagemill.reading.visits",
    # What the first page of a document asks for.
    "liteparse",
    "pagemill.reading.layout.page",
    "pagemill.reading.sources.links",
    "pagemill.reading.providers.liteparse",
    "pagemill.reading.recognition.repeated",
    "pagemill.reading.providers.pdfium",
    "pagemill.reading.read_page",
    "pagemill.reading.relined",
    "pagemill.reading.layout.tables.finding",
    "pagemill.reading.layout.tables.tagged",
    "pagemill.reading.sources.tags",
)
LARGEST_ORDER_BYTES, MOST_DESCRIPTORS, ANSWER_BYTES = 1_000_000, 16, 32
SYSTEM_CALLS = {"x86_64": 56, "aarch64": 220}
CLONE_PARENT = 0x8000
# No descriptor that a child is given has a number as high.
SAFE_DESCRIPTOR = 800
STREAMS = 3
# They are meant for what the children are started for, which outlives them for a while.
SIGNALS = (signal.SIGINT, signal.SIGTERM)


@dataclass
class ForkedChild:
    """A child, with what the press uses of `subprocess.Popen`."""

    pid: int
    returncode: int | Any = None


class ChildStarter:
    """The press's end of the process that children are forked from."""

    def __init__(self, orders: socket.socket) -> None:
        # Open until this process ends, which would warn of a socket.
        self._orders_fd = orders.detach()
        self._asking = threading.Lock()

    def start(self, command: Sequence[str], **given: Any) -> "ForkedChild | subprocess.Popen[bytes]":
        """Start a child as `subprocess.Popen` does; one that is wrapped in another program is left to it."""
        if command[0] != sys.executable:
            return subprocess.Popen(command, **given)
        streams = [given["stdout"], given["stderr"]]
        order = {
            "command": list(command[1:]),
            "folder": str(given["cwd"]),
            "environment": dict(given["env"]),
            "numbers": list(given["pass_fds"]),
        }
        with self._asking, open(os.devnull, "rb") as null:
            descriptors = [null.fileno(), *streams, *given["pass_fds"]]
            return ForkedChild(self._fork(json.dumps(order).encode(), descriptors))

    def _fork(self, order: bytes, descriptors: Sequence[int]) -> int:
        """The process id of a child with these orders."""
        with socket.socket(fileno=os.dup(self._orders_fd)) as orders:
            socket.send_fds(orders, [order], descriptors)
            pid = int(orders.recv(ANSWER_BYTES))
        assert pid > 0, f"no child could be forked: {os.strerror(-pid)}"
        return pid


def fork_press_children() -> None:
    """Have every press of this process fork its children from one more process, which is started now."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    pid = os.fork()
    if pid == 0:
        ours.close()
        let_go_of_streams()
        main(theirs)
    theirs.close()
    launch.start_process = ChildStarter(ours).start


@cache
def starter() -> ChildStarter:
    """The one of this process, which is started by the first press that needs it."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    started = threading.Event()

    def keep() -> None:
        # What it forks ends with the thread that has started it, so that one stays.
        command = [sys.executable, "-m", "tests.press_children", str(theirs.fileno())]
        environment = {**os.environ, **launch.DEFAULT_VARIABLES}
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()]
        )
        theirs.close()
        started.set()
        process.wait()

    threading.Thread(target=keep, name="press-children", daemon=True).start()
    assert started.wait()
    return ChildStarter(ours)


def start_forked(command: Sequence[str], **given: Any) -> "ForkedChild | subprocess.Popen[bytes]":
    """Start a child of the press from the starter of this process."""
    return starter().start(command, **given)


def let_go_of_streams() -> None:
    """Leave what this process would print to the one that it was forked from, whose readers wait for its end."""
    null = os.open(os.devnull, os.O_RDWR)
    for number in range(STREAMS):
        os.dup2(null, number)
    os.close(null)


def main(orders: socket.socket) -> NoReturn:
    """Fork for each order until the other side is gone."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    for module in MODULES:
        importlib.import_module(module)
    gc.freeze()
    while True:
        message, descriptors, _, _ = socket.recv_fds(orders, LARGEST_ORDER_BYTES, MOST_DESCRIPTORS)
        if not message:
            os._exit(0)
        pid = fork_sibling()
        if pid == 0:
            orders.close()
            become(json.loads(message), descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        orders.send(str(pid).encode())


def fork_sibling() -> int:
    """Fork a process whose parent is the parent of this one; 0 in that process."""
    python = ctypes.pythonapi
    number = SYSTEM_CALLS[os.uname().machine]
    python.PyOS_BeforeFork()
    pid: int = ctypes.PyDLL(None, use_errno=True).syscall(number, CLONE_PARENT | signal.SIGCHLD, 0, 0, 0, 0)
    if pid == 0:
        python.PyOS_AfterFork_Child()
    else:
        python.PyOS_AfterFork_Parent()
    return pid if pid >= 0 else -ctypes.get_errno()


def become(order: Mapping[str, Any], descriptors: Sequence[int]) -> NoReturn:
    """Be the process that would have been started."""
    os.setsid()
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    os.chdir(order["folder"])
    os.environ.clear()
    os.environ.update(order["environment"])
    take_descriptors(descriptors, [*range(STREAMS), *order["numbers"]])
    _, script, *arguments = order["command"]
    sys.argv = ["-c", *arguments]
    try:
        exec(compile(script, "<string>", "exec"), {"__name__": "__main__"})
    except SystemExit as end:
        print(end.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
    sys.stderr.flush()
    os._exit(1)


def take_descriptors(descriptors: Sequence[int], numbers: Sequence[int]) -> None:
    """Give descriptors these numbers."""
    safe = [fcntl.fcntl(descriptor, fcntl.F_DUPFD, SAFE_DESCRIPTOR) for descriptor in descriptors]
    for descriptor in descriptors:
        os.close(descriptor)
    for number, descriptor in zip(numbers, safe, strict=True):
        os.dup2(descriptor, number)
        os.close(descriptor)


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])))
