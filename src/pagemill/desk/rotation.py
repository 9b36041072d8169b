"""Encryption of stored files with the current master key: after keys were changed, or when encryption is switched on."""

from pagemill.adapters.blobs.base import MARK
from pagemill.adapters.blobs.encrypted import EncryptedBlobs
from pagemill.errors import StoredFileMissing


def encrypt_all(blobs: EncryptedBlobs, *, dry_run: bool) -> int:
    """Encrypt every file again that is not under the current key; how many there were. Can be repeated after a stop."""
    count = 0
    for key in list(blobs.keys()):
        try:
            if key == MARK or blobs.is_current(key):
                continue
            count += 1
            if not dry_run:
                blobs.encrypt_again(key)
        except StoredFileMissing:
            # Removed meanwhile, or damaged: `pagemill admin verify` tells which.
            continue
    return count
