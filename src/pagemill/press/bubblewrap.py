"""Bubblewrap: starts a child in namespaces of its own, without network, other processes or other files."""

import os
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from functools import cache

PROGRAM = "bwrap"
PROBE_SECONDS = 10.0
# Bubblewrap ends with this and the number of the signal when the program in it was killed.
SIGNAL_EXIT_CODE = 128
TOP_LINKS = ("/bin", "/lib", "/lib32", "/lib64")
NAMESPACES = ("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try")


@cache
def bubblewrap_works() -> bool:
    """Whether it is installed and may make namespaces here: it is tried."""
    if shutil.which(PROGRAM) is None:
        return False
    command = [PROGRAM, "--ro-bind", "/", "/", *NAMESPACES, "--die-with-parent", "true"]
    try:
        done = subprocess.run(command, capture_output=True, timeout=PROBE_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def wrap_command(
    command: Sequence[str], *, readable: Iterable[str], writable: Iterable[str], folder: str
) -> list[str]:
    """The command line that runs a command in bubblewrap, in a folder that it can write to."""
    shown = [path for path in _outermost(readable) if not path.startswith(("/proc/", "/dev/"))]
    binds = [("--ro-bind-try", path) for path in shown] + [("--bind", path) for path in writable]
    mounts = [word for option, path in binds for word in (option, path, path)]
    # On most systems these are links, and the loader of programs is found through them.
    links = [
        word for path in TOP_LINKS if os.path.islink(path) for word in ("--symlink", os.readlink(path), path)
    ]
    system = ("--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--dir", folder)
    return [PROGRAM, *NAMESPACES, "--die-with-parent", *system, *links, *mounts, "--chdir", folder, *command]


def _outermost(paths: Iterable[str]) -> list[str]:
    """The paths that are not within others of them."""
    found: list[str] = []
    for path in sorted(set(paths)):
        if not any(path.startswith(f"{above}/") for above in found):
            found.append(path)
    return found
