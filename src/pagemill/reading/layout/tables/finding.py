"""Finding the tables of a page."""

from collections.abc import Sequence

from pagemill.model.pages import Block, Box, Kind
from pagemill.reading.layout.tables.frame import Draft, Frame
from pagemill.reading.layout.tables.grids import grids_of
from pagemill.reading.layout.tables.growing import REACH_POINTS, grown, names_beside
from pagemill.reading.layout.tables.lines import joined_text, lines_of, strips_of
from pagemill.reading.layout.tables.loose import draft_of, free_tokens, is_marker, loose_drafts
from pagemill.reading.layout.tables.plain import plain_draft
from pagemill.reading.layout.tables.rows import INTO_SHARE, is_figure
from pagemill.reading.layout.tables.ruled import ruled_draft
from pagemill.reading.layout.tables.rules import Rule, Rules
from pagemill.reading.layout.tables.stacks import Stack, stacks_of
from pagemill.reading.layout.tables.word_index import WordIndex
from pagemill.reading.page.tokens import Token

# In a table at least this share of the cells has words; a chart's grid has few.
LEAST_FILLED = 0.3
LEAST_FILLED_PLAIN = 0.5
# Fewer rows without a rule may be chance.
FEWEST_ROWS = 4
# Frames that hold most words of a stack of rules are the tables.
WHOLE_SHARE = 0.8
# The lines of a chart go through its figures, those of a table don't.
MOST_STRUCK = 0.04
LABEL_POINTS = 12.0
# Where no cells are drawn, cells of this many words are paragraphs side by side.
MOST_WORDS = 30


def drafts_of(
    blocks: Sequence[Block],
    word_index: WordIndex,
    rules: Rules,
    prose: Sequence[Box] = (),
    fewest_rows: int = FEWEST_ROWS,
) -> list[Draft]:
    """The tables that the rules and words of a page make, none over another."""
    drafts: list[Draft] = []
    grids = grids_of(rules)
    stacks = (
        stacks_of(rules, strips_of(lines_of(word_index.tokens), INTO_SHARE)) if len(rules.across) > 1 else []
    )
    for stack in stacks:
        if not _are_whole(grids, stack, word_index):
            _keep(drafts, _stack_draft(stack, word_index))
    for grid in grids:
        draft = ruled_draft(grid, word_index)
        if draft and not _is_struck(list(draft.tokens), rules.across):
            _keep(drafts, draft)
    free = free_tokens(blocks, prose, _left(word_index, drafts))
    guessed = [block.box for block in blocks if block.kind is Kind.TABLE and block.box]
    for loose in loose_drafts(free, rules.across) if free else ():
        draft = _widen(loose, guessed, WordIndex(free), rules.across)
        _keep(drafts, draft if draft and is_firm(draft, fewest_rows) else None)
    return drafts


def _widen(draft: Draft, guessed: Sequence[Box], free: WordIndex, across: Sequence[Rule]) -> Draft | None:
    """The table with all that the engine saw in it, if that makes a table too."""
    own = {id(token) for token in draft.tokens}
    for box in guessed:
        inside = free.under(box, 1.0)
        if any(id(token) in own for token in inside) and any(id(token) not in own for token in inside):
            wider = draft_of(lines_of({id(t): t for t in (*inside, *draft.tokens)}.values()), across)
            if wider and wider.frame.columns >= draft.frame.columns and is_sound(wider):
                return wider
    return draft if is_sound(draft) else None


def is_sound(draft: Draft) -> bool:
    """Whether enough places of a table without drawn cells have words, and it is no prose."""
    return filled_share(draft) >= LEAST_FILLED_PLAIN and not is_prose(draft)


def _left(word_index: WordIndex, drafts: Sequence[Draft]) -> WordIndex:
    taken = {id(token) for draft in drafts for token in draft.tokens}
    return (
        WordIndex([token for token in word_index.tokens if id(token) not in taken]) if taken else word_index
    )


def _stack_draft(stack: Stack, word_index: WordIndex) -> Draft | None:
    inside = word_index.within(stack.left, stack.top, stack.right, stack.bottom)
    if not inside or _is_struck(inside, stack.rules):
        return None
    reach = (stack.bottom - stack.top) / 2 + REACH_POINTS
    around = word_index.within(stack.left, stack.top - reach, stack.right, stack.bottom + reach)
    rows = grown(inside, around)
    top, bottom = min(token.top for token in rows), max(token.bottom for token in rows)
    names = names_beside(rows, word_index.within(0.0, top, stack.left, bottom))
    draft = plain_draft([*names, *rows], stack.rules)
    return draft if draft and is_sound(draft) else None


def is_prose(draft: Draft) -> bool:
    """Whether what looks like columns is text side by side, or a list behind its markers."""
    words = [len(slot.tokens) for slot in draft.slots if slot.tokens]
    first = [slot for slot in draft.slots if slot.column == 0 and slot.tokens]
    marked = [slot for slot in first if all(is_marker(token.text) for token in slot.tokens)]
    return sum(count for count in words if count > MOST_WORDS) * 2 > sum(words) or len(marked) * 2 > len(
        first
    )


def _are_whole(frames: Sequence[Frame], stack: Stack, word_index: WordIndex) -> bool:
    """Whether drawn frames hold nearly all words of a stack of rules."""
    inside = word_index.within(stack.left, stack.top, stack.right, stack.bottom)
    held = [
        token
        for frame in frames
        if frame.columns > 1
        for token in word_index.within(
            max(frame.xs[0], stack.left),
            max(frame.ys[0], stack.top),
            min(frame.xs[-1], stack.right),
            min(frame.ys[-1], stack.bottom),
        )
    ]
    return len(held) >= WHOLE_SHARE * len(inside)


def _is_struck(tokens: Sequence[Token], rules: Sequence[Rule]) -> bool:
    """Whether rules go through the middle of words."""
    struck = sum(
        any(
            token.top * 0.7 + token.bottom * 0.3 < rule.at < token.top * 0.3 + token.bottom * 0.7
            and rule.start < token.right + LABEL_POINTS
            and rule.end > token.left
            for rule in rules
        )
        for token in tokens
    )
    return struck > MOST_STRUCK * len(tokens)


def _keep(drafts: list[Draft], draft: Draft | None) -> None:
    if draft and is_table(draft) and not _overlaps(drafts, list(draft.tokens)):
        drafts.append(draft)


def _overlaps(drafts: Sequence[Draft], tokens: Sequence[Token]) -> bool:
    mine = {id(token) for token in tokens}
    return any(id(token) in mine for draft in drafts for token in draft.tokens)


def is_table(draft: Draft) -> bool:
    """Whether enough cells have words, in at least two rows and two columns."""
    full = [slot for slot in draft.slots if slot.tokens]
    rows, columns = {slot.row for slot in full}, {slot.column for slot in full}
    return len(rows) > 1 and len(columns) > 1 and len(full) > 3 and filled_share(draft) >= LEAST_FILLED


def is_firm(draft: Draft, fewest_rows: int = FEWEST_ROWS) -> bool:
    """Whether there are enough rows to tell columns from chance: fewer where figures are in a column."""
    rows = {slot.row for slot in draft.slots if slot.tokens}
    return len(rows) >= fewest_rows or (len(rows) == fewest_rows - 1 and _has_figures(draft, min(rows)))


def _has_figures(draft: Draft, head: int) -> bool:
    figures: dict[int, list[bool]] = {}
    for slot in draft.slots:
        if slot.tokens and slot.row > head and slot.column:
            figures.setdefault(slot.column, []).append(is_figure(joined_text(slot.tokens)))
    return any(all(found) for found in figures.values())


def filled_share(draft: Draft) -> float:
    """The share of a table's places that have words."""
    full = [slot for slot in draft.slots if slot.tokens]
    rows, columns = {slot.row for slot in full}, {slot.column for slot in full}
    places = sum((s.last_row - s.row + 1) * (s.last_column - s.column + 1) for s in full)
    return places / max(len(rows) * len(columns), 1)
