"""A seccomp filter: the calling process keeps the system calls that reading needs, and no others (Linux)."""

import ctypes
import errno
import os
import platform
import socket
import sys
from collections.abc import Iterable

from pagemill.press.syscalls import ARCHITECTURES, SystemCalls, ranges

LOAD_WORD = 0x20
AND = 0x54
JUMP_IF_EQUAL = 0x15
JUMP_IF_AT_LEAST = 0x35
JUMP_IF_ANY_BIT = 0x45
RETURN = 0x06
ALLOW = 0x7FFF0000
ERROR = 0x00050000

OFFSET_NUMBER, OFFSET_ARCHITECTURE, OFFSET_ARGUMENTS, ARGUMENT_BYTES = 0, 4, 16, 8
# Numbers from here on are the x32 calls of x86-64, a second way to the same calls.
X32_CALLS = 0x40000000

SECCOMP_SET_MODE_FILTER = 1
# Without it, kernels before 5.16 slow the process down by a mitigation that only matters to just-in-time compilers.
SECCOMP_FILTER_FLAG_SPEC_ALLOW = 4

CLONE_THREAD = 0x10000
SOCK_TYPE_BITS = 0xF
# Duplicates, flags, locks, pipe sizes and seals; not the owner or the signal of a file, by which others get signals.
FCNTL_COMMANDS = (0, 1, 2, 3, 4, 5, 6, 7, 36, 37, 38, 1030, 1031, 1032, 1034)
# Terminal attributes and size (which answer "not a terminal"), bytes to read, flags.
IOCTL_COMMANDS = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
# Names of threads and of memory, and questions; not the signal at the parent's death.
PRCTL_OPTIONS = (2, 3, 15, 16, 21, 23, 29, 30, 39, 0x53564D41)


class Instruction(ctypes.Structure):
    """`struct sock_filter`."""

    _fields_ = (
        ("code", ctypes.c_uint16),
        ("if_true", ctypes.c_uint8),
        ("if_false", ctypes.c_uint8),
        ("operand", ctypes.c_uint32),
    )


class Program(ctypes.Structure):
    """`struct sock_fprog`."""

    _fields_ = (("length", ctypes.c_uint16), ("instructions", ctypes.POINTER(Instruction)))


def system_calls() -> SystemCalls | None:
    """The system calls of this machine; None if no filter can be made for it."""
    return ARCHITECTURES.get(platform.machine()) if sys.platform == "linux" else None


def filter_system_calls(libc: ctypes.CDLL) -> bool:
    """Refuse every system call that reading does not need; returns whether that worked.

    The process must have given up new privileges before.
    """
    calls = system_calls()
    return calls is not None and _load_filter(libc, calls, build_program(calls, os.getpid()))


def withhold_system_calls(libc: ctypes.CDLL) -> bool:
    """Refuse the network, other processes and the kernel's own tools, and allow the rest; returns whether that worked.

    It is for a program that is run next in place of this process, whose needs are not known call by call.
    """
    calls = system_calls()
    return calls is not None and _load_filter(libc, calls, build_program_filter(calls, os.getpid()))


def _load_filter(libc: ctypes.CDLL, calls: SystemCalls, instructions: list[Instruction]) -> bool:
    array = (Instruction * len(instructions))(*instructions)
    program = Program(len(instructions), array)
    arguments = (SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, ctypes.byref(program))
    libc.syscall(ctypes.c_long(calls.seccomp), *arguments)
    return network_is_blocked()


def network_is_blocked() -> bool:
    """Try it: an Internet socket is refused."""
    try:
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM).close()
    except OSError as error:
        return error.errno == errno.EPERM
    return False


def build_program(calls: SystemCalls, pid: int) -> list[Instruction]:
    """The filter of a process with this id; every path through it ends in a return."""
    return [
        Instruction(LOAD_WORD, 0, 0, OFFSET_ARCHITECTURE),
        Instruction(JUMP_IF_EQUAL, 1, 0, calls.audit_number),
        _refuse(errno.EPERM),
        Instruction(LOAD_WORD, 0, 0, OFFSET_NUMBER),
        *_if_call(calls.clone, _allow_if_bit(0, CLONE_THREAD)),
        # glibc then uses `clone`, whose flags a filter can see.
        *_if_call(calls.clone3, [_refuse(errno.ENOSYS)]),
        *_if_call(calls.fcntl, _allow_if_among(1, FCNTL_COMMANDS)),
        *_if_call(calls.ioctl, _allow_if_among(1, IOCTL_COMMANDS, otherwise=errno.ENOTTY)),
        *_if_call(calls.prctl, _allow_if_among(0, PRCTL_OPTIONS)),
        *_if_call(calls.prlimit, _allow_if_among(0, (0, pid))),
        *_if_call(calls.kill, _allow_if_among(0, (pid,))),
        *_if_call(calls.tgkill, _allow_if_among(0, (pid,))),
        *_if_call(calls.sendto, _allow_if_null(4)),
        *_if_call(calls.socketpair, _allow_stream_pairs()),
        *(line for number in calls.ignored for line in _if_call(number, [_refuse(0)])),
        *_allow_ranges(calls.allowed),
        _refuse(errno.EPERM),
    ]


def build_program_filter(calls: SystemCalls, pid: int) -> list[Instruction]:
    """The filter of a program of the system that runs as the process with this id.

    A program that listens for others of its kind is let believe that it does, and there is nothing that it can reach.
    """
    return [
        Instruction(LOAD_WORD, 0, 0, OFFSET_ARCHITECTURE),
        Instruction(JUMP_IF_EQUAL, 1, 0, calls.audit_number),
        _refuse(errno.EPERM),
        Instruction(LOAD_WORD, 0, 0, OFFSET_NUMBER),
        Instruction(JUMP_IF_AT_LEAST, 0, 1, X32_CALLS),
        _refuse(errno.EPERM),
        *_if_call(calls.clone, _allow_if_bit(0, CLONE_THREAD)),
        *_if_call(calls.clone3, [_refuse(errno.ENOSYS)]),
        *_if_call(calls.socket, _allow_if_among(0, (socket.AF_UNIX,))),
        *_if_call(calls.connect, [_refuse(errno.ECONNREFUSED)]),
        *_if_call(calls.bind, [_refuse(0)]),
        *_if_call(calls.listen, [_refuse(0)]),
        *_if_call(calls.sendto, _allow_if_null(4)),
        *_if_call(calls.kill, _allow_if_among(0, (pid,))),
        *_if_call(calls.tgkill, _allow_if_among(0, (pid,))),
        *_if_call(calls.prlimit, _allow_if_among(0, (0, pid))),
        *(line for number in calls.withheld for line in _if_call(number, [_refuse(errno.EPERM)])),
        Instruction(RETURN, 0, 0, ALLOW),
    ]


def _if_call(number: int, body: list[Instruction]) -> list[Instruction]:
    return [Instruction(JUMP_IF_EQUAL, 0, len(body), number), *body]


def _allow_ranges(numbers: tuple[int, ...]) -> Iterable[Instruction]:
    for first, last in ranges(numbers):
        yield Instruction(JUMP_IF_AT_LEAST, 3, 0, last + 1)
        yield Instruction(JUMP_IF_AT_LEAST, 0, 1, first)
        yield Instruction(RETURN, 0, 0, ALLOW)
        yield _refuse(errno.EPERM)


def _allow_if_among(
    argument: int, values: tuple[int, ...], *, otherwise: int = errno.EPERM
) -> list[Instruction]:
    body = [_load(argument)]
    for value in values:
        body += [Instruction(JUMP_IF_EQUAL, 0, 1, value), Instruction(RETURN, 0, 0, ALLOW)]
    return [*body, _refuse(otherwise)]


def _allow_if_bit(argument: int, bit: int) -> list[Instruction]:
    return [
        _load(argument),
        Instruction(JUMP_IF_ANY_BIT, 0, 1, bit),
        Instruction(RETURN, 0, 0, ALLOW),
        _refuse(errno.EPERM),
    ]


def _allow_if_null(argument: int) -> list[Instruction]:
    """Both halves of a pointer are looked at."""
    return [
        _load(argument),
        Instruction(JUMP_IF_EQUAL, 0, 3, 0),
        _load(argument, upper=True),
        Instruction(JUMP_IF_EQUAL, 0, 1, 0),
        Instruction(RETURN, 0, 0, ALLOW),
        _refuse(errno.EPERM),
    ]


def _allow_stream_pairs() -> list[Instruction]:
    """Pairs of streams, which runtimes wake themselves with; a pair of datagram sockets could send to others."""
    return [
        _load(0),
        Instruction(JUMP_IF_EQUAL, 0, 4, socket.AF_UNIX),
        _load(1),
        Instruction(AND, 0, 0, SOCK_TYPE_BITS),
        Instruction(JUMP_IF_EQUAL, 0, 1, socket.SOCK_STREAM),
        Instruction(RETURN, 0, 0, ALLOW),
        _refuse(errno.EPERM),
    ]


def _load(argument: int, *, upper: bool = False) -> Instruction:
    """Load half of an argument; both architectures are little-endian."""
    return Instruction(LOAD_WORD, 0, 0, OFFSET_ARGUMENTS + ARGUMENT_BYTES * argument + (4 if upper else 0))


def _refuse(number: int) -> Instruction:
    """Let a call fail with this error; without one it does nothing and says that it did."""
    return Instruction(RETURN, 0, 0, ERROR | number)
