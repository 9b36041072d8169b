"""What the press is asked and what it answers: small JSON; the big things are files in the scratch folder."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import orjson

from pagemill.model.document_facts import FactsView
from pagemill.model.work import PageFailure, WrittenArtifact

Runs = tuple[tuple[int, int], ...]

# The files that visits write into their scratch folder.
PAGES_FILE = "pages.jsonl"
INDEX_FILE = "pages.idx"


def picture_name(page: int) -> str:
    """The file of a page's image, made for a provider on another machine."""
    return f"picture-{page}.jpeg"


class VisitPayload:
    """Something that travels to the press and back as JSON."""

    __slots__ = ()

    def to_bytes(self) -> bytes:
        """The JSON form."""
        return orjson.dumps(self)

    @classmethod
    def from_bytes(cls, raw: bytes) -> Self:
        """What `to_bytes` was called on."""
        return cls(**cls.parse_fields(orjson.loads(raw)))

    @classmethod
    def parse_fields(cls, row: dict[str, Any]) -> dict[str, Any]:
        """The fields with JSON's lists made tuples again."""
        return {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}


@dataclass(frozen=True, slots=True)
class FileRequest(VisitPayload):
    """A request that names files: those of `READS` are read, and what is made goes into the folder `scratch`."""

    READS: ClassVar[tuple[str, ...]] = ("path",)
    MAKES_FOLDER: ClassVar[bool] = False

    def reads(self) -> tuple[str, ...]:
        """The paths of the files that are read."""
        return tuple(path for name in self.READS for path in _paths(getattr(self, name)))

    def writes(self) -> str:
        """The folder that gets what is made."""
        return str(getattr(self, "scratch"))  # noqa: B009 (a field of every kind of request)

    def makes_folder(self) -> bool:
        """Whether the folder may be missing until something was made."""
        return self.MAKES_FOLDER

    def with_paths(self, reads: tuple[str, ...], folder: str) -> bytes:
        """The request as bytes, for somebody who finds the files at other paths."""
        paths = iter(reads)
        fields: dict[str, Any] = {}
        for name in self.READS:
            value = getattr(self, name)
            moved = tuple(next(paths) for _ in _paths(value))
            fields[name] = moved if isinstance(value, tuple) else next(iter(moved), value)
        return replace(self, **{**fields, "scratch": folder}).to_bytes()


def _paths(value: str | tuple[str, ...] | None) -> tuple[str, ...]:
    if isinstance(value, tuple):
        return value
    return (value,) if value else ()


def runs_of(rows: list[list[int]]) -> Runs:
    """Runs of pages from their JSON form."""
    return tuple((first, last) for first, last in rows)


def failed_of(rows: list[dict[str, Any]]) -> tuple[PageFailure, ...]:
    """Failed pages from their JSON form."""
    return tuple(PageFailure(**row) for row in rows)


@dataclass(frozen=True, slots=True)
class OpenRequest(FileRequest):
    """Open a document, count and cut it; with `join_at_once`, a short one is read and joined in the same visit.

    `able` says whether somebody in the chain reads pictures, so that pages can be handed on; `describe` whether what the
    file says of itself goes into the JSON, which a working copy does not need. Each page has `page_seconds` of CPU
    time while it is read in the same visit; 0 sets no limit. `rendered` is the PDF that was made of an office file;
    None if rendering failed.
    """

    READS: ClassVar[tuple[str, ...]] = ("path", "rendered")
    MAKES_FOLDER: ClassVar[bool] = True

    path: str
    scratch: str
    max_pages: int
    providers: tuple[str, ...]
    password: str | None = None
    pages: str | None = None
    formats: tuple[str, ...] = ("markdown", "json", "text", "html")
    keep_running_headers: bool = False
    sha256: str | None = None
    join_at_once: bool = True
    ocr: str = "auto"
    mode: str = "fast"
    able: bool = False
    tracked_changes: str = "final"
    typography: str = "printed"
    describe: bool = False
    page_seconds: float = 0.0
    rendered: str | None = None
    render: bool = False


@dataclass(frozen=True, slots=True)
class ReadRequest(FileRequest):
    """Read the selected pages from `first` to `last`; `single` reads each page without its neighbours."""

    READS: ClassVar[tuple[str, ...]] = ("path", "rendered")
    MAKES_FOLDER: ClassVar[bool] = True

    path: str
    scratch: str
    total_pages: int
    first: int
    last: int
    providers: tuple[str, ...]
    pages: Runs = ()
    password: str | None = None
    single: bool = False
    ocr: str = "auto"
    mode: str = "fast"
    able: bool = False
    tracked_changes: str = "final"
    rendered: str | None = None

    @classmethod
    def parse_fields(cls, row: dict[str, Any]) -> dict[str, Any]:
        """The fields in their own types."""
        return {**row, "providers": tuple(row["providers"]), "pages": runs_of(row["pages"])}

    def selection(self) -> Runs:
        """The pages that the job is about: all of them unless some were asked for."""
        return self.pages or ((1, self.total_pages),)


@dataclass(frozen=True, slots=True)
class ScanRequest(FileRequest):
    """Recognise the text of some pages: the recognisers are tried in order until one is sure enough.

    With `force`, a page is recognised as a whole even if it has a good text layer. `picture_pixels` asks
    for an image with such a longest side of each page of which no provider was sure. `crashed` are all who could have
    recognised the page, where it crashed each of them.
    """

    READS: ClassVar[tuple[str, ...]] = ("path", "rendered")
    MAKES_FOLDER: ClassVar[bool] = True

    path: str
    scratch: str
    pages: tuple[int, ...]
    providers: tuple[str, ...]
    recognisers: tuple[str, ...]
    sure: float
    languages: tuple[str, ...] = ()
    password: str | None = None
    force: bool = False
    picture_pixels: int | None = None
    crashed: tuple[str, ...] = ()
    tracked_changes: str = "final"
    rendered: str | None = None


@dataclass(frozen=True, slots=True)
class ReadAnswer(VisitPayload):
    """What became of the pages that were to be read.

    `handed` are those whose text must be recognised, `unsure` those that no provider was sure enough of; `pictures`
    has the page, width and height of the images that were made of these.
    """

    pages_read: int
    failed: tuple[PageFailure, ...] = ()
    warnings: tuple[str, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)
    handed: tuple[int, ...] = ()
    unsure: tuple[int, ...] = ()
    pictures: tuple[tuple[int, int, int], ...] = ()

    @classmethod
    def parse_fields(cls, row: dict[str, Any]) -> dict[str, Any]:
        """The fields in their own types."""
        plain = {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
        pictures = tuple((page, wide, high) for page, wide, high in row["pictures"])
        return {**plain, "failed": failed_of(row["failed"]), "pictures": pictures}


@dataclass(frozen=True, slots=True)
class JoinRequest(FileRequest):
    """Make the artifacts from page files in page order; `failed` are pages that no file has.

    `path` is the document, where it is a PDF that says something of itself.
    """

    READS: ClassVar[tuple[str, ...]] = ("files", "path")

    files: tuple[str, ...]
    scratch: str
    formats: tuple[str, ...]
    total_pages: int
    failed: tuple[PageFailure, ...] = ()
    warnings: tuple[str, ...] = ()
    keep_running_headers: bool = False
    sha256: str | None = None
    typography: str = "printed"
    path: str | None = None
    password: str | None = field(default=None, repr=False)

    @classmethod
    def parse_fields(cls, row: dict[str, Any]) -> dict[str, Any]:
        """The fields in their own types."""
        return {
            **row,
            "files": tuple(row["files"]),
            "formats": tuple(row["formats"]),
            "failed": failed_of(row["failed"]),
            "warnings": tuple(row["warnings"]),
        }


@dataclass(frozen=True, slots=True)
class JoinAnswer(VisitPayload):
    """The artifacts that were made, and which pages are not in them."""

    artifacts: Mapping[str, WrittenArtifact]
    pages: int
    failed: tuple[PageFailure, ...] = ()
    warnings: tuple[str, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)
    to_check: tuple[int, ...] = ()
    facts: FactsView | None = None

    @classmethod
    def parse_fields(cls, row: dict[str, Any]) -> dict[str, Any]:
        """The fields in their own types."""
        return {
            **row,
            "to_check": tuple(row["to_check"]),
            "artifacts": {name: WrittenArtifact(**artifact) for name, artifact in row["artifacts"].items()},
            "failed": failed_of(row["failed"]),
            "warnings": tuple(row["warnings"]),
        }


@dataclass(frozen=True, slots=True)
class OpenAnswer(VisitPayload):
    """The document's pages and the cuts into chunks; `result` is there when the visit went on to the end."""

    total_pages: int
    pages: Runs
    cuts: Runs
    warnings: tuple[str, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)
    result: JoinAnswer | None = None

    @classmethod
    def parse_fields(cls, row: dict[str, Any]) -> dict[str, Any]:
        """The fields in their own types."""
        result = row["result"]
        return {
            **row,
            "pages": runs_of(row["pages"]),
            "cuts": runs_of(row["cuts"]),
            "warnings": tuple(row["warnings"]),
            "result": JoinAnswer(**JoinAnswer.parse_fields(result)) if result else None,
        }


@dataclass(frozen=True, slots=True)
class UnpackRequest(FileRequest):
    """Take the files out of a document into the scratch folder, up to so many and so many bytes."""

    path: str
    scratch: str
    most_files: int
    most_bytes: int
    password: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class SplitRequest(FileRequest):
    """Write runs of pages of a document into the scratch folder as documents of their own, up to so many and so many bytes."""

    path: str
    scratch: str
    parts: tuple[tuple[int, int], ...]
    stem: str
    most_files: int
    most_bytes: int
    password: str | None = field(default=None, repr=False)

    @classmethod
    def parse_fields(cls, row: dict[str, Any]) -> dict[str, Any]:
        """The fields in their own types."""
        return {**row, "parts": tuple((first, last) for first, last in row["parts"])}


@dataclass(frozen=True, slots=True)
class UnpackedFile:
    """A file that was inside of a document: its name there, and that of the file in the scratch folder."""

    name: str
    file: str


@dataclass(frozen=True, slots=True)
class UnpackAnswer(VisitPayload):
    """The files that were taken out; whether there are `more` than allowed, and whether the rest is `damaged`."""

    files: tuple[UnpackedFile, ...]
    more: bool = False
    damaged: bool = False

    @classmethod
    def parse_fields(cls, row: dict[str, Any]) -> dict[str, Any]:
        """The fields in their own types."""
        return {**row, "files": tuple(UnpackedFile(**file) for file in row["files"])}


@dataclass(frozen=True, slots=True)
class RenderRequest(FileRequest):
    """Draw one page as an image, into a file that appears under its name when it is whole."""

    path: str
    scratch: str
    page: int
    name: str
    password: str | None = None
    dpi: int = 150
    format: str = "png"
    max_pixels: int = 40_000_000


@dataclass(frozen=True, slots=True)
class RenderAnswer(VisitPayload):
    """The image that was drawn; `dpi` is lower than asked where the page would have been too large."""

    width: int
    height: int
    dpi: float
    size_bytes: int
    warnings: tuple[str, ...] = ()
