"""The sets of made-up bills that `quality.facts` measures with, each drawn before the rules were tried on it."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeVar

from quality import (
    folio_wordings,
    fresh_bills,
    fresh_wordings,
    last_bills,
    other_invoices,
    service_wordings,
    utility_bills,
    utility_wordings,
)
from quality.facts import LANGUAGES, Truth, draw_invoice
from quality.folio_wordings import FolioWords
from quality.folios import draw_folio
from quality.fresh_wordings import Wording

T = TypeVar("T")
Words = TypeVar("Words", Wording, FolioWords)


def own_documents(per_language: int, folder: Path) -> Iterator[tuple[Path, Truth]]:
    """The documents that the rules were written with."""
    for language in LANGUAGES:
        for seed in range(per_language):
            path = folder / f"{language.code}-{seed}.pdf"
            yield path, draw_invoice(path, language, seed)


def other_documents(per_language: int, folder: Path) -> Iterator[tuple[Path, Truth]]:
    """Documents that the rules were not written with."""
    for words in other_invoices.LANGUAGES:
        for seed in range(per_language):
            path = folder / f"{words.code}-{seed}.pdf"
            yield path, other_invoices.draw_other_invoice(path, words, seed)


def fresh_documents(per_language: int, folder: Path) -> Iterator[tuple[Path, Truth]]:
    """Documents that were drawn later, in other layouts and words."""
    return drawn(per_language, folder, by_code(fresh_wordings.WORDINGS), fresh_bills.draw_bill)


def last_documents(per_language: int, folder: Path) -> Iterator[tuple[Path, Truth]]:
    """Documents that were drawn after the rules had been mended with those."""
    return drawn(per_language, folder, by_code(last_bills.WORDINGS), last_bills.draw_bill)


def utility_documents(per_language: int, folder: Path) -> Iterator[tuple[Path, Truth]]:
    """Documents that were drawn without a look at the rules, with values in boxes, headings and slips."""
    words = {one.wording.code: one for one in utility_wordings.WORDS}
    return drawn(per_language, folder, words, utility_bills.draw_bill)


def folio_documents(per_language: int, folder: Path) -> Iterator[tuple[Path, Truth]]:
    """Folios of hotels, bills of subscriptions, tickets of tills."""
    return drawn(per_language, folder, by_code(folio_wordings.WORDS), draw_folio)


def service_documents(per_language: int, folder: Path) -> Iterator[tuple[Path, Truth]]:
    """The same layouts in other words, which were written after the rules had been mended with all others."""
    return drawn(per_language, folder, by_code(service_wordings.WORDS), draw_folio)


def by_code(wordings: Iterable[Words]) -> dict[str, Words]:
    """Words by the codes of their languages."""
    return {one.code: one for one in wordings}


def drawn(
    per_language: int, folder: Path, wordings: Mapping[str, T], draw: Callable[[Path, T, int], Truth]
) -> Iterator[tuple[Path, Truth]]:
    """Documents in some languages, several of each."""
    for code, words in wordings.items():
        for seed in range(per_language):
            path = folder / f"{code}-{seed}.pdf"
            yield path, draw(path, words, seed)


SETS = {
    "--own": own_documents,
    "--fresh": fresh_documents,
    "--last": last_documents,
    "--utility": utility_documents,
    "--folios": folio_documents,
    "--service": service_documents,
}
