"""Our own providers keep to the contract that others' are held to."""

import subprocess
import sys
from collections.abc import Iterator

import pytest

from pagemill.errors import Refused
from pagemill.reading.contract import ProviderContract, RecogniserContract, RemoteContract
from pagemill.reading.ocr.recogniser import Recogniser
from pagemill.reading.provider import Provider
from pagemill.reading.providers.installed import recogniser
from pagemill.reading.providers.liteparse import LiteParseProvider
from pagemill.reading.providers.pdfium import PdfiumProvider
from pagemill.reading.remote.base import Remote
from pagemill.reading.remote.mistral import MistralProvider
from pagemill.reading.remote.vlm import VlmProvider
from tests.reading.remote_made import mistral, vlm
from tests.reading.remote_server import KEY, Behaviour, serving

NOBODY = "http://127.0.0.1:1/v1"


class TestLiteParse(ProviderContract):
    """LiteParse."""

    def provider(self) -> Provider:
        """As it is."""
        return LiteParseProvider()


class TestPdfium(ProviderContract):
    """PDFium."""

    def provider(self) -> Provider:
        """As it is."""
        return PdfiumProvider()


class TestPpOcr(RecogniserContract):
    """PP-OCR, where its weights are installed."""

    def recogniser(self) -> Recogniser:
        """As it is."""
        return usable("ppocr")


class TestTesseract(RecogniserContract):
    """Tesseract, where it is installed."""

    def recogniser(self) -> Recogniser:
        """As it is."""
        return usable("tesseract")


def usable(name: str) -> Recogniser:
    """The recogniser of that name, if it can be used here."""
    try:
        return recogniser(name)
    except Refused as refused:
        pytest.skip(refused.message)


class TestVlm(RemoteContract):
    """A vision model."""

    made: VlmProvider

    @pytest.fixture(autouse=True)
    def server(self) -> Iterator[None]:
        """A server that answers the same each time."""
        with serving(Behaviour()) as url:
            self.made = vlm(url)
            yield
            self.made.close()

    def remote(self) -> Remote:
        """The one that the server is for."""
        return self.made

    def unreachable(self) -> Remote:
        """One whose server is away."""
        return vlm(NOBODY)

    def secret(self) -> str:
        """The key of the server."""
        return KEY


class TestMistral(RemoteContract):
    """Mistral OCR."""

    made: MistralProvider

    @pytest.fixture(autouse=True)
    def server(self) -> Iterator[None]:
        """A server that answers the same each time."""
        with serving(Behaviour()) as url:
            self.made = mistral(url)
            yield
            self.made.close()

    def remote(self) -> Remote:
        """The one that the server is for."""
        return self.made

    def unreachable(self) -> Remote:
        """One whose server is away."""
        return mistral(NOBODY)

    def secret(self) -> str:
        """The key of the server."""
        return KEY


def test_the_contract_can_be_imported_without_pytest() -> None:
    code = "import sys, pagemill.reading.contract; assert 'pytest' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
