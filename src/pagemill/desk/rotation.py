"""Encryption of stored files with the current master key: after keys were changed, or when encryption is switched on."""

from pagemill.adapters.blobs.base import MARK
from pagemill.adapters.blobs.encrypted import ROTATED, EncryptedBlobs
from pagemill.errors import StoredFileMissing


def encrypt_all(blobs: EncryptedBlobs, *, dry_run: bool) -> int:
    """Encrypt every file again that is not under the current key; how many there were. Can be repeated after a stop."""
    count, stored = 0, blobs.keys()
    for key in stored:
        try:
            # What ends so is being written by this, or was when it was stopped.
            if key == MARK or key.endswith(ROTATED) or blobs.is_current(key):
                continue
            count += 1
            if not dry_run:
                blobs.encrypt_again(key)
        except StoredFileMissing:
            # Removed meanwhile, or damaged: `pagemill admin verify` shows which.
            continue
    return count
