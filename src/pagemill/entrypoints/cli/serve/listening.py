"""Before the service starts: who may call, and on which socket."""

import errno
import socket
from collections.abc import Iterator
from contextlib import contextmanager

from pagemill.errors import Refused
from pagemill.settings import Settings


def refuse_without_key(settings: Settings) -> None:
    """Don't serve strangers without a key."""
    key = settings.api_key.get_secret_value() if settings.api_key else ""
    if not key and not settings.is_local:
        raise Refused(
            f"Listening on {settings.host} would let anybody who reaches this machine in. "
            "Set an API key in PAGEMILL_API_KEY, or listen on 127.0.0.1."
        )


@contextmanager
def bind_socket(settings: Settings) -> Iterator[socket.socket]:
    """The listening socket, taken before anything else is started; connections are taken once it is served."""
    host = settings.host.strip("[]")
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, settings.port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except OSError as error:
        raise Refused(bind_advice(settings, error)) from error
    with listener:
        yield listener


def bind_advice(settings: Settings, error: OSError) -> str:
    """Why the address can't be listened on, and what to do."""
    if error.errno == errno.EADDRINUSE:
        return f"Port {settings.port} is in use. Choose another with --port or PAGEMILL_PORT; 0 takes a free one."
    where = f"{settings.host}, port {settings.port}"
    return f"Can't listen on {where}: {error.strerror or error}. Choose others with --host and --port."


def address(listener: socket.socket) -> str:
    """The URL that the socket is reached at from this machine."""
    host, port = listener.getsockname()[:2]
    everywhere = {"0.0.0.0": "127.0.0.1", "::": "::1"}
    host = everywhere.get(host, host)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
