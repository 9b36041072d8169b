"""The seal: passwords of documents are kept encrypted, and only until their job ends."""

import os
from pathlib import Path

from cryptography.fernet import Fernet, InvalidToken
from pydantic import SecretStr

from pagemill.errors import PasswordRequired, Refused


class Seal:
    """Encrypts and decrypts with the installation's own key."""

    def __init__(self, key: bytes) -> None:
        try:
            self._fernet = Fernet(key)
        except ValueError as error:
            raise Refused("PAGEMILL_SECRET_KEY must be 32 bytes in URL-safe base64.") from error

    def close(self, secret: str | None) -> bytes | None:
        """The secret in its sealed form."""
        return None if secret is None else self._fernet.encrypt(secret.encode())

    def open(self, sealed: bytes | None) -> str | None:
        """The secret again; PasswordRequired if it was sealed with another key."""
        if sealed is None:
            return None
        try:
            return self._fernet.decrypt(sealed).decode()
        except InvalidToken as error:
            raise PasswordRequired(
                "The key that sealed the password is gone. Hand the password in again."
            ) from error


def seal_of(secret_key: SecretStr | None, folder: Path) -> Seal:
    """The seal with the key from the settings, or with one that is made once and kept in the data folder."""
    if secret_key is not None:
        return Seal(secret_key.get_secret_value().encode())
    path = folder / "secret.key"
    if not path.exists():
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(Fernet.generate_key())
    return Seal(path.read_bytes())
