"""Starts processes of pagemill that are forked from one with the modules loaded; run by `tests/processes.py`.

Loading them takes most of the CPU time of a short command and two thirds of that of a server's start. Orders come as
messages of JSON with file descriptors over a socket: stdin, stdout, stderr, and one to answer to with two lines: the
process id, and the exit code, negative for the signal that ended it.
"""

import gc
import importlib
import json
import os
import signal
import socket
import sys
from contextlib import suppress
from typing import Any

from tests import press_children

MODULES = (
    "pagemill.entrypoints.cli",
    "pagemill.entrypoints.cli.admin.actions",
    "pagemill.entrypoints.cli.doctor.checks",
    "pagemill.entrypoints.cli.remote.actions",
    "pagemill.entrypoints.cli.serve.serving",
    "pagemill.entrypoints.cli.serve.worker",
    "pagemill.entrypoints.cli.webhooks.actions",
    "pagemill.entrypoints.convert.convert",
    "pagemill.entrypoints.convert.to_stdout",
    "pagemill.reading.ocr.ppocr",
    "pagemill.reading.ocr.tesseract",
    "pagemill.reading.remote.configured",
    "typer._adapters",
)
# Commands that start a press.
READING = {"serve", "worker", "convert"}
STREAMS = 3
LARGEST_ORDER_BYTES = 1_000_000


def main(orders: socket.socket) -> int:
    """Fork for each order; in the process that is forked, go on to run its command."""
    for module in (*MODULES, *press_children.MODULES):
        importlib.import_module(module)
    # What is never looked at stays shared with the processes that are forked.
    gc.freeze()
    while True:
        message, descriptors, _, _ = socket.recv_fds(orders, LARGEST_ORDER_BYTES, STREAMS + 1)
        if not message:
            return 0
        keeper = os.fork()
        if keeper == 0:
            orders.close()
            order = json.loads(message)
            return run(order["arguments"]) if is_forked(order, descriptors) else 0
        for descriptor in descriptors:
            os.close(descriptor)
        # It forks once more and waits for that process, so that nobody has to wait for it here.
        reap_ended()


def reap_ended() -> None:
    """Forget the keepers that have ended; others may still wait for their processes."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def is_forked(order: dict[str, Any], descriptors: list[int]) -> bool:
    """Fork the process that runs the command, and say how it ends; True in that process."""
    *streams, answer = descriptors
    pid = os.fork()
    if pid == 0:
        os.close(answer)
        take_over(order, streams)
        return True
    for stream in streams:
        os.close(stream)
    with os.fdopen(answer, "w") as told:
        print(pid, file=told, flush=True)
        _, status = os.waitpid(pid, 0)
        print(os.waitstatus_to_exitcode(status), file=told, flush=True)
    os._exit(0)


def take_over(order: dict[str, Any], streams: list[int]) -> None:
    """Give this process the session, folder, environment and streams that its command would have been started with."""
    os.setsid()
    # A shell that starts tests in the background has them ignore it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(order["folder"])
    os.environ.clear()
    os.environ.update(order["environment"])
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)


def run(arguments: list[str]) -> int:
    """Run a command as `python -m pagemill` does."""
    from pagemill.entrypoints.cli import main as run_command

    if set(arguments) & READING:
        press_children.fork_press_children()
    sys.argv = ["pagemill", *arguments]
    run_command()
    return 0


if __name__ == "__main__":
    sys.exit(main(socket.socket(fileno=int(sys.argv[1]))))
