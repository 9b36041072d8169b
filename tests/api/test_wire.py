"""What comes over the wire before it is a request: too much of it, too slowly, or not HTTP at all."""

import socket
import time

import psutil
import pytest

from tests.samples import letter
from tests.servers import Served, heard, status_of, talk
from tests.timing import can_take_less_than, seconds_of
from tests.waiting import wait_for

HOST = b"Host: localhost\r\n"
# The first byte of TCP_INFO while a connection stands.
ESTABLISHED = 1


def test_a_header_block_past_16_kb_is_refused(idle: Served) -> None:
    said = talk(idle.port, b"GET /health HTTP/1.1\r\n" + HOST + b"X: " + b"x" * 17_000 + b"\r\n\r\n")
    assert status_of(said) == 431
    assert b'"code":"headers_too_large"' in said


def test_two_hundred_headers_are_refused(idle: Served) -> None:
    many = b"".join(b"X-%d: 1\r\n" % number for number in range(200))
    assert status_of(talk(idle.port, b"GET /health HTTP/1.1\r\n" + HOST + many + b"\r\n")) == 431


def test_an_endless_header_is_cut_off_before_it_is_kept(idle: Served) -> None:
    before = psutil.Process().memory_info().rss
    piece = b"x" * 1_000_000
    with socket.create_connection(("127.0.0.1", idle.port), timeout=10) as door:
        door.sendall(b"GET /health HTTP/1.1\r\n" + HOST + b"X: ")
        with pytest.raises((BrokenPipeError, ConnectionResetError)):  # noqa: PT012
            for _ in range(50):
                door.sendall(piece)
    assert psutil.Process().memory_info().rss - before < 20_000_000


def test_an_endless_trailer_is_cut_off(idle: Served) -> None:
    head = b"POST /v1/jobs HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n5\r\n%PDF-\r\n0\r\nX: "
    said = talk(idle.port, head + b"x" * 400_000)
    assert status_of(said) in (0, 431)


def test_a_declared_length_of_very_many_digits_is_still_a_number(idle: Served) -> None:
    body = letter()
    length = b"Content-Length: " + b"0" * 5_000 + b"%d\r\n\r\n" % len(body)
    said = talk(
        idle.port, b"POST /v1/jobs HTTP/1.1\r\nContent-Type: application/pdf\r\n" + HOST + length + body
    )
    assert status_of(said) == 202, said


def test_a_url_past_8_kb_is_refused(idle: Served) -> None:
    for length in (9_000, 60_000, 66_000, 100_000, 400_000):
        said = talk(idle.port, b"GET /" + b"x" * length + b" HTTP/1.1\r\n" + HOST + b"\r\n")
        assert status_of(said) == 414, length
        assert b'"code":"uri_too_long"' in said


@pytest.mark.parametrize(
    "lines",
    [
        b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
        b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        b"Content-Length: -1\r\n",
        b"Content-Length: 5\r\nContent-Length: 6\r\n",
        b"Content-Length: 5, 6\r\n",
        b"Content-Length: 0x5\r\n",
        b"Transfer-Encoding: gzip, chunked, identity\r\n",
        b"X : 1\r\n",
        b"X: a\x00b\r\n",
    ],
)
def test_what_could_be_understood_in_two_ways_is_refused_and_the_connection_closed(
    idle: Served, lines: bytes
) -> None:
    said = talk(
        idle.port, b"POST /v1/jobs HTTP/1.1\r\n" + HOST + lines + b"\r\n0\r\n\r\nGET /health HTTP/1.1\r\n\r\n"
    )
    assert status_of(said) == 400
    assert said.count(b"HTTP/1.1 ") == 1
    assert b"connection: close" in said
    assert b"application/problem+json" in said


@pytest.mark.parametrize("said", [b"hello\r\n\r\n", b"\x16\x03\x01\x02\x00\x01", b"GET / HTTP/9.9\r\n\r\n"])
def test_what_is_not_http_is_refused(idle: Served, said: bytes) -> None:
    assert status_of(talk(idle.port, said)) == 400


def test_a_request_without_a_host_is_refused(idle: Served) -> None:
    said = talk(idle.port, b"GET /health HTTP/1.1\r\n\r\n")
    assert status_of(said) == 400
    assert b'"code":"bad_host"' in said


def test_a_body_that_breaks_off_leaves_nothing_behind(idle: Served) -> None:
    files, jobs, before = idle.files(), idle.jobs(), broken_off(idle)
    head = (
        b"POST /v1/jobs HTTP/1.1\r\n"
        + HOST
        + b"Content-Length: 100000\r\nContent-Type: application/pdf\r\n\r\n"
    )
    talk(idle.port, head + letter()[:3_000] + b"x" * 47_000, half_close=True)
    wait_for(lambda: broken_off(idle) == before + 1)
    assert (idle.files(), idle.jobs()) == (files, jobs)


def broken_off(server: Served) -> int:
    """How many bodies are known to have broken off."""
    return sum(refusal["code"] == "body_incomplete" for refusal in server.refusals())


def test_an_upload_that_dawdles_is_given_up(idle: Served) -> None:
    files = idle.files()
    head = (
        b"POST /v1/jobs HTTP/1.1\r\n"
        + HOST
        + b"Content-Length: 100000\r\nContent-Type: application/pdf\r\n\r\n"
    )

    def refusal_seconds() -> float:
        started = time.monotonic()
        with socket.create_connection(("127.0.0.1", idle.port), timeout=60) as door:
            door.sendall(head + letter()[:1_500])
            said = heard(door)
            taken = time.monotonic() - started
            assert status_of(said) == 408
            assert b'"code":"upload_too_slow"' in said
            assert door.recv(10) == b""
        return taken

    assert can_take_less_than(4, refusal_seconds)
    assert idle.files() == files


def test_an_upload_that_is_slow_but_steady_is_taken(idle: Served) -> None:
    document = letter() + b"\n" * 3_000
    head = b"POST /v1/jobs HTTP/1.1\r\n%sContent-Length: %d\r\n\r\n" % (HOST, len(document))
    with socket.create_connection(("127.0.0.1", idle.port), timeout=10) as door:
        door.sendall(head)
        for start in range(0, len(document), 1_000):
            door.sendall(document[start : start + 1_000])
            time.sleep(0.35)
        assert status_of(heard(door)) == 202


def test_a_head_that_dawdles_is_given_up(idle: Served) -> None:
    with socket.create_connection(("127.0.0.1", idle.port), timeout=10) as door:
        door.sendall(b"GET /health HTTP/1.1\r\nHost: local")
        assert status_of(heard(door)) == 408
    with socket.create_connection(("127.0.0.1", idle.port), timeout=10) as door:
        assert door.recv(10) == b""


def test_a_refused_upload_is_answered_while_it_is_still_being_sent(idle: Served) -> None:
    head = b"POST /v1/jobs HTTP/1.1\r\n%sContent-Length: 50000000\r\n\r\n" % HOST

    def send_the_beginning() -> None:
        with socket.create_connection(("127.0.0.1", idle.port), timeout=60) as door:
            door.sendall(head + b"x" * 10_000)
            assert status_of(heard(door)) == 413
            # The connection is not kept for a body that nobody wants.
            while door.recv(65_536):
                pass

    assert can_take_less_than(5, lambda: seconds_of(send_the_beginning))


def test_a_connection_serves_one_request_after_another(idle: Served) -> None:
    request = b"GET /version HTTP/1.1\r\n" + HOST + b"\r\n"
    with socket.create_connection(("127.0.0.1", idle.port), timeout=10) as door:
        for _ in range(3):
            door.sendall(request)
            assert status_of(heard(door)) == 200
        door.sendall(request * 3)
        said = b""
        while said.count(b"HTTP/1.1 200") < 3 or not said.endswith(b"}"):
            said += door.recv(65_536)


def test_a_caller_who_does_not_read_is_cut_off(idle: Served) -> None:
    asked, times = b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n", 60
    whole = times * len(idle.http.get("/openapi.json").content)
    with socket.socket() as door:
        door.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        door.settimeout(30)
        door.connect(("127.0.0.1", idle.port))
        door.sendall(asked * times)
        # A cut connection can't be written to; nothing is read before that.
        wait_for(lambda: is_cut(door))
        assert whole > 10_000_000


def is_cut(door: socket.socket) -> bool:
    """Whether the other side has given a connection up."""
    return door.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0] != ESTABLISHED
