"""The project's own reading as an engine: the visits that the steps ask for, made in this process."""

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy

from pagemill.model.pages import Kind, Page
from pagemill.model.visits import (
    PAGES_FILE,
    JoinRequest,
    OpenAnswer,
    OpenRequest,
    ReadAnswer,
    ReadRequest,
    ScanRequest,
)
from pagemill.reading.document.join import settle_pages
from pagemill.reading.document.survey import survey
from pagemill.reading.page.page_files import PageFiles
from pagemill.reading.providers.installed import ProviderKind, kind_of, recogniser
from pagemill.reading.visits import join_pages, open_document, read_pages, read_scans
from pagemill.reading.writers import Ending
from pagemill.reading.writers.markdown import MarkdownWriter
from pagemill.settings import Settings
from quality.engines import Handless, Reading, Spent, now, since

# As they come out of the box.
CHAIN = tuple(str(Settings.model_fields["providers"].default).split(","))
SURE = float(Settings.model_fields["sure_confidence"].default)
FORMATS = ("markdown", "json")
MOST_PAGES = 20_000


@dataclass(frozen=True, slots=True)
class Pagemill(Handless):
    """Pagemill with the options of a job."""

    name: str = "pagemill-fast"
    mode: str = "fast"
    ocr: str = "auto"
    languages: tuple[str, ...] = ()
    chain: tuple[str, ...] = CHAIN
    tells_routes: bool = True

    def read(self, path: Path, password: str | None = None) -> Reading:
        """What is in the artifacts of the document."""
        warmed(self.providers(ProviderKind.RECOGNISER))
        with tempfile.TemporaryDirectory(prefix="pagemill-quality-") as folder:
            started = now()
            files = Visits(self, str(path), Path(folder), password).make()
            spent = since(started)
            return _written(Path(folder), files, spent)

    def providers(self, kind: ProviderKind) -> tuple[str, ...]:
        """Those of a kind in the chain that can be used here."""
        return tuple(name for name in self.chain if kind_of(name) is kind)


@cache
def warmed(recognisers: tuple[str, ...]) -> None:
    """Have the models loaded before anything is measured, as they are in a service."""
    for name in recognisers:
        recogniser(name).recognise(numpy.full((200, 600, 3), 255, numpy.uint8), ())


@dataclass(frozen=True, slots=True)
class Visits:
    """A document's way through the visits."""

    engine: Pagemill
    path: str
    folder: Path
    password: str | None

    def make(self) -> tuple[str, ...]:
        """Write the artifacts into the folder; the files of pages that they are made from."""
        opened = OpenAnswer.from_bytes(open_document(self._opening().to_bytes()))
        files = [file for run in opened.cuts for file in self._chunk(opened, run)]
        # The join wants them by first page, what was recognised after what was read before.
        names = tuple(name for _, name in sorted(files, key=lambda file: file[0]))
        join_pages(JoinRequest(names, str(self.folder), FORMATS, opened.total_pages).to_bytes())
        return names

    def _opening(self) -> OpenRequest:
        return OpenRequest(
            path=self.path,
            scratch=str(self.folder),
            max_pages=MOST_PAGES,
            providers=self.engine.providers(ProviderKind.TEXT),
            password=self.password,
            formats=FORMATS,
            ocr=self.engine.ocr,
            mode=self.engine.mode,
            able=bool(self.engine.providers(ProviderKind.RECOGNISER)),
            # The pages of a short document would go through no file.
            join_at_once=False,
        )

    def _chunk(self, opened: OpenAnswer, run: tuple[int, int]) -> Iterator[tuple[int, str]]:
        """The files of a chunk with their first pages: its text, then each page that is handed on."""
        scratch = self._scratch(f"chunk-{run[0]}")
        asked = self._opening()
        request = ReadRequest(
            path=self.path,
            scratch=str(scratch),
            total_pages=opened.total_pages,
            first=run[0],
            last=run[1],
            providers=asked.providers,
            pages=opened.pages,
            password=self.password,
            ocr=asked.ocr,
            mode=asked.mode,
            able=asked.able,
        )
        answer = ReadAnswer.from_bytes(read_pages(request.to_bytes()))
        yield run[0], str(scratch / PAGES_FILE)
        for page in answer.handed:
            yield page, self._recognised(page)

    def _recognised(self, page: int) -> str:
        scratch = self._scratch(f"scan-{page}")
        request = ScanRequest(
            path=self.path,
            scratch=str(scratch),
            pages=(page,),
            providers=self.engine.providers(ProviderKind.TEXT),
            recognisers=self.engine.providers(ProviderKind.RECOGNISER),
            sure=SURE,
            languages=self.engine.languages,
            password=self.password,
            force=self.engine.ocr == "force",
        )
        read_scans(request.to_bytes())
        return str(scratch / PAGES_FILE)

    def _scratch(self, name: str) -> Path:
        folder = self.folder / name
        folder.mkdir()
        return folder


def _written(folder: Path, files: Sequence[str], spent: Spent) -> Reading:
    source = PageFiles(files)
    found = survey(source.pages(), keep_running=False)
    pages = tuple(settle_pages(source.pages(), found))
    laid = tuple(_with_running(page, whole) for page, whole in zip(pages, source.pages(), strict=True))
    markdown = (folder / "document.md").read_text("utf-8")
    texts = tuple(page_markdown(page) for page in pages) if len(pages) > 1 else (markdown,)
    return Reading(texts, markdown, spent, tuple(page.route for page in pages), laid=laid)


def _with_running(page: Page, whole: Page) -> Page:
    """A page with the running lines that it is printed without."""
    kept = {block.id: block for block in page.blocks}
    return replace(
        page, blocks=tuple(kept.get(block.id, replace(block, kind=Kind.HEADER)) for block in whole.blocks)
    )


def page_markdown(page: Page) -> str:
    """One page as document.md would have it."""
    with tempfile.TemporaryDirectory(prefix="pagemill-quality-") as folder:
        writer = MarkdownWriter(Path(folder))
        writer.page(page)
        writer.close(Ending((), ()))
        return (Path(folder) / "document.md").read_text("utf-8")
