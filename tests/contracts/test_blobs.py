"""What every blob store does."""

import os
from pathlib import Path

import pytest

from pagemill.adapters.blobs.base import Blobs
from pagemill.adapters.blobs.local import LocalBlobs
from pagemill.errors import StorageFull, StorageUnavailable


@pytest.fixture
def blobs(tmp_path: Path) -> Blobs:
    """An empty store."""
    return LocalBlobs(tmp_path / "blobs")


def put(blobs: Blobs, key: str, content: bytes) -> None:
    """Store a blob in two pieces."""
    writer = blobs.writer(key)
    writer.write(content[:3])
    writer.write(content[3:])
    writer.commit()


def test_what_is_written_can_be_read(blobs: Blobs) -> None:
    put(blobs, "documents/ab/one.pdf", b"hello world")
    with blobs.open("documents/ab/one.pdf") as file:
        file.seek(6)
        assert file.read() == b"world"
    assert blobs.size("documents/ab/one.pdf") == 11
    with blobs.local("documents/ab/one.pdf") as path:
        assert path.read_bytes() == b"hello world"
        assert path.suffix == ".pdf"


def test_an_aborted_blob_leaves_nothing_behind(blobs: Blobs) -> None:
    writer = blobs.writer("documents/ab/half.pdf")
    writer.write(b"half")
    writer.abort()
    assert blobs.size("documents/ab/half.pdf") is None
    assert list(blobs.entries("documents/ab")) == []


def test_a_key_is_written_once(blobs: Blobs) -> None:
    put(blobs, "documents/ab/one.pdf", b"first")
    with pytest.raises(StorageUnavailable):
        blobs.writer("documents/ab/one.pdf")


def test_a_blob_that_is_not_there_is_told_without_a_path(blobs: Blobs, tmp_path: Path) -> None:
    assert blobs.size("documents/ab/none.pdf") is None
    with pytest.raises(StorageUnavailable) as refused:
        blobs.open("documents/ab/none.pdf")
    assert str(tmp_path) not in refused.value.message


def test_a_folder_is_in_the_store_with_what_lies_in_it(blobs: Blobs) -> None:
    with blobs.folders(["results/ab/job/claim.1"]) as [folder]:
        (folder / "document.md").write_text("# Title")
    with blobs.open("results/ab/job/claim.1/document.md") as file:
        assert file.read() == b"# Title"
    assert [entry.key for entry in blobs.entries("results/ab/job")] == ["results/ab/job/claim.1"]


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


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_a_full_disk_is_told_apart(blobs: Blobs, tmp_path: Path) -> None:
    folder = tmp_path / "blobs" / "documents"
    folder.mkdir(parents=True)
    (folder / "full.pdf").symlink_to("/dev/full")
    with pytest.raises(StorageUnavailable):
        blobs.writer("documents/full.pdf")
    writer = blobs.writer("documents/other.pdf")
    os.dup2(os.open("/dev/full", os.O_WRONLY), writer._file.fileno())  # type: ignore[attr-defined]
    with pytest.raises(StorageFull):
        writer.write(b"more than nothing")
    writer.abort()


def test_the_space_that_is_left_is_known(blobs: Blobs) -> None:
    assert (blobs.free_bytes() or 0) > 0
