"""Bodies on their way to the disk: short ones directly, large ones by threads, in order, and never half a call."""

import asyncio
import hashlib
import os
import sys
import threading
from pathlib import Path

import pytest
from starlette.types import Message

from pagemill.entrypoints.api.upload.piece_storing import (
    DIRECT_BYTES,
    GATHERED_BYTES,
    NICE_STEPS,
    PieceStorer,
    StoringThreads,
)
from pagemill.entrypoints.wire.bodies import read_body
from pagemill.errors import FileTooLarge
from pagemill.settings import Settings
from tests.samples import letter
from tests.servers import Served

PIECE = b"x" * (GATHERED_BYTES // 4)
PATIENCE_SECONDS = 60
# `nice` ends there.
LOWEST_PRIORITY = 19


class SlowDisk:
    """Takes pieces, the first one only when it is let."""

    def __init__(self) -> None:
        self.pieces: list[bytes] = []
        self.threads: set[str] = set()
        self.begun = threading.Event()
        self.may_go_on = threading.Event()

    def write(self, piece: bytes) -> None:
        """Write a piece, as slowly as a disk that has too much to do."""
        self.begun.set()
        assert self.may_go_on.wait(PATIENCE_SECONDS)
        self.threads.add(threading.current_thread().name)
        self.pieces.append(piece)


async def take(storer: PieceStorer, pieces: list[bytes]) -> None:
    """Hand the pieces on as a request does."""
    for piece in pieces:
        taking = storer.take_piece(piece)
        if taking is not None:
            await taking
    await storer.flush()


def test_the_pieces_of_a_large_body_are_written_in_order_the_first_by_the_event_loop() -> None:
    threads, written = StoringThreads(), list[tuple[bytes, str]]()
    pieces = [bytes([number]) * len(PIECE) for number in range(11)]

    def write(piece: bytes) -> None:
        written.append((piece, threading.current_thread().name))

    asyncio.run(take(PieceStorer(threads, write, direct_bytes=2 * len(PIECE)), pieces))
    threads.close()
    assert [piece for piece, _ in written] == pieces
    here = threading.current_thread().name
    assert [name == here for _, name in written] == [True, True, *[False] * 9]


def test_the_event_loop_writes_nothing_of_a_body_that_is_declared_to_be_large() -> None:
    threads, written = StoringThreads(), list[str]()

    def write(_: bytes) -> None:
        written.append(threading.current_thread().name)

    for declared_bytes in (DIRECT_BYTES, DIRECT_BYTES + 1):
        asyncio.run(take(PieceStorer(threads, write, declared_bytes=declared_bytes), [PIECE]))
    threads.close()
    assert [name == threading.current_thread().name for name in written] == [True, False]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a priority per thread")
def test_the_event_loop_runs_before_the_threads_that_write() -> None:
    threads = StoringThreads()

    def priority_of_thread() -> int:
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    before = priority_of_thread()
    assert asyncio.run(threads.run(priority_of_thread)) == min(before + NICE_STEPS, LOWEST_PRIORITY)
    assert priority_of_thread() == before
    threads.close()


def test_the_event_loop_goes_on_while_the_disk_keeps_a_writer_waiting() -> None:
    threads, disk = StoringThreads(), SlowDisk()

    async def run() -> int:
        storing = asyncio.create_task(take(PieceStorer(threads, disk.write, direct_bytes=0), [PIECE] * 8))
        await asyncio.to_thread(disk.begun.wait, PATIENCE_SECONDS)
        rounds = 0
        for _ in range(100):
            await asyncio.sleep(0)
            rounds += 1
        assert not disk.pieces
        disk.may_go_on.set()
        await storing
        return rounds

    assert asyncio.run(run()) == 100
    threads.close()
    assert disk.pieces == [PIECE] * 8
    assert all(name.startswith("pagemill-store") for name in disk.threads)


def test_short_bodies_go_to_the_threads_while_a_large_one_is_stored() -> None:
    threads, disk = StoringThreads(), SlowDisk()
    written: list[str] = []

    async def run() -> None:
        large = asyncio.create_task(take(PieceStorer(threads, disk.write, direct_bytes=0), [PIECE] * 4))
        await asyncio.to_thread(disk.begun.wait, PATIENCE_SECONDS)
        await take(PieceStorer(threads, lambda _: written.append(threading.current_thread().name)), [PIECE])
        disk.may_go_on.set()
        await large
        await take(PieceStorer(threads, lambda _: written.append(threading.current_thread().name)), [PIECE])

    asyncio.run(run())
    threads.close()
    assert [name == threading.current_thread().name for name in written] == [False, True]


def test_a_request_that_is_cancelled_ends_when_the_thread_has_written() -> None:
    threads, disk = StoringThreads(), SlowDisk()

    async def run() -> bool:
        storing = asyncio.create_task(take(PieceStorer(threads, disk.write, direct_bytes=0), [PIECE] * 4))
        await asyncio.to_thread(disk.begun.wait, PATIENCE_SECONDS)
        storing.cancel()
        await asyncio.sleep(0.05)
        was_waiting = not storing.done()
        disk.may_go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await storing
        return was_waiting

    assert asyncio.run(run())
    assert disk.pieces == [PIECE] * 4
    threads.close()


def test_what_a_writer_raises_reaches_the_request() -> None:
    threads = StoringThreads()

    def write(piece: bytes) -> None:
        raise FileTooLarge(max_bytes=len(piece))

    with pytest.raises(FileTooLarge):
        asyncio.run(take(PieceStorer(threads, write, direct_bytes=0), [PIECE]))
    threads.close()


def test_a_caller_is_not_too_slow_because_the_disk_is(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, upload_window_seconds=0.02, min_upload_rate=1_000_000)
    messages: list[Message] = [
        {"type": "http.request", "body": PIECE, "more_body": True},
        {"type": "http.request", "body": b"", "more_body": False},
    ]

    async def receive() -> Message:
        return messages.pop(0)

    async def store(piece: bytes) -> None:
        await asyncio.sleep(0.2 if piece else 0)

    asyncio.run(read_body(receive, store, settings))
    assert not messages


def test_large_documents_are_stored_whole_in_every_form(busy: Served) -> None:
    body = letter("Dear keeper of large files,") + b"\n" * (3 * DIRECT_BYTES)
    digest = hashlib.sha256(body).hexdigest()
    as_form = busy.http.post("/v1/jobs?reuse=false", files={"file": ("large.pdf", body)})
    as_body = busy.http.post(
        "/v1/jobs?reuse=false", content=body, headers={"content-type": "application/pdf"}
    )
    for answer in (as_form, as_body):
        assert answer.status_code == 202, answer.text
        job = busy.http.get(answer.headers["location"], params={"wait": PATIENCE_SECONDS}).json()
        assert (job["status"], job["document"]["sha256"]) == ("completed", digest)
