"""Putting tables among the blocks of a page: what they hold is taken out of the blocks that had it."""

from collections import Counter
from collections.abc import Iterable, Sequence, Set
from dataclasses import replace
from operator import itemgetter

from pagemill.model.pages import Block, Box, Kind
from pagemill.reading.sheet import Token
from pagemill.reading.tables.frame import Draft, table_block, tokens_box
from pagemill.reading.tables.lines import line_text, lines_of
from pagemill.reading.tables.word_index import SLACK_POINTS, WordIndex

TEXT_KINDS = (Kind.PARAGRAPH, Kind.HEADING, Kind.LIST_ITEM, Kind.CAPTION, Kind.FOOTNOTE)


def with_tables(blocks: Sequence[Block], drafts: Sequence[Draft], word_index: WordIndex) -> list[Block]:
    """The blocks with the tables in the place of what they were made of."""
    result: list[Block] = list(blocks)
    for draft in drafts:
        result = _with_table(result, draft, word_index)
    return result


def _with_table(blocks: Sequence[Block], draft: Draft, word_index: WordIndex) -> list[Block]:
    taken = {id(token) for token in draft.tokens}
    table = table_block(draft)
    result: list[Block] = []
    place: int | None = None
    texts = texts_of(blocks)
    for block in blocks:
        rest = _rest(block, draft.frame.box, taken, word_index, texts)
        if len(rest) != 1 or rest[0] is not block:
            place = len(result) if place is None else place
        result += rest
    result.insert(_place(blocks, table) if place is None else place, table)
    return result


def _place(blocks: Sequence[Block], table: Block) -> int:
    """Above the first block that is below the table."""
    bottom = table.box.bottom if table.box else 0.0
    below = (at for at, block in enumerate(blocks) if block.box and block.box.y >= bottom - SLACK_POINTS)
    return next(below, len(blocks))


def _rest(
    block: Block, frame: Box, taken: set[int], word_index: WordIndex, texts: Sequence[Box]
) -> list[Block]:
    """What is left of a block: itself, nothing, or the words that the table does not hold."""
    if block.box is None or not _meet(box := whole_box(block, block.box), frame):
        return [block]
    if block.kind is Kind.RULE:
        return [] if _middle_in(block.box, frame) else [block]
    if block.kind is Kind.FIGURE:
        return [block]
    inside = word_index.under(box)
    if not any(id(token) in taken for token in inside):
        return [block]
    kept = [token for token in inside if id(token) not in taken]
    if block.kind is Kind.TABLE:
        return paragraphs_of(own_words(block, kept, texts))
    left = without_words(
        block.text,
        [token.text for token in inside if id(token) in taken],
        [token.text for token in kept],
        {token.text for token in word_index.tokens if id(token) not in taken},
    )
    if left == block.text:
        return [block]
    return [replace(block, text=left, spans=(), box=tokens_box(kept) if kept else block.box)] if left else []


def holds_any(block: Block, taken: Set[int], word_index: WordIndex) -> bool:
    """Whether words that other tables have taken, by their ids, are in the box of a table."""
    inside = word_index.under(whole_box(block, block.box)) if block.box else ()
    return any(id(token) in taken for token in inside)


def whole_box(block: Block, box: Box) -> Box:
    """The box of a block with all of its cells: the engine's own may leave some out."""
    boxes = [box, *[cell.box for row in (block.header, *block.rows) for cell in row if cell.box]]
    left, top = min(one.x for one in boxes), min(one.y for one in boxes)
    return Box(left, top, max(one.right for one in boxes) - left, max(one.bottom for one in boxes) - top)


def texts_of(blocks: Sequence[Block]) -> list[Box]:
    """Where the text of a page is."""
    return [block.box for block in blocks if block.box and block.kind in TEXT_KINDS]


def own_words(block: Block, tokens: Sequence[Token], texts: Sequence[Box]) -> list[Token]:
    """Those of the words that a table of the engine holds itself: another block may reach into its box.

    Of words that are spelt alike, those that are in a text are the last to be the table's.
    """
    text = " ".join(cell.text for row in (block.header, *block.rows) for cell in row)
    spelt, glued = Counter(text.split()), "".join(text.split())
    own: set[int] = set()
    for amid, token in sorted([(is_amid(token, texts), token) for token in tokens], key=itemgetter(0)):
        if spelt[token.text] > 0 or (not amid and token.text not in spelt and token.text in glued):
            own.add(id(token))
        spelt[token.text] -= token.text in spelt
    return [token for token in tokens if id(token) in own]


def is_amid(token: Token, texts: Sequence[Box]) -> bool:
    """Whether the middle of a word is in one of the boxes."""
    x, y = (token.left + token.right) / 2, (token.top + token.bottom) / 2
    return any(box.x <= x <= box.right and box.y <= y <= box.bottom for box in texts)


def paragraphs_of(tokens: Sequence[Token]) -> list[Block]:
    """A paragraph for each line of words that a table left over."""
    return [
        Block("", Kind.PARAGRAPH, tokens_box(line.tokens), line_text(line.tokens))
        for line in lines_of(tokens)
    ]


def without_words(text: str, taken: Iterable[str], kept: Iterable[str], others: Set[str]) -> str:
    """The text without the words that were taken; where a word is both, it goes the way of the word before.

    A word that is printed nowhere as such was put together of several; it goes if those that were taken make it.
    """
    gone, stays = Counter(taken), Counter(kept)
    glued = "".join(gone.elements())
    left: list[str] = []
    going = True
    for word in text.split():
        if gone[word] and not (stays[word] and not going):
            going = True
            gone[word] -= 1
        elif stays[word]:
            going = False
            stays[word] -= 1
        else:
            going = word in glued and word not in others
        if not going:
            left.append(word)
    return " ".join(left)


def _meet(one: Box, other: Box) -> bool:
    return (
        one.x < other.right + SLACK_POINTS
        and other.x < one.right + SLACK_POINTS
        and one.y < other.bottom + SLACK_POINTS
        and other.y < one.bottom + SLACK_POINTS
    )


def _middle_in(inner: Box, outer: Box) -> bool:
    x, y = inner.x + inner.width / 2, inner.y + inner.height / 2
    return outer.x - 6 <= x <= outer.right + 6 and outer.y - 12 <= y <= outer.bottom + 12
