"""PP-OCR: small networks that find and read lines of text, without any other program or download."""

from collections.abc import Sequence

from pagemill.model.pages import Line
from pagemill.reading.ocr import models
from pagemill.reading.ocr.recogniser import Pixels


class PpOcr:
    """Reads Latin, Chinese and Japanese text with PP-OCRv6."""

    name = "ppocr"

    def version(self) -> str:
        """The networks, and a fingerprint of their weights."""
        return f"{models.FAMILY}, weights {models.fingerprint()}"

    def available(self) -> str | None:
        """None if the networks are installed."""
        return models.missing()

    def models(self) -> list[str]:
        """The networks that are here."""
        return models.present()

    def recognise(self, pixels: Pixels, languages: Sequence[str]) -> list[Line]:
        """The lines of an upright picture, split at wide gaps between words."""
        # Asking whether it can be used must not cost what using it does.
        from pagemill.reading.ocr.lines import lines_in

        return lines_in(pixels, languages)
