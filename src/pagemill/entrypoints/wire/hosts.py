"""Which Host and Origin headers are answered to, so that no web page can reach a local installation by its own name."""

import re
from urllib.parse import urlsplit

from pagemill.errors import BadHost
from pagemill.settings import Settings

LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})
REMEMBERED_HOSTS = 100
HOST = re.compile(r"(?P<name>\[[0-9a-f:.]+\]|[^:@\[\]]+)(?::\d{1,5})?", re.ASCII)


class HostCheck:
    """Knows the names of this installation and the origins of web pages that may call it."""

    def __init__(self, settings: Settings) -> None:
        self._names = names_of(settings)
        self.origins = frozenset(split_list(settings.allowed_origins))
        self._good: set[bytes] = set()

    def check(self, hosts: list[bytes], origins: list[bytes]) -> str | None:
        """BadHost unless the request is meant for us; returns the foreign origin that is allowed to read the answer."""
        if len(hosts) != 1 or len(origins) > 1:
            raise BadHost()
        if hosts[0] not in self._good:
            self._check_host(hosts[0])
        if not origins:
            return None
        origin = origins[0].decode("latin-1")
        if origin in self.origins:
            return origin
        if host_in(origin) != hosts[0].decode("latin-1").lower():
            raise BadHost(
                "The Origin header is not one that may call this service. Add it to PAGEMILL_ALLOWED_ORIGINS."
            )
        return None

    def _check_host(self, host: bytes) -> None:
        if self._names is not None and name_in(host.decode("latin-1").lower()) not in self._names:
            raise BadHost()
        if len(self._good) < REMEMBERED_HOSTS:
            self._good.add(host)


def host_in(origin: str) -> str:
    """The host and port of an Origin header; BadHost if it is no address at all."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError as error:
        raise BadHost("The Origin header is not the address of a web page.") from error


def names_of(settings: Settings) -> frozenset[str] | None:
    """The host names that are answered to; None if any is, which only a service with a key and no list does."""
    allowed = frozenset(split_list(settings.allowed_hosts))
    if not allowed and not settings.is_local:
        return None
    own = f"[{settings.host}]" if ":" in settings.host else settings.host
    return allowed | LOCAL_NAMES | {own.lower()}


def name_in(host: str) -> str:
    """A Host header without its port; the whole header if it is no name with a port."""
    found = HOST.fullmatch(host)
    return found["name"] if found else host


def split_list(text: str) -> list[str]:
    """The entries of a setting that is separated by commas."""
    return [entry.strip().lower() for entry in text.split(",") if entry.strip()]
