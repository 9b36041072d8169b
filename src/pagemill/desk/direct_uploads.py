"""Direct uploads: a document goes straight to the store by a presigned link, and becomes a job afterwards."""

import logging
from collections.abc import Iterator
from dataclasses import dataclass

from pagemill.adapters.blobs.base import Blobs
from pagemill.db import direct_uploads
from pagemill.db.cleanup import removal_time
from pagemill.db.database import Tx
from pagemill.db.direct_uploads import DirectUpload
from pagemill.errors import LinksNotOffered, OutageError, UploadNotFound
from pagemill.mill import Mill
from pagemill.model.ids import is_id, new_id

log = logging.getLogger("pagemill.uploads")
BATCH = 200
PIECE_BYTES = 1_048_576
# An upload can be handed in for this many times as long as its link works: a large one may arrive late.
LIVES_TIMES = 2
# Azure asks for it; the others have no such header.
AZURE_HEADERS = {"x-ms-blob-type": "BlockBlob"}


@dataclass(frozen=True, slots=True)
class UploadTicket:
    """Where a document may be put, how, and until when."""

    upload: DirectUpload
    url: str
    headers: dict[str, str]
    url_expires_at: float


def offer_upload(mill: Mill, tenant: str, filename: str) -> UploadTicket:
    """A place for one document; LinksNotOffered where the store makes no links."""
    settings, upload_id = mill.settings, new_id()
    key = f"uploads/{upload_id[-2:]}/{upload_id}"
    url = mill.blobs.signed_url("PUT", key, settings.signed_url_seconds)
    if url is None:
        raise LinksNotOffered()

    def give(tx: Tx) -> DirectUpload:
        lives_seconds = LIVES_TIMES * settings.signed_url_seconds
        upload = DirectUpload(
            id=upload_id,
            tenant=tenant,
            blob_key=key,
            filename=filename,
            created_at=tx.now,
            expires_at=tx.now + lives_seconds,
        )
        direct_uploads.add(tx, upload)
        return upload

    upload = mill.db.write(give)
    headers = AZURE_HEADERS if settings.blobs_url.startswith("az:") else {}
    return UploadTicket(upload, url, headers, upload.created_at + settings.signed_url_seconds)


def find_upload(mill: Mill, tenant: str, upload_id: str) -> DirectUpload:
    """A place that something was put to; UploadNotFound if there is none."""
    upload = (
        mill.db.read(lambda conn: direct_uploads.find(conn, tenant, upload_id)) if is_id(upload_id) else None
    )
    if upload is None or mill.blobs.size(upload.blob_key) is None:
        raise UploadNotFound()
    return upload


def pieces_of(blobs: Blobs, upload: DirectUpload) -> Iterator[bytes]:
    """The bytes of an upload, piece by piece."""
    with blobs.open(upload.blob_key) as file:
        while piece := file.read(PIECE_BYTES):
            yield piece


@dataclass(frozen=True, slots=True)
class AdoptedWriter:
    """A writer for bytes that are in the store already: at the end the store copies them by itself.

    The copy is ours alone, whereas the link still lets its holder change the upload.
    """

    blobs: Blobs
    source: str
    key: str

    def write(self, piece: bytes) -> None:
        """Nothing: the bytes are there."""

    def commit(self) -> None:
        """Have the store copy the upload."""
        self.blobs.copy(self.source, self.key)

    def close(self) -> None:
        """As `commit`."""
        self.commit()

    def abort(self) -> None:
        """Nothing was written."""


def expire_uploads(mill: Mill) -> None:
    """Remove uploads whose time is over, first the bytes and then the rows; after a crash it is done again."""
    now = removal_time(mill.db.read(mill.db.now))
    for upload in mill.db.read(lambda conn: direct_uploads.expired_uploads(conn, now, BATCH)):
        try:
            mill.blobs.remove(upload.blob_key)
        except OutageError as error:
            log.warning("upload=%s can't be removed yet: %s", upload.id, error.message)
            return
        mill.db.write(lambda tx, upload=upload: direct_uploads.forget(tx, upload))  # type: ignore[misc]


def stray_uploads(mill: Mill, shard: str, before: float) -> list[str]:
    """Old uploads of a shard that have no row: they arrived after their time was over."""
    old = [entry.key for entry in mill.blobs.entries(f"uploads/{shard}") if entry.modified_at < before]
    known = mill.db.read(lambda conn: direct_uploads.known_keys(conn, old)) if old else set()
    return [key for key in old if key not in known]
