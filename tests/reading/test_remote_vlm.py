"""Vision models behind an OpenAI-compatible address."""

import math
from contextlib import closing
from io import BytesIO

import pytest
from PIL import Image

from pagemill.model.pages import Kind
from pagemill.reading.provider import Refusal
from pagemill.reading.remote.base import Picture
from pagemill.reading.remote.prompts import DEEPSEEK, MARKDOWN, OLMOCR, style_for
from pagemill.reading.remote.vlm import VlmConfig, VlmProvider
from tests.reading.remote_made import PICTURE, texts, vlm
from tests.reading.remote_server import KEY, Behaviour

GROUNDED = """<|ref|>title<|/ref|><|det|>[[0, 0, 999, 333]]<|/det|>
# Water mill

<|ref|>text<|/ref|><|det|>[[0, 500, 500, 999]]<|/det|>
Built in 1742<｜end▁of▁sentence｜>"""

FRONTED = """---
primary_language: en
is_rotation_valid: False
rotation_correction: 90
is_table: False
is_diagram: False
---
Water mill"""


def test_a_page_comes_back_as_blocks(url: str) -> None:
    with closing(vlm(url)) as provider:
        answer = provider.read(PICTURE)
    assert texts(answer.blocks) == [("heading", "A page"), ("paragraph", "With some words.")]
    assert (answer.confidence, answer.warnings) == (0.9, ())
    assert {block.confidence for block in answer.blocks} == {0.9}


def test_a_request_asks_for_the_likeliest_words_and_shows_the_picture_once(
    url: str, behaviour: Behaviour
) -> None:
    with closing(vlm(url, max_tokens=77)) as provider:
        provider.read(PICTURE)
    [asked] = behaviour.requests
    assert (asked["temperature"], asked["max_tokens"], asked["logprobs"]) == (0, 77, True)
    assert asked["messages"][0]["content"][1]["text"] == MARKDOWN.words


def test_a_jpeg_is_sent_as_one(url: str) -> None:
    encoded = BytesIO()
    Image.new("RGB", (30, 20), "white").save(encoded, "JPEG")
    with closing(vlm(url)) as provider:
        assert provider.read(Picture(encoded.getvalue(), "image/jpeg", 30, 20, 15, 10)).blocks


def test_a_whole_address_and_a_query_are_understood(url: str) -> None:
    for address in (f"{url}/", f"{url}/chat/completions"):
        with closing(vlm(address)) as provider:
            assert provider.read(PICTURE).blocks
    assert VlmConfig("http://host/v1?version=2", "m").address().of("/chat/completions") == (
        "http://host/v1/chat/completions?version=2"
    )


def test_the_probabilities_of_tokens_make_the_confidence(url: str, behaviour: Behaviour) -> None:
    behaviour.logprobs = [math.log(0.9), math.log(0.7), -9999.0, 0.0]
    with closing(vlm(url)) as provider:
        assert provider.read(PICTURE).confidence == pytest.approx((0.9 + 0.7 + 0 + 1) / 4, abs=0.001)


def test_a_server_without_extras_is_asked_plainly_from_then_on(url: str, behaviour: Behaviour) -> None:
    behaviour.knows_extras = False
    with closing(vlm(url)) as provider:
        first, second = provider.read(PICTURE), provider.read(PICTURE)
    assert first == second
    assert [sorted(asked) for asked in behaviour.requests] == [
        ["max_completion_tokens", "messages", "model"]
    ] * 2


def test_deepseek_is_asked_in_its_own_way_and_gives_boxes(url: str, behaviour: Behaviour) -> None:
    behaviour.model, behaviour.text = "deepseek-ai/DeepSeek-OCR", GROUNDED
    with closing(vlm(url, behaviour.model)) as provider:
        answer = provider.read(PICTURE)
    heading, paragraph = answer.blocks
    assert (heading.kind, heading.level, heading.text) == (Kind.HEADING, 1, "Water mill")
    assert (paragraph.kind, paragraph.text) == (Kind.PARAGRAPH, "Built in 1742")
    assert paragraph.box
    assert paragraph.box.bottom == pytest.approx(PICTURE.height, abs=0.1)
    assert paragraph.box.width == pytest.approx(PICTURE.width / 2, abs=1)
    [asked] = behaviour.requests
    assert asked["skip_special_tokens"] is False
    assert asked["vllm_xargs"]["ngram_size"] == 30
    assert [part["type"] for part in asked["messages"][0]["content"]] == ["image_url", "text"]
    assert asked["messages"][0]["content"][1]["text"].startswith("<|grounding|>")


def test_olmocr_says_that_a_page_lies_on_its_side(url: str, behaviour: Behaviour) -> None:
    behaviour.model, behaviour.text = "allenai/olmOCR-2-7B-1025-FP8", FRONTED
    with closing(vlm(url, behaviour.model)) as provider:
        answer = provider.read(PICTURE)
        assert provider.longest_side_pixels == 1288
    assert texts(answer.blocks) == [("paragraph", "Water mill")]
    assert (answer.turned, answer.warnings) == (90, ("page_not_upright",))
    assert answer.confidence < 0.5
    assert [part["type"] for part in behaviour.requests[0]["messages"][0]["content"]] == ["text", "image_url"]


@pytest.mark.parametrize(
    ("model", "prompt", "style"),
    [
        ("deepseek-ai/DeepSeek-OCR-2", "auto", DEEPSEEK),
        ("deepseek_ocr", "", DEEPSEEK),
        ("olmocr", "auto", OLMOCR),
        ("gpt-4o", "auto", MARKDOWN),
        ("deepseek-vl2", "auto", MARKDOWN),
        ("my-finetune", "olmocr", OLMOCR),
    ],
)
def test_the_style_follows_the_model_unless_it_is_named(model: str, prompt: str, style: object) -> None:
    assert style_for(model, prompt) is style


def test_words_of_ones_own_are_asked_in_the_manner_of_the_model() -> None:
    style = style_for("DeepSeek-OCR", "<|grounding|>OCR this image.")
    assert (style.words, style.extras) == ("<|grounding|>OCR this image.", DEEPSEEK.extras)


def test_the_version_changes_with_the_model_and_with_the_words() -> None:
    made = [VlmProvider(VlmConfig("http://h", *asked)) for asked in (("a",), ("b",), ("a", "", "Read it."))]
    assert len({provider.version() for provider in made}) == 3


@pytest.mark.parametrize(
    ("url", "model", "key", "reason"),
    [
        ("", "m", "", "set PAGEMILL_VLM_URL"),
        ("http://host/v1", "", "", "set PAGEMILL_VLM_MODEL"),
        ("file:///etc/passwd", "m", "", "http or https"),
        ("host/v1", "m", "", "http or https"),
        ("http://", "m", "", "http or https"),
        ("http://me:word@host/v1", "m", "", "must not hold a password"),
        ("http://host/v1", "m", "two\nlines", "can't be sent"),
    ],
)
def test_what_is_missing_is_said_and_nothing_is_sent(url: str, model: str, key: str, reason: str) -> None:
    provider = VlmProvider(VlmConfig(url, model, key))
    assert reason in (provider.available() or "")
    if model:
        with pytest.raises(Refusal, match=reason):
            provider.read(PICTURE)


def test_a_provider_that_is_set_up_is_available_without_a_key() -> None:
    assert VlmProvider(VlmConfig("https://host/v1", "m")).available() is None


def test_the_key_is_not_shown() -> None:
    config = VlmConfig("http://host/v1", "m", KEY)
    provider = VlmProvider(config)
    assert KEY not in f"{config!r} {config.address()!r} {provider!r} {vars(provider)!r}"
