"""Drop caps: a large first letter that stands apart is put back before its word."""

import re
from collections.abc import Sequence
from dataclasses import replace

from pagemill.model.pages import Block, Kind
from pagemill.reading.structure.lines import Large
from pagemill.reading.structure.pieces import around, is_text, part_of, together

LEAST_RATIO = 1.7
# A letter and the quotation mark before it.
LONGEST_CAP = 2
_CAP = re.compile(r"[\"“‘'«„]?[^\W\d_]")
_WORD = re.compile(r"[\"“‘'«„]?[^\W\d_]{2,12}")
_TRAILING_CAP = re.compile(r"\s[A-Z]$")
# After a letter that is a word by itself, these can only be the rest of a longer one.
_REST_OF_WORD = re.compile(r"[b-df-hj-np-tv-xz](?:[b-df-hj-np-tv-xz]|\b)")
_ONSETS = re.compile(r"(?:b[lr]|c[hlr]|d[rw]|f[lr]|g[lnr]|k[nr]|p[hlrs]|s[chklmnpqtwr]|t[hrw]|w[hr])")
WORD_LETTERS = ("A", "I", "O")


def with_drop_caps(blocks: Sequence[Block], body_size: float, large: Sequence[Large]) -> list[Block]:
    """The blocks with each drop cap put before the text that it begins."""
    letters = [one for one in large if len(one.text) == 1 and one.text.isupper()]
    if letters:
        blocks = [_taken_out(block, letters) for block in blocks]
    result: list[Block] = []
    for block in blocks:
        cap = result[-1] if result else None
        if cap is None or block.kind is not Kind.PARAGRAPH or not _overlap(cap, block):
            result.append(block)
        elif _is_cap(cap, block, body_size):
            result[-1] = _before(cap.text, cap, block)
        elif _TRAILING_CAP.search(cap.text) and block.text[:1].islower():
            letter = cap.text[-1]
            result[-1] = _as_printed(part_of(cap, 0, len(cap.text) - 1, cap.box), large)
            result.append(_before(letter, cap, block))
        else:
            result.append(block)
    return result


def _as_printed(block: Block, large: Sequence[Large]) -> Block:
    """A heading that a drop cap was taken from, with its own box and size."""
    own = next((one for one in large if one.text == block.text), None)
    return replace(block, box=own.box, font_size=own.size) if own else block


def _taken_out(block: Block, letters: Sequence[Large]) -> Block:
    """A paragraph with the large letter that got between its lines put before them."""
    if block.kind is not Kind.PARAGRAPH or block.box is None or not block.text[:1].islower():
        return block
    for one in letters:
        letter, box = one.text, one.box
        inside = block.box.x - 1 <= box.x <= block.box.x + box.width and box.y < block.box.bottom
        alone = re.compile(rf"(?<=\s){letter}\s")
        if inside and box.bottom > block.box.y and (match := alone.search(block.text)):
            whole = together(
                part_of(block, 0, match.start(), block.box),
                part_of(block, match.end(), len(block.text), block.box),
            )
            return _before(letter, block, whole)
    return block


def _is_cap(cap: Block, block: Block, body_size: float) -> bool:
    size = cap.font_size or 0.0
    return (
        cap.kind in (Kind.PARAGRAPH, Kind.HEADING)
        and size >= LEAST_RATIO * max(block.font_size or 0.0, body_size, 1.0)
        and (_CAP.fullmatch(cap.text) is not None or _is_first_word(cap, block))
        and block.text[:1].isalpha()
    )


def _is_first_word(cap: Block, block: Block) -> bool:
    """Whether the large letter was read together with the rest of its word, but apart from the sentence."""
    return _WORD.fullmatch(cap.text) is not None and block.text[:1].islower()


def _before(letter: str, cap: Block, block: Block) -> Block:
    gap = "" if len(letter) <= LONGEST_CAP and _is_rest(letter[-1], block.text) else " "
    shift = len(letter) + len(gap)
    spans = tuple(replace(s, start=s.start + shift, end=s.end + shift) for s in block.spans)
    box = around(cap.box, block.box) if cap.text == letter else block.box
    return replace(block, text=f"{letter}{gap}{block.text}", spans=spans, box=box)


def _is_rest(letter: str, text: str) -> bool:
    """Whether a text goes on with the word that the letter begins."""
    if letter.upper() not in WORD_LETTERS:
        return True
    word = text.split(maxsplit=1)[0].lower()
    return _REST_OF_WORD.match(word) is not None and _ONSETS.match(word) is None


def _overlap(cap: Block, block: Block) -> bool:
    """Whether the letter stands beside the first lines of the text."""
    if cap.box is None or block.box is None or not is_text(cap):
        return False
    return cap.box.y < block.box.bottom and block.box.y < cap.box.bottom and cap.box.x < block.box.right
