"""Whether the text layer of a page is to stay: what it says is compared with what was recognised, word by word where both are."""

from collections import Counter
from collections.abc import Iterable, Sequence

from pagemill.model.pages import Line, Page
from pagemill.reading.clean import solid_length
from pagemill.reading.page.block_parts import printed_words, words_of
from pagemill.reading.page.geometry import is_near
from pagemill.reading.routing.route import HIDDEN_TEXT, PICTURE_PAGE, TEXT_LAYER_GARBAGE
from pagemill.reading.routing.words import is_garbled, is_neat

# Why pages are read as they are: it was asked for; recognising finds less than half of what the text layer has; where both
# have words, those of the layer read better; a layer that looked wrong was recognised as it is.
FORCED, LAYER_SAYS_MORE = "forced", "text_layer_says_more"
LAYER_READS_BETTER, LAYER_CONFIRMED = "text_layer_reads_better", "text_layer_confirmed"
# A layer of fewer characters proves nothing, and one with less than this share of the recognised ones has a part of the page.
LEAST_LAYER, WHOLE_SHARE = 40, 0.8
# A suspected layer is right if so many of its characters are in words that were recognised alike, and no more of its other
# words were recognised with characters that it lacks.
CONFIRMED_SHARE, MOST_COMPLETED, MOST_LOST = 0.9, 2, 3
# Words that differ are better in the layer if so many of their characters are in neat ones.
BETTER_SHARE = 0.5
# A layer with so many characters for those recognised is more than a stamp.
LAYER_SHARE = 0.5


def reason_to_keep(page: Page, lines: Sequence[Line]) -> str | None:
    """Why the text layer of a page stays; None if the page is as it was recognised."""
    if page.reason == FORCED or HIDDEN_TEXT in page.warnings:
        return None
    printed = printed_words(page.blocks)
    beside = [block for block in page.blocks if any(is_near(line.box, block.box) for line in lines)]
    near = _words(words for block in beside for words in words_of(block))
    seen = _words(line.text for line in lines)
    if TEXT_LAYER_GARBAGE in page.warnings:
        # The words of a page that is upside down are right, but not their order.
        return LAYER_CONFIRMED if is_garbled(printed) and _is_confirmed(near, seen) else None
    if solid_length(printed) < LEAST_LAYER:
        return None
    if _text_length(seen) < solid_length(printed) / 2:
        return LAYER_SAYS_MORE
    return LAYER_READS_BETTER if _reads_better(near, seen) else None


def stays_beside_recognised(page: Page, lines: Sequence[Line]) -> bool:
    """Whether the words that are printed over a picture of the whole page stay, and only what else was recognised is added.

    They are exact. Where all of them were recognised and are but a stamp on a scan, it is laid out best as a whole.
    """
    layer, seen = _printed_words(page), _words(line.text for line in lines)
    if page.reason != PICTURE_PAGE or not layer:
        return False
    return bool(layer - seen) or _text_length(layer) >= LAYER_SHARE * _text_length(seen)


def share_recognised(page: Page, lines: Sequence[Line]) -> float:
    """How much of the printed words of a page was recognised as it is: what is known tells how good the rest is."""
    layer = _printed_words(page)
    missed = layer - _words(line.text for line in lines)
    return 1 - _text_length(missed) / max(_text_length(layer), 1)


def _is_confirmed(layer: Counter[str], seen: Counter[str]) -> bool:
    """Whether nearly all words of the layer were recognised as they are."""
    characters, only_layer, only_seen = _text_length(layer), layer - seen, seen - layer
    if characters < max(LEAST_LAYER, WHOLE_SHARE * _text_length(seen)):
        return False
    alike = characters - _text_length(only_layer)
    return alike >= CONFIRMED_SHARE * characters and _count_completed(only_layer, only_seen) <= MOST_COMPLETED


def _reads_better(layer: Counter[str], seen: Counter[str]) -> bool:
    """Whether the layer has what was recognised, and more neat words where the two differ."""
    only_layer, only_seen = layer - seen, seen - layer
    if _text_length(layer) < WHOLE_SHARE * _text_length(seen) or not only_seen:
        return False
    neat = _text_length(_neat(only_layer))
    return neat > _text_length(_neat(only_seen)) and neat > BETTER_SHARE * _text_length(only_layer)


def _printed_words(page: Page) -> Counter[str]:
    return _words(words for block in page.blocks for words in words_of(block))


def _words(texts: Iterable[str]) -> Counter[str]:
    return Counter(word for text in texts for word in text.split())


def _text_length(words: Counter[str]) -> int:
    return sum(len(word) * count for word, count in words.items())


def _neat(words: Counter[str]) -> Counter[str]:
    return Counter({word: count for word, count in words.items() if is_neat(word)})


def _count_completed(layer: Counter[str], seen: Counter[str]) -> int:
    """How many words of the layer were recognised with further characters in them."""
    return sum(
        any(len(word) < len(other) <= len(word) + MOST_LOST and _is_part(word, other) for other in seen)
        for word in layer
        if len(word) > 2
    )


def _is_part(word: str, other: str) -> bool:
    """Whether all characters of a word are in another, in their order."""
    characters = iter(other)
    return all(character in characters for character in word)
