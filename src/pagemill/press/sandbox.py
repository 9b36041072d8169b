"""The sandbox of a child: which files it may read, the one folder it may write to, and what enforces that.

Landlock takes the files away, seccomp the system calls; both work without root and without a container. Bubblewrap
gives namespaces on top of them where it is installed and asked for, and in their place where the kernel has no
Landlock.
"""

import ctypes
import os
import site
import sys
import sysconfig
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from pagemill.press.bubblewrap import bubblewrap_works
from pagemill.press.landlock import files_are_restricted, landlock_version, restrict_files
from pagemill.press.privileges import (
    drop_capabilities,
    give_up_new_privileges,
    hide_memory,
    limit_threads,
)
from pagemill.press.seccomp import filter_system_calls, system_calls

SandboxMode = Literal["auto", "required", "bubblewrap", "off"]

# What libraries read beside the code of Python: shared libraries, fonts, languages, time zones, facts about the machine.
SYSTEM_FILES = (
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/lib",
    "/lib64",
    "/usr/share",
    "/usr/local/lib",
    "/usr/local/share",
    "/etc/ld.so.cache",
    "/etc/fonts",
    "/etc/localtime",
    "/etc/timezone",
    "/etc/mime.types",
    "/etc/ssl/openssl.cnf",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/filesystems",
    "/proc/sys/vm/overcommit_memory",
    "/proc/sys/kernel/osrelease",
    "/sys/devices/system",
    "/sys/fs/cgroup",
    "/dev/zero",
    "/dev/random",
    "/dev/urandom",
)
CODE_SUFFIXES = (".py", ".pyc", ".so", ".zip", ".egg")
PATH_VARIABLES = ("LD_LIBRARY_PATH", "TESSDATA_PREFIX", "FONTCONFIG_PATH", "FONTCONFIG_FILE")


class SandboxMissing(Exception):
    """The sandbox that is required can't be had on this machine."""


@dataclass(frozen=True, slots=True)
class SandboxPlan:
    """How children are confined on this machine."""

    is_wanted: bool
    is_required: bool
    is_wrapped: bool


@dataclass(frozen=True, slots=True)
class FileAccess:
    """The files and folders that a child may read, the folders of which it may see the names, and those it may write to."""

    readable: tuple[str, ...]
    listable: tuple[str, ...] = ()
    writable: tuple[str, ...] = ()


def plan_sandbox(mode: SandboxMode) -> SandboxPlan:
    """The strongest sandbox that this machine and the mode allow; SandboxMissing if it is required and there is none."""
    if mode == "off":
        return SandboxPlan(is_wanted=False, is_required=False, is_wrapped=False)
    has_landlock, has_filter = landlock_version() > 0, system_calls() is not None
    wrapped = (mode == "bubblewrap" or not has_landlock) and bubblewrap_works()
    if mode == "bubblewrap" and not wrapped:
        raise SandboxMissing("bubblewrap is not installed or may not make namespaces here")
    if mode == "required" and not (has_filter and (has_landlock or wrapped)):
        raise SandboxMissing("the kernel offers no Landlock, and bubblewrap is not there in its place")
    return SandboxPlan(is_wanted=True, is_required=mode == "required" or wrapped, is_wrapped=wrapped)


def enter_sandbox(plan: SandboxPlan, access: FileAccess) -> tuple[str, ...]:
    """Confine the calling process, for good; returns what holds, which was tried and not only asked for.

    Call it before any other thread is started: the kernel confines only the thread that asks, and those it starts.
    """
    if sys.platform != "linux":
        return ()
    libc = ctypes.CDLL(None, use_errno=True)
    give_up_new_privileges(libc)
    if not plan.is_wanted:
        return ()
    hide_memory()
    limit_threads()
    drop_capabilities(libc)
    restrict_files(
        libc,
        readable=(*access.readable, f"/proc/{os.getpid()}"),
        listable=access.listable,
        writable=(*access.writable, "/dev/null"),
    )
    filtered = filter_system_calls(libc)
    held = (("bubblewrap", plan.is_wrapped), ("landlock", files_are_restricted()), ("seccomp", filtered))
    return tuple(name for name, holds in held if holds)


def is_confined(held: Iterable[str]) -> bool:
    """Whether files and system calls are both out of reach."""
    return "seccomp" in held and ("landlock" in held or "bubblewrap" in held)


def readers_need(path: Iterable[str], hidden: Iterable[str]) -> FileAccess:
    """What the readers need: the code on `path`, Python's own, shared libraries, fonts; nothing that is hidden."""
    schemes = [sysconfig.get_paths(), sysconfig.get_paths(vars={"base": sys.base_prefix})]
    code = [scheme[name] for scheme in schemes for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    libraries = [str(sysconfig.get_config_var("LIBDIR") or ""), *site.getsitepackages()]
    named = [place for name in PATH_VARIABLES for place in os.environ.get(name, "").split(":")]
    installed = _real([*SYSTEM_FILES, *code, *libraries, *named])
    # A folder that happens to be on the path, such as the working folder, may hold more than code.
    others = [place for place in _real(path) if not any(_is_within(place, whole) for whole in installed)]
    return grants(installed, others, _real(hidden))


def grants(whole: Iterable[str], visible: Iterable[str], hidden: Sequence[str]) -> FileAccess:
    """Access to whole folders, and to what is visible in others; nothing that is hidden is reached through them."""
    readable: list[str] = []
    listable: list[str] = []
    for place in whole:
        _grant_around(place, hidden, readable, listable)
    for place in visible:
        if os.path.isdir(place):
            listable.append(place)
            for entry in sorted(entry.path for entry in os.scandir(place) if _looks_importable(entry)):
                _grant_around(entry, hidden, readable, listable)
        else:
            _grant_around(place, hidden, readable, listable)
    return FileAccess(tuple(dict.fromkeys(readable)), tuple(dict.fromkeys(listable)))


def _grant_around(place: str, hidden: Sequence[str], readable: list[str], listable: list[str]) -> None:
    if any(_is_within(place, secret) for secret in hidden):
        return
    inside = [secret for secret in hidden if _is_within(secret, place)]
    if not inside:
        readable.append(place)
        return
    listable.append(place)
    for entry in sorted(os.listdir(place)):
        _grant_around(os.path.join(place, entry), inside, readable, listable)


def _looks_importable(entry: "os.DirEntry[str]") -> bool:
    return entry.name.isidentifier() if entry.is_dir() else entry.name.endswith(CODE_SUFFIXES)


def _real(places: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(os.path.realpath(place) for place in places if place))


def _is_within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")
