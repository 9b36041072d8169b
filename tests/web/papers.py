"""Documents as a browser hands them in."""

from playwright.sync_api import FilePayload, Page

from tests import samples

CHUNKS = 3
# More than a chunk holds, so that each sleep stands in a chunk of its own.
PAGES_BETWEEN = 70


def paper(name: str, document: bytes) -> FilePayload:
    """A file to be chosen."""
    return {"name": name, "mimeType": "application/pdf", "buffer": document}


def choose(page: Page, *papers: FilePayload) -> None:
    """Choose files on the start page."""
    page.locator("input[data-kind=files]").set_input_files(list(papers))


def slow_document(seconds: float) -> bytes:
    """A document of several chunks, each of which takes so long."""
    asleep = [f"TRIAL:sleep:{seconds}", *[""] * (PAGES_BETWEEN - 1)]
    return samples.trial_pages(asleep * CHUNKS)
