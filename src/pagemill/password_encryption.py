"""Password encryption: passwords of documents are kept encrypted, and only until their job ends."""

import base64
import hashlib
import hmac
import os
import tempfile
from pathlib import Path

from cryptography.fernet import Fernet, InvalidToken
from pydantic import SecretStr

from pagemill.errors import PasswordRequired, Refused

NAME_CHARACTERS = 16


class PasswordCipher:
    """Encrypts and decrypts with the installation's own key."""

    def __init__(self, key: bytes, refusal: str) -> None:
        try:
            self._fernet = Fernet(key)
        except ValueError as error:
            raise Refused(refusal) from error
        # Fernet takes several spellings of a key; what is derived from it must not depend on them.
        self._key = base64.urlsafe_b64encode(base64.urlsafe_b64decode(key))

    def derive_secret(self, purpose: bytes) -> bytes:
        """A secret for another purpose, from which the key can't be derived."""
        return hmac.digest(self._key, purpose, hashlib.sha256)

    @property
    def key_name(self) -> str:
        """What tells the key from others, and nothing else of it."""
        return self.derive_secret(b"name of the key").hex()[:NAME_CHARACTERS]

    def encrypt(self, secret: str | None) -> bytes | None:
        """The secret as it is stored."""
        return None if secret is None else self._fernet.encrypt(secret.encode())

    def decrypt(self, encrypted: bytes | None) -> str | None:
        """The secret again, None if it was erased; raises PasswordRequired if it was encrypted with another key."""
        if not encrypted:
            return None
        try:
            return self._fernet.decrypt(encrypted).decode()
        except InvalidToken as error:
            raise PasswordRequired(
                "The key that encrypted the password is gone. Hand the password in again."
            ) from error


def password_cipher(secret_key: SecretStr | None, folder: Path) -> PasswordCipher:
    """The cipher with the key from the settings, or with one that is made once and kept in the data folder."""
    if secret_key is not None:
        refusal = "PAGEMILL_SECRET_KEY must be 32 bytes in URL-safe base64."
        return PasswordCipher(secret_key.get_secret_value().encode(), refusal)
    path = folder / "secret.key"
    if not path.exists():
        write_key(path, Fernet.generate_key())
    return PasswordCipher(
        path.read_bytes(),
        f"{path} is damaged. Put back a copy of it, or remove it: a new key is made at the next start, "
        "and jobs that wait with a password need it again.",
    )


def shared_key_name(secret_key: SecretStr | None, folder: Path) -> str | None:
    """The name of the key that all processes of the installation share; None if this one has its own."""
    return None if secret_key is None else password_cipher(secret_key, folder).key_name


def write_key(path: Path, key: bytes) -> None:
    """Write a key that a power cut can't leave half written; one that is there already stays."""
    handle, temporary = tempfile.mkstemp(prefix=f"{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(key)
            file.flush()
            os.fsync(file.fileno())
        name_once(Path(temporary), path)
    finally:
        Path(temporary).unlink(missing_ok=True)
    sync_folder(path.parent)


def name_once(temporary: Path, path: Path) -> None:
    """Give a file its lasting name unless another has it."""
    try:
        path.hardlink_to(temporary)
    except FileExistsError:
        return
    except OSError:  # some file systems have no links
        temporary.rename(path)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
