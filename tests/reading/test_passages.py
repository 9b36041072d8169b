"""Passages for retrieval: nothing lost, nothing doubled, budgets held, and every one knows its pages and boxes."""

import string
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from random import Random

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagemill.model.pages import Block, Box, Cell, Kind, Page, Part
from pagemill.model.passages import CUTS, Passage, PassageOptions
from pagemill.reading.passages import Packer
from pagemill.reading.passages.sentences import sentence_spans
from pagemill.reading.passages.tokens import KNOWN_WORDS, TOKEN, WordTokens, count_tokens
from pagemill.reading.writers.base import Ending, Facts
from pagemill.reading.writers.chunks import ChunksWriter
from pagemill.reading.writers.text import BodyText
from tests.reading.made import heading, list_item, page, paragraph, rows, table

CHARACTERS = string.ascii_letters + string.digits + "éßжשא中文日本ไทยम ..!?。, -\n" + " " * 12


def drawn_text(draw: Random) -> str:
    """Words, sentences and none, in several scripts."""
    return "".join(draw.choices(CHARACTERS, k=draw.choice((3, 30, 300)))).strip() or "x"


def drawn_block(draw: Random, page_number: int, name: str) -> Block:
    """A heading, a paragraph that may go on, an item of a list or a table."""
    kind = draw.choice("hpplt")
    if kind == "h":
        return heading(name, drawn_text(draw)[:40], 14, level=draw.randint(1, 3))
    if kind == "p":
        parts = (Part(page_number + 1, Box(1, 1, 9, 9)),) if draw.random() < 0.3 else ()
        return paragraph(name, drawn_text(draw), top=draw.random() * 700, parts=parts)
    if kind == "l":
        return list_item(name, drawn_text(draw))
    lines = [("a b", drawn_text(draw)) for _ in range(draw.randint(1, 6))]
    return table(name, rows(*lines), header=("Kind", "Sum"))


def document(seed: int) -> list[Page]:
    """Up to three pages with up to six blocks each."""
    draw = Random(seed)
    return [
        page(
            number,
            *(drawn_block(draw, number, f"p{number}-b{place + 1}") for place in range(draw.randint(0, 6))),
        )
        for number in range(1, draw.randint(1, 3) + 1)
    ]


DOCUMENTS = st.builds(document, st.integers(0, 2**32))
OPTIONS = st.builds(
    lambda by, size, share: PassageOptions(by, size, size * share // 8),
    st.sampled_from(CUTS),
    st.integers(32, 120),
    st.integers(0, 4),
)


def passages(pages: list[Page], options: PassageOptions) -> list[Passage]:
    """The passages of a document."""
    packer = Packer(options)
    return [one for page in pages for one in packer.add(page)] + list(packer.finish())


def body(pages: list[Page]) -> str:
    """The plain text of a document."""
    text = BodyText()
    return "".join(part.separator + part.text for page in pages for part in text.parts(page))


@settings(max_examples=25, deadline=None)
@given(DOCUMENTS)
def test_the_text_of_a_page_is_the_same_for_each_writer_that_asks_for_it(pages: list[Page]) -> None:
    shared = BodyText()
    twice = [(shared.parts(page), shared.parts(page)) for page in pages]
    assert all(first == second for first, second in twice)
    assert "".join(part.separator + part.text for first, _ in twice for part in first) == body(pages)


def check_coverage(text: str, found: Iterable[Passage]) -> None:
    """Every character of a text is in exactly one of the passages, but for overlaps and for white space."""
    position = 0
    for one in found:
        assert text[one.start : one.end] == one.text[len(one.text) - (one.end - one.start) :]
        own = one.start + one.overlap
        assert own <= one.end
        assert not text[position : max(own, position)].strip()
        assert one.overlap or one.start >= position
        position = one.end
    assert not text[position:].strip()


@settings(max_examples=100, deadline=None)
@given(DOCUMENTS, OPTIONS)
def test_every_character_is_in_one_passage(pages: list[Page], options: PassageOptions) -> None:
    check_coverage(body(pages), passages(pages, options))


@settings(max_examples=100, deadline=None)
@given(DOCUMENTS, OPTIONS)
def test_a_passage_keeps_within_its_budget(pages: list[Page], options: PassageOptions) -> None:
    for one in passages(pages, options):
        rows_of_tables = {line for line in one.text.splitlines() if "\t" in line}
        assert one.tokens == count_tokens(one.text) + sum(map(count_tokens, one.headings))
        # A row of a table is never split, however long it is.
        assert one.tokens <= options.size or rows_of_tables


@settings(max_examples=100, deadline=None)
@given(DOCUMENTS, OPTIONS)
def test_a_passage_knows_its_pages_and_boxes(pages: list[Page], options: PassageOptions) -> None:
    blocks = {block.id: (page.number, block) for page in pages for block in page.blocks}
    for one in passages(pages, options):
        assert one.pages
        for place in one.places:
            assert place.block is not None
            number, block = blocks[place.block]
            printed = [(number, block.box), *((part.page, part.box) for part in block.parts)]
            assert (place.page, place.box) in printed
            # What is read at that place of the passage is in the block.
            words = one.text[place.start :].split()
            assert (
                words[0]
                in f"- {block.text} {' '.join(cell.text for row in (block.header, *block.rows) for cell in row)}"
            )


@settings(max_examples=60, deadline=None)
@given(DOCUMENTS)
def test_sentences_cover_a_text_in_order(pages: list[Page]) -> None:
    text = body(pages)
    spans = list(sentence_spans(text))
    assert "".join(text[start:end] for start, end in spans) == text


@given(st.text(st.characters() | st.sampled_from(CHARACTERS)))
def test_tokens_are_counted_word_by_word_as_in_the_whole_text(text: str) -> None:
    assert count_tokens(text) == len(TOKEN.findall(text))


def test_words_that_were_counted_are_not_kept_without_end() -> None:
    known = WordTokens()
    assert known["a" * 700] == 100
    assert not known
    for number in range(KNOWN_WORDS + 1):
        assert known[f"{number}"] == (len(f"{number}") + 2) // 3
    assert 0 < len(known) <= KNOWN_WORDS


def test_passages_begin_at_headings_and_know_those_above() -> None:
    long = "One sentence of some words. " * 12
    pages = [
        page(
            1,
            heading("p1-b1", "Mills", 18),
            heading("p1-b2", "Water", 14, level=2),
            paragraph("p1-b3", long.strip()),
            heading("p1-b4", "Wind", 14, level=2),
            paragraph("p1-b5", "It turns sails."),
        )
    ]
    first, second = passages(pages, PassageOptions(size=120))
    assert first.text.startswith("Mills\n\nWater\n\nOne sentence")
    assert first.headings == ()
    assert (second.text, second.headings) == ("Wind\n\nIt turns sails.", ("Mills",))
    assert second.embed_text == "Mills\n\nWind\n\nIt turns sails."


def test_a_table_that_goes_on_repeats_its_header() -> None:
    lines = [(f"Name {number}", f"{number} tons of grain") for number in range(20)]
    found = passages(
        [page(1, table("p1-b1", rows(*lines), header=("Who", "How much")))], PassageOptions(size=40)
    )
    assert len(found) > 2
    assert all(one.text.startswith("Who\tHow much\n") for one in found)
    assert [line for one in found for line in one.text.splitlines()[1:]] == [
        "\t".join(line) for line in lines
    ]


def test_a_head_whose_first_row_reaches_down_is_repeated_as_it_is_written_elsewhere() -> None:
    lines = [("", "out"), *((f"Name {number}", f"{number} tons of grain") for number in range(20))]
    head = (Cell("Port", row_span=2), Cell("Tons"))
    found = passages([page(1, replace(table("p1-b1", rows(*lines)), header=head))], PassageOptions(size=60))
    assert len(found) > 2
    assert all(one.text.startswith("Port\tTons\n\tout\nName") for one in found)


def test_a_table_that_goes_on_repeats_all_rows_of_its_head() -> None:
    lines = [("in", "out"), *((f"Name {number}", f"{number} tons of grain") for number in range(20))]
    whole = replace(table("p1-b1", rows(*lines), header=("Men", "Women")), header_rows=2)
    found = passages([page(1, whole)], PassageOptions(size=60))
    assert len(found) > 2
    assert all(one.text.startswith("Men\tWomen\nin\tout\nName") for one in found)


def test_a_row_has_the_box_of_its_cells_on_the_page_that_it_is_on() -> None:
    cells = tuple(
        (Cell(f"r{row}", Box(10, 20.0 * row, 30, 10)), Cell("x", Box(50, 20.0 * row, 30, 10)))
        for row in range(4)
    )
    whole = Block(
        "p1-b1", Kind.TABLE, Box(10, 0, 70, 40), rows=cells, parts=(Part(2, Box(10, 0, 70, 40), 2),)
    )
    [one] = passages([page(1, whole), page(2)], PassageOptions())
    assert [(place.page, place.box) for place in one.places] == [
        (1, Box(10, 0, 70, 10)),
        (1, Box(10, 20, 70, 10)),
        (2, Box(10, 40, 70, 10)),
        (2, Box(10, 60, 70, 10)),
    ]


def test_an_overlap_repeats_whole_sentences() -> None:
    text = " ".join(f"Sentence number {number} is here." for number in range(40))
    first, second, *_ = passages([page(1, paragraph("p1-b1", text))], PassageOptions("fixed", 64, 16))
    repeated = second.text[: second.overlap].strip()
    assert repeated.startswith("Sentence number")
    assert first.text.endswith(repeated)


def test_pages_are_cut_apart_if_asked() -> None:
    pages = [page(number, paragraph(f"p{number}-b1", "Few words.")) for number in (1, 2, 3)]
    assert [one.pages for one in passages(pages, PassageOptions("page"))] == [[1], [2], [3]]
    assert [one.pages for one in passages(pages, PassageOptions("section"))] == [[1, 2, 3]]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Dr. Smith met J. Doe. They left.", 2),
        ("Siehe z. B. Abb. 3. Danach weiter.", 2),
        ("今日は。明日も！", 2),
        ("It costs 3.50 euros. Cheap!", 2),
        ("no end", 1),
    ],
)
def test_sentences_end_where_they_do(text: str, count: int) -> None:
    assert len(list(sentence_spans(text))) == count


def test_lines_of_json_name_their_neighbours(tmp_path: Path) -> None:
    writer = ChunksWriter(tmp_path, PassageOptions("page"))
    writer.open(Facts(2))
    for number in (1, 2):
        writer.page(page(number, paragraph(f"p{number}-b1", f"Page {number}.")))
    writer.close(Ending((), ()))
    first, second = map(orjson.loads, (tmp_path / "chunks.jsonl").read_bytes().splitlines())
    assert (first["id"], first["previous"], first["next"]) == ("c1", None, "c2")
    assert (second["id"], second["previous"], second["next"]) == ("c2", "c1", None)
    assert second["boxes"] == [{"page": 2, "block": "p2-b1", "box": [72.0, 400.0, 450.0, 20.0], "start": 0}]
    assert (second["start"], second["end"], second["pages"]) == (9, 16, [2])
