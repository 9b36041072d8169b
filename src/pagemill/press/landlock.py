"""Landlock: the calling process keeps the files that it is granted, and no others (Linux 5.13 and later)."""

import ctypes
import errno
import os
import stat
import sys
from collections.abc import Iterable
from contextlib import suppress

# The same on every architecture.
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
CREATE_RULESET_VERSION = 1
RULE_PATH_BENEATH = 1

EXECUTE = 1 << 0
WRITE_FILE, READ_FILE, READ_DIR, REMOVE_DIR, REMOVE_FILE = (1 << bit for bit in (1, 2, 3, 4, 5))
MAKE_DIR, MAKE_REG, TRUNCATE = 1 << 7, 1 << 8, 1 << 14
READ = READ_FILE | READ_DIR
WRITE = READ | WRITE_FILE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG | TRUNCATE
OF_FILES = EXECUTE | READ_FILE | WRITE_FILE | TRUNCATE

# All rights that a version knows of are taken away: the files' bits, those of TCP, and the scopes.
FILE_BITS_BY_VERSION = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
TCP_SINCE, BIND_AND_CONNECT = 4, 0b11
SCOPES_SINCE, ABSTRACT_SOCKETS_AND_SIGNALS = 6, 0b11


class RulesetAttributes(ctypes.Structure):
    """`struct landlock_ruleset_attr`; older kernels take a shorter one, or a longer one that ends in zeros."""

    _fields_ = (
        ("handled_access_fs", ctypes.c_uint64),
        ("handled_access_net", ctypes.c_uint64),
        ("scoped", ctypes.c_uint64),
    )


class PathBeneath(ctypes.Structure):
    """`struct landlock_path_beneath_attr`."""

    _pack_ = 1
    _layout_ = "ms"
    _fields_ = (("allowed_access", ctypes.c_uint64), ("parent_fd", ctypes.c_int32))


def landlock_version() -> int:
    """The version of Landlock that the kernel offers; 0 if it has none or it is switched off."""
    if sys.platform != "linux":
        return 0
    libc = ctypes.CDLL(None, use_errno=True)
    found = libc.syscall(ctypes.c_long(CREATE_RULESET), None, ctypes.c_size_t(0), CREATE_RULESET_VERSION)
    return max(0, int(found))


def restrict_files(
    libc: ctypes.CDLL,
    *,
    readable: Iterable[str],
    listable: Iterable[str],
    writable: Iterable[str],
    executable: Iterable[str] = (),
) -> bool:
    """Take away every file but these, for good; returns whether that worked.

    Also takes away TCP, sockets with abstract names and signals to other processes where the kernel can. The
    process must have given up new privileges before.
    """
    version = landlock_version()
    if not version:
        return False
    handled = (1 << FILE_BITS_BY_VERSION.get(version, 16)) - 1
    attributes = RulesetAttributes(
        handled,
        BIND_AND_CONNECT if version >= TCP_SINCE else 0,
        ABSTRACT_SOCKETS_AND_SIGNALS if version >= SCOPES_SINCE else 0,
    )
    size = ctypes.c_size_t(ctypes.sizeof(attributes))
    ruleset = libc.syscall(ctypes.c_long(CREATE_RULESET), ctypes.byref(attributes), size, 0)
    if ruleset < 0:
        return False
    try:
        for rights, paths in (
            (READ, readable),
            (READ_DIR, listable),
            (WRITE, writable),
            (READ | EXECUTE, executable),
        ):
            for path in paths:
                _grant(libc, ruleset, path, rights & handled)
        return bool(libc.syscall(ctypes.c_long(RESTRICT_SELF), ruleset, 0) == 0)
    finally:
        os.close(ruleset)


def files_are_restricted() -> bool:
    """Try it: the root folder can't be listed."""
    try:
        os.listdir("/")
    except OSError as error:
        return error.errno == errno.EACCES
    return False


def _grant(libc: ctypes.CDLL, ruleset: int, path: str, rights: int) -> None:
    """Grant what is at and below a path; one that is not there is passed over."""
    with suppress(FileNotFoundError, NotADirectoryError, PermissionError):
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
        try:
            is_folder = stat.S_ISDIR(os.fstat(handle).st_mode)
            rule = PathBeneath(rights if is_folder else rights & OF_FILES, handle)
            libc.syscall(ctypes.c_long(ADD_RULE), ruleset, RULE_PATH_BENEATH, ctypes.byref(rule), 0)
        finally:
            os.close(handle)
