"""A network of one's own with nothing in it but this machine: what tries to leave it has nowhere to go, and is counted."""

import ctypes
import fcntl
import os
import socket
import struct
from pathlib import Path

CLONE_NEWNET = 0x4000_0000
SIOCSIFFLAGS = 0x8914
IFF_UP, IFF_RUNNING = 0x1, 0x40
COUNTERS = Path("/proc/self/net/snmp")


def leave_network() -> None:
    """Move this process, and all that it starts from now on, to a network without a way out; needs root, and no threads yet."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNET) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"a network namespace can't be made: {os.strerror(number)}")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sh14x", b"lo", IFF_UP | IFF_RUNNING)
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, request)


def count_lost_packets() -> int:
    """How many packets this network had no way for: each was a try to reach another machine."""
    rows = [line.split() for line in COUNTERS.read_text().splitlines() if line.startswith("Ip:")]
    return int(dict(zip(*rows, strict=True))["OutNoRoutes"])
