"""Forms with many files: every file part is a document, and a part `archive` is a ZIP or TAR of them."""

from collections.abc import Collection
from typing import IO

from python_multipart.multipart import parse_options_header

from pagemill.entrypoints.api.batches.intake import BatchIntake
from pagemill.entrypoints.api.batches.unzip import unpack
from pagemill.entrypoints.api.upload.multipart import FILE, MAX_PARTS, MultipartForm
from pagemill.entrypoints.wire.problems import invalid, pointer
from pagemill.errors import FileEmpty, FileMissing, InvalidMultipart, TooManyFiles
from pagemill.steps.accept import IncomingDocument

FILES = (FILE, "files")
ARCHIVE = "archive"


class BatchForm(MultipartForm):
    """Takes the pieces of a multipart body in a thread, for its files are stored while they arrive."""

    def __init__(
        self, boundary: bytes, allowed: Collection[str], batch: BatchIntake, archive: IO[bytes]
    ) -> None:
        unused = IncomingDocument(batch.mill.blobs, batch.mill.settings.max_file_bytes)
        super().__init__(boundary, allowed, unused)
        self.most_parts = MAX_PARTS + batch.mill.settings.max_batch_items
        self._batch = batch
        self._archive = archive
        self._archive_bytes = 0
        self._has_archive = False
        self._in_file = False

    def end_headers(self) -> None:
        """The headers of a part are complete: now it is known what the part is."""
        _, parameters = parse_options_header(self._disposition)
        self._in_file = b"filename" in parameters
        if not self._in_file:
            super().end_headers()
            return
        self._name = parameters.get(b"name", b"").decode("utf-8", "replace")
        if self._name not in (*FILES, ARCHIVE):
            raise invalid(
                (pointer([self._name]), f"files are expected in the parts {', '.join(FILES)} and {ARCHIVE}")
            )
        self._has_file = True
        if self._name != ARCHIVE:
            self._batch.begin(parameters[b"filename"].decode("utf-8", "replace"))
        elif self._has_archive:
            raise TooManyFiles("There are two archives. Send one, or one batch for each.")
        else:
            self._has_archive = True

    def add_piece(self, piece: bytes, start: int, end: int) -> None:
        """Some of a part's bytes."""
        if not self._in_file:
            super().add_piece(piece, start, end)
            return
        self._around_bytes -= end - start
        if self._name == ARCHIVE:
            self._archive_bytes += self._archive.write(piece[start:end])
        else:
            self._batch.write(piece[start:end])

    def end_part(self) -> None:
        """A part is complete."""
        if not self._in_file:
            super().end_part()
        elif self._name != ARCHIVE:
            self._batch.end()

    def finish(self) -> None:
        """Take note that the body is complete, and unpack the archive if there is one."""
        if self._around_bytes and not self._over:
            raise InvalidMultipart("The multipart body ends before its last boundary.")
        if not self._has_file:
            raise FileMissing(
                "There is no document. Send each as a part `files` with a file name, or a ZIP or TAR as `archive`."
            )
        if self._has_archive:
            self._unpack_archive()

    def _unpack_archive(self) -> None:
        if not self._archive_bytes:
            raise FileEmpty("The archive has no bytes in it. Check that it was read before it was sent.")
        unpack(self._archive, self._batch)
