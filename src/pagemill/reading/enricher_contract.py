"""What every enricher has to keep to, as a class of tests for authors of enrichers.

A test class of yours takes it as its base and says how the enricher is made; any runner that calls the methods whose
names begin with `test_` will do.
"""

import tempfile
from abc import ABC, abstractmethod
from pathlib import Path

import orjson

from pagemill.model.enriching import ENRICHER_NAME
from pagemill.model.pages import Block, Box, Kind, Page
from pagemill.reading.document.join import PagesAtHand, join
from pagemill.reading.enricher import Enricher
from pagemill.reading.stored_document import StoredDocument
from pagemill.reading.writers import Facts


class EnricherContract(ABC):
    """What holds for enrichers: override `enricher`."""

    @abstractmethod
    def enricher(self) -> Enricher:
        """The enricher that is tested."""

    def test_it_has_a_name_that_fits_into_options(self) -> None:
        """A name is what people put into `enrich`, and a part of an address."""
        name = self.enricher().name
        assert ENRICHER_NAME.fullmatch(name), f"{name!r} has to have lower-case letters, digits and _ only"

    def test_its_version_stays_the_same(self) -> None:
        """The version is part of what decides whether a result may be used again."""
        first, second = self.enricher().version(), self.enricher().version()
        assert first, "an enricher needs a version"
        assert first == second, "the version changes from one instance to the next"

    def test_it_can_be_used_here(self) -> None:
        """Run these tests where everything that the enricher needs is there."""
        reason = self.enricher().available()
        assert reason is None, f"it can't be used here: {reason}"

    def test_it_makes_json_of_any_document(self) -> None:
        """A document may have no words at all."""
        words = Block("p1-b1", Kind.PARAGRAPH, Box(72, 72, 400, 20), "Dear reader, all went well.")
        for page in (Page(1, 595, 842, "made", (words,)), Page(1, 595, 842, "made")):
            with tempfile.TemporaryDirectory() as folder:
                join(PagesAtHand([page]), Facts(1), ("json",), Path(folder), keep_running=False)
                found = self.enricher().enrich(StoredDocument(f"{folder}/document.json", None))
            assert orjson.dumps(found, option=orjson.OPT_NON_STR_KEYS)
