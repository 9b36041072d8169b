"""Answers to a POST as servers really send them, byte by byte, and connections that are used again."""

import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest

from pagemill.adapters.outbound.client import Call
from pagemill.adapters.outbound.posting import MAX_HEAD_BYTES, Reply
from pagemill.errors import FetchFailed
from tests.outbound.opened import opened
from tests.outbound.test_outbound_limits import LOCAL
from tests.waiting import wait_for

NO_CONTENT = b"HTTP/1.1 204 No Content\r\n\r\n"
WITH_LENGTH = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
IN_CHUNKS = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"


@dataclass
class RawServer:
    """Answers each request of a connection with the next of its answers, then ends the connection."""

    door: socket.socket
    connections: Sequence[Sequence[bytes]]
    requests: list[bytes] = field(default_factory=list)
    ended: list[int] = field(default_factory=list)

    def serve(self) -> None:
        """Serve as many connections as there are lists of answers."""
        for number, answers in enumerate(self.connections):
            connection, _ = self.door.accept()
            with connection:
                for answer in answers:
                    self.requests.append(connection.recv(65_536))
                    connection.sendall(answer)
            self.ended.append(number)

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.door.getsockname()[1]}/hook?a=b"


@contextmanager
def answering(*connections: Sequence[bytes]) -> Iterator[RawServer]:
    """A server with these answers for each of its connections."""
    with socket.create_server(("127.0.0.1", 0)) as door:
        server = RawServer(door, connections)
        thread = threading.Thread(target=server.serve)
        thread.start()
        yield server
        thread.join(60)
        assert not thread.is_alive()


def reply_to(answer: bytes) -> Reply:
    """What comes of a POST that is answered with these bytes."""
    with answering([answer]) as server:
        return opened(LOCAL).post(Call(server.url, {}, b"{}", 10.0, 1_000))


@pytest.mark.parametrize("answer", [NO_CONTENT, WITH_LENGTH, IN_CHUNKS])
def test_a_connection_is_used_again(answer: bytes) -> None:
    with answering([answer] * 5) as server:
        outbound = opened(LOCAL)
        statuses = {outbound.post(Call(server.url, {}, b"{}", 10.0, 100)).status for _ in range(5)}
        outbound.close()
    assert len(statuses) == 1
    assert len(server.requests) == 5
    assert server.requests[0].startswith(b"POST /hook?a=b HTTP/1.1\r\n")


def test_a_connection_that_the_server_ended_meanwhile_is_replaced() -> None:
    with answering([NO_CONTENT], [NO_CONTENT]) as server:
        outbound = opened(LOCAL)
        first = outbound.post(Call(server.url, {}, b"{}", 10.0, 100))
        wait_for(lambda: bool(server.ended))
        second = outbound.post(Call(server.url, {}, b"{}", 10.0, 100))
    assert (first.status, second.status) == (204, 204)


@pytest.mark.parametrize(
    "closing",
    [
        b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok",
        b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n",
        WITH_LENGTH + b"AY",
        WITH_LENGTH + b"HTTP/1.1 500 No\r\nX-A: b\r\n",
        WITH_LENGTH + b"HTTP/1.1 100 Continue\r\n\r\n",
    ],
)
def test_a_connection_that_has_more_or_no_more_to_say_gets_no_further_request(closing: bytes) -> None:
    with answering([closing], [closing]) as server:
        outbound = opened(LOCAL)
        replies = [outbound.post(Call(server.url, {}, b"{}", 10.0, 100)) for _ in range(2)]
    assert {reply.status for reply in replies} <= {200, 204}
    assert {reply.body for reply in replies} <= {b"ok", b""}
    assert not any("x-a" in reply.headers for reply in replies)


def test_a_refusal_that_comes_before_the_end_of_a_long_body_is_read() -> None:
    gone = b"HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n"
    with socket.create_server(("127.0.0.1", 0)) as door:

        def refuse() -> None:
            connection, _ = door.accept()
            with connection:
                connection.recv(1_000)
                connection.sendall(gone)
                connection.shutdown(socket.SHUT_WR)
                # Read on for as long as something comes: what was sent would be lost with a reset.
                while connection.recv(1_000_000):
                    pass

        thread = threading.Thread(target=refuse)
        thread.start()
        url = f"http://127.0.0.1:{door.getsockname()[1]}/"
        outbound = opened(LOCAL)
        assert outbound.post(Call(url, {}, b"x" * 5_000_000, 30.0, 100)).status == 410
        # The connection was kept, and the server reads until its end.
        outbound.close()
        thread.join(60)


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A: b\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-A: b\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX-A: b\r\n\r\nhello",
        b"HTTP/1.0 200 OK\r\nX-A: b\r\n\r\nhello",
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nX-A: b\r\nContent-Length: 5\r\n\r\nhello",
        b"HTTP/1.1 103 Early Hints\r\nX-A: c\r\n\r\nHTTP/1.1 200 OK\r\nx-a: b\r\n\r\nhello",
    ],
)
def test_an_answer_is_read_however_its_length_is_said(answer: bytes) -> None:
    reply = reply_to(answer)
    assert (reply.status, reply.headers["x-a"], reply.body) == (200, "b", b"hello")


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"HTTP/1.1 200",
        b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\ncut off",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\nxx",
        b"HTTP/1.1 200 OK\r\nX: " + b"x" * (2 * MAX_HEAD_BYTES),
    ],
)
def test_what_is_no_whole_answer_is_a_failure(answer: bytes) -> None:
    with pytest.raises(FetchFailed):
        reply_to(answer)


def test_a_line_break_in_a_header_is_never_sent() -> None:
    with socket.create_server(("127.0.0.1", 0)) as door:
        url = f"http://127.0.0.1:{door.getsockname()[1]}/"
        with pytest.raises(FetchFailed):
            opened(LOCAL).post(Call(url, {"X-A": "b\r\nX-B: c"}, b"{}", 10.0, 100))
        door.settimeout(0.2)
        with pytest.raises(TimeoutError):
            door.accept()
