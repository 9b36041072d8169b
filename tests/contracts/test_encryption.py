"""Files that are encrypted in their store: what is kept there, who can read it, and how keys are changed."""

import base64
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from obstore.store import MemoryStore
from pydantic import SecretStr

from pagemill.adapters.blobs.base import Blobs
from pagemill.adapters.blobs.bucket import BucketBlobs
from pagemill.adapters.blobs.encrypted import EncryptedBlobs
from pagemill.adapters.blobs.encryption import (
    CHUNK_BYTES,
    HEADER_BYTES,
    KeyWrapper,
    SettingsKeys,
    WrappedKey,
    key_wrapper,
    parse_keys,
)
from pagemill.adapters.blobs.local import LocalBlobs
from pagemill.desk.queries import show_job
from pagemill.desk.rotation import encrypt_all
from pagemill.entrypoints.cli.admin import storage
from pagemill.errors import Refused, StorageUnavailable, StoredFileMissing
from pagemill.mill import DEFAULT_TENANT, Mill
from pagemill.model.states import Lane
from pagemill.runner import take_turn
from pagemill.wiring import open_mill
from tests.mills import hand_in, small_settings
from tests.samples import letter
from tests.servers import served
from tests.waiting import wait_for
from tests.walking import files_below

Encrypt = Callable[..., EncryptedBlobs]
KEY = "documents/ab/one.pdf"
CACHE_BYTES = 1_000_000
OLD, NEW = bytes(range(32)), bytes(range(32, 64))
SECRET = b"A sentence that nobody else may read. " * 10_000


@pytest.fixture(params=["folder", "bucket"])
def plain(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Blobs]:
    """A store without encryption."""
    if request.param == "folder":
        store: Blobs = LocalBlobs(tmp_path / "blobs")
    else:
        store = BucketBlobs(MemoryStore(), tmp_path / "bucket", CACHE_BYTES)
    yield store
    store.close()


@pytest.fixture
def encrypted(tmp_path: Path) -> Iterator[Encrypt]:
    """A store with encryption under some keys, the first of which is current."""
    made: list[EncryptedBlobs] = []

    def encrypt(inner: Blobs, wrapper: KeyWrapper | None = None, **keys: bytes) -> EncryptedBlobs:
        made.append(EncryptedBlobs(inner, wrapper or SettingsKeys(keys), tmp_path / "clear"))
        return made[-1]

    yield encrypt
    for blobs in made:
        blobs.close()


def put(blobs: Blobs, content: bytes, key: str = KEY) -> None:
    """Store a blob."""
    writer = blobs.writer(key)
    writer.write(content)
    writer.commit()


def read(blobs: Blobs, key: str = KEY) -> bytes:
    """A whole blob."""
    with blobs.open(key) as file:
        return file.read()


@pytest.mark.parametrize("size", [0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 3 * CHUNK_BYTES])
def test_sizes_and_ranges_are_those_of_what_was_stored(plain: Blobs, encrypted: Encrypt, size: int) -> None:
    blobs, content = encrypted(plain, a=NEW), os.urandom(size)
    put(blobs, content)
    assert blobs.size(KEY) == size
    with blobs.open(KEY) as file:
        file.seek(size // 2)
        assert file.read(100) == content[size // 2 :][:100]
        assert file.seek(-min(size, 10), os.SEEK_END) == size - min(size, 10)
        assert file.read() == content[size - min(size, 10) :]
    with blobs.local(KEY) as path:
        assert path.read_bytes() == content


def test_nothing_can_be_read_in_the_store_itself(plain: Blobs, encrypted: Encrypt) -> None:
    blobs = encrypted(plain, a=NEW)
    put(blobs, SECRET)
    with blobs.folders(["pages/ab/job/claim.1"]) as [folder]:
        (folder / "figures").mkdir()
        (folder / "figures" / "pages.jsonl").write_bytes(SECRET)
    for key in (KEY, "pages/ab/job/claim.1/figures/pages.jsonl"):
        assert read(blobs, key) == SECRET
        assert SECRET[:20] not in read(plain, key)


def test_damage_and_cuts_are_noticed(tmp_path: Path, encrypted: Encrypt) -> None:
    blobs, file = encrypted(LocalBlobs(tmp_path / "blobs"), a=NEW), tmp_path / "blobs" / KEY
    put(blobs, SECRET)
    whole = file.read_bytes()
    for changed in (
        whole[:-1],
        whole[: HEADER_BYTES + CHUNK_BYTES + 16],
        whole[:HEADER_BYTES],
        whole[:-1] + bytes([whole[-1] ^ 1]),
        whole[: HEADER_BYTES + 9] + b"x" + whole[HEADER_BYTES + 10 :],
    ):
        file.write_bytes(changed)
        with pytest.raises(StoredFileMissing):
            read(blobs)
        with blobs.local(KEY) as path:
            assert not path.exists()


def test_another_key_opens_nothing_and_says_which_one_is_missing(plain: Blobs, encrypted: Encrypt) -> None:
    put(encrypted(plain, first=OLD), SECRET)
    with pytest.raises(StorageUnavailable, match="'first'"):
        read(encrypted(plain, second=NEW))
    with pytest.raises(StorageUnavailable, match="is not the one"):
        read(encrypted(plain, first=NEW))


def test_keys_are_changed_while_files_stay_readable(plain: Blobs, encrypted: Encrypt) -> None:
    put(plain, b"stored before there was a key", "documents/ab/plain.pdf")
    put(encrypted(plain, old=OLD), SECRET)
    both = encrypted(plain, new=NEW, old=OLD)
    assert read(both) == SECRET
    assert encrypt_all(both, dry_run=True) == 2
    assert encrypt_all(both, dry_run=False) == 2
    assert encrypt_all(both, dry_run=False) == 0
    alone = encrypted(plain, new=NEW)
    assert read(alone) == SECRET
    assert read(alone, "documents/ab/plain.pdf") == b"stored before there was a key"
    assert b"stored before" not in read(plain, "documents/ab/plain.pdf")
    assert sorted(plain.keys()) == [KEY, "documents/ab/plain.pdf"]


def test_what_a_change_of_keys_left_when_it_was_stopped_is_passed_over(
    plain: Blobs, encrypted: Encrypt
) -> None:
    put(plain, b"left", f"{KEY}.rotated")
    assert encrypt_all(encrypted(plain, old=OLD), dry_run=False) == 0
    assert list(plain.keys()) == [f"{KEY}.rotated"]


class FarWrapper:
    """A key service elsewhere: it turns data keys over, which is enough to show that it is asked."""

    current_id = "far-1"

    def wrap(self, file_key: bytes) -> bytes:
        """The data key backwards."""
        return file_key[::-1]

    def unwrap(self, wrapped: WrappedKey) -> bytes:
        """The data key again."""
        return wrapped.wrapped[::-1]


def test_a_key_service_can_take_the_place_of_keys(plain: Blobs, encrypted: Encrypt) -> None:
    blobs = encrypted(plain, FarWrapper())
    put(blobs, SECRET)
    assert read(blobs) == SECRET
    assert b"far-1" in read(plain)[:HEADER_BYTES]


class AwayWrapper(FarWrapper):
    """A key service that can't be reached."""

    def wrap(self, file_key: bytes) -> bytes:
        """No answer."""
        raise StorageUnavailable


def test_a_key_service_that_is_away_leaves_nothing_begun_in_the_store(
    plain: Blobs, encrypted: Encrypt
) -> None:
    blobs = encrypted(plain, AwayWrapper())
    with pytest.raises(StorageUnavailable):
        blobs.writer(KEY)
    with pytest.raises(StorageUnavailable), blobs.folders(["results/ab"]) as [folder]:
        (folder / "text.txt").write_bytes(SECRET)
    assert list(plain.keys()) == []


def test_a_file_of_a_folder_is_replaced_as_a_whole(tmp_path: Path, encrypted: Encrypt) -> None:
    blobs = encrypted(LocalBlobs(tmp_path / "blobs"), a=NEW)
    put(blobs, SECRET, "results/ab/text.txt")
    with blobs.open("results/ab/text.txt") as before:
        with blobs.folders(["results/ab"]) as [folder]:
            (folder / "text.txt").write_bytes(b"made again")
        assert before.read() == SECRET
    assert read(blobs, "results/ab/text.txt") == b"made again"
    assert list(blobs.keys()) == ["results/ab/text.txt"]


def test_a_blob_that_goes_while_its_size_is_asked_has_none(
    plain: Blobs, encrypted: Encrypt, monkeypatch: pytest.MonkeyPatch
) -> None:
    blobs = encrypted(plain, a=NEW)
    monkeypatch.setattr(plain, "size", lambda _: 2 * HEADER_BYTES)
    assert blobs.size(KEY) is None


@pytest.mark.parametrize(
    "text", ["", "a", "a:", "a:c2hvcnQ=", f":{base64.b64encode(NEW).decode()}", "a:not base64 at all!"]
)
def test_keys_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(Refused, match="PAGEMILL_ENCRYPTION_KEYS"):
        parse_keys(text)


def test_keys_and_services_are_found_by_the_settings() -> None:
    encoded = base64.urlsafe_b64encode(NEW).decode()
    assert parse_keys(f"a:{encoded}, b:{base64.b64encode(OLD).decode()}") == {"a": NEW, "b": OLD}
    assert key_wrapper(None, "") is None
    assert "a" not in repr(SettingsKeys({"a": NEW})).partition("(")[2]
    with pytest.raises(Refused, match="PAGEMILL_ENCRYPTION_KMS"):
        key_wrapper(SecretStr(f"a:{encoded}"), "no such service")


def test_a_document_is_read_and_delivered_and_nothing_of_it_is_in_the_store(tmp_path: Path) -> None:
    keys = f"a:{base64.b64encode(NEW).decode()}"
    with served(small_settings(tmp_path / "mill", encryption_keys=keys)) as server:
        job = server.finished(letter("Dear confidant,"))
        assert job["status"] == "completed", job["error"]
        path = f"/v1/jobs/{job['id']}/markdown"
        assert "Dear confidant" in server.http.get(path).text
        ranged = server.http.get(path, headers={"range": "bytes=5-13"})
        assert (ranged.status_code, ranged.content) == (206, server.http.get(path).content[5:14])
        # No copy in the clear is kept once the job is over.
        wait_for(lambda: not any("copies" in path.parts for path in files_below(tmp_path / "mill" / "clear")))
        stored = [file.read_bytes() for file in server.files() if file.name != "pagemill.txt"]
    assert stored
    assert not any(b"confidant" in content or b"%PDF" in content for content in stored)


def test_the_command_encrypts_what_is_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with open_mill(small_settings(tmp_path), workers=False) as mill:
        put(mill.blobs, SECRET)
    monkeypatch.setenv("PAGEMILL_DATA_DIR", str(tmp_path))
    with pytest.raises(Refused, match="PAGEMILL_ENCRYPTION_KEYS"):
        storage.rotate(dry_run=False)
    monkeypatch.setenv("PAGEMILL_ENCRYPTION_KEYS", f"a:{base64.b64encode(NEW).decode()}")
    storage.rotate(dry_run=True)
    storage.rotate(dry_run=False)
    assert capsys.readouterr().out.splitlines() == [
        "1 file to encrypt",
        "1 file encrypted with the current key",
    ]
    assert SECRET[:20] not in (tmp_path / "blobs" / KEY).read_bytes()


def test_a_document_whose_key_is_missing_waits_and_holds_no_other_up(tmp_path: Path) -> None:
    of_a, of_b = (f"{name}:{base64.b64encode(key).decode()}" for name, key in (("a", OLD), ("b", NEW)))

    def turns(mill: Mill) -> None:
        while take_turn(mill, (Lane.FAST,), threading.Event()):
            pass

    with open_mill(small_settings(tmp_path, encryption_keys=of_a), workers=False) as mill:
        waiting = hand_in(mill, letter("Dear keeper of a,")).job_id
    with open_mill(small_settings(tmp_path, encryption_keys=of_b), workers=False) as mill:
        others = [hand_in(mill, letter(f"Dear keeper of b, {number},")).job_id for number in range(3)]
        turns(mill)
        assert [show_job(mill, DEFAULT_TENANT, one)["status"] for one in others] == ["completed"] * 3
        assert show_job(mill, DEFAULT_TENANT, waiting)["status"] == "processing"
        assert not mill.backoff.is_pausing()
    with open_mill(small_settings(tmp_path, encryption_keys=f"{of_b},{of_a}"), workers=False) as mill:

        def is_done() -> bool:
            turns(mill)
            return show_job(mill, DEFAULT_TENANT, waiting)["status"] == "completed"

        wait_for(is_done)


def test_verification_without_the_keys_refuses_and_throws_no_result_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = f"a:{base64.b64encode(NEW).decode()}"
    with served(small_settings(tmp_path, slots=1, kept_slots=0, encryption_keys=keys)) as server:
        job_id = server.finished(letter("Dear keeper,"))["id"]
    monkeypatch.setenv("PAGEMILL_DATA_DIR", str(tmp_path))
    for checksums in (True, False):
        with pytest.raises(Refused, match="PAGEMILL_ENCRYPTION_KEYS"):
            storage.verify(repair=True, checksums=checksums, as_json=False)
    for other in ("b", "a"):
        # One of several keys is missing, and one is another than it was.
        monkeypatch.setenv("PAGEMILL_ENCRYPTION_KEYS", f"{other}:{base64.b64encode(OLD).decode()}")
        with pytest.raises(Refused, match="Nothing was changed"):
            storage.verify(repair=True, checksums=True, as_json=False)
    monkeypatch.setenv("PAGEMILL_ENCRYPTION_KEYS", keys)
    assert storage.verify(repair=False, checksums=True, as_json=False) == 0
    with open_mill(small_settings(tmp_path, encryption_keys=keys), workers=False) as mill:
        assert show_job(mill, DEFAULT_TENANT, job_id)["status"] == "completed"
