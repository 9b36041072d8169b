"""Where a request goes: a URL taken apart, its host resolved, and every address of it checked."""

import re
import socket
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv6Address, ip_address
from queue import Empty, SimpleQueue
from urllib.parse import SplitResult, urlsplit

from pagemill.adapters.outbound.addresses import Network, is_allowed, is_listed
from pagemill.errors import FetchFailed, FetchTimeout, UrlForbiddenAddress, UrlInvalid, UrlSchemeNotAllowed

Resolve = Callable[[str, int], list[str]]


PORTS = {"http": 80, "https": 443}
LONGEST_URL = 2_048
LOOKUP_SECONDS = 5.0
# Names of metadata services that some clouds answer to; they are refused wherever they resolve to.
METADATA_HOSTS = frozenset(
    {"metadata", "metadata.google.internal", "metadata.goog", "metadata.azure.internal", "instance-data"}
    | {"instance-data.ec2.internal", "metadata.tencentyun.com", "100.100.100.200", "kubernetes.default.svc"}
)
# Characters that some parsers take for the end of the host and others don't.
UNSAFE = re.compile(r"[\x00-\x20\x7f\\]")
# Names of hosts, and IPv4 addresses in any spelling; an underscore is in many names of containers.
HOST_NAME = re.compile(r"(?:(?!-)[A-Za-z0-9_-]{1,63}(?<!-)\.)*(?!-)[A-Za-z0-9_-]{1,63}(?<!-)")
LONGEST_HOST_NAME = 253
# Every delivery to an endpoint asks for the same one.
KNOWN_URLS = 1_024


def system_addresses(host: str, port: int) -> list[str]:
    """Every address that the system's resolver knows of a host."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(one[4][0]) for one in found))


@dataclass(frozen=True, slots=True)
class Target:
    """The parts of a URL that decide where a connection goes."""

    url: str
    scheme: str
    host: str
    port: int


@lru_cache(KNOWN_URLS)
def parse(url: str) -> Target:
    """The target of a URL; raises UrlSchemeNotAllowed or UrlInvalid, which say what is wrong with it."""
    if len(url) > LONGEST_URL or UNSAFE.search(url):
        raise UrlInvalid(f"The URL has a blank or control character, or is longer than {LONGEST_URL}.")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise UrlInvalid(f"The URL can't be parsed: {error}.") from error
    if parts.scheme not in PORTS:
        raise UrlSchemeNotAllowed()
    if not parts.hostname or parts.username is not None or parts.password is not None:
        raise UrlInvalid("The URL needs a host, and no user name or password in front of it.")
    if port == 0:
        raise UrlInvalid("The URL has port 0.")
    return Target(url, parts.scheme, host_of(parts), port or PORTS[parts.scheme])


def host_of(parts: SplitResult) -> str:
    """The host in the form that is resolved: lower case, without a final dot, and in ASCII."""
    host = (parts.hostname or "").rstrip(".")
    try:
        name = host if host.isascii() else host.encode("idna").decode()
    except UnicodeError as error:
        raise UrlInvalid("The host of the URL is not a valid name.") from error
    if ":" not in name and not (HOST_NAME.fullmatch(name) and len(name) <= LONGEST_HOST_NAME):
        raise UrlInvalid("The host of the URL is not a valid name.")
    return name


def resolve(
    host: str, port: int, lookup: Resolve = system_addresses, timeout_seconds: float = LOOKUP_SECONDS
) -> list[str]:
    """Every address of a host; raises FetchFailed if the name is unknown, FetchTimeout if the lookup takes too long."""
    found: SimpleQueue[list[str] | Exception] = SimpleQueue()

    def look() -> None:
        try:
            found.put(lookup(host, port))
        except (OSError, UnicodeError) as error:
            found.put(error)

    # The system's resolver takes no time limit, so it is left behind in a thread of its own.
    threading.Thread(target=look, name="pagemill-lookup", daemon=True).start()
    try:
        answer = found.get(timeout=timeout_seconds)
    except Empty as error:
        raise FetchTimeout(
            f"The host of the URL was not resolved within {timeout_seconds:.0f} seconds."
        ) from error
    if isinstance(answer, Exception):
        raise FetchFailed("The host of the URL can't be resolved.") from answer
    return answer


def check_addresses(target: Target, allowed: Sequence[Network], lookup: Resolve = resolve) -> list[str]:
    """The addresses of a target; raises UrlForbiddenAddress unless every one of them may be connected to."""
    if target.host in METADATA_HOSTS:
        raise UrlForbiddenAddress()
    found = literal(target.host) or lookup(target.host, target.port)
    if not found or not all(is_allowed(address, allowed) for address in found):
        raise UrlForbiddenAddress()
    return found


def check_spelling(target: Target, allowed: Sequence[Network]) -> None:
    """Raises UrlForbiddenAddress if the spelling of the host alone shows it; names are resolved when they are used."""
    if target.host in METADATA_HOSTS or not all(
        is_allowed(one, allowed) for one in literal(target.host) or ()
    ):
        raise UrlForbiddenAddress()


def literal(host: str) -> list[str] | None:
    """The address that a host spells, in any of the spellings that resolvers take: 127.1, 0x7f.1, 2130706433, [::1]."""
    if ":" in host:
        return [str(IPv6Address(host))] if is_v6(host) else [socket.inet_ntop(socket.AF_INET6, bytes(16))]
    try:
        return [socket.inet_ntoa(socket.inet_aton(host))]
    except OSError:
        return None


def is_v6(host: str) -> bool:
    """Whether a host is an IPv6 address without a zone."""
    try:
        return isinstance(ip_address(host), IPv6Address) and "%" not in host
    except ValueError:
        return False


def is_internal(target: Target, allowed: Sequence[Network], lookup: Resolve = resolve) -> bool:
    """Whether every address of a target is in a network that the operator allows."""
    found = literal(target.host) or lookup(target.host, target.port)
    return bool(found) and all(is_listed(ip_address(one.partition("%")[0]), allowed) for one in found)
