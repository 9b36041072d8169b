"""Mistral OCR, and servers that speak its protocol."""

from contextlib import closing
from typing import Any

import pytest

from pagemill.model.pages import Kind
from pagemill.reading.provider import Refusal
from pagemill.reading.remote.mistral import MistralConfig, MistralProvider
from tests.reading.remote_made import PICTURE, mistral, texts
from tests.reading.remote_server import KEY, Behaviour, say

MARKDOWN = "# Water mill\n\n![img-0.jpeg](img-0.jpeg)\n\n[tbl-0.html](tbl-0.html)"
TABLE = {"id": "tbl-0.html", "format": "html", "content": "<table><tr><td>1742</td></tr></table>"}


def corners(left: int, top: int, right: int, bottom: int) -> dict[str, int]:
    """A rectangle in pixels of the server's picture."""
    return {"top_left_x": left, "top_left_y": top, "bottom_right_x": right, "bottom_right_y": bottom}


def block(kind: str, content: str, **more: Any) -> dict[str, Any]:
    """A block of the answer, in the upper half."""
    return {"type": kind, "content": content, **corners(0, 0, 1800, 300), **more}


def test_a_page_comes_back_as_blocks(url: str) -> None:
    with closing(mistral(url)) as provider:
        answer = provider.read(PICTURE)
    assert texts(answer.blocks) == [("heading", "A page"), ("paragraph", "With some words.")]
    assert (answer.confidence, answer.warnings) == (0.9, ())


def test_pictures_and_tables_stand_where_the_markdown_points_to_them(url: str, behaviour: Behaviour) -> None:
    image = {"id": "img-0.jpeg", "image_base64": None, **corners(900, 300, 1800, 600)}
    behaviour.page = {"markdown": MARKDOWN, "images": [image], "tables": [TABLE]}
    with closing(mistral(url)) as provider:
        heading, figure, table = provider.read(PICTURE).blocks
    assert [heading.kind, figure.kind, table.kind] == [Kind.HEADING, Kind.FIGURE, Kind.TABLE]
    assert figure.text == ""
    assert figure.box
    assert (figure.box.x, figure.box.bottom) == pytest.approx((PICTURE.width / 2, PICTURE.height), abs=0.02)
    assert table.rows[0][0].text == "1742"


def test_blocks_with_boxes_are_taken_where_the_server_knows_them(url: str, behaviour: Behaviour) -> None:
    scores = {"average_content_confidence_score": 0.62, "minimum_content_confidence_score": None}
    behaviour.page = {
        "markdown": "Water mill\n\nBuilt in 1742\n\nFig. 1",
        "blocks": [
            block("title", "Water mill"),
            block("text", "Built in 1742", confidence_scores=scores),
            block("caption", "Fig. 1"),
            block("table", "", table_id="tbl-0.html"),
        ],
        "tables": [TABLE],
        "confidence_scores": {"average_page_confidence_score": 0.97},
    }
    with closing(mistral(url)) as provider:
        answer = provider.read(PICTURE)
    kinds = [found.kind for found in answer.blocks]
    assert kinds == [Kind.HEADING, Kind.PARAGRAPH, Kind.CAPTION, Kind.TABLE]
    assert [found.confidence for found in answer.blocks] == [0.97, 0.62, 0.97, 0.97]
    assert answer.confidence == 0.97
    box = answer.blocks[0].box
    assert box
    assert (box.width, box.height) == pytest.approx((PICTURE.width, PICTURE.height / 2), abs=0.02)


def test_blocks_that_leave_words_out_are_not_taken(url: str, behaviour: Behaviour) -> None:
    behaviour.page = {
        "markdown": "One paragraph.\n\nAnother one.",
        "blocks": [block("text", "One paragraph.")],
    }
    with closing(mistral(url)) as provider:
        assert len(provider.read(PICTURE).blocks) == 2


def test_a_server_without_blocks_is_asked_plainly_from_then_on(url: str, behaviour: Behaviour) -> None:
    behaviour.knows_extras = False
    with closing(mistral(url)) as provider:
        assert provider.read(PICTURE) == provider.read(PICTURE)
    assert [sorted(asked) for asked in behaviour.requests] == [
        ["document", "include_image_base64", "model"]
    ] * 2


def test_a_page_without_words_says_so(url: str, behaviour: Behaviour) -> None:
    behaviour.page = {"markdown": ""}
    with closing(mistral(url)) as provider:
        assert provider.read(PICTURE).warnings == ("no_text",)


def test_a_page_that_runs_in_circles_is_cut(url: str, behaviour: Behaviour) -> None:
    behaviour.page = {"markdown": "# Water mill\n\n" + "And so it went on and on.\n\n" * 200}
    with closing(mistral(url)) as provider:
        answer = provider.read(PICTURE)
    assert len(answer.blocks) == 2
    assert answer.warnings == ("remote_answer_cut",)


@pytest.mark.parametrize(
    "body", [b"{}", b'{"pages": []}', b'{"pages": [{"index": 0}]}', b'{"pages": "none"}']
)
def test_an_answer_of_another_shape_is_refused(url: str, behaviour: Behaviour, body: bytes) -> None:
    behaviour.deeds = [say(body)]
    with closing(mistral(url)) as provider, pytest.raises(Refusal, match="answer"):
        provider.read(PICTURE)


def test_a_key_is_needed_and_not_shown() -> None:
    assert MistralProvider(MistralConfig()).available() == "set PAGEMILL_MISTRAL_KEY"
    provider = MistralProvider(MistralConfig(KEY))
    assert provider.available() is None
    assert KEY not in f"{MistralConfig(KEY)!r} {vars(provider)!r}"
    assert MistralProvider(MistralConfig(KEY, model="")).available() == "set PAGEMILL_MISTRAL_MODEL"
