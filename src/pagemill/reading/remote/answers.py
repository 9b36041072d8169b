"""What a model wrote, checked and turned into an answer."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp, isfinite

from pagemill.model.pages import Block
from pagemill.reading.provider import Refusal
from pagemill.reading.remote.base import Answer, Picture
from pagemill.reading.remote.front_matter import Fronted, picture_box, without_front
from pagemill.reading.remote.grounding import grounded_blocks, is_grounded
from pagemill.reading.remote.loops import without_loop, without_repeats
from pagemill.reading.remote.markdown_blocks import blocks_of
from pagemill.reading.remote.markdown_source import unwrap_fence
from pagemill.reading.remote.prompts import PAGE_IS_BLANK

# Where a model does not say how sure it is; good ones read nine words of ten right on a hard page.
USUAL_CONFIDENCE = 0.9
# Half of a page or a page that is on its side is worth less than another provider's whole one.
CUT_SHARE = 0.5
LOOP_SHARE = 0.4
TURNED_SHARE = 0.5
# A loop that left next to nothing in front of it has read nothing.
FEWEST_CHARACTERS_LEFT = 40
# No page holds as much; a book of the tightest print has 10,000 characters on it.
LONGEST_TEXT = 400_000

CUT = "remote_answer_cut"
NO_TEXT = "no_text"
NOT_UPRIGHT = "page_not_upright"

_THOUGHTS = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_SPECIAL = re.compile(r"<[|｜](?!/?(?:ref|det|grounding)[|｜])[^|｜<>\n]{1,40}[|｜]>")


@dataclass(frozen=True, slots=True)
class ModelReply:
    """The text that a model wrote, whether it was stopped before its end, and how likely each token was to it."""

    text: str
    stopped: bool = False
    logprobs: Sequence[float] = ()


@dataclass(frozen=True, slots=True)
class Read:
    """What could be read of an answer; `share` is less than 1 where some of the page is missing."""

    blocks: Sequence[Block]
    share: float = 1.0
    turned: int = 0


def answer_of(reply: ModelReply, picture: Picture) -> Answer:
    """The answer that a model's words make; Refusal if they are of no use."""
    if len(reply.text) > LONGEST_TEXT:
        raise Refusal(f"the model wrote more than {LONGEST_TEXT:,} characters")
    text = _SPECIAL.sub("", _THOUGHTS.sub("", reply.text)).strip()
    if not text:
        raise Refusal("the model wrote nothing")
    read = read_in(text, picture)
    return judge_answer(
        replace(read, share=min(read.share, CUT_SHARE)) if reply.stopped else read,
        confidence_of(reply.logprobs),
    )


def read_in(text: str, picture: Picture) -> Read:
    """The blocks of a text in any of the forms that models write: tagged, fronted or plain Markdown."""
    once = without_loop(text)
    whole = unwrap_fence(once)
    fronted = without_front(whole) or Fronted(whole)
    found = _blocks(fronted.text, picture)
    if not found and fronted.text and PAGE_IS_BLANK not in whole:
        raise Refusal("the model wrote nothing that can be read")
    blocks = without_repeats(found)
    loops = len(blocks) < len(found) or len(once) < len(text)
    if loops and len(whole) < FEWEST_CHARACTERS_LEFT:
        raise Refusal("the model repeated itself and read nothing")
    return Read(blocks, LOOP_SHARE if loops else 1.0, fronted.turned)


def confidence_of(logprobs: Sequence[float]) -> float:
    """How sure a model is on average, from what its server says about each token."""
    sane = [min(logprob, 0.0) for logprob in logprobs if isfinite(logprob)]
    return sum(exp(logprob) for logprob in sane) / len(sane) if sane else USUAL_CONFIDENCE


def _blocks(text: str, picture: Picture) -> list[Block]:
    if is_grounded(text):
        return grounded_blocks(text, picture)
    return blocks_of(text, lambda name: picture_box(name, picture))


def judge_answer(read: Read, confidence: float) -> Answer:
    """The answer with its warnings; less sure where the page is cut or is on its side."""
    cut = (CUT,) if read.share < 1 else ()
    blank = () if read.blocks else (NO_TEXT,)
    lying = (NOT_UPRIGHT,) if read.turned else ()
    sure = round(confidence * read.share * (TURNED_SHARE if read.turned else 1.0), 3)
    blocks = tuple(replace(b, confidence=sure) if b.confidence is None else b for b in read.blocks)
    return Answer(blocks, sure, cut + blank + lying, read.turned)
