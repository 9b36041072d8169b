"""Which pages are handed on: those whose text must be recognised, or that pictures may say more of."""

from dataclasses import dataclass, replace

from pagemill.model.pages import OCR_NEEDED, Page, Route
from pagemill.reading.writers.figures import has_image


@dataclass(frozen=True, slots=True)
class Wish:
    """What was asked of the reading, and whether there is somebody who reads pictures."""

    ocr: str
    mode: str
    able: bool
    # Whether the document has printed pages; one that has none may have images all the same.
    printed: bool = True

    def hands_on(self, page: Page) -> bool:
        """Whether a page goes on to OCR."""
        if self.ocr == "off" or not self.able:
            return False
        if not self.printed:
            return self.mode == "accurate" and any(map(has_image, page.blocks))
        if self.ocr == "force" or needs_ocr(page):
            return True
        return self.mode == "accurate" and bool(page.pictures)

    def with_warning(self, page: Page) -> Page:
        """The page, with a warning if it stays as it is for want of a reader of pictures."""
        if not needs_ocr(page) or self.hands_on(page):
            return page
        confidence = page.confidence if page.blocks else 0.0
        return replace(page, warnings=(*page.warnings, OCR_NEEDED), confidence=confidence)


def needs_ocr(page: Page) -> bool:
    """Whether the text layer does not have all that is on the page."""
    return page.error is None and page.route in (Route.OCR, Route.MIXED)
