"""Enrichers for tests: one that counts words, and others that fail, die, hang or ask for what is not there.

The environment names them with PAGEMILL_ENRICHER_MODULES; see ENVIRONMENT.
"""

import os
import signal
import time

from pagemill.reading.stored_document import StoredDocument

MODULES = {
    "words": "tests.trial_enrichers:Words",
    "remote_words": "tests.trial_enrichers:RemoteWords",
    "raising": "tests.trial_enrichers:Raising",
    "crashing": "tests.trial_enrichers:Crashing",
    "missing": "tests.trial_enrichers:Missing",
    "hanging": "tests.trial_enrichers:Hanging",
}
ENVIRONMENT = {"PAGEMILL_ENRICHER_MODULES": ",".join(f"{name}={target}" for name, target in MODULES.items())}


class Words:
    """Counts the words of a document, and says in which process."""

    name = "words"

    def version(self) -> str:
        """Always the same."""
        return "1"

    def available(self) -> str | None:
        """Nothing is missing."""
        return None

    def enrich(self, document: StoredDocument) -> object:
        """How many words there are."""
        texts = (block.text for page in document.pages() for block in page.blocks)
        return {"words": sum(len(text.split()) for text in texts), "process": os.getpid()}


class RemoteWords(Words):
    """The same, in the worker."""

    name = "remote_words"
    needs_network = True


class Raising(Words):
    """Raises what nobody expects."""

    name = "raising"

    def enrich(self, document: StoredDocument) -> object:
        """Fail."""
        raise RuntimeError("no")


class Crashing(Words):
    """Dies, as native code does."""

    name = "crashing"

    def enrich(self, document: StoredDocument) -> object:
        """Die."""
        os.kill(os.getpid(), signal.SIGSEGV)
        return None


class Missing(Words):
    """Can't be used here."""

    name = "missing"

    def available(self) -> str | None:
        """A model is missing."""
        return "its model is not here"


class Hanging(Words):
    """Never ends over a document that says so."""

    name = "hanging"

    def enrich(self, document: StoredDocument) -> object:
        """Count, or wait until the process is killed."""
        while any("hang on" in block.text for page in document.pages() for block in page.blocks):
            time.sleep(1)
        return super().enrich(document)
