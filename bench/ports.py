"""Ports for servers that are started later, and perhaps again: no other caller is given them in the meantime."""

import atexit
import socket
from contextlib import ExitStack

_kept = ExitStack()
atexit.register(_kept.close)


def free_port() -> int:
    """A port that no one listens on, kept for the process that names it until this process ends."""
    # Bound without ever listening: callers for any port are not given this one, and who asks for it by number is.
    place = _kept.enter_context(socket.socket())
    place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    place.bind(("127.0.0.1", 0))
    port: int = place.getsockname()[1]
    return port


def free_ports(count: int) -> list[int]:
    """So many of them, all different."""
    return [free_port() for _ in range(count)]
