"""Artifacts that are made on demand: what the press is asked for, and the files that it makes."""

from dataclasses import dataclass
from typing import Any, ClassVar

from pagemill.model.visits import FileRequest, VisitPayload

CSV = "text/csv; charset=utf-8"
PNG = "image/png"
JPEG = "image/jpeg"
# Names of blocks, and so of the files that are made of single blocks.
BLOCK_NAME = r"p[1-9][0-9]{0,8}-b[1-9][0-9]{0,8}"
IMAGES_FOLDER, TABLES_FOLDER = "images", "tables"


@dataclass(frozen=True, slots=True)
class MadeFile:
    """A file that was made on demand; those of single blocks say which page they come from and what they are about."""

    name: str
    size_bytes: int = 0
    sha256: str = ""
    page: int | None = None
    caption: str = ""
    rows: int | None = None
    columns: int | None = None
    box: tuple[float, float, float, float] | None = None


@dataclass(frozen=True, slots=True)
class MakeRequest(FileRequest):
    """Make an artifact from document.json and its index, if it has one, in the scratch folder; `only` names one file of many.

    `variant` names the options that chunks are cut with, and `tokenizer` the file of the tokenizer if they name one.
    """

    READS: ClassVar[tuple[str, ...]] = ("document_json", "index", "path", "tokenizer")

    name: str
    document_json: str
    index: str | None
    scratch: str
    path: str = ""
    password: str | None = None
    only: str = ""
    variant: str = ""
    tokenizer: str = ""


@dataclass(frozen=True, slots=True)
class MakeAnswer(VisitPayload):
    """The files that were made, in the order of the document."""

    files: tuple[MadeFile, ...]

    @classmethod
    def parse_fields(cls, row: dict[str, Any]) -> dict[str, Any]:
        """The fields in their own types."""
        files = ({**file, "box": tuple(file["box"]) if file["box"] else None} for file in row["files"])
        return {"files": tuple(MadeFile(**file) for file in files)}


@dataclass(frozen=True, slots=True)
class CopyRequest(FileRequest):
    """Make a PDF of an image, as the working copy that is read."""

    path: str
    scratch: str
    name: str
    max_pages: int
    max_pixels: int
