"""Requests to elsewhere end in time, take no more than they may, and trust only valid certificates."""

import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pagemill.adapters.outbound.addresses import allowed_networks
from pagemill.adapters.outbound.client import Call, FetchLimits
from pagemill.adapters.outbound.network import RequestInterrupted
from pagemill.adapters.outbound.targets import resolve
from pagemill.errors import FetchFailed, FetchTimeout, FileTooLarge, TlsError, TooManyRedirects
from tests.certificates import make_certificate
from tests.http_receivers import Answered, receiving_http
from tests.outbound.opened import opened

LOCAL = allowed_networks("127.0.0.0/8")
HASTY = FetchLimits(size_bytes=1_000_000, timeout_seconds=1.0, redirects=3)
# For what is not about time, on a machine that is busy.
PATIENT = FetchLimits(size_bytes=1_000_000, timeout_seconds=30.0, redirects=3)


def endless() -> Iterator[bytes]:
    """A body without an end."""
    while True:
        yield b"x" * 65_536


def dripping() -> Iterator[bytes]:
    """A body that comes a byte at a time."""
    for _ in range(200):
        yield b"x"
        time.sleep(0.1)


def silent() -> Iterator[bytes]:
    """A body that never comes."""
    time.sleep(20)
    yield b""


def test_a_document_is_handed_over_in_pieces() -> None:
    pieces: list[bytes] = []
    document = bytes(range(256)) * 2_000
    with receiving_http(
        lambda _: Answered(body=document, headers={"content-type": "application/pdf"})
    ) as receiver:
        fetched = opened(LOCAL).fetch(receiver.url, {}, PATIENT, pieces.append)
    assert b"".join(pieces) == document
    assert (fetched.size_bytes, fetched.headers["content-type"]) == (len(document), "application/pdf")


@pytest.mark.parametrize("body", [dripping, silent])
def test_a_slow_server_is_given_up_in_time(body: object) -> None:
    with receiving_http(lambda _: Answered(pieces=body)) as receiver:  # type: ignore[arg-type]
        started = time.monotonic()
        with pytest.raises(FetchTimeout):
            opened(LOCAL).fetch(receiver.url, {}, HASTY, bytes)
        with pytest.raises(FetchTimeout):
            opened(LOCAL).post(Call(receiver.url, {}, b"{}", 1.0, 64_000))
    # Less than the body would take.
    assert time.monotonic() - started < 18


def slow_headers() -> Iterator[bytes]:
    """Headers that come a few bytes at a time and have no end."""
    yield b"HTTP/1.1 200 OK\r\n"
    for _ in range(200):
        yield b"x-more: y\r\n"
        time.sleep(0.1)


def test_headers_that_come_slowly_are_given_up_in_time() -> None:
    with receiving_http(lambda _: Answered(pieces=slow_headers, raw=True)) as receiver:
        started = time.monotonic()
        with pytest.raises(FetchTimeout):
            opened(LOCAL).fetch(receiver.url, {}, HASTY, bytes)
    # Less than the headers would take.
    assert time.monotonic() - started < 18


def test_an_endless_body_is_too_large_a_file() -> None:
    with receiving_http(lambda _: Answered(pieces=endless)) as receiver, pytest.raises(FileTooLarge):
        opened(LOCAL).fetch(receiver.url, {}, PATIENT, bytes)


def test_an_endless_answer_to_a_post_is_cut_off() -> None:
    with receiving_http(lambda _: Answered(pieces=endless)) as receiver:
        reply = opened(LOCAL).post(Call(receiver.url, {}, b"{}", 5.0, 64_000))
    assert (reply.status, len(reply.body)) == (200, 64_000)


def test_redirects_have_an_end() -> None:
    with (
        receiving_http(lambda _: Answered(302, {"location": "/again"})) as receiver,
        pytest.raises(TooManyRedirects),
    ):
        opened(LOCAL).fetch(receiver.url, {}, PATIENT, bytes)
    assert len(receiver.requests) == PATIENT.redirects + 1


@pytest.mark.parametrize("status", [400, 404, 500, 304])
def test_a_status_that_is_no_success_is_a_failed_fetch(status: int) -> None:
    with (
        receiving_http(lambda _: Answered(status)) as receiver,
        pytest.raises(FetchFailed, match=str(status)),
    ):
        opened(LOCAL).fetch(receiver.url, {}, PATIENT, bytes)


def test_a_compressed_answer_is_refused() -> None:
    zipped = Answered(headers={"content-encoding": "gzip"}, body=b"x")
    with receiving_http(lambda _: zipped) as receiver, pytest.raises(FetchFailed, match="compress"):
        opened(LOCAL).fetch(receiver.url, {}, PATIENT, bytes)


def test_a_server_that_is_down_is_a_failed_fetch() -> None:
    with receiving_http() as receiver:
        url = receiver.url
    with pytest.raises(FetchFailed):
        opened(LOCAL).fetch(url, {}, PATIENT, bytes)


def test_a_post_follows_no_redirect() -> None:
    with receiving_http(lambda _: Answered(301, {"location": "/other"})) as receiver:
        assert opened(LOCAL).post(Call(receiver.url, {}, b"{}", 5.0, 100)).status == 301
    assert len(receiver.requests) == 1


def test_the_head_and_the_body_of_a_short_request_are_one_packet() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        packets: list[bytes] = []

        def answer() -> None:
            connection, _ = server.accept()
            with connection:
                packets.append(connection.recv(65_536))
                connection.sendall(b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n")

        thread = threading.Thread(target=answer)
        thread.start()
        url = f"http://127.0.0.1:{server.getsockname()[1]}/"
        assert opened(LOCAL).post(Call(url, {}, b'{"short":1}', 30.0, 100)).status == 204
        thread.join()
    assert packets[0].endswith(b'\r\n\r\n{"short":1}')


@pytest.mark.parametrize("size_bytes", [10, 65_536, 3_000_000])
def test_a_body_of_any_length_arrives_whole(size_bytes: int) -> None:
    with receiving_http() as receiver:
        opened(LOCAL).post(Call(receiver.url, {}, b"x" * size_bytes, 30.0, 100))
    assert receiver.bodies() == [b"x" * size_bytes]


def test_the_certificate_is_checked_for_the_name_and_not_for_the_address(tmp_path: Path) -> None:
    good = make_certificate(tmp_path, "good.example")
    with receiving_http(tls=good.server()) as receiver:
        outbound = opened(LOCAL, lookup=lambda host, port: ["127.0.0.1"], tls=good.trusted())
        outbound.fetch(f"https://good.example:{receiver.port}/", {}, PATIENT, bytes)
        with pytest.raises(TlsError):
            outbound.fetch(f"https://other.example:{receiver.port}/", {}, PATIENT, bytes)
    assert receiver.requests[0].headers["host"].startswith("good.example")


@pytest.mark.parametrize("expired", [False, True])
def test_an_expired_or_unknown_certificate_is_refused(tmp_path: Path, expired: bool) -> None:
    certificate = make_certificate(tmp_path, "bad.example", expired=expired)
    trust = certificate.trusted() if expired else None
    with receiving_http(tls=certificate.server()) as receiver:
        outbound = opened(LOCAL, lookup=lambda host, port: ["127.0.0.1"], tls=trust)
        with pytest.raises(TlsError):
            outbound.fetch(f"https://bad.example:{receiver.port}/", {}, PATIENT, bytes)
    assert not receiver.requests


def test_a_name_that_is_not_resolved_in_time_is_given_up() -> None:
    asked = threading.Event()
    with pytest.raises(FetchTimeout, match="not resolved"):
        resolve("slow.example", 80, lambda *_: ["192.0.2.1"] if asked.wait(5) else [], 0.05)
    asked.set()


def test_a_request_that_is_given_up_ends_while_its_server_is_silent() -> None:
    stop, given_up = threading.Event(), threading.Event()

    def silent() -> Iterator[bytes]:
        yield b"%PDF-"
        stop.set()
        given_up.wait(25)

    with receiving_http(lambda _: Answered(pieces=silent)) as receiver:
        started = time.monotonic()
        limits = FetchLimits(size_bytes=1_000, timeout_seconds=30, redirects=0)
        with pytest.raises(RequestInterrupted):
            opened(LOCAL).fetch(receiver.url, {}, limits, bytes, stop)
        given_up.set()
        assert time.monotonic() - started < 20
