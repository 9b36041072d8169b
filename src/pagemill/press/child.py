"""The child process: it takes visits from its socket and carries them out, one after the other."""

import importlib
import os
import resource
import socket
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NoReturn, cast

from pagemill.garbage_collection import collect_rarely
from pagemill.press.config import Orders
from pagemill.press.ledger import Ledger
from pagemill.press.limits import bind_to_parent, limit_cpu, limit_files, limit_growth, limit_memory
from pagemill.press.sandbox import FileAccess, SandboxPlan, enter_sandbox, is_confined
from pagemill.press.text import one_line
from pagemill.press.wire import (
    GRANT,
    QUIET_ANSWERS,
    QUIET_BYTES,
    REQUEST,
    AnswerKind,
    Hello,
    VisitAnswer,
    VisitRefusal,
)

STDERR_FD = 2
PAGE_BYTES = resource.getpagesize()
MESSAGE_CHARACTERS = 2_000
TRACE_CHARACTERS = 8_000
# After how many more objects that can hold others the collector looks for cycles.
RARE_COLLECTION = 50_000

Function = Callable[[bytes], bytes]


class HeapSuspectError(Exception):
    """A native library panicked: what it left behind is not to be trusted with another visit."""


def main(arguments: Mapping[str, Any]) -> NoReturn:
    """Serve until the press is gone; it kills us long before."""
    orders = Orders(**arguments)
    plan = SandboxPlan(**orders.sandbox)
    bind_to_parent(None if plan.is_wrapped else orders.parent_pid)
    limit_memory(orders.memory_bytes, orders.most_memory_bytes)
    limit_files(orders.disk_bytes)
    held = enter_sandbox(plan, FileAccess(**{name: tuple(paths) for name, paths in orders.access.items()}))
    if plan.is_required and not is_confined(held):
        sys.exit(f"the sandbox is incomplete: {' '.join(held) or 'nothing'} holds")
    for module in orders.preload:
        importlib.import_module(module)
    server = Server(orders)
    server.greet(held)
    try:
        server.serve()
    except (HeapSuspectError, BrokenPipeError, ConnectionResetError):
        os._exit(0)
    except Exception:
        traceback.print_exc(file=sys.__stderr__)
        os._exit(1)
    os._exit(0)


class Server:
    """The child's ends of the channels, and what it needs to carry out a visit."""

    def __init__(self, orders: Orders) -> None:
        self._orders = orders
        self._wire = socket.socket(fileno=orders.wire_fd)
        self._grants = socket.socket(fileno=orders.grants_fd)
        for end in (self._wire, self._grants):
            end.set_inheritable(False)
            end.setblocking(True)
        self._requests = self._wire.makefile("rb")
        self._ledger = Ledger(STDERR_FD)
        self._size = Size()
        # What the limit leaves free before any work is what each visit may take.
        self._room_bytes = max(1, orders.memory_bytes - self._size.now()[0])
        self._visits = 0
        self._quiet_answers = 0
        self._quiet_bytes = 0

    def greet(self, sandbox: tuple[str, ...]) -> None:
        """Say that we are ready, and be silent from then on: only native libraries print into the ledger."""
        sys.stdout = sys.stderr = Path(os.devnull).open("w")
        collect_rarely(RARE_COLLECTION)
        size_bytes, rss_bytes = self._size.now()
        hello = Hello(sandbox, size_bytes, rss_bytes, peak_rss_bytes())
        self._wire.sendall(VisitAnswer(AnswerKind.HELLO, 0, hello.body()).frame())

    def serve(self) -> None:
        """Carry out the batches that are granted to us until the press closes the grants."""
        while grant := self._grants.recv(GRANT.size, socket.MSG_WAITALL):
            first, count = GRANT.unpack(grant)
            last = first + count - 1
            for number in range(first, last):
                self._visit(number, self._send_quietly)
            self._visit(last, self._send)

    def _visit(self, number: int, send: Callable[[bytes], None]) -> None:
        function, argument, seconds, memory_bytes = self._request(number)
        limit_cpu(seconds)
        limit_growth(self._size.now()[0], memory_bytes or self._room_bytes)
        self._ledger.begin(number)
        began = time.monotonic(), time.process_time()
        try:
            kind, body = AnswerKind.DONE, self._check_answer(resolve(function)(argument))
        except MemoryError:
            self._ledger.run_out_of_memory()
            os._exit(1)
        except Exception as error:
            kind, body = AnswerKind.FAILED, refusal(error).body()
        # Panics of Rust code derive from BaseException.
        except BaseException as error:
            send(self._answer(number, AnswerKind.FAILED, refusal(error).body(), began))
            raise HeapSuspectError from error
        send(self._answer(number, kind, body, began))

    def _request(self, number: int) -> tuple[str, bytes, float, int]:
        """The request with this number; those before it were taken back."""
        while True:
            head = self._requests.read(REQUEST.size)
            if len(head) < REQUEST.size:
                os._exit(0)
            name_length, argument_length, found, seconds, memory_bytes = REQUEST.unpack(head)
            name, argument = self._requests.read(name_length), self._requests.read(argument_length)
            if found == number:
                return name.decode(), argument, seconds, memory_bytes

    def _check_answer(self, answer: bytes) -> bytes:
        if not isinstance(answer, bytes):
            raise TypeError(f"a visit answers with bytes, not with {type(answer).__name__}")
        if len(answer) > self._orders.answer_bytes:
            raise ValueError(f"an answer of {len(answer)} bytes is too long: large results go into files")
        return answer

    def _answer(self, number: int, kind: AnswerKind, body: bytes, began: tuple[float, float]) -> bytes:
        self._visits += 1
        _, rss_bytes = self._size.now()
        worn = self._visits >= self._orders.recycle_after or rss_bytes > self._orders.recycle_rss_bytes
        return VisitAnswer(
            kind=kind,
            number=number,
            body=body,
            worn=worn,
            seconds=time.monotonic() - began[0],
            cpu_seconds=time.process_time() - began[1],
            rss_bytes=rss_bytes,
        ).frame()

    def _send(self, frame: bytes) -> None:
        """Send an answer and wake the press."""
        self._wire.sendall(frame)
        self._quiet_answers = self._quiet_bytes = 0

    def _send_quietly(self, frame: bytes) -> None:
        """Send an answer that the press will read with the next one, unless too much has come together."""
        if self._quiet_answers >= QUIET_ANSWERS or self._quiet_bytes + len(frame) > QUIET_BYTES:
            self._send(frame)
            return
        self._grants.sendall(frame)
        self._quiet_answers += 1
        self._quiet_bytes += len(frame)


class Size:
    """How much memory this process takes."""

    def __init__(self) -> None:
        statm = Path("/proc/self/statm")
        self._fd = os.open(statm, os.O_RDONLY | os.O_CLOEXEC) if statm.exists() else None

    def now(self) -> tuple[int, int]:
        """Address space and resident memory in bytes; without /proc, no address space and the peak."""
        if self._fd is None:
            return 0, peak_rss_bytes()
        size, resident, *_ = os.pread(self._fd, 128, 0).split()
        return int(size) * PAGE_BYTES, int(resident) * PAGE_BYTES


def peak_rss_bytes() -> int:
    """The most memory that this process ever had resident."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1_024


@cache
def resolve(function: str) -> Function:
    """The function that a dotted name like `package.module:function` names."""
    module, _, name = function.partition(":")
    return cast(Function, getattr(importlib.import_module(module), name))


def refusal(error: BaseException) -> VisitRefusal:
    """The message about an exception: its own words if it is one that knows its code, one line if not."""
    code, retryable = getattr(error, "code", None), getattr(error, "retryable", None)
    if isinstance(code, str) and isinstance(retryable, bool):
        return VisitRefusal(code, str(error)[:MESSAGE_CHARACTERS], retryable, trace="")
    message = one_line(f"{type(error).__name__}: {error}")
    trace = "".join(traceback.format_exception(error))[-TRACE_CHARACTERS:]
    return VisitRefusal("internal_error", message, retryable=False, trace=trace)
