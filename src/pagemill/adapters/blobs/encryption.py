"""How a stored file is encrypted: AES-256-GCM in chunks, each file under a key of its own.

A file begins with a header of fixed length that holds its data key, wrapped by a master key, and which master key that is.
The chunks after it can be decrypted in any order. The last one is marked as such, so that a file that was cut is noticed.
"""

import base64
import binascii
import secrets
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.metadata import entry_points
from typing import Protocol, cast

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from pydantic import SecretStr

from pagemill.errors import EncryptionKeyUnavailable, Refused

MAGIC = b"\x89PMENC1\n"
HEADER_BYTES = 1_024
CHUNK_BYTES = 65_536
TAG_BYTES = 16
ENCRYPTED_BYTES = CHUNK_BYTES + TAG_BYTES
KEY_BYTES = 32
NONCE_BYTES = 12
# Data keys that were unwrapped: a key service may be far away.
KEPT_KEYS = 4_096
KEY_WRAPPERS = "pagemill.key_wrappers"

_LENGTHS = struct.Struct(">HH")


@dataclass(frozen=True, slots=True)
class WrappedKey:
    """A data key as it is stored: the id of the master key, and the data key encrypted with it."""

    key_id: str
    wrapped: bytes


class KeyWrapper(Protocol):
    """Wraps and unwraps data keys: keys of the settings, or a service elsewhere (KMS) that never gives its own away."""

    @property
    def current_id(self) -> str:
        """The id of the master key that new files are encrypted with."""

    def wrap(self, file_key: bytes) -> bytes:
        """The data key, encrypted with the current master key."""

    def unwrap(self, wrapped: WrappedKey) -> bytes:
        """The data key again; StorageUnavailable or a kind of it if its master key is not to be had."""


@dataclass(frozen=True)
class SettingsKeys:
    """Master keys from the settings: the first encrypts, all decrypt."""

    keys: Mapping[str, bytes] = field(repr=False)

    @property
    def current_id(self) -> str:
        """The id of the first key."""
        return next(iter(self.keys))

    def wrap(self, file_key: bytes) -> bytes:
        """The data key under the first key."""
        nonce = secrets.token_bytes(NONCE_BYTES)
        key_id = self.current_id
        return nonce + AESGCM(self.keys[key_id]).encrypt(nonce, file_key, key_id.encode())

    def unwrap(self, wrapped: WrappedKey) -> bytes:
        """The data key again."""
        key = self.keys.get(wrapped.key_id)
        if key is None:
            raise EncryptionKeyUnavailable(
                f"A stored file is encrypted with the key {wrapped.key_id!r}, which PAGEMILL_ENCRYPTION_KEYS does not have."
            )
        nonce, encrypted = wrapped.wrapped[:NONCE_BYTES], wrapped.wrapped[NONCE_BYTES:]
        try:
            return AESGCM(key).decrypt(nonce, encrypted, wrapped.key_id.encode())
        except InvalidTag as error:
            raise EncryptionKeyUnavailable(
                f"The key {wrapped.key_id!r} of PAGEMILL_ENCRYPTION_KEYS is not the one that files were encrypted with."
            ) from error


def key_wrapper(keys: SecretStr | None, kms: str) -> KeyWrapper | None:
    """The key service of the settings: an installed one by its name, or the keys themselves; None without encryption."""
    if kms:
        return installed_wrapper(kms)
    return SettingsKeys(parse_keys(keys.get_secret_value())) if keys is not None else None


def installed_wrapper(name: str) -> KeyWrapper:
    """A key service that a package offers as an entry point."""
    for found in entry_points(group=KEY_WRAPPERS, name=name):
        return cast(KeyWrapper, found.load()())
    raise Refused(
        f"PAGEMILL_ENCRYPTION_KMS is {name!r}, but no installed package offers {KEY_WRAPPERS} of that name."
    )


def parse_keys(text: str) -> dict[str, bytes]:
    """Keys as `id:base64,id:base64`; Refused if one is not 32 bytes long or two have one id."""
    found: dict[str, bytes] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        key_id, _, encoded = part.partition(":")
        try:
            key = base64.b64decode(encoded.strip().replace("-", "+").replace("_", "/"), validate=True)
        except (binascii.Error, ValueError):
            key = b""
        if not 1 <= len(key_id) <= 64 or not key_id.isascii() or len(key) != KEY_BYTES or key_id in found:
            raise Refused(
                "PAGEMILL_ENCRYPTION_KEYS must be one or more of `id:key`, with commas between them: ids of their own, "
                "and keys of 32 bytes in base64. Make one with `openssl rand -base64 32`."
            )
        found[key_id] = key
    if not found:
        raise Refused("PAGEMILL_ENCRYPTION_KEYS names no key. Leave it out, or write `id:key`.")
    return found


class FileCipher:
    """Encrypts and decrypts the chunks of one file."""

    def __init__(self, file_key: bytes) -> None:
        self._cipher = AESGCM(file_key)

    def encrypt(self, number: int, chunk: bytes, *, is_last: bool) -> bytes:
        """A chunk encrypted."""
        return self._cipher.encrypt(_nonce(number), chunk, _mark(is_last=is_last))

    def decrypt(self, number: int, encrypted: bytes, *, is_last: bool) -> bytes:
        """A chunk decrypted; InvalidTag if it is not what was stored there."""
        return self._cipher.decrypt(_nonce(number), encrypted, _mark(is_last=is_last))


def _nonce(number: int) -> bytes:
    # Each file has a key of its own, so that a number is used once.
    return number.to_bytes(NONCE_BYTES, "big")


def _mark(*, is_last: bool) -> bytes:
    return b"last" if is_last else b"more"


class Keyring:
    """Makes and reads headers."""

    def __init__(self, wrapper: KeyWrapper) -> None:
        self.wrapper = wrapper
        self._unwrapped = lru_cache(maxsize=KEPT_KEYS)(wrapper.unwrap)

    def new_file(self) -> tuple[bytes, FileCipher]:
        """The header and the cipher of a new file."""
        file_key = secrets.token_bytes(KEY_BYTES)
        wrapped = WrappedKey(self.wrapper.current_id, self.wrapper.wrap(file_key))
        return write_header(wrapped), FileCipher(file_key)

    def cipher_of(self, wrapped: WrappedKey) -> FileCipher:
        """The cipher of a stored file."""
        return FileCipher(self._unwrapped(wrapped))


def write_header(wrapped: WrappedKey) -> bytes:
    """The header of a file."""
    key_id = wrapped.key_id.encode()
    head = MAGIC + _LENGTHS.pack(len(key_id), len(wrapped.wrapped)) + key_id + wrapped.wrapped
    if len(head) > HEADER_BYTES:
        raise Refused(f"The wrapped keys of the key service are longer than {HEADER_BYTES} bytes.")
    return head.ljust(HEADER_BYTES, b"\0")


def read_header(head: bytes) -> WrappedKey | None:
    """What a header says; None if the file is not encrypted."""
    if not head.startswith(MAGIC):
        return None
    at = len(MAGIC) + _LENGTHS.size
    id_length, key_length = _LENGTHS.unpack_from(head, len(MAGIC))
    return WrappedKey(
        head[at : at + id_length].decode("ascii", "replace"), head[at + id_length :][:key_length]
    )


def plain_size(stored_bytes: int) -> int:
    """How many bytes an encrypted file of that size holds."""
    encrypted = stored_bytes - HEADER_BYTES
    return encrypted - count_chunks(encrypted) * TAG_BYTES


def count_chunks(encrypted_bytes: int) -> int:
    """How many chunks follow the header."""
    return max(1, -(-encrypted_bytes // ENCRYPTED_BYTES))


class ChunkEncrypter:
    """Cuts bytes into chunks and encrypts them, from pieces of any length."""

    def __init__(self, cipher: FileCipher) -> None:
        self._cipher, self._waiting, self._number = cipher, bytearray(), 0

    def feed(self, piece: bytes) -> Iterator[bytes]:
        """The chunks that are full with this piece; one that is just full waits for the next byte, for it may be the last."""
        self._waiting += piece
        while len(self._waiting) > CHUNK_BYTES:
            yield self._cipher.encrypt(self._number, bytes(self._waiting[:CHUNK_BYTES]), is_last=False)
            del self._waiting[:CHUNK_BYTES]
            self._number += 1

    def finish(self) -> bytes:
        """The last chunk."""
        return self._cipher.encrypt(self._number, bytes(self._waiting), is_last=True)


def encrypt_pieces(keyring: Keyring, pieces: Iterator[bytes]) -> Iterator[bytes]:
    """A file encrypted, from pieces of any length."""
    header, cipher = keyring.new_file()
    encrypter = ChunkEncrypter(cipher)
    yield header
    for piece in pieces:
        yield from encrypter.feed(piece)
    yield encrypter.finish()
