"""Pages of office files: each file is rendered twice, as it is and with each block in a colour of its own."""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from pagemill.errors import DocumentCorrupt
from train.coded import MOST_BLOCKS, coded_pages
from train.data_sets import rows_of
from train.office import slides, word
from train.office.package import Coding, read_parts, write_parts
from train.truth import write_pieces

CATEGORIES = ("office_source", "office_truth")
MOST_PAGES = 12
# One file that LibreOffice fails on takes those after it along.
BATCH = 12
TIMEOUT_SECONDS = 3600
PLAIN, CODED = "plain", "coded"


def make_office(corpus: Path, folder: Path) -> Iterator[Path]:
    """The documents and presentations of a corpus as PDFs, each with its pieces beside it; none without LibreOffice."""
    wanted = [path for path in office_files(corpus) if not (folder / f"{path.name}.json").exists()]
    if wanted and not shutil.which("soffice"):
        print("LibreOffice is missing, so no office files are rendered", file=sys.stderr)
        return
    folder.mkdir(parents=True, exist_ok=True)
    for start in range(0, len(wanted), BATCH):
        with tempfile.TemporaryDirectory() as scratch:
            yield from _made(wanted[start : start + BATCH], folder, Path(scratch))


def _made(paths: Sequence[Path], folder: Path, scratch: Path) -> Iterator[Path]:
    """Those of a batch that LibreOffice could render both ways."""
    codings = {path: coding for path in paths if (coding := _coding(path, scratch))}
    _render(scratch / PLAIN, scratch)
    _render(scratch / CODED, scratch)
    for path, coding in codings.items():
        plain, coded = (scratch / kind / f"{path.name}.pdf" for kind in (PLAIN, CODED))
        if plain.exists() and coded.exists():
            pages = list(islice(coded_pages(coded, coding.roles), MOST_PAGES))
            shutil.move(plain, folder / plain.name)
            target = folder / f"{path.name}.json"
            write_pieces(target, pages)
            yield target


def office_files(corpus: Path) -> list[Path]:
    """The documents and presentations of a corpus."""
    files = [corpus / str(row["file"]) for category in CATEGORIES for row in rows_of(corpus, category)]
    return [path for path in files if path.suffix in (".docx", ".pptx")]


def _coding(path: Path, scratch: Path) -> Coding | None:
    """Write a file and its coloured twin to be rendered; the roles of its blocks, or None if it can't be coloured."""
    coding = Coding()
    try:
        parts = read_parts(path)
        kind = word if path.suffix == ".docx" else slides
        coloured = kind.coloured_parts(parts, coding)
    except (DocumentCorrupt, KeyError, OSError, StopIteration) as error:
        print(f"{path.name} can't be coloured: {type(error).__name__}", file=sys.stderr)
        return None
    if not 1 < len(coding.roles) < MOST_BLOCKS:
        return None
    for name, content in ((PLAIN, parts), (CODED, coloured)):
        (scratch / name).mkdir(exist_ok=True)
        # The suffix stays in the name: of two files that differ in it alone, both are rendered.
        write_parts(scratch / name / f"{path.name}{path.suffix}", content)
    return coding


def _render(folder: Path, scratch: Path) -> None:
    """Have LibreOffice make a PDF of each file of a folder, beside it."""
    files = sorted(map(str, folder.glob("*")))
    profile = f"-env:UserInstallation=file://{scratch}/profile"
    command = ["soffice", profile, "--headless", "--convert-to", "pdf", "--outdir", str(folder), *files]
    subprocess.run(command, timeout=TIMEOUT_SECONDS, check=False, capture_output=True)
