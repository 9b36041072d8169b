"""What hostile native code would try from inside the press, each with what it would gain.

An attempt returns what stopped it; one that succeeds raises `Broken`. `docs/security.md` lists them all by name.
"""

import contextlib
import ctypes
import errno
import json
import os
import resource
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

LIBC = ctypes.CDLL(None, use_errno=True)
# Only on x86-64: the numbers differ elsewhere, and the names are what is listed.
FORBIDDEN_CALLS = {
    name: int(number)
    for name, number in (
        call.split("=")
        for call in (
            "ptrace=101 process_vm_readv=310 process_vm_writev=311 pidfd_open=434 pidfd_getfd=438 "
            "pidfd_send_signal=424 process_madvise=440 kcmp=312 io_uring_setup=425 io_uring_enter=426 bpf=321 "
            "perf_event_open=298 userfaultfd=323 keyctl=250 add_key=248 mount=165 umount2=166 pivot_root=155 "
            "chroot=161 unshare=272 setns=308 fsopen=430 move_mount=429 open_tree=428 open_by_handle_at=304 "
            "name_to_handle_at=303 inotify_init1=294 fanotify_init=300 memfd_create=319 shmget=29 msgget=68 "
            "semget=64 mq_open=240 personality=135 setuid=105 setresuid=117 capset=126 setsid=112 setpgid=109 "
            "fork=57 vfork=58 execve=59 execveat=322 wait4=61 init_module=175 kexec_load=246 reboot=169 "
            "swapon=167 sethostname=170 settimeofday=164 clock_settime=227 iopl=172 ioperm=173 truncate=76 "
            "chown=92 fchownat=260 setxattr=188 symlink=88 link=86 mknod=133 sched_setaffinity=203 "
            "setpriority=141 ioprio_set=251 tkill=200 rt_sigqueueinfo=129 rt_tgsigqueueinfo=297 seccomp=317 "
            "landlock_restrict_self=446 syslog=103 connect=42 bind=49 listen=50 accept4=288 sendmsg=46 "
            "sendmmsg=307 recvmsg=47 "
        ).split()
    )
}
CLONE_SIGCHLD, CLONE3 = 56, 435
PR_SET_PDEATHSIG, PR_SET_DUMPABLE = 1, 4
F_SETOWN, F_SETSIG = 8, 10


class Broken(Exception):
    """The attempt succeeded."""


@dataclass(frozen=True, slots=True)
class Prey:
    """What the attempts are aimed at."""

    victim: int
    secret_file: str
    database: str
    input_file: str = ""

    @classmethod
    def of(cls, raw: str | bytes) -> "Prey":
        """The prey from its JSON form."""
        return cls(**json.loads(raw))


Attempt = Callable[[Prey], str]


def refused(act: Callable[[], object]) -> str:
    """What stopped an act; Broken if nothing did."""
    try:
        gain = act()
    except OSError as error:
        if error.errno in (
            errno.EPERM,
            errno.EACCES,
            errno.ENOSYS,
            errno.EXDEV,
            errno.EROFS,
            errno.ENOENT,
            errno.ESRCH,
        ):
            return errno.errorcode[error.errno]
        raise
    raise Broken(repr(gain)[:200])


def called(number: int, *arguments: int) -> int:
    """A system call by its number; OSError if it failed."""
    ctypes.set_errno(0)
    found = int(LIBC.syscall(ctypes.c_long(number), *(ctypes.c_long(argument) for argument in arguments)))
    if found == -1 and ctypes.get_errno():
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return found


def sockets_of_every_family(_: Prey) -> str:
    kinds = (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET)
    return " ".join({refused(lambda f=f, k=k: socket.socket(f, k)) for f in range(46) for k in kinds})  # type: ignore[misc]


def datagrams_to_unix_sockets(prey: Prey) -> str:
    one, _other = socket.socketpair()
    stream = refused(lambda: one.sendto(b"x", prey.secret_file))
    return stream + " " + refused(lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM))


def forbidden_system_calls(prey: Prey) -> str:
    if os.uname().machine != "x86_64":
        return "not tried here"
    for name, number in FORBIDDEN_CALLS.items():
        try:
            gain = called(number, prey.victim, 0, 0, 0, 0)
        except OSError as error:
            if error.errno not in (errno.EPERM, errno.ENOSYS):
                raise Broken(f"{name}: {errno.errorcode[error.errno or 0]}") from error
        else:
            raise Broken(f"{name}: {gain}")
    return "EPERM"


def memory_of_the_parent(prey: Prey) -> str:
    return refused(lambda: os.open(f"/proc/{prey.victim}/mem", os.O_RDWR))


def environment_of_the_parent(prey: Prey) -> str:
    return refused(lambda: Path(f"/proc/{prey.victim}/environ").read_bytes())


def open_files_of_the_parent(prey: Prey) -> str:
    return " ".join({refused(lambda n=n: os.listdir(f"/proc/{prey.victim}/{n}")) for n in ("fd", "task")})  # type: ignore[misc]


def other_processes(prey: Prey) -> str:
    return refused(lambda: os.listdir("/proc")) + refused(
        lambda: Path(f"/proc/{prey.victim}/cmdline").read_bytes()
    )


def secrets_in_its_own_environment(_: Prey) -> str:
    found = [name for name, value in os.environ.items() if "sesame" in value]
    if found:
        raise Broken(str(found))
    return "not there"


def files_of_other_tenants(prey: Prey) -> str:
    return refused(lambda: Path(prey.secret_file).read_bytes())


def names_of_files_of_other_tenants(prey: Prey) -> str:
    return refused(lambda: os.listdir(Path(prey.secret_file).parent))


def the_database(prey: Prey) -> str:
    ways = (os.O_RDONLY, os.O_RDWR, os.O_WRONLY | os.O_TRUNC, os.O_WRONLY | os.O_APPEND)
    return " ".join({refused(lambda way=way: os.open(prey.database, way)) for way in ways})  # type: ignore[misc]


def renaming_and_removing_files(prey: Prey) -> str:
    here = f"{os.environ['TMPDIR']}/taken"
    gains = (
        lambda: os.unlink(prey.database),
        lambda: os.rename(prey.database, here),
        lambda: os.link(prey.secret_file, here),
        lambda: os.symlink(prey.secret_file, here),
        lambda: os.truncate(prey.database, 0),
    )
    return " ".join({refused(gain) for gain in gains})


def modes_of_files(prey: Prey) -> str:
    if not os.path.exists(prey.database):
        return "not there"
    before = os.stat(prey.database).st_mode
    os.chmod(prey.database, 0o777)
    if os.stat(prey.database).st_mode != before:
        raise Broken("the database has another mode")
    return "ignored"


def times_of_files(prey: Prey) -> str:
    if not os.path.exists(prey.database):
        return "not there"
    before = os.stat(prey.database).st_mtime
    os.utime(prey.database, (1, 1))
    if os.stat(prey.database).st_mtime != before:
        raise Broken("the database has another time")
    return "ignored"


def writing_outside(_: Prey) -> str:
    folders = ("/tmp", "/dev/shm", "/var/tmp", "/srv", "/home", "/etc", "/", os.getcwd(), "/usr/share")
    return " ".join({refused(lambda f=f: os.open(f"{f}/planted", os.O_WRONLY | os.O_CREAT)) for f in folders})  # type: ignore[misc]


def writing_to_what_it_was_given(prey: Prey) -> str:
    if not prey.input_file:
        return "not given"
    ways = (os.O_RDWR, os.O_WRONLY | os.O_TRUNC)
    return " ".join({refused(lambda way=way: os.open(prey.input_file, way)) for way in ways})  # type: ignore[misc]


def reading_the_machine(_: Prey) -> str:
    files = (
        "/etc/shadow",
        "/etc/passwd",
        "/proc/1/environ",
        "/etc/hostname",
        "/var/log",
        "/home",
    )
    return " ".join({refused(lambda f=f: os.open(f, os.O_RDONLY)) for f in files})  # type: ignore[misc]


def devices(_: Prey) -> str:
    files = ("/dev/mem", "/dev/kmsg", "/dev/tty", "/dev/fuse", "/dev/kvm")
    return " ".join({refused(lambda f=f: os.open(f, os.O_RDONLY)) for f in files})  # type: ignore[misc]


def signals_to_the_parent(prey: Prey) -> str:
    targets = (prey.victim, -1, 0, 1)
    return " ".join({refused(lambda t=t: os.kill(t, signal.SIGCONT)) for t in targets})  # type: ignore[misc]


def signals_by_way_of_a_file(prey: Prey) -> str:
    import fcntl

    one, _other = socket.socketpair()
    owner = refused(lambda: fcntl.fcntl(one, F_SETOWN, prey.victim))
    return owner + " " + refused(lambda: fcntl.fcntl(one, F_SETSIG, signal.SIGKILL))


def processes_of_its_own(_: Prey) -> str:
    if os.uname().machine == "x86_64":
        raw = refused(lambda: called(CLONE_SIGCHLD, signal.SIGCHLD, 0, 0, 0, 0))
        return " ".join({raw, refused(lambda: called(CLONE3, 0, 0)), refused(os.fork)})
    return refused(os.fork)


def programs(_: Prey) -> str:
    return refused(lambda: os.execv("/bin/true", ["true"])) if os.path.exists("/bin/true") else "none"


def threads_without_end(_: Prey) -> str:
    stop, threads = threading.Event(), []
    threading.stack_size(65_536)
    try:
        for _count in range(5_000):
            threads.append(threading.Thread(target=stop.wait))
            threads[-1].start()
    except RuntimeError:
        threads.pop()
        return f"after {len(threads) // 100} hundred"
    finally:
        stop.set()
        for thread in threads:
            thread.join()
        threading.stack_size(0)
    raise Broken("5,000 threads")


def a_file_without_end(_: Prey) -> str:
    path = f"{os.environ['TMPDIR']}/large"
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    try:
        with open(path, "wb") as file, contextlib.suppress(OSError):
            os.truncate(path, limit + 1)
            file.write(b"x")
        if os.path.getsize(path) > limit:
            raise Broken("a file past the limit")
    finally:
        os.unlink(path)
    return "EFBIG"


def higher_limits(prey: Prey) -> str:
    limits = (resource.RLIMIT_FSIZE, resource.RLIMIT_NPROC, resource.RLIMIT_AS, resource.RLIMIT_NOFILE)
    for limit in limits:
        with contextlib.suppress(ValueError, PermissionError):
            resource.setrlimit(limit, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            raise Broken(str(limit))
    return refused(lambda: resource.prlimit(prey.victim, resource.RLIMIT_NOFILE, (1, 1)))


def outliving_the_parent(_: Prey) -> str:
    if LIBC.prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0) == 0:
        raise Broken("the signal at the parent's death is switched off")
    if LIBC.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) == 0:
        raise Broken("others may look into it again")
    return "EPERM"


def capabilities_and_privileges(_: Prey) -> str:
    status = Path("/proc/self/status").read_text().splitlines()
    fields = dict(line.split(":\t", 1) for line in status if ":\t" in line)
    held = {name: fields[name] for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")}
    if int(fields["CapEff"], 16) or int(fields["CapPrm"], 16) or fields["NoNewPrivs"] != "1":
        raise Broken(str(held))
    return "none"


def the_hard_way_through_proc(prey: Prey) -> str:
    ways = (f"/proc/self/root{prey.secret_file}", f"/proc/self/cwd/../../../../..{prey.secret_file}")
    return " ".join({refused(lambda way=way: os.open(way, os.O_RDONLY)) for way in ways})  # type: ignore[misc]


ATTEMPTS: dict[str, Attempt] = {
    attempt.__name__: attempt
    for attempt in (
        sockets_of_every_family,
        datagrams_to_unix_sockets,
        forbidden_system_calls,
        memory_of_the_parent,
        environment_of_the_parent,
        open_files_of_the_parent,
        other_processes,
        secrets_in_its_own_environment,
        files_of_other_tenants,
        names_of_files_of_other_tenants,
        the_database,
        renaming_and_removing_files,
        modes_of_files,
        times_of_files,
        writing_outside,
        writing_to_what_it_was_given,
        reading_the_machine,
        devices,
        signals_to_the_parent,
        signals_by_way_of_a_file,
        processes_of_its_own,
        programs,
        threads_without_end,
        a_file_without_end,
        higher_limits,
        outliving_the_parent,
        capabilities_and_privileges,
        the_hard_way_through_proc,
    )
}


def outcomes(prey: Prey) -> Iterator[tuple[str, str]]:
    """What became of every attempt: what stopped it, or `BROKEN` and what was gained."""
    for name, attempt in ATTEMPTS.items():
        try:
            yield name, attempt(prey)
        except Broken as broken:
            yield name, f"BROKEN: {broken}"


def attack(argument: bytes) -> bytes:
    """Try everything; runs in the press."""
    return json.dumps(dict(outcomes(Prey.of(argument)))).encode()
