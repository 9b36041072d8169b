"""A look from inside the press: what a child process may do and what it may not."""

import ctypes
import json
import os
import resource
import signal
import socket
import sys
from dataclasses import asdict, dataclass

PR_GET_PDEATHSIG = 2
PR_GET_NO_NEW_PRIVS = 39


@dataclass(frozen=True, slots=True)
class Protections:
    """Which of the limits on native code hold on this machine."""

    no_network: bool
    dies_with_parent: bool
    no_new_privileges: bool
    memory_limited: bool


def look_around(_argument: bytes) -> bytes:
    """The protections of the process that this is called in, as JSON; runs in the press."""
    linux = sys.platform == "linux"
    found = Protections(
        no_network=network_is_out_of_reach(),
        dies_with_parent=linux and death_signal() == signal.SIGKILL,
        no_new_privileges=linux and ctypes.CDLL(None).prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1,
        memory_limited=resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY,
    )
    return json.dumps({**asdict(found), "pid": os.getpid()}).encode()


def network_is_out_of_reach() -> bool:
    """Whether this process can't even open a socket."""
    try:
        socket.socket(socket.AF_INET, socket.SOCK_STREAM).close()
    except OSError:
        return True
    return False


def death_signal() -> int:
    """The signal that this process gets when its parent dies."""
    number = ctypes.c_int(0)
    ctypes.CDLL(None).prctl(PR_GET_PDEATHSIG, ctypes.byref(number), 0, 0, 0)
    return number.value
