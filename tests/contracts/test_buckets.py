"""What only a bucket does: it is far away, and what comes from there is checked and kept for a while."""

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import obstore
import pytest
from obstore.store import LocalStore, MemoryStore, ObjectStore

from pagemill.adapters.blobs.availability import StoreAvailability
from pagemill.adapters.blobs.bucket import BucketBlobs, bucket_of
from pagemill.adapters.blobs.spool import PART_BYTES, PIECE_BYTES, SpooledWriter, SpoolPlace
from pagemill.errors import Refused, StorageUnavailable
from pagemill.model.ids import new_id
from tests.cluster import s3
from tests.mills import small_settings
from tests.waiting import wait_for

CACHE_BYTES = 2_500
TIMEOUT_SECONDS = 1.0
PATIENCE_SECONDS = 30.0
# Time-out, retries and what a busy machine adds.
TOLD_SECONDS = 5.0


@pytest.fixture
def store() -> ObjectStore:
    """A bucket in memory."""
    return MemoryStore()


@pytest.fixture
def blobs(store: ObjectStore, tmp_path: Path) -> Iterator[BucketBlobs]:
    """A blob store in that bucket, with little space for copies."""
    bucket = BucketBlobs(store, tmp_path / "scratch", CACHE_BYTES)
    yield bucket
    bucket.close()


def in_bucket(
    server: s3.S3, folder: Path, url: str = "", timeout_seconds: float = TIMEOUT_SECONDS, **variables: str
) -> BucketBlobs:
    """A blob store on a real server, which by default tells an outage soon."""
    settings = small_settings(
        folder, blobs_url=url or f"s3://documents/{new_id()}", blobs_timeout_seconds=timeout_seconds
    )
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (server.variables() | variables).items():
            patch.setenv(name, value)
        return bucket_of(settings, folder / "scratch")


def put(blobs: BucketBlobs, key: str, content: bytes) -> None:
    """Store a blob."""
    writer = blobs.writer(key)
    writer.write(content)
    writer.commit()


def test_what_came_with_the_wrong_hash_is_asked_for_again_and_then_as_good_as_gone(
    blobs: BucketBlobs, store: ObjectStore, caplog: pytest.LogCaptureFixture
) -> None:
    with blobs.folders(["pages/ab/job/claim.1"]) as [folder]:
        (folder / "pages.jsonl").write_bytes(b"{}")
    known = obstore.get(store, "pages/ab/job/claim.1/pages.jsonl").attributes
    obstore.put(store, "pages/ab/job/claim.1/pages.jsonl", b"[]", attributes=known)
    with blobs.local("pages/ab/job/claim.1/pages.jsonl") as path:
        assert not path.exists()
    assert "is damaged" in caplog.text


def test_a_document_is_compared_with_the_hash_that_its_row_has(blobs: BucketBlobs) -> None:
    put(blobs, "documents/ab/one.pdf", b"abc")
    right = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    with blobs.local("documents/ab/one.pdf", "0" * 64) as path:
        assert not path.exists()
    with blobs.local("documents/ab/one.pdf", right) as path:
        assert path.read_bytes() == b"abc"


def test_copies_are_kept_up_to_their_bound_and_those_in_use_stay(blobs: BucketBlobs, tmp_path: Path) -> None:
    for name in "abcd":
        put(blobs, f"documents/ab/{name}.pdf", 1_000 * name.encode())
    with blobs.local("documents/ab/a.pdf") as in_use:
        for name in "bcd":
            with blobs.local(f"documents/ab/{name}.pdf") as path:
                assert path.read_bytes() == 1_000 * name.encode()
        assert in_use.read_bytes() == 1_000 * b"a"
    held = list((tmp_path / "scratch").rglob("*.pdf"))
    assert len(held) == 2


def test_many_who_ask_for_the_same_blob_fetch_it_once(blobs: BucketBlobs, store: ObjectStore) -> None:
    put(blobs, "documents/ab/one.pdf", b"once")
    all_hold, paths = threading.Barrier(8), set()

    def hold() -> None:
        with blobs.local("documents/ab/one.pdf") as path:
            paths.add((path, path.stat().st_ino))
            all_hold.wait(10)

    threads = [threading.Thread(target=hold) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(paths) == 1
    obstore.delete(store, "documents/ab/one.pdf")
    with blobs.local("documents/ab/one.pdf") as path:
        assert path.read_bytes() == b"once"


def test_an_error_while_files_are_made_stores_nothing(blobs: BucketBlobs, tmp_path: Path) -> None:
    with suppress(ZeroDivisionError), blobs.folders(["results/ab/job/claim.1"]) as [folder]:
        (folder / "document.md").write_text("half")
        raise ZeroDivisionError
    assert list(blobs.entries("results")) == []
    assert not list((tmp_path / "scratch").rglob("document.md"))


LEAVES_SCRATCH = """
import os, sys, signal
from pathlib import Path
from obstore.store import MemoryStore
from pagemill.adapters.blobs.bucket import BucketBlobs
blobs = BucketBlobs(MemoryStore(), Path(sys.argv[1]), 1_000)
with blobs.folders(["results/ab"]) as [folder]:
    (folder / "left.md").write_text("left")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_process_left_is_removed_by_the_next_and_nothing_of_the_living(
    blobs: BucketBlobs, tmp_path: Path
) -> None:
    scratch = tmp_path / "scratch"
    died = subprocess.run([sys.executable, "-c", LEAVES_SCRATCH, str(scratch)], check=False)
    assert died.returncode == -signal.SIGKILL
    assert list(scratch.rglob("left.md"))
    with blobs.folders(["results/ab"]) as [folder]:
        BucketBlobs(MemoryStore(), scratch, CACHE_BYTES).close()
        assert folder.is_dir()
    assert not list(scratch.rglob("left.md"))


def test_a_store_that_hangs_is_told_within_seconds_and_found_again(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with s3.running(tmp_path_factory.mktemp("s3")) as server:
        blobs = in_bucket(server, tmp_path)
        blobs.check()
        put(blobs, "documents/ab/one.pdf", b"before")
        server.pause()
        try:
            asks: list[Callable[[], object]] = [
                blobs.check,
                lambda: blobs.size("a"),
                lambda: put(blobs, "a", b"a"),
                lambda: blobs.remove("a"),
            ]
            for ask in asks:
                started = time.monotonic()
                with pytest.raises(StorageUnavailable):
                    ask()
                assert time.monotonic() - started < TOLD_SECONDS
            assert not blobs.is_reachable()
            started = time.monotonic()
            with pytest.raises(StorageUnavailable):
                blobs.writer("b")
            # Without asking the store, which would take as long as that.
            assert time.monotonic() - started < TIMEOUT_SECONDS
        finally:
            server.resume()
        wait_for(lambda: is_stored(blobs, "documents/ab/two.pdf"))
        with blobs.local("documents/ab/one.pdf") as path:
            assert path.read_bytes() == b"before"
        blobs.close()


def is_stored(blobs: BucketBlobs, key: str) -> bool:
    """Whether the store takes a blob, which it does not while it is taken for absent."""
    try:
        put(blobs, key, b"after")
    except StorageUnavailable:
        return False
    return True


def test_wrong_keys_and_a_missing_server_are_told_at_the_start_without_secrets(
    s3_server: s3.S3, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    secret = "a-secret-that-is-wrong"
    stranger = in_bucket(s3_server, tmp_path, AWS_SECRET_ACCESS_KEY=secret)
    with pytest.raises(Refused, match="refuses our keys") as refused:
        stranger.check()
    nobody = in_bucket(s3_server, tmp_path, AWS_ENDPOINT_URL="http://127.0.0.1:9")
    with pytest.raises(StorageUnavailable):
        nobody.check()
    for text in (refused.value.message, caplog.text):
        assert secret not in text
        assert s3.ACCESS_KEY not in text
    stranger.close()
    nobody.close()


@pytest.mark.parametrize("url", ["ftp://somewhere", "bucket", "s3://"])
def test_an_address_that_is_none_is_refused(s3_server: s3.S3, tmp_path: Path, url: str) -> None:
    with pytest.raises(Refused):
        in_bucket(s3_server, tmp_path, url)


def test_a_server_that_is_named_without_http_is_refused(s3_server: s3.S3, tmp_path: Path) -> None:
    with pytest.raises(Refused, match="AWS_ENDPOINT_URL has to start with http://"):
        in_bucket(s3_server, tmp_path, AWS_ENDPOINT_URL="127.0.0.1:9000")


def test_a_blob_given_up_while_its_parts_are_sent_leaves_no_parts(s3_server: s3.S3, tmp_path: Path) -> None:
    blobs = in_bucket(s3_server, tmp_path, timeout_seconds=PATIENCE_SECONDS)
    writer = blobs.writer("documents/ab/half.pdf")
    for _ in range(25):
        writer.write(os.urandom(1_000_000))
    wait_for(lambda: bool(parts_under_way(s3_server)))
    writer.abort()
    wait_for(lambda: not parts_under_way(s3_server) and blobs.size("documents/ab/half.pdf") is None)
    blobs.close()


def parts_under_way(server: s3.S3) -> list[str]:
    """The uploads in parts that are neither put together nor given up, as the server's own files tell."""
    filer = f"http://127.0.0.1:{server.ports[2]}/buckets/{s3.BUCKET}/.uploads/"
    answer = httpx.get(filer, headers={"accept": "application/json"}, timeout=PATIENCE_SECONDS)
    return [one["FullPath"] for one in answer.json().get("Entries") or []] if answer.is_success else []


def test_links_name_the_host_that_callers_reach(s3_server: s3.S3, tmp_path: Path) -> None:
    public = s3_server.url.replace("127.0.0.1", "localhost")
    settings = small_settings(tmp_path, blobs_url="s3://documents/linked", blobs_public_url=public)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in s3_server.variables().items():
            patch.setenv(name, value)
        blobs = bucket_of(settings, tmp_path / "scratch")
    link = blobs.signed_url("PUT", "documents/ab/one.pdf", 60)
    assert link is not None
    assert link.startswith(public)
    assert httpx.put(link, content=b"hello").is_success
    assert httpx.get(link).status_code == 403
    assert blobs.size("documents/ab/one.pdf") == 5
    blobs.close()


def test_what_is_gone_already_is_removed_without_trouble(tmp_path: Path) -> None:
    """Google's and Azure's stores refuse to remove what is not there, as this one does."""
    store = LocalStore(tmp_path / "store", mkdir=True)
    obstore.put(store, "results/ab/one", b"1")
    blobs = BucketBlobs(store, tmp_path / "scratch", CACHE_BYTES)
    blobs.remove("results/ab/other")
    blobs.remove("results/ab")
    assert blobs.size("results/ab/one") is None
    blobs.close()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_blob_whose_sender_died_of_something_unknown_is_not_taken_for_stored(
    store: ObjectStore, tmp_path: Path
) -> None:
    place = SpoolPlace(store, tmp_path, threading.Semaphore(1), StoreAvailability(1.0))
    writer = SpooledWriter(place, "large.pdf", {"Content-Type": 3})  # type: ignore[dict-item]
    for _ in range(PART_BYTES // PIECE_BYTES + 2):
        writer.write(bytes(PIECE_BYTES))
    with pytest.raises(StorageUnavailable):
        writer.commit()
