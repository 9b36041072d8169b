"""Resumable uploads: a document arrives in parts over several requests, and becomes a job afterwards.

A part is a blob of its own, durable before the row says so; what is cut off is taken up behind the last durable part.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace

from pagemill.adapters.blobs.base import Blobs, BlobWriter
from pagemill.db import limits, resumable_uploads
from pagemill.db.database import Tx
from pagemill.db.resumable_uploads import ResumableUpload
from pagemill.errors import (
    ChecksumMismatch,
    FileTooLarge,
    Gone,
    NotFound,
    OutageError,
    QuotaExceeded,
    RequestError,
    StorageFull,
    UploadNotFound,
    UploadOffsetMismatch,
)
from pagemill.faultpoints import faultpoint
from pagemill.mill import Mill
from pagemill.model.ids import is_id, new_id
from pagemill.model.running_hash import RunningHash

PIECE_BYTES = 1_048_576
RETRY_AFTER_SECONDS = 60
# After a kill at most this much has to be sent again.
PART_BYTES = 16_777_216


def create_upload(
    mill: Mill, tenant: str, *, size_bytes: int, filename: str, metadata: str
) -> ResumableUpload:
    """A place for a document of which nothing has arrived; FileTooLarge if it would be too large, StorageFull without room.

    QuotaExceeded if the tenant has too many uploads under way or no space for it. A length that is not known is UNKNOWN_BYTES.
    """
    check_length(mill, size_bytes)
    free = mill.blobs.free_bytes()
    if free is not None and free - max(size_bytes, 0) < mill.settings.min_free_bytes:
        raise StorageFull()
    upload_id, now = new_id(), mill.db.read(mill.db.now)
    upload = ResumableUpload(
        id=upload_id,
        tenant=tenant,
        blob_key=f"uploads/{upload_id[-2:]}/{upload_id}",
        filename=filename,
        created_at=now,
        expires_at=now + mill.settings.upload_seconds,
        size_bytes=size_bytes,
        offset_bytes=0,
        parts=[],
        metadata=metadata,
    )
    most = mill.settings.max_resumable_uploads

    def add(tx: Tx) -> None:
        tx.lock(f"uploads of {tenant}")
        if resumable_uploads.count(tx.conn, tenant, tx.now) >= most:
            raise QuotaExceeded(
                "Too many uploads of this tenant are under way. Finish or delete some, or wait until they expire.",
                max_resumable_uploads=most,
                retry_after_seconds=RETRY_AFTER_SECONDS,
            )
        refuse_past_space(tx, mill, tenant, max(size_bytes, 0))
        resumable_uploads.add(tx, upload)

    mill.db.write(add)
    return upload


def refuse_past_space(tx: Tx, mill: Mill, tenant: str, more_bytes: int) -> None:
    """QuotaExceeded if documents and uploads of a tenant would have more bytes than the tenant may store."""
    most = mill.limits.of(tenant).max_tenant_bytes
    if not most or not more_bytes:
        return
    tx.lock(f"uploads of {tenant}")
    stored = limits.stored_bytes(tx.conn, tenant)
    if stored.count + resumable_uploads.reserved_bytes(tx.conn, tenant) + more_bytes > most:
        raise QuotaExceeded(
            "The documents and uploads of this tenant fill its space. Delete some, or wait until they expire.",
            max_tenant_bytes=most,
            retry_after_seconds=stored.patience_seconds,
        )


def check_length(mill: Mill, size_bytes: int) -> None:
    """Raises FileTooLarge if a document of this length can't be taken, however much room there is."""
    if size_bytes > mill.settings.max_file_bytes:
        raise FileTooLarge(max_bytes=mill.settings.max_file_bytes)


def set_length(mill: Mill, upload: ResumableUpload, size_bytes: int) -> ResumableUpload:
    """An upload with the length that its client says now; FileTooLarge or UploadOffsetMismatch if that can't be."""
    check_length(mill, size_bytes)
    fits = upload.is_deferred and size_bytes >= upload.offset_bytes

    def write(tx: Tx) -> bool:
        refuse_past_space(tx, mill, upload.tenant, size_bytes - upload.offset_bytes)
        return resumable_uploads.set_length(tx, upload, size_bytes)

    if not fits or not mill.db.write(write):
        raise RequestError("The length of the upload is known already, or less than what has arrived.")
    return replace(upload, size_bytes=size_bytes)


def existing_upload(mill: Mill, tenant: str, upload_id: str) -> ResumableUpload:
    """An upload of a tenant; NotFound if there is none, Gone if its time is over."""
    found = (
        mill.db.read(lambda conn: resumable_uploads.find(conn, tenant, upload_id))
        if is_id(upload_id)
        else None
    )
    if found is None:
        raise NotFound()
    if found.expires_at < mill.db.read(mill.db.now):
        raise Gone()
    return found


def find_complete(mill: Mill, tenant: str, upload_id: str) -> ResumableUpload | None:
    """A resumable upload of which all bytes are here; None if it is not a resumable one, UploadNotFound if some lack."""
    try:
        upload = existing_upload(mill, tenant, upload_id)
    except (NotFound, Gone):
        return None
    if upload.is_deferred:
        raise UploadNotFound("The upload length is unknown. Send Upload-Length.")
    if not upload.is_complete:
        raise UploadNotFound(
            f"Only {upload.offset_bytes} of {upload.size_bytes} bytes were received. Send the rest first.",
            offset_bytes=upload.offset_bytes,
        )
    return upload


def remove_upload(mill: Mill, upload: ResumableUpload) -> None:
    """Remove an upload and what has arrived of it; bytes that can't be removed now are left to the sweeper."""
    mill.db.write(lambda tx: resumable_uploads.forget(tx, upload.tenant, upload.id))
    with suppress(OutageError):
        mill.blobs.remove(upload.blob_key)


def stored_pieces(blobs: Blobs, upload: ResumableUpload) -> Iterator[bytes]:
    """The bytes of a complete upload, piece by piece."""
    for key in upload.parts:
        with blobs.open(key) as file:
            while piece := file.read(PIECE_BYTES):
                yield piece


@dataclass(slots=True)
class PartReceiver:
    """Takes the bytes of one request; parts become durable on the way, or at its end if a checksum has to fit first."""

    mill: Mill
    upload: ResumableUpload
    checksum: RunningHash | None = None
    expected: bytes = b""
    _writer: BlobWriter | None = None
    _key: str = ""
    _size: int = 0
    _held: list[tuple[str, int]] = field(default_factory=list)

    @property
    def offset_bytes(self) -> int:
        """How far the upload has come by what is recorded."""
        return self.upload.offset_bytes

    def write(self, piece: bytes) -> None:
        """Some bytes; FileTooLarge if they go past the length of the upload."""
        held = sum(size for _, size in self._held)
        most = self.mill.settings.max_file_bytes if self.upload.is_deferred else self.upload.size_bytes
        if self.upload.offset_bytes + held + self._size + len(piece) > most:
            raise FileTooLarge("There are more bytes than the upload may have.", max_bytes=most)
        if self.checksum is not None:
            self.checksum.update(piece)
        if self._writer is None:
            self._key = f"{self.upload.blob_key}/{new_id()}"
            self._writer = self.mill.blobs.writer(self._key)
        self._writer.write(piece)
        self._size += len(piece)
        if self._size >= PART_BYTES:
            self._end_part()

    def finish(self) -> None:
        """All bytes of the request are here; ChecksumMismatch if they are not what they should be."""
        if self.checksum is not None and self.checksum.digest() != self.expected:
            raise ChecksumMismatch()
        self.checksum = None
        self.keep()

    def keep(self) -> None:
        """Make what has arrived durable, as far as it may be kept."""
        if self._size:
            self._end_part()
        held, self._held = self._held, []
        for key, size in held:
            self._record(key, size)

    def discard(self) -> None:
        """Throw away what is not recorded."""
        if self._writer is not None:
            self._writer.abort()
            self._writer = None
        for key, _ in self._held:
            with suppress(OutageError):
                self.mill.blobs.remove(key)

    def _end_part(self) -> None:
        assert self._writer is not None, "there are bytes to make durable"
        self._writer.commit()
        faultpoint("upload.after_part")
        key, size = self._key, self._size
        self._writer, self._size = None, 0
        if self.checksum is None:
            self._record(key, size)
        else:
            self._held.append((key, size))

    def _record(self, key: str, size: int) -> None:
        """Move the upload on; UploadOffsetMismatch if another request was quicker."""
        upload, lives_seconds = self.upload, self.mill.settings.upload_seconds

        def write(tx: Tx) -> bool:
            if upload.is_deferred:
                refuse_past_space(tx, self.mill, upload.tenant, size)
            return resumable_uploads.advance(tx, upload, key, size, tx.now + lives_seconds)

        # What is not recorded is thrown away at the end.
        self._held.append((key, size))
        if not self.mill.db.write(write):
            raise UploadOffsetMismatch()
        self._held.pop()
        self.upload = replace(
            upload,
            offset_bytes=upload.offset_bytes + size,
            parts=[*upload.parts, key],
            expires_at=self.mill.db.read(self.mill.db.now) + lives_seconds,
        )
