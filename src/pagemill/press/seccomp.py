"""Takes the network from the calling process, for good (Linux on x86-64 and 64-bit ARM)."""

import ctypes
import errno
import platform
import socket
import sys
from dataclasses import dataclass

LOAD_WORD = 0x20
JUMP_IF_EQUAL = 0x15
JUMP_IF_AT_LEAST = 0x35
RETURN = 0x06
ALLOW = 0x7FFF0000
DENY = 0x00050000 | errno.EPERM

OFFSET_NUMBER, OFFSET_ARCHITECTURE, OFFSET_FIRST_ARGUMENT = 0, 4, 16
# Numbers from here on are the x32 calls of x86-64, a second way to the same calls.
X32_CALLS = 0x40000000

SECCOMP_SET_MODE_FILTER = 1
# Without it, kernels before 5.16 slow the process down by a mitigation that only matters to just-in-time compilers.
SECCOMP_FILTER_FLAG_SPEC_ALLOW = 4


@dataclass(frozen=True, slots=True)
class Calls:
    """The numbers of the system calls that matter, on one architecture."""

    audit_number: int
    seccomp: int
    socket: int
    connect: int
    io_uring_setup: int


ARCHITECTURES = {
    "x86_64": Calls(0xC000003E, seccomp=317, socket=41, connect=42, io_uring_setup=425),
    "aarch64": Calls(0xC00000B7, seccomp=277, socket=198, connect=203, io_uring_setup=425),
}


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


def block_network(libc: ctypes.CDLL) -> bool:
    """Refuse every socket that isn't a Unix one, and every connection; tell whether that worked.

    The process must have given up new privileges before.
    """
    calls = ARCHITECTURES.get(platform.machine())
    if sys.platform != "linux" or calls is None:
        return False
    instructions = _instructions(calls)
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


def _instructions(calls: Calls) -> list[Instruction]:
    program = [
        Instruction(LOAD_WORD, 0, 0, OFFSET_ARCHITECTURE),
        Instruction(JUMP_IF_EQUAL, 1, 0, calls.audit_number),
        Instruction(RETURN, 0, 0, DENY),
        Instruction(LOAD_WORD, 0, 0, OFFSET_NUMBER),
        *_deny(JUMP_IF_AT_LEAST, X32_CALLS),
        *_deny(JUMP_IF_EQUAL, calls.connect),
        *_deny(JUMP_IF_EQUAL, calls.io_uring_setup),
        Instruction(JUMP_IF_EQUAL, 1, 0, calls.socket),
        Instruction(RETURN, 0, 0, ALLOW),
        Instruction(LOAD_WORD, 0, 0, OFFSET_FIRST_ARGUMENT),
        Instruction(JUMP_IF_EQUAL, 1, 0, socket.AF_UNIX),
        Instruction(RETURN, 0, 0, DENY),
        Instruction(RETURN, 0, 0, ALLOW),
    ]
    return program


def _deny(jump: int, number: int) -> tuple[Instruction, Instruction]:
    return Instruction(jump, 0, 1, number), Instruction(RETURN, 0, 0, DENY)
