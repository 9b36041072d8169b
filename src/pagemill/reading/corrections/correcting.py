"""Correcting: a document that was read, with what a person changed of it, written again in all its formats."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import reduce
from itertools import takewhile
from pathlib import Path

from pagemill.errors import CorrectionInvalid
from pagemill.model.artifacts import MadeFile, MakeAnswer
from pagemill.model.corrections import KEEP, TEXT_KINDS, BlockChange, CorrectionRequest, FactChange
from pagemill.model.pages import Block, Box, Cell, CorrectedFact, Kind, Line, Page, Span
from pagemill.model.work import PageFailure
from pagemill.reading.corrections.corrected_facts import check_value
from pagemill.reading.page.geometry import is_inside
from pagemill.reading.stored_document import StoredDocument
from pagemill.reading.writers import Ending, opened_writers

LARGEST_LEVEL = 6
# The box of a line is drawn around its characters with some room.
HARDLY_WIDER = 1.1


def correct_document(request: CorrectionRequest) -> MakeAnswer:
    """Write the files of a document with its corrections."""
    document = StoredDocument(request.document_json, request.index)
    blocks = [BlockChange.from_row(row) for row in request.blocks]
    facts = [FactChange(**row) for row in request.facts]
    document_facts = document.facts()
    title = corrected_title(document, document_facts.title, blocks)
    writers = opened_writers(request.formats, Path(request.scratch), replace(document_facts, title=title))
    for page in corrected_pages(document.pages(), blocks, facts):
        for writer in writers:
            writer.page(page)
    ending = Ending([PageFailure(**row) for row in request.failed], request.warnings)
    made = {name: file for writer in writers for name, file in writer.close(ending).items()}
    return MakeAnswer(tuple(MadeFile(name, file.size_bytes, file.sha256) for name, file in made.items()))


def corrected_title(
    document: StoredDocument, title: str | None, changes: Sequence[BlockChange]
) -> str | None:
    """The title of the document, which changes with the heading that it was taken from."""
    for change in changes:
        if title and change.text and (page := document.page(change.page)):
            found = next((block for block in page.blocks if block.id == change.block), None)
            if found is not None and found.text == title:
                return change.text
    return title


def corrected_pages(
    pages: Iterator[Page], blocks: Sequence[BlockChange], facts: Sequence[FactChange]
) -> Iterator[Page]:
    """The pages with their changes; CorrectionInvalid if a change is for a page that is not there."""
    of_page: dict[int, list[BlockChange]] = defaultdict(list)
    for change in blocks:
        of_page[change.page].append(change)
    facts_of_page: dict[int, list[FactChange]] = defaultdict(list)
    for fact in facts:
        facts_of_page[fact.page].append(fact)
    for page in pages:
        changes = of_page.pop(page.number, ())
        changed = reduce(corrected_page, changes, with_boxes(page, changes))
        yield with_facts(changed, facts_of_page.pop(page.number, ()))
    for number in (*of_page, *facts_of_page):
        raise CorrectionInvalid(f"The document has no page {number} that was read.")


def with_boxes(page: Page, changes: Sequence[BlockChange]) -> Page:
    """The page with the boxes of blocks whose words are changed or removed."""
    new = {one.block for one in changes if one.text is not None or one.remove}
    boxes = [block.box for block in page.blocks if block.id in new and block.box is not None]
    return replace(page, corrected_boxes=tuple(dict.fromkeys((*page.corrected_boxes, *boxes))))


def with_facts(page: Page, facts: Sequence[FactChange]) -> Page:
    """The page with what is said of its facts; the last word on one counts."""
    known = {(one.type, one.text, one.block): one for one in page.corrected_facts}
    for fact in facts:
        if fact.block is not None:
            find_block(page, fact.block)
        correction = CorrectedFact(fact.type, fact.text, corrected_value(fact), fact.block, fact.remove)
        known[fact.type, fact.text, fact.block] = correction
    return replace(page, corrected_facts=tuple(known.values())) if facts else page


def corrected_value(fact: FactChange) -> str | None:
    """The right value of a fact, normalised; CorrectionInvalid if it can have no such value."""
    if fact.value is None:
        return None
    try:
        return check_value(fact.type, fact.value)[0]
    except ValueError as error:
        raise CorrectionInvalid(f"The value of {fact.type} can't be corrected: {error}.") from None


def find_block(page: Page, name: str) -> int:
    """The place of a block on its page; CorrectionInvalid if it is not there."""
    for place, block in enumerate(page.blocks):
        if block.id == name:
            return place
    raise CorrectionInvalid(f"The document has no block {name}.")


def corrected_page(page: Page, change: BlockChange) -> Page:
    """The page with one block changed."""
    place = find_block(page, change.block)
    block, others = page.blocks[place], [*page.blocks[:place], *page.blocks[place + 1 :]]
    if change.remove:
        own = places_of_lines(page, block)
        kept = tuple(line for number, line in enumerate(page.lines) if number not in own)
        return replace(page, blocks=tuple(others), lines=kept)
    changed = corrected_block(block, change)
    lines = tuple(line for line in corrected_lines(page, block, changed) if line.text)
    if change.after == KEEP:
        others.insert(place, changed)
    elif change.after is None:
        others.insert(0, changed)
    else:
        others.insert(place_behind(others, change) + 1, changed)
    return replace(page, blocks=tuple(others), lines=lines)


def place_behind(others: Sequence[Block], change: BlockChange) -> int:
    """The place of the block that another goes behind; CorrectionInvalid if that is none of the others of its page."""
    for place, block in enumerate(others):
        if block.id == change.after:
            return place
    raise CorrectionInvalid(
        f"{change.block} can't be put behind {change.after}, which is no other block of its page."
    )


def corrected_block(block: Block, change: BlockChange) -> Block:
    """The block with its new text, cells and kind; a person has looked at it, so it is sure."""
    if change.cells:
        block = with_cells(block, change)
    if change.kind is not None and change.kind != block.kind.value:
        block = with_kind(block, change.kind)
    if change.text is not None:
        if block.kind is Kind.TABLE:
            raise CorrectionInvalid(f"{block.id} is a table: correct its cells.")
        block = replace(block, text=change.text, spans=moved_spans(block, change.text))
    if change.level is not None:
        block = with_level(block, change.level)
    return replace(block, confidence=None if block.confidence is None else 1.0)


def with_level(block: Block, level: int) -> Block:
    """The block with another rank of its heading, or depth in its list."""
    lowest = {Kind.HEADING: 1, Kind.LIST_ITEM: 0}.get(block.kind)
    if lowest is None or not lowest <= level <= LARGEST_LEVEL:
        raise CorrectionInvalid(
            f"The level of {block.id} can't be {level}: headings have 1 to 6, list items 0 to 6."
        )
    return replace(block, level=level)


def with_kind(block: Block, kind: str) -> Block:
    """The block as another kind of text; of a table the words are kept, row by row."""
    if kind not in TEXT_KINDS:
        raise CorrectionInvalid(f"{block.id} can't be made a {kind}, only {', '.join(TEXT_KINDS)}.")
    text = block.text
    if block.kind is Kind.TABLE:
        text = "\n".join(" ".join(cell.text for cell in row if cell.text) for row in block.all_rows)
    level = {Kind.HEADING.value: 2, Kind.LIST_ITEM.value: 0}.get(kind)
    return replace(
        block,
        kind=Kind(kind),
        text=text,
        level=level,
        header=(),
        rows=(),
        ordered=False,
        marker=None,
        role=None,
    )


def with_cells(block: Block, change: BlockChange) -> Block:
    """The table with new texts of cells."""
    if block.kind is not Kind.TABLE:
        raise CorrectionInvalid(f"{block.id} is no table: correct its text.")
    rows = [list(row) for row in block.all_rows]
    for cell in change.cells:
        if not (0 <= cell.row < len(rows) and 0 <= cell.column < len(rows[cell.row])):
            raise CorrectionInvalid(f"{block.id} has no cell in row {cell.row}, column {cell.column}.")
        former: Cell = rows[cell.row][cell.column]
        rows[cell.row][cell.column] = replace(former, text=cell.text, value=None, value_type=None)
    made = tuple(map(tuple, rows))
    return replace(block, header=made[0], rows=made[1:]) if block.header else replace(block, rows=made)


def moved_spans(block: Block, text: str) -> tuple[Span, ...]:
    """The emphasis and links of what did not change: before and after the part that did."""
    before = common_length(block.text, text)
    after = common_length(block.text[before:][::-1], text[before:][::-1])
    by = len(text) - len(block.text)
    kept = []
    for span in block.spans:
        if span.end <= before:
            kept.append(span)
        elif span.start >= len(block.text) - after:
            kept.append(span.behind(by))
    return tuple(kept)


def common_length(one: str, other: str) -> int:
    """How many characters two texts have in common at their beginning."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def corrected_lines(page: Page, before: Block, after: Block) -> tuple[Line, ...]:
    """The recognised lines of a page with the new words of a block."""
    own = places_of_lines(page, before)
    if after.kind is Kind.TABLE:
        return lines_with_cells(page.lines, own, before, after)
    return page.lines if before.text == after.text else lines_with_words(page.lines, own, after.text)


def places_of_lines(page: Page, block: Block) -> list[int]:
    """The places of the lines of a block: those that are in no smaller block."""
    boxes = [one.box for one in page.blocks if one.box is not None]
    return [
        place
        for place, line in enumerate(page.lines)
        if block.box is not None
        and is_inside(line.box, block.box)
        and min(area(box) for box in boxes if is_inside(line.box, box)) >= area(block.box)
    ]


def lines_with_words(lines: tuple[Line, ...], own: Sequence[int], text: str) -> tuple[Line, ...]:
    """The lines, of which some have new words: as many on each as it had, the rest on the last."""
    words, changed = text.split(), list(lines)
    for number, place in enumerate(own):
        count = len(words) if number == len(own) - 1 else len(lines[place].text.split())
        changed[place] = replace(lines[place], text=" ".join(words[:count]), confidence=1.0)
        words = words[count:]
    return tuple(changed)


def lines_with_cells(
    lines: tuple[Line, ...], own: Sequence[int], before: Block, after: Block
) -> tuple[Line, ...]:
    """The lines of a table with the new words of its cells."""
    for former, cell in zip(before.cells, after.cells, strict=True):
        if former.text != cell.text:
            lines = lines_with_cell(lines, own, former, cell.text)
    return lines


def lines_with_cell(lines: tuple[Line, ...], own: Sequence[int], former: Cell, text: str) -> tuple[Line, ...]:
    """The lines with the new words of a cell: its own lines have them, or a line of its row has them instead of the old."""
    box = former.box
    narrow = [place for place in own if box is not None and is_within(lines[place].box, box)]
    if narrow:
        return lines_with_words(lines, narrow, text)
    old = re.compile(rf"(?<!\w){re.escape(former.text)}(?!\w)")
    for place in own if former.text else ():
        line = lines[place]
        if (box is None or is_beside(line.box, box)) and (found := list(old.finditer(line.text))):
            nearest = min(found, key=lambda one: distance_to(one, line, box))
            correction = f"{line.text[: nearest.start()]}{text}{line.text[nearest.end() :]}".strip()
            return (*lines[:place], replace(line, text=correction, confidence=1.0), *lines[place + 1 :])
    return lines


def distance_to(found: re.Match[str], line: Line, box: Box | None) -> float:
    """How far some words of a line are from a box, if all its characters are equally wide."""
    if box is None:
        return found.start()
    middle = line.box.x + line.box.width * (found.start() + found.end()) / 2 / len(line.text)
    return abs(middle - (box.x + box.right) / 2)


def area(box: Box) -> float:
    """How much of the page a box takes."""
    return box.width * box.height


def is_within(inner: Box, outer: Box) -> bool:
    """Whether a box is inside another and hardly wider than it."""
    return is_inside(inner, outer) and inner.width <= outer.width * HARDLY_WIDER


def is_beside(inner: Box, outer: Box) -> bool:
    """Whether the middle of a box is at the height of another."""
    return outer.y <= inner.y + inner.height / 2 <= outer.bottom
