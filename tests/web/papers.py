"""Documents as a browser hands them in."""

from pathlib import Path

from playwright.sync_api import FilePayload, Page

from tests import samples

CHUNKS = 3
# More than a chunk holds, so that each sleep stands in a chunk of its own.
PAGES_BETWEEN = 70
PLAIN = [""] * (PAGES_BETWEEN - 1)


def paper(name: str, document: bytes) -> FilePayload:
    """A file to be chosen."""
    return {"name": name, "mimeType": "application/pdf", "buffer": document}


def choose(page: Page, *papers: FilePayload) -> None:
    """Choose files on the start page."""
    page.locator("input[data-kind=files]").set_input_files(list(papers))


def gated_document(turns: Path) -> bytes:
    """A document of several chunks, each of which waits for a file in a folder and takes it away."""
    return samples.trial_pages([f"TRIAL:turn:{turns}", *PLAIN] * CHUNKS)


def slow_document(seconds: float) -> bytes:
    """A document of several chunks, each of which takes so long."""
    return samples.trial_pages([f"TRIAL:sleep:{seconds}", *PLAIN] * CHUNKS)
