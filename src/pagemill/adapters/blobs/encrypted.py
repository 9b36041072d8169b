"""Blobs that are encrypted on their way into another store, and decrypted on their way out.

Copies that are read by the press, and what it writes, are in the clear on the disk of this machine for as long as they are used.
"""

import io
import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from cryptography.exceptions import InvalidTag

from pagemill.adapters.blobs.base import (
    PIECE_BYTES,
    BlobEntry,
    Blobs,
    BlobWriter,
    Method,
    Wanted,
    store_file,
)
from pagemill.adapters.blobs.cache import Cache
from pagemill.adapters.blobs.encryption import (
    CHUNK_BYTES,
    ENCRYPTED_BYTES,
    HEADER_BYTES,
    ChunkEncrypter,
    FileCipher,
    Keyring,
    KeyWrapper,
    count_chunks,
    encrypt_pieces,
    plain_size,
    read_header,
)
from pagemill.adapters.blobs.scratch import Scratch
from pagemill.errors import StoredFileMissing
from pagemill.model.ids import new_id

log = logging.getLogger("pagemill.blobs")

# Ends the key of a blob that is encrypted again, until it takes the place of the other.
ROTATED = ".rotated"
BUFFER_BYTES = 4 * CHUNK_BYTES
# A copy in the clear is removed as soon as it is not in use.
KEPT_COPIES_BYTES = 0


class EncryptingWriter:
    """A blob being encrypted while it is written."""

    def __init__(self, inner: BlobWriter, header: bytes, cipher: FileCipher) -> None:
        self._inner, self._encrypter = inner, ChunkEncrypter(cipher)
        try:
            inner.write(header)
        except BaseException:
            inner.abort()
            raise

    def write(self, piece: bytes) -> None:
        """Add bytes at the end."""
        for chunk in self._encrypter.feed(piece):
            self._inner.write(chunk)

    def commit(self) -> None:
        """Make the blob durable."""
        self._inner.write(self._encrypter.finish())
        self._inner.commit()

    def close(self) -> None:
        """Complete the blob."""
        self._inner.write(self._encrypter.finish())
        self._inner.close()

    def abort(self) -> None:
        """Throw away what was written."""
        self._inner.abort()


class DecryptedFile(io.RawIOBase):
    """An encrypted file, decrypted a chunk at a time wherever it is read."""

    def __init__(self, stored: BinaryIO, cipher: FileCipher, key: str) -> None:
        self._stored, self._cipher, self._key = stored, cipher, key
        encrypted = stored.seek(0, os.SEEK_END) - HEADER_BYTES
        self._last = count_chunks(encrypted) - 1
        self._size_bytes = plain_size(encrypted + HEADER_BYTES)
        self._at, self._number, self._chunk = 0, -1, b""
        # A file that was cut is noticed before any of it is read.
        self._load(self._last)

    def readable(self) -> bool:
        """It is."""
        return True

    def seekable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any, /) -> int:
        """Fill the buffer as far as the present chunk goes."""
        if self._at >= self._size_bytes:
            return 0
        number, offset = divmod(self._at, CHUNK_BYTES)
        self._load(number)
        wanted = memoryview(buffer).cast("B")
        piece = self._chunk[offset : offset + len(wanted)]
        wanted[: len(piece)] = piece
        self._at += len(piece)
        return len(piece)

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """Go to a place without reading."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size_bytes}[whence]
        self._at = max(base + offset, 0)
        return self._at

    def tell(self) -> int:
        """Where the next byte is read."""
        return self._at

    def close(self) -> None:
        """Close the stored file as well."""
        self._stored.close()
        super().close()

    def _load(self, number: int) -> None:
        if number == self._number:
            return
        self._stored.seek(HEADER_BYTES + number * ENCRYPTED_BYTES)
        encrypted = self._stored.read(ENCRYPTED_BYTES)
        try:
            self._chunk = self._cipher.decrypt(number, encrypted, is_last=number == self._last)
        except InvalidTag as error:
            log.error("%s is damaged in the blob store: it can't be decrypted", self._key)
            raise StoredFileMissing from error
        self._number = number


class EncryptedBlobs:
    """Another store, in which everything is encrypted; what was stored before that is read as it is."""

    def __init__(self, inner: Blobs, wrapper: KeyWrapper, scratch: Path) -> None:
        self.inner = inner
        self._keyring = Keyring(wrapper)
        self._scratch = Scratch(scratch)
        self._cache = Cache(self._scratch.folder / "copies", KEPT_COPIES_BYTES)

    @property
    def is_near(self) -> bool:
        """As the store below."""
        return self.inner.is_near

    @property
    def looks_unmounted(self) -> bool:
        """As the store below."""
        return self.inner.looks_unmounted

    def check(self) -> None:
        """Have the store below checked."""
        self.inner.check()

    def read_mark(self) -> bytes | None:
        """The text of the file that says whose store it is, which is not encrypted."""
        return self.inner.read_mark()

    def write_mark(self, text: bytes) -> None:
        """Write that file."""
        self.inner.write_mark(text)

    def is_empty(self, prefix: str) -> bool:
        """As the store below."""
        return self.inner.is_empty(prefix)

    def is_reachable(self) -> bool:
        """As the store below."""
        return self.inner.is_reachable()

    def writer(self, key: str) -> EncryptingWriter:
        """Start a new blob; nothing is begun in the store below before there is a key for it."""
        header, cipher = self._keyring.new_file()
        return EncryptingWriter(self.inner.writer(key), header, cipher)

    def sync(self, keys: Sequence[str]) -> None:
        """As the store below."""
        self.inner.sync(keys)

    def open(self, key: str) -> BinaryIO:
        """The bytes of a blob, decrypted as far as they are read."""
        stored = self.inner.open(key)
        try:
            wrapped = read_header(stored.read(HEADER_BYTES))
            if wrapped is None:
                stored.seek(0)
                return stored
            file = DecryptedFile(stored, self._keyring.cipher_of(wrapped), key)
        except BaseException:
            stored.close()
            raise
        return io.BufferedReader(file, BUFFER_BYTES)

    def size(self, key: str) -> int | None:
        """The size of what a blob holds; None if it is not there, or was removed just now."""
        stored_bytes = self.inner.size(key)
        if stored_bytes is None or stored_bytes < HEADER_BYTES:
            return stored_bytes
        try:
            return plain_size(stored_bytes) if self._is_encrypted(key) else stored_bytes
        except StoredFileMissing:
            return None

    @contextmanager
    def local(self, key: str, sha256: str | None = None) -> Iterator[Path]:
        """A decrypted copy on the disk of this machine; every chunk of it is proved, so that it needs no checksum."""
        del sha256
        with self._cache.hold(key, lambda path: self._decrypt(key, path)) as path:
            yield path

    @contextmanager
    def local_all(self, wanted: Sequence[Wanted]) -> Iterator[list[Path]]:
        """Decrypted copies."""
        with ExitStack() as held:
            yield [held.enter_context(self.local(*one)) for one in wanted]

    @contextmanager
    def folders(self, prefixes: Sequence[str]) -> Iterator[list[Path]]:
        """Folders in the scratch space; their files are encrypted into the store when the context ends without an error."""
        with self._scratch.folders(len(prefixes)) as paths:
            yield paths
            with self.inner.folders(prefixes) as targets:
                for source, target in zip(paths, targets, strict=True):
                    self._encrypt_folder(source, target)

    def new_folders(self, prefixes: Sequence[str]) -> AbstractContextManager[list[Path]]:
        """As `folders`: what comes there is encrypted file by file."""
        return self.folders(prefixes)

    def copy(self, key: str, to: str) -> None:
        """Copy a blob as it is stored."""
        self.inner.copy(key, to)

    def replace(self, key: str, to: str) -> None:
        """Put a blob in the place of another."""
        self.inner.replace(key, to)

    def remove(self, prefix: str) -> None:
        """Remove blobs, and the copies of them."""
        self._cache.forget(prefix)
        self.inner.remove(prefix)

    def prune(self, prefix: str) -> None:
        """As the store below."""
        self.inner.prune(prefix)

    def entries(self, prefix: str, depth: int = 1) -> Iterator[BlobEntry]:
        """As the store below."""
        return self.inner.entries(prefix, depth)

    def keys(self) -> Iterator[str]:
        """As the store below."""
        return self.inner.keys()

    def signed_url(self, method: Method, key: str, seconds: float) -> None:
        """Nothing: the store would hand out, or be given, bytes as they are stored."""

    def free_bytes(self) -> int | None:
        """As the store below."""
        return self.inner.free_bytes()

    def close(self) -> None:
        """Remove the scratch space."""
        self._scratch.close()
        self.inner.close()

    def is_current(self, key: str) -> bool:
        """Whether a blob is encrypted with the current master key."""
        with self.inner.open(key) as stored:
            wrapped = read_header(stored.read(HEADER_BYTES))
        return wrapped is not None and wrapped.key_id == self._keyring.wrapper.current_id

    def encrypt_again(self, key: str) -> None:
        """Encrypt a blob with the current master key and a new data key, in place of what is stored."""
        beside = key + ROTATED
        self.inner.remove(beside)
        with self.open(key) as source:
            store_file(self.writer(beside), source)
        # One that was deleted meanwhile must not come back.
        if self.inner.size(key) is None:
            self.inner.remove(beside)
        else:
            self.inner.replace(beside, key)

    def _is_encrypted(self, key: str) -> bool:
        with self.inner.open(key) as stored:
            return read_header(stored.read(HEADER_BYTES)) is not None

    def _decrypt(self, key: str, path: Path) -> None:
        """Write a decrypted copy; none if the blob is not there or damaged."""
        try:
            with self.open(key) as source, path.open("wb", buffering=0) as file:
                while piece := source.read(PIECE_BYTES):
                    file.write(piece)
        except StoredFileMissing:
            path.unlink(missing_ok=True)

    def _encrypt_folder(self, source: Path, target: Path) -> None:
        for file in (file for file in source.rglob("*") if file.is_file()):
            to = target / file.relative_to(source)
            to.parent.mkdir(parents=True, exist_ok=True)
            self._encrypt_file(file, to)

    def _encrypt_file(self, file: Path, to: Path) -> None:
        """Put a file in its place when it is whole: others may be reading one of this name."""
        part = to.with_name(f"{to.name}.{new_id()}.part")
        try:
            with file.open("rb") as plain, part.open("wb", buffering=0) as encrypted:
                for piece in encrypt_pieces(self._keyring, iter(partial(plain.read, PIECE_BYTES), b"")):
                    encrypted.write(piece)
            part.replace(to)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
