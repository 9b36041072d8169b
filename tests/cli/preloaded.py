"""Runs commands one after the other, each in a process of its own that is forked from one with the modules loaded.

Loading them takes most of the time of a short command. Orders come as lines of JSON on stdin; the answer to each is
a line with the exit code, negative for the signal that ended it.
"""

import gc
import importlib
import json
import os
import sys
from typing import Any

MODULES = (
    "pagemill.entrypoints.cli",
    "pagemill.entrypoints.cli.admin.actions",
    "pagemill.entrypoints.cli.doctor.checks",
    "pagemill.entrypoints.cli.remote.actions",
    "pagemill.entrypoints.cli.webhooks.actions",
    "pagemill.entrypoints.convert.convert",
    "typer._adapters",
)


def main() -> int:
    """Fork for each order; in the forked process, go on to run its command."""
    for module in MODULES:
        importlib.import_module(module)
    # What is never looked at stays shared with the processes that are forked.
    gc.freeze()
    for line in sys.stdin:
        order = json.loads(line)
        pid = os.fork()
        if pid == 0:
            take_over(order)
            return run(order["arguments"])
        _, status = os.waitpid(pid, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)
    return 0


def take_over(order: dict[str, Any]) -> None:
    """Give this process the folder, the environment and the streams that its command would have been started with."""
    os.chdir(order["folder"])
    os.environ.clear()
    os.environ.update(order["environment"])
    for number, path in ((0, os.devnull), (1, order["stdout"]), (2, order["stderr"])):
        opened = os.open(path, os.O_RDONLY if number == 0 else os.O_WRONLY)
        os.dup2(opened, number)
        os.close(opened)


def run(arguments: list[str]) -> int:
    """Run a command as `python -m pagemill` does."""
    from pagemill.entrypoints.cli import main as run_command

    sys.argv = ["pagemill", *arguments]
    run_command()
    return 0


if __name__ == "__main__":
    sys.exit(main())
