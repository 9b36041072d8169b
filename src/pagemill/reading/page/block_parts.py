"""The words, cells, boxes and names of blocks, whichever source they come from."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from pagemill.model.pages import Block, Box, Cell


def words_of(block: Block) -> Iterator[str]:
    """All texts that a block prints."""
    if block.marker:
        yield block.marker
    yield block.text
    for cell in block.cells:
        yield cell.text


def printed_words(blocks: Iterable[Block]) -> str:
    """All texts that blocks print, with a space between them."""
    return " ".join([words for block in blocks for words in words_of(block)])


def begins_left(block: Block) -> bool:
    """Whether the cells of a table are told from left to right, as on a page; those of an office file follow its text."""
    for row in block.all_rows:
        placed = [cell.box.x for cell in row if cell.box]
        if len(placed) > 1:
            return placed[0] < placed[-1]
    return False


def with_cells(block: Block, change: Callable[[Cell], Cell]) -> Block:
    """The block with its cells changed."""
    header, *rows = [tuple([change(cell) for cell in row]) for row in (block.header, *block.rows)]
    return replace(block, header=header, rows=tuple(rows))


def moved_block(block: Block, move: Callable[[Box], Box]) -> Block:
    """The block with its boxes moved, those of its cells too."""
    placed = replace(block, box=block.box and move(block.box))
    return with_cells(placed, lambda cell: replace(cell, box=cell.box and move(cell.box)))


def number_blocks(page: int, blocks: Iterable[Block]) -> tuple[Block, ...]:
    """Blocks that were made for a page, with their ids, counted on it."""
    numbered = tuple(blocks)
    for count, block in enumerate(numbered, 1):
        # Copying each block to set one field would cost as much as routing the page.
        object.__setattr__(block, "id", f"p{page}-b{count}")
    return numbered


def numbered_copies(page: int, blocks: Iterable[Block]) -> tuple[Block, ...]:
    """The same for blocks of which some may be of a page that stays as it is."""
    return number_blocks(page, map(replace, blocks))
