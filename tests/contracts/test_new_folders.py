"""Folders whose names are not on the disk yet: synced with the first file in them that is committed, or all at once."""

from pathlib import Path

import pytest

from pagemill.adapters.blobs import local
from pagemill.adapters.blobs.local import LocalBlobs, NewFolders

KEYS = ["documents/4f/one.pdf", "documents/4f/two.pdf", "documents/50/three.pdf"]


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The files and folders that are synced one by one, in their order."""
    paths: list[Path] = []
    sync = local.sync_path

    def note(path: Path) -> None:
        paths.append(path)
        sync(path)

    monkeypatch.setattr(local, "sync_path", note)
    return paths


def write(blobs: LocalBlobs, key: str) -> local.LocalWriter:
    """A blob that is written and neither committed nor closed."""
    writer = blobs.writer(key)
    writer.write(b"%PDF")
    return writer


def test_the_first_commit_in_a_new_folder_makes_its_name_durable(tmp_path: Path, synced: list[Path]) -> None:
    blobs = LocalBlobs(tmp_path)
    write(blobs, KEYS[0]).commit()
    documents = tmp_path / "documents"
    assert synced == [documents / "4f", documents, tmp_path]
    synced.clear()
    write(blobs, KEYS[1]).commit()
    assert synced == [documents / "4f"]


def test_a_commit_makes_the_name_durable_of_a_folder_that_another_writer_has_made(
    tmp_path: Path, synced: list[Path]
) -> None:
    blobs = LocalBlobs(tmp_path)
    write(blobs, KEYS[0]).close()
    assert synced == []
    write(blobs, KEYS[1]).commit()
    assert set(synced) == {tmp_path, tmp_path / "documents", tmp_path / "documents/4f"}


@pytest.mark.parametrize("at_once", [True, False])
def test_many_blobs_are_synced_with_all_new_folders(
    tmp_path: Path, synced: list[Path], monkeypatch: pytest.MonkeyPatch, at_once: bool
) -> None:
    if not at_once:
        monkeypatch.setattr(local, "LIBC", object())
    elif not hasattr(local.LIBC, "syncfs"):
        pytest.skip("this system has no syncfs")
    blobs = LocalBlobs(tmp_path)
    for key in KEYS:
        write(blobs, key).close()
    blobs.sync(KEYS)
    parts = {tmp_path, *(tmp_path / name for name in ("documents", "documents/4f", "documents/50", *KEYS))}
    assert set(synced) == (set() if at_once else parts)
    synced.clear()
    write(blobs, "documents/50/four.pdf").commit()
    assert synced == [tmp_path / "documents/50"]


def test_a_folder_that_was_moved_to_its_place_is_synced_with_all_names_above_it(
    tmp_path: Path, synced: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "LIBC", object())
    blobs = LocalBlobs(tmp_path / "blobs")
    made = tmp_path / "made"
    (made / "figures").mkdir(parents=True)
    files = [made / "document.md", made / "figures" / "f1.png"]
    for file in files:
        file.write_bytes(b"x")
    with blobs.new_folders(["results/ab/job/claim.1", "results/ab/job/claim.2"]) as [folder, _]:
        made.rename(folder)
    places = [folder / file.relative_to(made) for file in files]
    above = [folder, *(tmp_path / "blobs" / name for name in ("results/ab/job", "results/ab", "results", ""))]
    assert set(synced) == {*places, folder / "figures", *above}


def test_a_folder_that_is_made_while_all_is_synced_is_not_taken_for_synced(tmp_path: Path) -> None:
    folders = NewFolders()
    folders.make(tmp_path / "4f")
    known = folders.known()
    folders.make(tmp_path / "4f")
    folders.make(tmp_path / "50")
    folders.forget(known)
    assert set(folders.known()) == {tmp_path / "4f", tmp_path / "50"}
