"""Chunks counted by a tokenizer: budgets hold by what it counts, and nothing is lost or doubled."""

import os
import subprocess
import sys
from pathlib import Path

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagemill.errors import Refused
from pagemill.model.pages import Page
from pagemill.model.passages import Passage, PassageOptions
from pagemill.reading.passages import ExactPacker
from pagemill.reading.tokenizer import Tokenizer, find_tokenizer, load_tokenizer
from pagemill.reading.writers.base import Ending, Facts
from pagemill.reading.writers.chunks import ChunksWriter
from tests.reading.made import heading, page, paragraph, rows, table
from tests.reading.test_passages import DOCUMENTS, OPTIONS, body, check_coverage
from tests.reading.tokenizers_made import byte_pairs, every_kind, save_tokenizer, word_pieces

TOKENIZERS = tuple(map(Tokenizer, every_kind()))
KINDS = st.sampled_from(TOKENIZERS)


def passages(pages: list[Page], options: PassageOptions, tokenizer: Tokenizer) -> list[Passage]:
    """The passages of a document, counted by a tokenizer."""
    packer = ExactPacker(options, tokenizer)
    return [one for page in pages for one in packer.add(page)] + list(packer.finish())


@settings(max_examples=300, deadline=None)
@given(DOCUMENTS, OPTIONS, KINDS)
def test_every_character_is_in_one_passage(
    pages: list[Page], options: PassageOptions, tokenizer: Tokenizer
) -> None:
    check_coverage(body(pages), passages(pages, options, tokenizer))


@settings(max_examples=300, deadline=None)
@given(DOCUMENTS, OPTIONS, KINDS)
def test_a_passage_keeps_within_its_budget(
    pages: list[Page], options: PassageOptions, tokenizer: Tokenizer
) -> None:
    for one in passages(pages, options, tokenizer):
        assert one.tokens == tokenizer.count(one.embed_text)
        # A row of a table is never split, however long it is; a passage that is too long has no other.
        own = one.text[len(one.text) - (one.end - one.start) :]
        assert one.tokens <= options.size or ("\t" in own and "\n" not in own)
        assert tokenizer.count_part(one.text[: one.overlap].rstrip()) <= options.overlap


def test_a_passage_is_filled_as_far_as_it_goes() -> None:
    tokenizer = Tokenizer(byte_pairs())
    text = " ".join(f"Sentence number {number} is here." for number in range(60))
    *full, _ = passages([page(1, paragraph("p1-b1", text))], PassageOptions(size=100), tokenizer)
    sentence = tokenizer.count_part(" Sentence number 59 is here.")
    assert full
    assert all(100 - sentence < one.tokens <= 100 for one in full)


def test_an_overlap_is_counted_as_a_whole() -> None:
    tokenizer = Tokenizer(byte_pairs())
    pages = [page(1, paragraph("p1-b1", "Zq. " * 60))]
    _, second, *_ = passages(pages, PassageOptions("fixed", 40, 12), tokenizer)
    # Four of them have twelve tokens, and the spaces between them three.
    assert tokenizer.count_part("Zq.") == 3
    assert second.text[: second.overlap].split() == ["Zq."] * 3


def test_headings_and_what_is_between_them_are_counted() -> None:
    tokenizer = Tokenizer(word_pieces())
    above = [heading(f"p1-b{level}", f"Mills {level}", 18, level=level) for level in range(1, 7)]
    text = " ".join(["The water turns the wheel."] * 40)
    found = passages([page(1, *above, paragraph("p1-b7", text))], PassageOptions(size=48), tokenizer)
    assert max(one.tokens for one in found) <= 48
    assert found[-1].headings[-1] == "Mills 6"
    assert len(found[-1].headings) < len(above)


def test_characters_of_many_tokens_are_split_as_words_are() -> None:
    tokenizer = Tokenizer(byte_pairs())
    found = passages([page(1, paragraph("p1-b1", "水" * 300))], PassageOptions(size=32), tokenizer)
    assert tokenizer.count_part("水") == 3
    assert "".join(one.text for one in found) == "水" * 300
    assert all(one.tokens <= 32 for one in found)


def test_a_row_that_is_too_long_stays_whole() -> None:
    tokenizer = Tokenizer(byte_pairs())
    lines = [("a", "short"), ("b", "zq " * 40), ("c", "short")]
    found = passages([page(1, table("p1-b1", rows(*lines)))], PassageOptions(size=32), tokenizer)
    assert [one.text.split("\t")[0] for one in found] == ["a", "b", "c"]
    assert [one.tokens <= 32 for one in found] == [True, False, True]


def test_a_tokenizer_that_cuts_off_and_pads_counts_all_and_no_more() -> None:
    made = word_pieces()
    assert len(made.encode("grain")) == len(made.encode("grain " * 50)) == 16
    tokenizer = Tokenizer(made)
    assert tokenizer.count("grain " * 50) == 50 * tokenizer.count_part("grain") + 2
    assert tokenizer.count("") == 2


@pytest.mark.parametrize("tokenizer", [None, TOKENIZERS[0]], ids=["estimate", "tokenizer"])
def test_lines_of_json_say_what_counted_the_tokens(tmp_path: Path, tokenizer: Tokenizer | None) -> None:
    writer = ChunksWriter(tmp_path, PassageOptions(), tokenizer)
    writer.open(Facts(1))
    writer.page(page(1, paragraph("p1-b1", "Antidisestablishmentarianism")))
    writer.close(Ending((), ()))
    row = orjson.loads((tmp_path / "chunks.jsonl").read_bytes())
    assert row["tokens_by"] == ("tokenizer" if tokenizer else "estimate")
    assert row["tokens"] == (tokenizer.count(row["embed_text"]) if tokenizer else 4)


def test_a_tokenizer_is_found_and_loaded(tmp_path: Path) -> None:
    file = save_tokenizer(byte_pairs(), tmp_path)
    (tmp_path / "link.json").symlink_to(file)
    found = find_tokenizer(str(tmp_path / "link.json"))
    assert found is not None
    assert found.path == str(file.resolve())
    assert load_tokenizer(found).count("the water") == TOKENIZERS[0].count("the water")
    assert find_tokenizer("") is None


def test_a_tokenizer_that_has_changed_is_not_used(tmp_path: Path) -> None:
    found = find_tokenizer(str(save_tokenizer(word_pieces(), tmp_path)))
    assert found is not None
    save_tokenizer(byte_pairs(), tmp_path)
    assert find_tokenizer(found.path) != found
    with pytest.raises(Refused, match=r"PAGEMILL_TOKENIZER has changed\. Start pagemill again"):
        load_tokenizer(found)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "can't be read: No such file or directory. Set it to the path of a tokenizer.json"),
        (b"", "is no tokenizer: .* Take the tokenizer.json of a model"),
        (b'{"model_max_length": 512}', "is no tokenizer: .* Take the tokenizer.json of a model"),
        (b"\xff\xfe", "is no tokenizer: .* Take the tokenizer.json of a model"),
    ],
)
def test_a_file_that_is_no_tokenizer_is_refused(tmp_path: Path, content: bytes | None, message: str) -> None:
    file = tmp_path / "tokenizer.json"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(Refused, match=message):
        find_tokenizer(str(file))


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="can't be read: Is a directory"):
        find_tokenizer(str(tmp_path))


def test_without_the_package_it_is_named(tmp_path: Path) -> None:
    file = save_tokenizer(byte_pairs(), tmp_path)
    # A package of the same name that can't be imported, before the one that can.
    (tmp_path / "tokenizers.py").write_text("raise ImportError('not installed')")
    script = "import sys; from pagemill.reading.tokenizer import find_tokenizer; find_tokenizer(sys.argv[1])"
    ended = subprocess.run(
        [sys.executable, "-c", script, str(file)],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "PAGEMILL_TOKENIZER needs a package: pip install 'pagemill[tokenizer]'." in ended.stderr
