"""Counting the ways that pages took."""

from pathlib import Path

import pytest

from pagemill.model.pages import Route
from quality.categories import DIGITAL, SCANNED
from quality.corpus import Document
from quality.engines import Spent
from quality.results import Result, Scored
from quality.routing import Routes, misled, routes_of


def went(category: str, route: Route | None, group: str = "") -> Result:
    """A page of a category that took a way."""
    document = Document("a.pdf", Path("a.pdf"), category, "made")
    return Result("pagemill-fast", document, Scored({}, "", "", group), Spent(0.1, 0.1), route=route)


def counted(*results: Result) -> Routes:
    """The ways of some pages."""
    routes = Routes()
    for result in results:
        routes.add(result)
    return routes


def test_scanned_pages_that_are_recognised_are_found() -> None:
    routes = counted(
        went("scan_truth", Route.OCR),
        went("scan_truth", Route.TEXT),
        went("multipage_truth", Route.MIXED, SCANNED),
    )
    assert routes.recall == pytest.approx(2 / 3)
    assert routes.needless is None


def test_digital_pages_that_are_recognised_as_a_whole_are_needless() -> None:
    digital = [went("pdf_md_truth", Route.TEXT), went("long_doc", Route.OCR), went("long_doc", Route.MIXED)]
    routes = counted(*digital, went("multipage_truth", Route.TEXT, DIGITAL), went("scan_truth", Route.OCR))
    assert routes.needless == pytest.approx(1 / 4)
    assert routes.precision == pytest.approx(1 / 2)


def test_pages_of_unknown_kind_and_engines_without_routes_are_not_counted() -> None:
    assert list(routes_of([went("pdf_table_truth", Route.OCR), went("scan_truth", None)])) == []


def test_the_pages_that_went_wrong_are_known() -> None:
    assert misled(went("scan_truth", Route.TEXT))
    assert misled(went("long_doc", Route.OCR))
    assert not misled(went("long_doc", Route.MIXED))
    assert not misled(went("pdf_table_truth", Route.OCR))


def test_the_figures_come_with_their_counts() -> None:
    [told] = routes_of([went("scan_truth", Route.OCR), went("long_doc", Route.BLANK)])
    assert told == {
        "engine": "pagemill-fast",
        "category": "routing",
        "recall": 1.0,
        "precision": 1.0,
        "needless": 0.0,
        "scanned": {"ocr": 1},
        "digital": {"blank": 1},
    }
