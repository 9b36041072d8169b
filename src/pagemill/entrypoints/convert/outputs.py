"""The files that a conversion leaves behind for one document."""

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote

from pagemill.desk import contents, on_demand
from pagemill.desk.contents import ArtifactRef
from pagemill.entrypoints.convert.submission import ConvertOptions, RunningJob
from pagemill.mill import DEFAULT_TENANT, Mill
from pagemill.model.artifacts import BLOCK_NAME, IMAGES_FOLDER, TABLES_FOLDER
from pagemill.model.formats import ARTIFACT_NAMES, ON_DEMAND

IMAGE_IN_MARKDOWN = re.compile(rf"^(!\[.*\]\(){IMAGES_FOLDER}/({BLOCK_NAME}\.png\))$".encode())
IMAGE_IN_HTML = re.compile(rf'(<img src="){IMAGES_FOLDER}/({BLOCK_NAME}\.png")'.encode())
REFERENCES = {
    "markdown": IMAGE_IN_MARKDOWN,
    "markdown_det": IMAGE_IN_MARKDOWN,
    "html": IMAGE_IN_HTML,
}


class Outputs:
    """Writes what was made of one document to where it was asked for."""

    def __init__(self, mill: Mill, wanted: ConvertOptions, flight: RunningJob) -> None:
        self._mill, self._wanted, self._flight = mill, wanted, flight
        self._stem = flight.source.stem

    def write(self) -> tuple[str, ...]:
        """Write everything that the document has; the places of the files below the output folder."""
        formats = [name for name in self._wanted.options.formats if self._is_offered(name)]
        return tuple(place for name in formats for place in self._write_format(name))

    def _is_offered(self, name: str) -> bool:
        """Whether a format can be made of the document: office files have no printed pages to draw on."""
        if name not in ON_DEMAND or not ON_DEMAND[name].needs_pages:
            return True
        offered = on_demand.list_artifacts(self._mill, DEFAULT_TENANT, self._flight.job_id)
        return name in {one.name for one in offered}

    def _write_format(self, name: str) -> Iterator[str]:
        match name:
            case "images":
                yield from self._images()
            case "tables":
                yield from self._tables()
            case _ if name in ON_DEMAND:
                yield self._put(self._on_demand(name), f".{short(ON_DEMAND[name].file)}", name)
            case _:
                made = contents.artifact(self._mill, DEFAULT_TENANT, self._flight.job_id, name)
                yield self._put(made, Path(ARTIFACT_NAMES[name]).suffix, name)

    def _images(self) -> Iterator[str]:
        for file in on_demand.list_files(
            self._mill, DEFAULT_TENANT, self._flight.job_id, "images", press=self._mill.press
        ):
            made = on_demand.image(
                self._mill,
                DEFAULT_TENANT,
                self._flight.job_id,
                file.name,
                press=self._mill.press,
                password=self._wanted.password,
            )
            yield self._put(made, f".{IMAGES_FOLDER}/{file.name}")

    def _tables(self) -> Iterator[str]:
        files = on_demand.list_files(
            self._mill, DEFAULT_TENANT, self._flight.job_id, "tables", press=self._mill.press
        )
        for file in files:
            made = on_demand.table(
                self._mill, DEFAULT_TENANT, self._flight.job_id, file.name, press=self._mill.press
            )
            yield self._put(made, f".{TABLES_FOLDER}/{file.name}")
        if files:
            yield self._put(self._on_demand("tables"), f".{ON_DEMAND['tables'].file}")

    def _on_demand(self, name: str) -> ArtifactRef:
        return on_demand.artifact(
            self._mill,
            DEFAULT_TENANT,
            self._flight.job_id,
            name,
            press=self._mill.press,
            password=self._wanted.password,
        )

    def _put(self, made: ArtifactRef, suffix: str, name: str = "") -> str:
        """Write one file, whole or not at all, and return its place below the output folder."""
        place = f"{self._stem}{suffix}"
        target = self._wanted.output / place
        target.parent.mkdir(parents=True, exist_ok=True)
        beside = target.with_name(f".{self._flight.job_id}")
        try:
            with self._mill.blobs.open(made.key) as blob, beside.open("wb") as file:
                self._copy(blob, file, name)
                file.flush()
                os.fsync(file.fileno())
            os.replace(beside, target)
        finally:
            beside.unlink(missing_ok=True)
        return place

    def _copy(self, blob: BinaryIO, file: BinaryIO, name: str) -> None:
        """Copy a file; a text whose images are written too refers to where they are."""
        pattern = REFERENCES.get(name) if IMAGES_FOLDER in self._wanted.options.formats else None
        if pattern is None:
            shutil.copyfileobj(blob, file)
            return
        folder = quote(f"{Path(self._stem).name}.{IMAGES_FOLDER}").encode()
        file.writelines(pattern.sub(rb"\g<1>" + folder + rb"/\g<2>", line) for line in blob)


def short(file: str) -> str:
    """The end of an output's name: that of the artifact without the words that the document's name replaces."""
    return file.removeprefix("document.").removeprefix("archive.")
