"""What goes wrong between us and a server: each fault is either for later or a refusal that says what to do."""

import logging
import socket
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from pagemill.reading.provider import Refusal
from pagemill.reading.remote.answers import LONGEST_TEXT
from pagemill.reading.remote.base import TryLater
from pagemill.reading.remote.endpoint import Address, RemoteEndpoint
from pagemill.reading.remote.prompts import MARKDOWN
from pagemill.reading.remote.statuses import wait_seconds
from pagemill.reading.remote.vlm import VlmConfig, plain_request
from tests.reading.remote_made import PICTURE, mistral, texts, vlm
from tests.reading.remote_server import (
    KEY,
    Behaviour,
    Deed,
    Exchange,
    drip,
    hang_up,
    hang_up_midway,
    say,
    serving,
    status,
)

CIRCLES = "The mill stands by the river.\n\n" + "It turns and turns and turns. " * 300


@pytest.mark.parametrize("code", [408, 429, 500, 502, 503, 504, 529])
def test_a_server_that_is_busy_or_broken_is_tried_later(url: str, behaviour: Behaviour, code: int) -> None:
    for provider in (vlm(url), mistral(url)):
        behaviour.deeds = [status(code)]
        with closing(provider), pytest.raises(TryLater, match=str(code)) as caught:
            provider.read(PICTURE)
        assert caught.value.wait_seconds is None
        assert len(behaviour.deeds) == 0


def test_a_server_says_how_long_to_wait(url: str, behaviour: Behaviour) -> None:
    behaviour.deeds = [status(429, Retry_After="7"), status(503, Retry_After="2.5")]
    with closing(vlm(url)) as provider:
        for seconds in (7, 2.5):
            with pytest.raises(TryLater) as caught:
                provider.read(PICTURE)
            assert caught.value.wait_seconds == seconds
        assert provider.read(PICTURE).blocks


def test_the_time_to_wait_is_understood_in_all_its_forms() -> None:
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    assert wait_seconds({"retry-after": soon}) == pytest.approx(30, abs=2)
    assert wait_seconds({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0
    assert wait_seconds({"retry-after-ms": "250", "retry-after": "9"}) == 0.25
    assert wait_seconds({"retry-after": "999999"}) == 3600
    assert [wait_seconds({"retry-after": said}) for said in ("soon", "-3", "nan", "")] == [None] * 4


@pytest.mark.parametrize(
    ("code", "advice"),
    [
        (400, "check PAGEMILL_VLM_MODEL"),
        (401, "check PAGEMILL_VLM_KEY"),
        (403, "check PAGEMILL_VLM_KEY"),
        (404, "check PAGEMILL_VLM_URL"),
        (413, "too large"),
        (418, "refuses"),
        (422, "check PAGEMILL_VLM_MODEL"),
    ],
)
def test_a_refusal_says_what_to_do(url: str, behaviour: Behaviour, code: int, advice: str) -> None:
    behaviour.deeds = [status(code, f"no, {KEY}, no")] * 2
    with closing(vlm(url)) as provider, pytest.raises(Refusal, match=advice) as caught:
        provider.read(PICTURE)
    assert KEY not in str(caught.value)


def test_a_wrong_key_is_refused_without_being_repeated(url: str) -> None:
    for provider, name in (
        (vlm(url, api_key="sk-wrong"), "VLM"),
        (mistral(url, api_key="sk-wrong"), "MISTRAL"),
    ):
        with closing(provider), pytest.raises(Refusal, match=f"PAGEMILL_{name}_KEY") as caught:
            provider.read(PICTURE)
        assert "sk-wrong" not in str(caught.value)


def test_a_model_that_is_not_served_is_refused(url: str) -> None:
    with closing(vlm(url, "another")) as provider, pytest.raises(Refusal, match="PAGEMILL_VLM_MODEL"):
        provider.read(PICTURE)
    with closing(mistral(url, "another")) as provider, pytest.raises(Refusal, match="Invalid model: another"):
        provider.read(PICTURE)


def test_an_account_without_credit_is_not_asked_again(url: str, behaviour: Behaviour) -> None:
    def no_credit(exchange: Exchange) -> None:
        exchange.answer({"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}, 429)

    behaviour.deeds = [no_credit]
    with closing(vlm(url)) as provider, pytest.raises(Refusal, match="no credit"):
        provider.read(PICTURE)


def test_only_the_beginning_of_a_long_complaint_is_told(url: str, behaviour: Behaviour) -> None:
    behaviour.deeds = [status(400, "é" * 90_000)] * 2
    with closing(vlm(url)) as provider, pytest.raises(Refusal) as caught:
        provider.read(PICTURE)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("fault", [hang_up, hang_up_midway], ids=["at once", "midway"])
def test_a_connection_that_ends_is_tried_later(url: str, behaviour: Behaviour, fault: Deed) -> None:
    behaviour.deeds = [fault]
    with closing(vlm(url)) as provider:
        with pytest.raises(TryLater, match="connection"):
            provider.read(PICTURE)
        assert provider.read(PICTURE).blocks


def test_a_server_that_is_not_there_is_tried_later() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        provider = vlm(f"http://127.0.0.1:{taken.getsockname()[1]}/v1")
        with closing(provider), pytest.raises(TryLater, match="connection"):
            provider.read(PICTURE)


def test_a_name_that_nobody_knows_is_tried_later() -> None:
    with closing(vlm("http://nobody.invalid/v1")) as provider, pytest.raises(TryLater, match="connection"):
        provider.read(PICTURE)


def test_an_address_that_cannot_be_is_refused() -> None:
    with closing(vlm("http://host:port/v1")) as provider, pytest.raises(Refusal, match="PAGEMILL_VLM_URL"):
        provider.read(PICTURE)


def test_a_slow_server_is_tried_later(url: str, behaviour: Behaviour) -> None:
    behaviour.seconds = 8
    started = time.monotonic()
    with closing(vlm(url, timeout_seconds=0.2)) as provider, pytest.raises(TryLater, match="within 0"):
        provider.read(PICTURE)
    assert time.monotonic() - started < 6


def test_an_answer_that_drips_is_tried_later(url: str, behaviour: Behaviour) -> None:
    behaviour.deeds = [drip]
    with closing(vlm(url, timeout_seconds=0.4)) as provider, pytest.raises(TryLater, match="slowly"):
        provider.read(PICTURE)


def test_a_redirect_is_not_followed(url: str, behaviour: Behaviour) -> None:
    other = Behaviour()
    with serving(other) as elsewhere:
        behaviour.deeds = [status(307, Location=f"{elsewhere}/chat/completions")]
        with closing(vlm(url)) as provider, pytest.raises(Refusal, match="leads elsewhere"):
            provider.read(PICTURE)
    assert other.requests == []


def test_a_huge_answer_is_refused_before_it_is_all_here(url: str, behaviour: Behaviour) -> None:
    behaviour.deeds = [say(b"[" + b" " * 300_000 + b"]")]
    endpoint = RemoteEndpoint(Address(url, "PAGEMILL_VLM", KEY, largest_answer_bytes=100_000))
    with closing(endpoint), pytest.raises(Refusal, match="larger than 100,000 bytes"):
        endpoint.ask("/chat/completions", plain_question())


def plain_question() -> dict[str, object]:
    """A request that the server takes."""
    return dict(plain_request(VlmConfig("", Behaviour().model), MARKDOWN, PICTURE))


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"<html>It works!</html>", "not JSON"),
        (b"", "not JSON"),
        (b"[1, 2]", "not a JSON object"),
        (b'{"choices": []}', "no choices"),
        (b'{"choices": [{"message": {"content": null}}]}', "no text"),
        (b'{"choices": [{"message": {"content": " \\n "}}]}', "wrote nothing"),
        (b'{"choices": [{"message": {"content": "<!-- hm -->"}}]}', "nothing that can be read"),
        (b'{"choices": [{"message": {"content": null, "refusal": "I will not."}}]}', "won't read"),
        (b'{"choices": [{"message": {"content": "a"}, "finish_reason": "content_filter"}]}', "won't read"),
    ],
)
def test_an_answer_that_says_nothing_is_refused(
    url: str, behaviour: Behaviour, body: bytes, said: str
) -> None:
    behaviour.deeds = [say(body)]
    with closing(vlm(url)) as provider, pytest.raises(Refusal, match=said):
        provider.read(PICTURE)


def test_an_answer_in_parts_is_put_together(url: str, behaviour: Behaviour) -> None:
    behaviour.deeds = [say(b'{"choices": [{"message": {"content": [{"type": "text", "text": "Mill"}]}}]}')]
    with closing(vlm(url)) as provider:
        assert texts(provider.read(PICTURE).blocks) == [("paragraph", "Mill")]


def test_an_answer_longer_than_any_page_is_refused(url: str, behaviour: Behaviour) -> None:
    behaviour.text = "word " * LONGEST_TEXT
    with closing(vlm(url)) as provider, pytest.raises(Refusal, match="more than"):
        provider.read(PICTURE)


def test_an_answer_that_was_cut_off_is_kept_with_a_warning(url: str, behaviour: Behaviour) -> None:
    behaviour.finish_reason = "length"
    with closing(vlm(url)) as provider:
        answer = provider.read(PICTURE)
    assert (answer.warnings, answer.confidence) == (("remote_answer_cut",), 0.45)
    assert len(answer.blocks) == 2


def test_an_answer_that_runs_in_circles_is_cut_where_it_begins_to(url: str, behaviour: Behaviour) -> None:
    behaviour.text, behaviour.finish_reason = CIRCLES, "length"
    with closing(vlm(url)) as provider:
        answer = provider.read(PICTURE)
    assert [text for _, text in texts(answer.blocks)] == [
        "The mill stands by the river.",
        "It turns and turns and turns.",
    ]
    assert answer.warnings == ("remote_answer_cut",)
    assert answer.confidence < 0.4


def test_an_answer_that_is_nothing_but_a_circle_is_refused(url: str, behaviour: Behaviour) -> None:
    behaviour.text = "the the " * 2000
    with closing(vlm(url)) as provider, pytest.raises(Refusal, match="repeated itself"):
        provider.read(PICTURE)


def test_a_page_that_the_model_calls_blank_is_blank(url: str, behaviour: Behaviour) -> None:
    behaviour.text = "<!-- blank page -->"
    with closing(vlm(url)) as provider:
        answer = provider.read(PICTURE)
    assert (answer.blocks, answer.warnings) == ((), ("no_text",))


def test_the_key_is_in_no_line_of_the_log(
    url: str, behaviour: Behaviour, caplog: pytest.LogCaptureFixture
) -> None:
    behaviour.deeds = [status(401, KEY)]
    with caplog.at_level(logging.DEBUG), closing(vlm(url)) as provider:
        with pytest.raises(Refusal):
            provider.read(PICTURE)
        provider.read(PICTURE)
    assert KEY not in caplog.text
