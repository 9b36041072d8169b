"""What every blob store does: a folder, one with encryption, a bucket in memory that makes no links, and one on an S3 server.

Where Azurite is installed, a container of Azure Blob Storage does the same.
"""

import base64
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from obstore.store import MemoryStore

from pagemill.adapters.blobs.base import Blobs, BlobWriter
from pagemill.adapters.blobs.bucket import BucketBlobs
from pagemill.adapters.blobs.local import LocalBlobs
from pagemill.adapters.blobs.spool import SpooledWriter
from pagemill.errors import StorageFull, StorageUnavailable, StoredFileMissing
from pagemill.model.ids import new_id
from pagemill.wiring import blobs_of
from tests.cluster import azurite
from tests.cluster.s3 import OPEN_BUCKET
from tests.mills import small_settings
from tests.timing import can_take_less_than, seconds_of

CACHE_BYTES = 1_000_000
PATIENCE_SECONDS = 60


STORES = [
    "folder",
    "shared folder",
    "memory",
    "s3",
    "google",
    "encrypted",
    *(["azure"] if azurite.binary() else []),
]


@pytest.fixture(params=STORES)
def blobs(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Blobs]:
    """An empty store."""
    match request.param:
        case "folder":
            store = blobs_of(small_settings(tmp_path), tmp_path)
        case "shared folder":
            store = blobs_of(small_settings(tmp_path, blobs_url=f"file://{tmp_path}/a%20share"), tmp_path)
        case "memory":
            store = BucketBlobs(MemoryStore(), tmp_path / "scratch", CACHE_BYTES)
        case "encrypted":
            keys = f"a:{base64.b64encode(bytes(range(32))).decode()}"
            store = blobs_of(small_settings(tmp_path, encryption_keys=keys), tmp_path)
        case "google":
            for name, value in request.getfixturevalue("gcs_server").variables().items():
                monkeypatch.setenv(name, value)
            store = blobs_of(small_settings(tmp_path, blobs_url=f"gs://{OPEN_BUCKET}/{new_id()}"), tmp_path)
        case "azure":
            for name, value in request.getfixturevalue("azure_server").variables().items():
                monkeypatch.setenv(name, value)
            store = blobs_of(small_settings(tmp_path, blobs_url=f"az://documents/{new_id()}"), tmp_path)
        case _:
            for name, value in request.getfixturevalue("s3_server").variables().items():
                monkeypatch.setenv(name, value)
            store = blobs_of(small_settings(tmp_path, blobs_url=f"s3://documents/{new_id()}"), tmp_path)
    yield store
    store.close()


def put(blobs: Blobs, key: str, content: bytes) -> None:
    """Store a blob in two pieces."""
    writer = blobs.writer(key)
    writer.write(content[:3])
    writer.write(content[3:])
    writer.commit()


def test_a_store_that_works_is_told_to_work(blobs: Blobs) -> None:
    blobs.check()
    assert blobs.is_reachable()


def test_what_is_written_can_be_read(blobs: Blobs) -> None:
    put(blobs, "documents/ab/one.pdf", b"hello world")
    with blobs.open("documents/ab/one.pdf") as file:
        file.seek(6)
        assert file.read() == b"world"
        file.seek(-11, os.SEEK_END)
        assert file.read(5) == b"hello"
    assert blobs.size("documents/ab/one.pdf") == 11
    with blobs.local("documents/ab/one.pdf") as path:
        assert path.read_bytes() == b"hello world"
        assert path.suffix == ".pdf"


def test_several_blobs_are_made_durable_together(blobs: Blobs) -> None:
    keys = ["documents/a.pdf", "documents/deeper/b.pdf"]
    for key in keys:
        writer = blobs.writer(key)
        writer.write(key.encode())
        writer.close()
    blobs.sync(keys)
    blobs.sync([])
    for key in keys:
        with blobs.open(key) as file:
            assert file.read() == key.encode()


def test_a_blob_without_bytes_is_a_blob(blobs: Blobs) -> None:
    with blobs.folders(["pages/ab/job/claim.1"]) as [folder]:
        (folder / "pages.jsonl").write_bytes(b"")
    assert blobs.size("pages/ab/job/claim.1/pages.jsonl") == 0
    with blobs.open("pages/ab/job/claim.1/pages.jsonl") as file:
        assert file.read() == b""
    with blobs.local("pages/ab/job/claim.1/pages.jsonl") as path:
        assert path.read_bytes() == b""


def test_a_large_blob_is_read_in_any_order_and_line_by_line(blobs: Blobs) -> None:
    lines = [b"%d\n" % number for number in range(500_000)]
    whole = b"".join(lines)
    put(blobs, "documents/ab/large.txt", whole)
    with blobs.open("documents/ab/large.txt") as file:
        assert file.read(10) == whole[:10]
        file.seek(3_000_000)
        assert file.read(100) == whole[3_000_000:3_000_100]
        file.seek(1_000)
        assert file.read(2_000_000) == whole[1_000:2_001_000]
        file.seek(0)
        assert sum(1 for _ in file) == len(lines)


def test_a_blob_that_grows_past_a_part_is_whole(blobs: Blobs) -> None:
    piece = os.urandom(65_536)
    writer = blobs.writer("documents/ab/parts.pdf")
    for _ in range(400):
        writer.write(piece)
    writer.commit()
    assert blobs.size("documents/ab/parts.pdf") == 400 * len(piece)
    with blobs.local("documents/ab/parts.pdf") as path:
        assert path.read_bytes() == 400 * piece


def test_an_aborted_blob_leaves_nothing_behind(blobs: Blobs) -> None:
    writers: list[BlobWriter] = []

    def abort_seconds(pieces: int) -> float:
        writers.append(blobs.writer("documents/ab/half.pdf"))
        for _ in range(pieces):
            writers[-1].write(65_536 * b"x")
        return seconds_of(writers[-1].abort)

    for pieces in (1, 200):
        assert can_take_less_than(0.1, lambda pieces=pieces: abort_seconds(pieces))  # type: ignore[misc]
    for writer in writers:
        wait_until_given_up(writer)
    assert blobs.size("documents/ab/half.pdf") is None
    assert list(blobs.entries("documents/ab")) == []


def wait_until_given_up(writer: BlobWriter) -> None:
    """Return when parts that were under way are removed, which happens in the background."""
    if isinstance(writer, SpooledWriter) and writer._thread is not None:
        writer._thread.join(PATIENCE_SECONDS)


def test_a_blob_that_is_not_there_is_told_without_a_path(blobs: Blobs, tmp_path: Path) -> None:
    assert blobs.size("documents/ab/none.pdf") is None
    with pytest.raises(StoredFileMissing) as refused:
        blobs.open("documents/ab/none.pdf")
    assert str(tmp_path) not in refused.value.message
    with blobs.local("documents/ab/none.pdf") as path:
        assert not path.exists()


def test_several_blobs_are_fetched_at_once_in_their_order(blobs: Blobs) -> None:
    keys = [f"pages/ab/job/{number}.1/pages.jsonl" for number in range(40)]
    for number, key in enumerate(keys):
        put(blobs, key, b"page %d" % number)
    with blobs.local_all([(key, None) for key in [*keys, "pages/ab/none.jsonl"]]) as paths:
        assert [path.read_bytes() for path in paths[:-1]] == [b"page %d" % number for number in range(40)]
        assert not paths[-1].exists()


def test_a_folder_is_in_the_store_with_what_lies_in_it(blobs: Blobs) -> None:
    with blobs.folders(["results/ab/job/claim.1", "results/ab/job/claim.2"]) as [folder, other]:
        (folder / "document.md").write_text("# Title")
        (other / "document.json").write_bytes(b"[" + b"0," * 5_000_000 + b"0]")
    with blobs.open("results/ab/job/claim.1/document.md") as file:
        assert file.read() == b"# Title"
    assert blobs.size("results/ab/job/claim.2/document.json") == 10_000_003
    below = ["results/ab/job/claim.1", "results/ab/job/claim.2"]
    assert sorted(entry.key for entry in blobs.entries("results/ab/job")) == below
    assert sorted(entry.key for entry in blobs.entries("results/ab", depth=2)) == below
    assert all(abs(entry.modified_at - time.time()) < 60 for entry in blobs.entries("results/ab/job"))


def test_a_folder_may_be_missing_until_another_is_moved_to_its_place(blobs: Blobs) -> None:
    prefixes = ["results/ab/job/claim.1", "results/ab/job/claim.2"]
    with blobs.new_folders(prefixes) as [folder, other]:
        made = folder.parent / "made"
        made.mkdir()
        (made / "document.md").write_text("# Title")
        made.rename(folder)
        del other
    with blobs.open("results/ab/job/claim.1/document.md") as file:
        assert file.read() == b"# Title"
    assert blobs.size("results/ab/job/claim.2/document.md") is None


def test_a_copy_has_the_same_bytes(blobs: Blobs) -> None:
    put(blobs, "uploads/ab/one", b"hello world")
    blobs.copy("uploads/ab/one", "documents/ab/one.pdf")
    with blobs.open("documents/ab/one.pdf") as file:
        assert file.read() == b"hello world"
    with pytest.raises(StoredFileMissing):
        blobs.copy("uploads/ab/none", "documents/ab/two.pdf")
    assert blobs.size("documents/ab/two.pdf") is None


def test_removing_takes_everything_below_and_pruning_only_what_is_empty(blobs: Blobs) -> None:
    for claim in ("claim.1", "claim.2"):
        with blobs.folders([f"results/ab/job/{claim}"]) as [folder]:
            (folder / "document.md").write_text("text")
    blobs.remove("results/ab/job/claim.1")
    blobs.prune("results/ab/job")
    assert [entry.key for entry in blobs.entries("results/ab/job")] == ["results/ab/job/claim.2"]
    blobs.remove("results/ab/job/claim.2")
    blobs.prune("results/ab/job")
    assert list(blobs.entries("results/ab")) == []
    blobs.remove("results/ab/job/claim.2")
    blobs.prune("results/ab/job")


def test_removing_a_blob_leaves_those_with_longer_names(blobs: Blobs) -> None:
    put(blobs, "documents/ab/one.png", b"picture")
    put(blobs, "documents/ab/one.png.pdf", b"working copy")
    blobs.remove("documents/ab/one.png")
    assert [entry.key for entry in blobs.entries("documents/ab")] == ["documents/ab/one.png.pdf"]


@pytest.fixture
def folder_blobs(tmp_path: Path) -> LocalBlobs:
    """An empty folder."""
    return LocalBlobs(tmp_path / "blobs")


def test_a_file_is_written_once(folder_blobs: LocalBlobs) -> None:
    put(folder_blobs, "documents/ab/one.pdf", b"first")
    with pytest.raises(StorageUnavailable):
        folder_blobs.writer("documents/ab/one.pdf")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_a_full_disk_is_told_apart(folder_blobs: LocalBlobs, tmp_path: Path) -> None:
    folder = tmp_path / "blobs" / "documents"
    folder.mkdir(parents=True)
    (folder / "full.pdf").symlink_to("/dev/full")
    with pytest.raises(StorageUnavailable):
        folder_blobs.writer("documents/full.pdf")
    writer = folder_blobs.writer("documents/other.pdf")
    os.dup2(os.open("/dev/full", os.O_WRONLY), writer._file.fileno())
    with pytest.raises(StorageFull):
        writer.write(b"more than nothing")
    writer.abort()


def test_a_disk_that_can_not_be_asked_is_an_outage(folder_blobs: LocalBlobs) -> None:
    put(folder_blobs, "documents/ab/one.pdf", b"hello")
    with pytest.raises(StorageUnavailable):
        folder_blobs.size("documents/ab/one.pdf/below")


def test_what_is_removed_during_a_look_is_left_out(folder_blobs: LocalBlobs) -> None:
    for name in ("one", "two"):
        put(folder_blobs, f"documents/ab/{name}.pdf", b"hello")
    found = folder_blobs.entries("documents/ab")
    next(found)
    folder_blobs.remove("documents/ab")
    assert list(found) == []


def test_the_space_that_is_left_in_a_folder_is_known(folder_blobs: LocalBlobs) -> None:
    assert (folder_blobs.free_bytes() or 0) > 0


def test_a_shared_disk_that_is_taken_away_is_an_outage_and_nothing_is_written_in_its_place(
    tmp_path: Path,
) -> None:
    disk, elsewhere = tmp_path / "disk", tmp_path / "elsewhere"
    blobs = LocalBlobs(disk, is_near=False)
    blobs.check()
    put(blobs, "documents/ab/one.pdf", b"first")
    disk.rename(elsewhere)
    assert blobs.free_bytes() is None
    # What an unmounted disk leaves is an empty folder.
    disk.mkdir()
    assert not blobs.is_reachable()
    with pytest.raises(StorageUnavailable), blobs.local_all([("documents/ab/one.pdf", None)]):
        pass
    with pytest.raises(StorageUnavailable), blobs.local("documents/ab/one.pdf"):
        pass
    with pytest.raises(StorageUnavailable), blobs.folders(["pages/ab"]):
        pass
    with pytest.raises(StorageUnavailable):
        blobs.writer("documents/ab/two.pdf")
    assert list(disk.iterdir()) == []
    disk.rmdir()
    elsewhere.rename(disk)
    assert blobs.is_reachable()
    with blobs.local("documents/ab/one.pdf") as path:
        assert path.read_bytes() == b"first"
