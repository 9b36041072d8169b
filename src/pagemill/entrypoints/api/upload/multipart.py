"""Multipart bodies, parsed as they arrive: one file, some short fields, and hard limits on everything else."""

from collections.abc import Collection
from typing import TYPE_CHECKING

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from pagemill.entrypoints.wire.problems import invalid, pointer
from pagemill.errors import FileMissing, InvalidMultipart, MetadataTooLarge, TooManyFiles
from pagemill.model.filenames import sanitise_filename
from pagemill.model.validation_messages import name_advice
from pagemill.steps.accept import IncomingDocument

if TYPE_CHECKING:
    from python_multipart.multipart import MultipartCallbacks

FILE = "file"
MAX_BOUNDARY = 70
MAX_PARTS = 64
MAX_FIELD_BYTES = 65_536
MAX_NAME = 200
# Names of files may be long; what is shown of them is not.
MAX_HEADER_BYTES = 16_384
# Everything in the body that is not the file: boundaries, headers, fields, preamble and epilogue.
MAX_AROUND_BYTES = 1_000_000


class MultipartForm:
    """Takes the pieces of a multipart body; the file and its name go to the intake."""

    def __init__(self, boundary: bytes, allowed: Collection[str], intake: IncomingDocument) -> None:
        self.fields: list[tuple[str, str]] = []
        self.most_parts = MAX_PARTS
        self._has_file = False
        self._allowed = allowed
        self._intake = intake
        self._around_bytes = 0
        self._parts = 0
        self._header = bytearray()
        self._header_value = bytearray()
        self._disposition = b""
        self._declared_type = ""
        self._name = ""
        self._value = bytearray()
        self._over = False
        self._parser = MultipartParser(boundary, callbacks_of(self), max_header_size=MAX_HEADER_BYTES)

    def parse_piece(self, piece: bytes) -> None:
        """Parse some more of the body."""
        self._around_bytes += len(piece)
        try:
            self._parser.write(piece)
        except FormParserError as error:
            raise InvalidMultipart(f"The multipart body can't be parsed: {error}.") from error
        if self._around_bytes > MAX_AROUND_BYTES:
            raise InvalidMultipart(
                f"There are more than {MAX_AROUND_BYTES} bytes beside the file in the multipart body."
            )

    def finish(self) -> None:
        """Take note that the body is complete."""
        if self._around_bytes and not self._over:
            raise InvalidMultipart("The multipart body ends before its last boundary.")
        if not self._has_file:
            raise FileMissing()

    def begin_part(self) -> None:
        """A part starts."""
        self._parts += 1
        if self._parts > self.most_parts:
            raise InvalidMultipart(f"The multipart body has more than {self.most_parts} parts.")
        self._disposition, self._name, self._declared_type = b"", "", ""
        self._value.clear()

    def add_header_name(self, piece: bytes, start: int, end: int) -> None:
        """Some of a header's name."""
        self._header += piece[start:end]

    def add_header_value(self, piece: bytes, start: int, end: int) -> None:
        """Some of a header's value."""
        self._header_value += piece[start:end]

    def end_header(self) -> None:
        """A header is complete."""
        if self._header.lower() == b"content-disposition":
            self._disposition = bytes(self._header_value)
        elif self._header.lower() == b"content-type":
            self._declared_type = self._header_value.decode("latin-1")
        self._header.clear()
        self._header_value.clear()

    def end_headers(self) -> None:
        """The headers of a part are complete: now it is known what the part is."""
        _, parameters = parse_options_header(self._disposition)
        if b"name" not in parameters:
            raise InvalidMultipart("A part of the multipart body has no name.")
        self._name = parameters[b"name"].decode("utf-8", "replace")
        if self._name == FILE or b"filename" in parameters:
            self._begin_file(parameters.get(b"filename"))
        elif self._name not in self._allowed:
            name = self._name[:MAX_NAME]
            raise invalid(
                (pointer([name]), f"there is no option {name!r}; {name_advice(name, self._allowed)}")
            )

    def add_piece(self, piece: bytes, start: int, end: int) -> None:
        """Some of a part's bytes."""
        if self._name == FILE:
            self._around_bytes -= end - start
            self._intake.write(piece[start:end])
            return
        self._value += piece[start:end]
        if len(self._value) > MAX_FIELD_BYTES:
            raise MetadataTooLarge() if self._name == "metadata" else too_long(self._name)

    def end_part(self) -> None:
        """A part is complete."""
        if self._name == FILE:
            return
        try:
            self.fields.append((self._name, self._value.decode()))
        except UnicodeDecodeError:
            raise invalid((f"/{self._name}", f"{self._name} is not valid UTF-8")) from None

    def end_body(self) -> None:
        """The last boundary was seen."""
        self._over = True

    def _begin_file(self, filename: bytes | None) -> None:
        if self._has_file:
            raise TooManyFiles()
        if self._name != FILE:
            raise invalid(
                (pointer([self._name]), f"a file is expected in the part `{FILE}`, not in {self._name!r}")
            )
        self._has_file = True
        self._intake.declared_type = self._declared_type
        self._intake.filename = sanitise_filename((filename or b"").decode("utf-8", "replace"))


def callbacks_of(form: MultipartForm) -> "MultipartCallbacks":
    """What the parser calls."""
    return {
        "on_part_begin": form.begin_part,
        "on_header_field": form.add_header_name,
        "on_header_value": form.add_header_value,
        "on_header_end": form.end_header,
        "on_headers_finished": form.end_headers,
        "on_part_data": form.add_piece,
        "on_part_end": form.end_part,
        "on_end": form.end_body,
    }


def too_long(name: str) -> Exception:
    """A field that is larger than any option can be."""
    return invalid((f"/{name}", f"{name} is longer than {MAX_FIELD_BYTES} bytes"))


def boundary_of(content_type: str) -> bytes:
    """The boundary that a Content-Type header names."""
    _, parameters = parse_options_header(content_type)
    boundary = parameters.get(b"boundary", b"")
    if not 1 <= len(boundary) <= MAX_BOUNDARY:
        raise InvalidMultipart(f"The Content-Type has no boundary of 1 to {MAX_BOUNDARY} characters.")
    return boundary
