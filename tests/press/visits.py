"""Visits that children of the press make in the tests: good ones, and every way to go wrong."""

# ruff: noqa: ARG001 (every visit takes an argument)

import contextlib
import ctypes
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from pagemill.press.wire import ANSWER, AnswerKind, Hello, VisitAnswer
from tests import hostile

LIBC = ctypes.CDLL(None)


class PageMissingError(Exception):
    """An error that knows its code, as those of the project do."""

    code = "page_missing"
    retryable = True


class Panic(BaseException):
    """What a panic of Rust code looks like from Python."""


def echo(argument: bytes) -> bytes:
    return argument


def pid(argument: bytes) -> bytes:
    return str(os.getpid()).encode()


def nap(argument: bytes) -> bytes:
    time.sleep(float(argument))
    return pid(argument)


def dig(argument: bytes) -> bytes:
    """Leave folders in folders where the results belong, more than Python can follow."""
    *_, folder, name = json.loads(argument)
    os.chdir(folder)
    for _ in range(1_500):
        os.mkdir(name)
        os.chdir(name)
    return b""


def keep_busy_afterwards(argument: bytes) -> bytes:
    """Have the child use the processor for so many seconds once this visit has ended."""

    def spin(*_: object) -> None:
        until = time.monotonic() + float(argument)
        while time.monotonic() < until:
            pass

    signal.signal(signal.SIGUSR1, spin)
    return pid(argument)


def wait_for_file(argument: bytes) -> bytes:
    """Tell by a file beside it that we wait, then wait until the file is there."""
    path = Path(argument.decode())
    path.with_name(path.name + ".begun").write_bytes(b"")
    while not path.exists():
        time.sleep(0.005)
    return b"it came"


def count(argument: bytes) -> bytes:
    """Leave a mark for each time that we are called."""
    with Path(argument.decode()).open("a") as file:
        file.write("x")
    return b""


def sign(argument: bytes) -> bytes:
    """Add a name to a file."""
    path, name = argument.decode().split("|")
    with Path(path).open("a") as file:
        file.write(f"{name} ")
    return b""


def large(argument: bytes) -> bytes:
    return b"y" * int(argument)


def no_bytes(argument: bytes) -> str:
    return "text"


def raise_with_code(argument: bytes) -> bytes:
    raise PageMissingError(argument.decode() or "page 7 is not there")


def raise_without_code(argument: bytes) -> bytes:
    raise ValueError("could not open /srv/secret/place/file.pdf\nat all")


def raise_panic(argument: bytes) -> bytes:
    raise Panic("index out of bounds")


def leave(argument: bytes) -> bytes:
    raise SystemExit(5)


def segfault(argument: bytes) -> bytes:
    return ctypes.string_at(0)


def abort(argument: bytes) -> bytes:
    os.write(2, b"some chatter\ncorrupted size vs. prev_size in /opt/lib/engine.so\n")
    os.abort()


def exit_at_once(argument: bytes) -> bytes:
    os._exit(int(argument))


def kill_myself(argument: bytes) -> bytes:
    os.kill(os.getpid(), int(argument))
    return b"still there"


def hold_the_gil(argument: bytes) -> bytes:
    ctypes.PyDLL(None).sleep(3_600)
    return b""


def spin(argument: bytes) -> bytes:
    while True:
        pass


def raise_memory_error(argument: bytes) -> bytes:
    raise MemoryError


def allocate_bytes(argument: bytes) -> bytes:
    hoard = []
    while True:
        hoard.append(bytes(10_000_000))


def allocate_natively(argument: bytes) -> bytes:
    """Touch memory from the C library until it gives no more, and fall over that as careless C code does."""
    LIBC.malloc.restype = ctypes.c_void_p
    size = 4_000_000
    while True:
        LIBC.memset(ctypes.c_void_p(LIBC.malloc(ctypes.c_size_t(size))), 1, ctypes.c_size_t(size))


def die_like_rust(argument: bytes) -> bytes:
    os.write(2, b"memory allocation of 8589934592 bytes failed\n")
    os.write(2, b"note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n")
    os.abort()


def die_like_pdfium(argument: bytes) -> bytes:
    """Take some memory, ask for more than there is, and abort without a word."""
    taken = b"x" * int(argument)
    try:
        return taken + bytes(1_000_000_000_000)
    except MemoryError:
        os.abort()


def grow_and_segfault(argument: bytes) -> bytes:
    """Take some memory, which is there, and fall over something else."""
    taken = b"x" * int(argument)
    return taken + ctypes.string_at(0)


def abort_silently(argument: bytes) -> bytes:
    os.abort()


def print_without_end(argument: bytes) -> bytes:
    with contextlib.suppress(PermissionError):
        while os.write(1, b"chatter " * 1_000):
            pass
    for _ in range(1_000):
        print("more chatter" * 100)
    return str(os.fstat(1).st_size).encode()


def half_an_answer(argument: bytes) -> bytes:
    """Send the beginning of a long answer, then die or hang as told."""
    frame = ANSWER.pack(1_000_000, AnswerKind.DONE, 0, 1, 0.0, 0.0, 0) + b"z" * 1_000
    os.write(_wire_fd(), frame)
    if argument == b"die":
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(3_600)
    return b""


def answer_nonsense(argument: bytes) -> bytes:
    os.write(_wire_fd(), b"\xff" * 100)
    time.sleep(3_600)
    return b""


def answer_twice(argument: bytes) -> bytes:
    os.write(_wire_fd(), ANSWER.pack(0, AnswerKind.DONE, 0, 77, 0.0, 0.0, 0))
    time.sleep(3_600)
    return b""


def refuse_nonsensically(argument: bytes) -> bytes:
    os.write(_wire_fd(), ANSWER.pack(3, AnswerKind.FAILED, 0, 1, 0.0, 0.0, 0) + b"???")
    time.sleep(3_600)
    return b""


def say_hello_again(argument: bytes) -> bytes:
    os.write(_wire_fd(), VisitAnswer(AnswerKind.HELLO, 0, Hello((), 1, 1, 1).body()).frame())
    time.sleep(3_600)
    return b""


def nibble(argument: bytes) -> bytes:
    """Read a part of the next grant, so that nobody can read the rest."""
    os.read(int(json.loads(sys.argv[1])["grants_fd"]), 3)
    time.sleep(3_600)
    return b""


def close_everything(argument: bytes) -> bytes:
    os.closerange(3, 1_000)
    time.sleep(3_600)
    return b""


def leave_a_process_behind(argument: bytes) -> bytes:
    """Start a process that outlives us, note its id, and crash."""
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"])
    Path(argument.decode()).write_text(str(process.pid))
    return segfault(argument)


def connect(argument: bytes) -> bytes:
    """Try to reach a port on this machine in each way that there is."""
    said = [_attempt(family, int(argument)) for family in (socket.AF_INET, socket.AF_INET6)]
    return json.dumps(said).encode()


def connect_unix(argument: bytes) -> bytes:
    try:
        with socket.socket(socket.AF_UNIX) as end:
            end.connect(argument.decode())
    except OSError as error:
        return type(error).__name__.encode()
    return b"connected"


def circumstances(argument: bytes) -> bytes:
    """How this process is set up."""
    status = Path("/proc/self/status").read_text().splitlines()
    fields = dict(line.split(":\t", 1) for line in status if ":\t" in line)
    found = {
        "core": resource.getrlimit(resource.RLIMIT_CORE)[1],
        "address_space": resource.getrlimit(resource.RLIMIT_AS)[0],
        "no_new_privileges": int(fields["NoNewPrivs"]),
        "ignored_signals": int(fields["SigIgn"], 16),
        "oom_score_adj": int(Path("/proc/self/oom_score_adj").read_text()),
        "own_session": os.getsid(0) == os.getpid(),
        "environment": dict(os.environ),
        "files": sorted(os.readlink(f"/proc/self/fd/{fd}") for fd in _open_fds()),
    }
    return json.dumps(found).encode()


def _open_fds() -> list[int]:
    fds = []
    for fd in range(resource.getrlimit(resource.RLIMIT_NOFILE)[0]):
        with contextlib.suppress(OSError):
            os.fstat(fd)
            fds.append(fd)
    return fds


def _attempt(family: int, port: int) -> str:
    try:
        with socket.socket(family) as end:
            end.connect(("localhost", port))
    except OSError as error:
        return type(error).__name__
    return "connected"


def _wire_fd() -> int:
    return int(json.loads(sys.argv[1])["wire_fd"])


def attack_in_some_ways(argument: bytes) -> bytes:
    """Try what `tests.hostile` has under these names."""
    asked = json.loads(argument)
    prey = hostile.Prey(**asked["prey"])
    found = {}
    for name in asked["ways"]:
        try:
            found[name] = hostile.ATTEMPTS[name](prey)
        except (hostile.Broken, OSError) as error:
            found[name] = f"BROKEN: {error}"
    return json.dumps(found).encode()


def copy(argument: bytes) -> bytes:
    """Copy a file that was given to where it may be written, and write another in a folder."""
    document, missing, folder, text = json.loads(argument)
    assert not Path(missing).exists()
    (Path(folder) / "copy.pdf").write_bytes(Path(document).read_bytes())
    (Path(folder) / "pages").mkdir()
    (Path(folder) / "pages" / "1.txt").write_text(text)
    return b""


def copy_and_fail(argument: bytes) -> bytes:
    copy(argument)
    raise PageMissingError("after all")


def leave_a_link(argument: bytes) -> bytes:
    os.symlink("/etc/passwd", Path(json.loads(argument)[2]) / "copy.pdf")
    return b""


def read_file(argument: bytes) -> bytes:
    """What a file says, or that it is not there."""
    return Path(argument.decode()).read_bytes() if Path(argument.decode()).exists() else b"gone"


def spoil_input(argument: bytes) -> bytes:
    """Try to change the document that was given, and tell in which ways that worked."""
    path = json.loads(argument)[0]
    other = f"{json.loads(argument)[2]}/taken"
    ways: dict[str, Callable[[], object]] = {
        "write": lambda: Path(path).write_bytes(b"x"),
        "append": lambda: os.open(path, os.O_WRONLY | os.O_APPEND),
        "truncate": lambda: os.truncate(path, 0),
        "remove": lambda: os.unlink(path),
        "move": lambda: os.rename(path, other),
        "link": lambda: os.link(path, other),
    }
    spoilt = []
    for name, way in ways.items():
        with contextlib.suppress(OSError):
            way()
            spoilt.append(name)
    return json.dumps({"path": path, "spoilt": spoilt}).encode()


def fill_disk(argument: bytes) -> bytes:
    """Write files without end, each small enough."""
    count = 0
    while True:
        count += 1
        with contextlib.suppress(OSError):
            (Path(os.environ["TMPDIR"]) / str(count)).write_bytes(b"x" * 1_000_000)
        time.sleep(0.005)
