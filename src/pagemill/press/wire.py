"""The frames between the press and a child.

Two sockets lead to each child. Over the `wire` go requests and, back, the answers that the press is woken for: the
last of a batch, and long ones. Over the other go grants and, back, the answers in the middle of a batch, for which
the press need not wake up: it reads them with the next one, or when the child dies or is late.

A batch is worked on by the process that reads its grant. So the press takes back a batch that a child has not begun by
reading the grant itself.
"""

import json
import struct
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from enum import IntEnum

# length of the function's name, length of the argument, number, seconds, memory bytes or 0 for what is usual
REQUEST = struct.Struct("=HIQdQ")
# number of the first visit, how many there are
GRANT = struct.Struct("=QQ")
# length of the body, kind, worn, number, seconds, CPU seconds, resident bytes
ANSWER = struct.Struct("=IBBQddQ")

FRAME_SLACK_BYTES = 65_536

# So much may wait unread in the smallest socket buffers that systems have.
QUIET_BYTES = 4_096
QUIET_ANSWERS = 16


class WireError(Exception):
    """A child sent something that is not an answer to what it was asked."""


class AnswerKind(IntEnum):
    """What an answer says."""

    HELLO = 1
    DONE = 2
    FAILED = 3


KINDS = frozenset(AnswerKind)


@dataclass(frozen=True, slots=True)
class VisitAnswer:
    """One frame from a child."""

    kind: AnswerKind
    number: int
    body: bytes
    worn: bool = False
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    rss_bytes: int = 0

    def frame(self) -> bytes:
        """The bytes to send."""
        times = (self.seconds, self.cpu_seconds)
        head = (len(self.body), self.kind, self.worn, self.number, *times, self.rss_bytes)
        return ANSWER.pack(*head) + self.body


@dataclass(frozen=True, slots=True)
class Hello:
    """What a child reports when it is ready: how far it is shut in, and how large it is before any work."""

    sandbox: tuple[str, ...]
    size_bytes: int
    rss_bytes: int
    peak_rss_bytes: int

    def body(self) -> bytes:
        """The hello as the body of an answer."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def of(cls, body: bytes) -> "Hello":
        """The hello in the body of an answer."""
        try:
            hello = cls(**json.loads(body))
            return replace(hello, sandbox=tuple(map(str, hello.sandbox)))
        except (ValueError, TypeError) as error:
            raise WireError("a hello that can't be read") from error


@dataclass(frozen=True, slots=True)
class VisitRefusal:
    """Why a function failed; `trace` is empty for errors that say themselves what is wrong."""

    code: str
    message: str
    retryable: bool
    trace: str

    def body(self) -> bytes:
        """The refusal as the body of an answer."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def of(cls, body: bytes) -> "VisitRefusal":
        """The refusal in the body of an answer."""
        try:
            return cls(**json.loads(body))
        except (ValueError, TypeError) as error:
            raise WireError("a refusal that can't be read") from error


def request_frame(
    number: int, function: str, argument: bytes, seconds: float, memory_bytes: int = 0
) -> bytes:
    """The bytes that ask a child for one visit."""
    name = function.encode()
    return REQUEST.pack(len(name), len(argument), number, seconds, memory_bytes) + name + argument


class AnswerReader:
    """Cuts the bytes that arrive from one child into answers."""

    def __init__(self, largest_bytes: int) -> None:
        self._largest_bytes = largest_bytes + FRAME_SLACK_BYTES
        self._buffer = bytearray()

    def feed(self, received: bytes) -> Iterator[VisitAnswer]:
        """The answers that are complete now."""
        self._buffer += received
        while (answer := self._next()) is not None:
            yield answer

    def _next(self) -> VisitAnswer | None:
        if len(self._buffer) < ANSWER.size:
            return None
        length, kind, worn, number, seconds, cpu_seconds, rss_bytes = ANSWER.unpack_from(self._buffer)
        end = ANSWER.size + length
        if length > self._largest_bytes or kind not in KINDS:
            raise WireError("a frame that is none of ours")
        if len(self._buffer) < end:
            return None
        body = bytes(self._buffer[ANSWER.size : end])
        del self._buffer[:end]
        return VisitAnswer(
            kind=AnswerKind(kind),
            number=number,
            body=body,
            worn=bool(worn),
            seconds=seconds,
            cpu_seconds=cpu_seconds,
            rss_bytes=rss_bytes,
        )
