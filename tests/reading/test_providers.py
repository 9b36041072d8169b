"""Providers: how they are found, and what happens when one refuses."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pagemill.errors import PdfCorrupt, Refused
from pagemill.model.pages import Try
from pagemill.reading.providers.chain import Chain, ReadableDocument
from pagemill.reading.providers.installed import every_provider, load, reading_version
from pagemill.reading.providers.liteparse import LiteParseProvider
from pagemill.reading.providers.pdfium import PdfiumProvider
from tests import samples, trial_provider
from tests.reading.journey import opened, stored
from tests.trial_provider import TrialProvider


def test_both_own_providers_are_there_with_their_versions() -> None:
    found = {listing.name: listing for listing in every_provider()}
    assert {"liteparse", "pdfium"} <= set(found)
    assert all(found[name].version and not found[name].unavailable for name in ("liteparse", "pdfium"))


def test_an_unknown_provider_is_refused_with_the_known_ones() -> None:
    with pytest.raises(Refused, match=r"liteparse, .*pdfium"):
        load("nobody")


def test_the_reading_version_names_every_provider_of_the_chain() -> None:
    one, both = reading_version(("pdfium",)), reading_version(("liteparse", "pdfium"))
    assert one != both
    assert LiteParseProvider().version() in both
    assert LiteParseProvider().version() not in one


def test_the_environment_can_name_a_provider() -> None:
    code = (
        "from pagemill.reading.providers.installed import load, every_provider;"
        "print(load('trial').version(), 'trial' in {one.name for one in every_provider()})"
    )
    environment = os.environ | trial_provider.ENVIRONMENT
    run = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert run.stdout.split() == ["1", "True"]


def test_a_provider_that_cannot_be_imported_is_listed_with_the_reason() -> None:
    code = "from pagemill.reading.providers.installed import every_provider; print([one.unavailable for one in every_provider()])"
    environment = os.environ | {"PAGEMILL_PROVIDER_MODULES": "ghost=no.such.module:Ghost"}
    run = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert "can't be loaded" in run.stdout


def test_a_page_that_the_first_refuses_is_read_by_the_next(tmp_path: Path) -> None:
    path = stored(tmp_path, samples.trial_pages(["", "TRIAL:error", ""]))
    pages = list(
        Chain([TrialProvider(), PdfiumProvider()]).read(ReadableDocument(path), [1, 2, 3], [1, 2, 3])
    )
    assert [page.provider for page in pages] == ["trial", "pdfium", "trial"]
    assert pages[1].tries == (Try("trial", 0.0, "the trial says so"),)
    assert pages[1].confidence < pages[0].confidence
    assert "TRIAL:error" in pages[1].blocks[0].text


def test_a_document_that_the_first_refuses_is_read_by_the_next(tmp_path: Path) -> None:
    path = stored(tmp_path, samples.trial_pages(["", "TRIAL:refuse"]))
    chain = Chain([TrialProvider(), PdfiumProvider()])
    pages = list(chain.read(ReadableDocument(path), [1, 2], [1, 2]))
    assert [page.provider for page in pages] == ["pdfium", "pdfium"]
    assert set(chain.seconds) == {"trial", "pdfium"}


def test_a_page_that_all_refuse_says_what_each_of_them_said(tmp_path: Path) -> None:
    path = stored(tmp_path, samples.broken_page_tree())
    [page] = Chain([LiteParseProvider(), PdfiumProvider()]).read(ReadableDocument(path), [1, 2], [2])
    assert page.error is not None
    assert page.error.code == "page_unreadable"
    assert [tried.provider for tried in page.tries] == ["liteparse", "pdfium"]


def test_a_page_that_both_find_empty_stays_with_the_first(tmp_path: Path) -> None:
    path = stored(tmp_path, samples.blank())
    [page] = Chain([LiteParseProvider(), PdfiumProvider()]).read(ReadableDocument(path), [1], [1])
    assert (page.provider, page.tries, page.error) == ("liteparse", (), None)


def test_only_the_wanted_pages_come_back(tmp_path: Path) -> None:
    path = stored(tmp_path, samples.big(5))
    pages = Chain([LiteParseProvider()]).read(ReadableDocument(path), [1, 2, 3, 4, 5], [2, 4])
    assert [page.number for page in pages] == [2, 4]


def test_a_document_no_page_of_which_can_be_read_is_corrupt(tmp_path: Path) -> None:
    with pytest.raises(PdfCorrupt):
        opened(tmp_path, samples.kids_cycle())


def test_what_a_provider_did_not_foresee_counts_as_a_refusal(tmp_path: Path) -> None:
    path = stored(tmp_path, samples.trial_pages(["TRIAL:raise:oops"]))
    [page] = Chain([TrialProvider(), PdfiumProvider()]).read(ReadableDocument(path), [1], [1])
    assert (page.provider, page.tries) == ("pdfium", (Try("trial", 0.0, "RuntimeError: oops"),))


def test_pdfium_gives_paragraphs_with_boxes(tmp_path: Path) -> None:
    path = stored(tmp_path, samples.letter())
    page = next(PdfiumProvider().read(path, [1], None))
    assert page.blocks[0].text == "A letter"
    assert page.blocks[1].text.startswith("Dear reader, this letter has one page.")
    box = page.blocks[0].box
    assert box is not None
    assert box.x == pytest.approx(72, abs=3)
    assert box.y == pytest.approx(58, abs=8)
    assert 60 < box.width < 90


def test_pdfium_gives_words_beyond_ascii(tmp_path: Path) -> None:
    path = stored(tmp_path, samples.unicode_text())
    text = " ".join(block.text for block in next(PdfiumProvider().read(path, [1], None)).blocks)
    assert "façade, naïve" in text
    assert "汉字" in text


def test_each_provider_opens_with_the_password(tmp_path: Path) -> None:
    path = stored(tmp_path, samples.encrypted())
    for provider in (LiteParseProvider(), PdfiumProvider()):
        page = next(provider.read(path, [1], "open"))
        assert page.blocks[0].text == "The secret is that there is none."
