"""The example of the page on enrichers is an enricher, and packages bring theirs by an entry point."""

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from pagemill.model.pages import Block, Box, Kind, Page
from pagemill.reading import enricher
from pagemill.reading.document.join import PagesAtHand, join
from pagemill.reading.enricher_contract import EnricherContract
from pagemill.reading.stored_document import StoredDocument
from pagemill.reading.writers import Facts
from tests.docs.pages import DOCS, blocks

PAGE = DOCS / "how-to" / "enrich.md"
EXAMPLE, CONTRACT = blocks(PAGE, "python")
LONGEST_EXAMPLE = 24
GROUP = "pagemill.enrichers"


def run(code: str, **known: Any) -> Any:
    """The module that an example makes."""
    module = ModuleType("my_enricher")
    vars(module).update(known)
    exec(code, vars(module))
    return module


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The example in an installed package, which names it as an entry point; its name."""
    (tmp_path / "my_enricher.py").write_text(EXAMPLE, encoding="utf-8")
    told = tmp_path / "my_enricher-1.0.dist-info"
    told.mkdir()
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: my-enricher\nVersion: 1.0\n")
    (told / "entry_points.txt").write_text(f"[{GROUP}]\nword_count = my_enricher:WordCount\n")
    monkeypatch.syspath_prepend(tmp_path)
    for cached in (enricher._points, enricher.load_enricher):
        cached.cache_clear()
    yield "word_count"
    for cached in (enricher._points, enricher.load_enricher):
        cached.cache_clear()
    sys.modules.pop("my_enricher", None)


def document(folder: Path) -> StoredDocument:
    """A document of five words."""
    words = Block("p1-b1", Kind.PARAGRAPH, Box(72, 72, 400, 20), "Dear reader, all went well.")
    join(PagesAtHand([Page(1, 595, 842, "made", (words,))]), Facts(1), ("json",), folder, keep_running=False)
    return StoredDocument(str(folder / "document.json"), None)


def test_the_example_is_short() -> None:
    assert len(EXAMPLE.splitlines()) <= LONGEST_EXAMPLE


def test_the_contract_of_the_page_holds_for_the_example() -> None:
    contract = run(CONTRACT, WordCount=run(EXAMPLE).WordCount).TestWordCount
    assert issubclass(contract, EnricherContract)
    tests = [name for name in dir(contract) if name.startswith("test_")]
    assert len(tests) >= 4
    for name in tests:
        getattr(contract(), name)()


def test_an_enricher_of_a_package_is_found_by_its_entry_point(package: str, tmp_path: Path) -> None:
    assert f"`{GROUP}`" in PAGE.read_text("utf-8")
    assert package in enricher.enricher_names()
    [made] = enricher.run_enricher(package, document(tmp_path), tmp_path)
    assert (tmp_path / made.name).read_bytes() == b'{"1":5}'
