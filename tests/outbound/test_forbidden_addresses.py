"""No spelling of an internal address is ever connected to, at first or after a redirect; a listener proves it."""

from collections.abc import Iterator

import pytest

from pagemill.adapters.outbound.addresses import allowed_networks, is_allowed
from pagemill.adapters.outbound.client import Call, FetchLimits, Outbound
from pagemill.errors import (
    FetchFailed,
    PagemillError,
    Refused,
    UrlForbiddenAddress,
    UrlInvalid,
    UrlSchemeNotAllowed,
)
from tests.http_receivers import Answered, HttpReceiver, Received, receiving_http
from tests.outbound.opened import opened

LIMITS = FetchLimits(size_bytes=1_000_000, timeout_seconds=30, redirects=3)
HOSTS = [
    "127.0.0.1",
    "127.1",
    "127.0.1",
    "0",
    "0.0.0.0",
    "2130706433",
    "0x7f.1",
    "0x7f000001",
    "017700000001",
    "0177.0.0.1",
    "127.0.0.1.",
    "localhost",
    "localhost.",
    "LOCALHOST",
    "[::1]",
    "[::]",
    "[0:0:0:0:0:0:0:1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[::ffff:0:127.0.0.1]",
    "[64:ff9b::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[64:ff9b:1::7f00:1]",
    "[2002:7f00:1::]",
    "[2001::1]",
    "[fe80::1]",
    "[fe80::5efe:127.0.0.1]",
    "[fc00::1]",
    "[fd00:ec2::254]",
    "[fec0::1]",
    "[ff02::1]",
    "[2001:db8::1]",
    "[2a00::5efe:7f00:1]",
    "[fe80::1%25eth0]",
    "10.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "169.254.169.254",
    "[::ffff:169.254.169.254]",
    "2852039166",
    "0xa9fea9fe",
    "0251.0376.0251.0376",
    "100.64.0.1",
    "100.127.255.254",
    "100.100.100.200",
    "192.0.0.192",
    "192.0.2.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "168.63.129.16",
    "metadata.google.internal",
    "METADATA.GOOGLE.INTERNAL.",
    "metadata",
    "instance-data",
    "①②⑦.⓪.⓪.①",  # digits in circles, which are normalised to ASCII ones
]


@pytest.fixture(scope="module")
def listener() -> Iterator[HttpReceiver]:
    """A server on all addresses of this machine that must never be reached."""
    with receiving_http(host="0.0.0.0") as receiver:
        yield receiver
        assert not receiver.requests


def ask(outbound: Outbound, url: str) -> None:
    """Both ways in which a URL is used."""
    with pytest.raises(PagemillError) as fetched:
        outbound.fetch(url, {}, LIMITS, bytes)
    with pytest.raises(type(fetched.value)):
        outbound.post(Call(url, {}, b"{}", 5, 1_000))
    raise fetched.value


@pytest.mark.parametrize("host", HOSTS)
def test_an_internal_address_is_refused_in_every_spelling(host: str, listener: HttpReceiver) -> None:
    with pytest.raises(UrlForbiddenAddress):
        opened().check(f"http://{host}:{listener.port}/")
    with pytest.raises(UrlForbiddenAddress):
        ask(opened(), f"http://{host}:{listener.port}/")


@pytest.mark.parametrize(
    ("url", "error"),
    [
        ("file:///etc/passwd", UrlSchemeNotAllowed),
        ("gopher://127.0.0.1/", UrlSchemeNotAllowed),
        ("ftp://example.com/a.pdf", UrlSchemeNotAllowed),
        ("javascript:alert(1)", UrlSchemeNotAllowed),
        ("//example.com/", UrlSchemeNotAllowed),
        ("", UrlSchemeNotAllowed),
        ("http://", UrlInvalid),
        ("http:///path", UrlInvalid),
        ("http://user:word@example.com/", UrlInvalid),
        ("http://example.com@127.0.0.1/", UrlInvalid),
        ("http://example.com:99999/", UrlInvalid),
        ("http://example.com:0/", UrlInvalid),
        ("http://[::1/", UrlInvalid),
        ("http://exa mple.com/", UrlInvalid),
        ("http://127.0.0.1\\@example.com/", UrlInvalid),
        ("http://example.com/\r\nX-Injected: yes", UrlInvalid),
        ("http://example.com/" + "a" * 3_000, UrlInvalid),
    ],
)
def test_a_url_that_can_not_be_used_is_refused(url: str, error: type[PagemillError]) -> None:
    with pytest.raises(error):
        ask(opened(), url)


def test_a_name_that_has_one_internal_address_among_others_is_refused(listener: HttpReceiver) -> None:
    outbound = opened(lookup=lambda host, port: ["93.184.216.34", "127.0.0.1"])
    with pytest.raises(UrlForbiddenAddress):
        ask(outbound, f"http://both.example:{listener.port}/")


def test_a_name_that_changes_its_address_after_the_check_is_checked_again(listener: HttpReceiver) -> None:
    answers = iter([["93.184.216.34"], ["127.0.0.1"], ["127.0.0.1"]])
    outbound = opened(lookup=lambda host, port: next(answers))
    outbound.check(f"http://rebinding.example:{listener.port}/")
    with pytest.raises(UrlForbiddenAddress):
        ask(outbound, f"http://rebinding.example:{listener.port}/")


def test_the_address_that_was_checked_is_the_one_that_is_connected_to() -> None:
    lookups: list[str] = []

    def lookup(host: str, _: int) -> list[str]:
        lookups.append(host)
        return ["127.0.0.1"] if len(lookups) == 1 else ["127.0.0.9"]

    with receiving_http() as receiver:
        outbound = opened(allowed_networks("127.0.0.1/32"), lookup=lookup)
        outbound.fetch(f"http://once.example:{receiver.port}/a?b=c", {}, LIMITS, bytes)
    [request] = receiver.requests
    assert lookups == ["once.example"]
    assert request.headers["host"] == f"once.example:{receiver.port}"
    assert request.path == "/a?b=c"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize(
    "host", ["127.0.0.1", "[::ffff:169.254.169.254]", "0x7f.1", "metadata.google.internal"]
)
def test_a_redirect_to_an_internal_address_is_refused(status: int, host: str, listener: HttpReceiver) -> None:
    location = f"http://{host}:{listener.port}/latest/meta-data"
    with receiving_http(lambda _: Answered(status, {"location": location}), host="127.0.0.2") as public:
        outbound = opened(allowed_networks("127.0.0.2/32"))
        with pytest.raises(UrlForbiddenAddress):
            outbound.fetch(public.url, {}, LIMITS, bytes)
    assert len(public.requests) == 1


@pytest.mark.parametrize("location", ["file:///etc/passwd", "gopher://127.0.0.1:6379/_FLUSHALL"])
def test_a_redirect_to_another_scheme_is_refused(location: str) -> None:
    with (
        receiving_http(lambda _: Answered(302, {"location": location})) as receiver,
        pytest.raises(UrlSchemeNotAllowed),
    ):
        opened(allowed_networks("127.0.0.1/32")).fetch(receiver.url, {}, LIMITS, bytes)


def test_headers_for_one_server_are_not_sent_to_the_next() -> None:
    def forward(request: Received) -> Answered:
        return (
            Answered(302, {"location": second.url})
            if request.path == "/other"
            else Answered(302, {"location": "/other"})
        )

    with receiving_http(host="127.0.0.2") as second, receiving_http(forward) as first:
        outbound = opened(allowed_networks("127.0.0.0/8"))
        outbound.fetch(f"{first.url}/start", {"Authorization": "Bearer secret"}, LIMITS, bytes)
    assert [request.headers.get("authorization") for request in first.requests] == ["Bearer secret"] * 2
    assert "authorization" not in second.requests[0].headers


def test_an_allowed_network_is_reached_and_its_neighbours_are_not() -> None:
    with receiving_http() as receiver:
        opened(allowed_networks("127.0.0.0/8")).fetch(receiver.url, {}, LIMITS, bytes)
        opened(allowed_networks("10.0.0.0/8, 127.0.0.1/32")).fetch(receiver.url, {}, LIMITS, bytes)
        with pytest.raises(UrlForbiddenAddress):
            opened(allowed_networks("127.0.0.2/32")).fetch(receiver.url, {}, LIMITS, bytes)
    assert len(receiver.requests) == 2


def test_a_list_of_networks_that_is_not_one_is_refused() -> None:
    with pytest.raises(Refused, match="PAGEMILL_OUTBOUND_ALLOW"):
        allowed_networks("10.0.0.0/8, somewhere")


@pytest.mark.parametrize(
    "address", ["93.184.216.34", "1.1.1.1", "2606:4700::1111", "64:ff9b::101:101", "::ffff:1.1.1.1"]
)
def test_public_addresses_are_allowed(address: str) -> None:
    assert is_allowed(address)


def test_a_name_that_nobody_knows_is_a_failed_fetch() -> None:
    with pytest.raises(FetchFailed):
        opened().fetch("http://no-such-host.invalid/", {}, LIMITS, bytes)
