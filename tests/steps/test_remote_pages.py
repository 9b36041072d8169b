"""What is made of answers from elsewhere, and of the figures that limit the asking."""

import pytest

from pagemill.engines import Engines, Terms, parse_provider_figures
from pagemill.errors import Refused
from pagemill.model.pages import Block, Kind, Page, Route, Try
from pagemill.remote_pages import RemoteAnswer

WORDS = (Block("p1-b1", Kind.PARAGRAPH, text="words"),)


def page(provider: str, confidence: float, route: Route = Route.OCR) -> Page:
    """A page with words that a provider has read."""
    return Page(1, 612, 792, provider, WORDS, confidence=confidence, route=route)


def test_the_surer_answer_stays_with_the_record_of_the_other() -> None:
    here, elsewhere = page("ppocr", 0.6), page("vlm", 0.9)
    assert RemoteAnswer(elsewhere).better_of(here).tries == (Try("ppocr", 0.6),)
    assert RemoteAnswer(here).better_of(elsewhere).provider == "vlm"


@pytest.mark.parametrize("route", [Route.OCR, Route.MIXED])
def test_a_text_layer_is_no_rival_where_text_had_to_be_recognised(route: Route) -> None:
    assert RemoteAnswer(page("vlm", 0.9)).better_of(page("liteparse", 1.0, route)).provider == "vlm"


def test_what_was_read_before_stays_if_nobody_answers() -> None:
    before = page("liteparse", 1.0)
    kept = RemoteAnswer(before, Try("vlm", 0.0, "away"), "provider_unavailable", 1.0).better_of(before)
    assert (kept.provider, kept.error, kept.tries[-1].message) == ("liteparse", None, "away")


@pytest.mark.parametrize("text", ["vlm", "vlm=", "vlm=many", "vlm=0", "vlm=-1", "vlm=nan", "vlm=inf"])
def test_figures_that_limit_nothing_are_refused(text: str) -> None:
    with pytest.raises(Refused, match="is not a list"):
        parse_provider_figures(text)


def test_figures_are_told_by_provider() -> None:
    assert parse_provider_figures("vlm=8, ppocr=0.5") == {"vlm": 8.0, "ppocr": 0.5}


def test_what_is_asked_after_the_end_is_given_up_at_once() -> None:
    engines = Engines(Terms())
    before = engines.stop_of("claim.1")
    assert not before.is_set()
    engines.close()
    assert before.is_set()
    assert engines.stop_of("claim.2").is_set()
