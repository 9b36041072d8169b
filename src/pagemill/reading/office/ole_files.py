"""Compound files: what is inside of them, and packages that are encrypted in one."""

import io

import msoffcrypto  # type: ignore[import-untyped]
import olefile  # type: ignore[import-untyped]

from pagemill.errors import (
    ArchiveBomb,
    DocumentCorrupt,
    EncryptionUnsupported,
    PasswordIncorrect,
    PasswordRequired,
)
from pagemill.reading.office.reading_limits import MAX_PACKAGE_BYTES

_STREAMS = (
    ("EncryptedPackage", "encrypted"),
    ("WordDocument", "doc"),
    ("PowerPoint Document", "ppt"),
    ("Workbook", "xls"),
    ("Book", "xls"),
    ("__properties_version1.0", "msg"),
)


def ole_type(path: str) -> str | None:
    """What a compound file holds; None if it is nothing that is known."""
    try:
        with olefile.OleFileIO(path) as opened:
            return next((kind for name, kind in _STREAMS if opened.exists(name)), None)
    except FileNotFoundError:
        raise
    except Exception as error:
        # The library checks little: a damaged file may raise anything.
        raise DocumentCorrupt("The file is a damaged compound file.") from error


def opened_with_password(path: str, password: str | None) -> io.BytesIO:
    """The package inside of an encrypted file, in memory."""
    if password is None:
        raise PasswordRequired
    unlocked = _Bounded()
    try:
        with open(path, "rb") as file:
            office = msoffcrypto.OfficeFile(file)
            office.load_key(password=password, verify_password=True)
            office.decrypt(unlocked)
    except msoffcrypto.exceptions.InvalidKeyError as error:
        raise PasswordIncorrect from error
    except (msoffcrypto.exceptions.DecryptionError, msoffcrypto.exceptions.FileFormatError) as error:
        raise EncryptionUnsupported from error
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise DocumentCorrupt("The encrypted file is damaged.") from error
    unlocked.seek(0)
    return unlocked


class _Bounded(io.BytesIO):
    """A file in memory that does not grow past a limit."""

    def write(self, raw: bytes, /) -> int:  # type: ignore[override]
        """Add bytes; ArchiveBomb if there are too many."""
        if self.tell() + len(raw) > MAX_PACKAGE_BYTES:
            raise ArchiveBomb(max_bytes=MAX_PACKAGE_BYTES)
        return super().write(raw)
