"""The seal and the key that it makes for itself."""

import base64
import errno
import hmac
import os
import stat
from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from pydantic import SecretStr

from pagemill.errors import Refused
from pagemill.password_encryption import password_cipher, shared_key_name, write_key


def test_a_key_is_made_once_and_kept_for_its_owner_alone(tmp_path: Path) -> None:
    encrypted = password_cipher(None, tmp_path).encrypt("secret")
    assert password_cipher(None, tmp_path).decrypt(encrypted) == "secret"
    assert [path.name for path in tmp_path.iterdir()] == ["secret.key"]
    assert stat.S_IMODE((tmp_path / "secret.key").stat().st_mode) == 0o600


def test_the_first_key_wins(tmp_path: Path) -> None:
    path = tmp_path / "secret.key"
    write_key(path, b"first")
    write_key(path, b"second")
    assert path.read_bytes() == b"first"
    assert list(tmp_path.iterdir()) == [path]


def test_a_key_has_its_name_only_when_it_is_durable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_handle: int) -> None:
        raise OSError(errno.EIO, "the disk is broken")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="broken"):
        write_key(tmp_path / "secret.key", Fernet.generate_key())
    assert list(tmp_path.iterdir()) == []


def test_a_file_system_without_links_keeps_a_key_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_paths: object) -> None:
        raise PermissionError(errno.EPERM, "no links here")

    monkeypatch.setattr(os, "link", fail)
    write_key(tmp_path / "secret.key", b"first")
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"first"]


@pytest.mark.parametrize("content", [b"", b"half a k", b"\xff" * 44], ids=["empty", "half", "other"])
def test_a_damaged_key_file_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "secret.key"
    path.write_bytes(content)
    with pytest.raises(Refused) as refused:
        password_cipher(None, tmp_path)
    assert str(path) in refused.value.message
    assert "PAGEMILL_SECRET_KEY" not in refused.value.message
    assert path.read_bytes() == content


def test_a_damaged_key_in_the_settings_is_named(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="PAGEMILL_SECRET_KEY"):
        password_cipher(SecretStr("short"), tmp_path)


def test_a_key_has_one_name_however_it_is_spelled(tmp_path: Path) -> None:
    key = base64.urlsafe_b64encode(b"\xfb\xff" * 16).decode()
    assert {"-", "_"} <= set(key)
    spelled = (key, f"{key}\n", f" {key}", key.replace("-", "+").replace("_", "/"))
    assert len({shared_key_name(SecretStr(one), tmp_path) for one in spelled}) == 1
    other = SecretStr(Fernet.generate_key().decode())
    assert shared_key_name(other, tmp_path) != shared_key_name(SecretStr(key), tmp_path)


def test_what_was_derived_from_a_key_before_stays_the_same(tmp_path: Path) -> None:
    key = base64.urlsafe_b64encode(b"\xfb\xff" * 16)
    derived = password_cipher(SecretStr(key.decode()), tmp_path).derive_secret(b"purpose")
    assert derived == hmac.digest(key, b"purpose", "sha256")
