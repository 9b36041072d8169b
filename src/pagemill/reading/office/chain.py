"""Reading an office file where a PDF would be read through a chain of providers."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from pagemill.model.file_types import is_office
from pagemill.model.pages import Page
from pagemill.reading.office.opening import PROVIDER, OfficeDocument, open_office
from pagemill.reading.pdf.inspection import Inspection
from pagemill.reading.providers.chain import ReadableDocument


@dataclass(slots=True)
class OfficeChain:
    """An office file that was opened once, and the time that reading it took."""

    document: OfficeDocument
    seconds: dict[str, float] = field(default_factory=dict)

    def inspection(self) -> Inspection:
        """How many pages it has, and what to warn about."""
        return Inspection(self.document.total_pages, self.warnings())

    def warnings(self) -> tuple[str, ...]:
        """What to warn about, as far as the file was read."""
        return self.document.found_warnings()

    def read(
        self, source: ReadableDocument, together: Sequence[int], wanted: Sequence[int]
    ) -> Iterator[Page]:
        """The wanted pages in order."""
        started = time.perf_counter()
        for page in self.document.pages(wanted):
            self.seconds[PROVIDER] = self.seconds.get(PROVIDER, 0.0) + time.perf_counter() - started
            yield page
            started = time.perf_counter()


def opened_office(
    path: str, password: str | None, tracked_changes: str, rendered: str | None = None
) -> OfficeChain | None:
    """An office file, opened; None if the document is read from printed pages."""
    return OfficeChain(open_office(path, password, tracked_changes, rendered)) if is_office(path) else None
