"""Whole documents through the visits: the same bytes however they are cut, complete, and findable by page."""

import subprocess
import sys
from hashlib import sha256
from importlib.resources import files
from io import BytesIO
from pathlib import Path

import orjson
import pytest
from jsonschema import Draft202012Validator

from pagemill.model.page_index import find_page, index_from
from pagemill.model.visits import JoinAnswer, JoinRequest
from pagemill.model.work import PageFailure
from pagemill.reading.visits import join_pages
from tests import samples
from tests.reading.journey import FORMATS, at_once, cut, in_chunks, opened, read_chunk

pytestmark = pytest.mark.mill

PAGES = 70

SCHEMA = orjson.loads(files("pagemill.reading.writers").joinpath("document.schema.json").read_bytes())


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The artifacts of a report that was read in one chunk."""
    folder = tmp_path_factory.mktemp("whole")
    return in_chunks(folder, samples.report(PAGES), ((1, PAGES),)).files()


@pytest.mark.parametrize("size", [7, 64])
def test_a_document_comes_out_the_same_however_it_is_cut(
    tmp_path: Path, whole: dict[str, bytes], size: int
) -> None:
    assert in_chunks(tmp_path, samples.report(PAGES), cut(PAGES, size)).files() == whole


def test_small_chunks_of_a_selection_come_out_the_same(tmp_path: Path) -> None:
    pdf = samples.report(20)
    assert in_chunks(tmp_path / "five", pdf, cut(20, 5)).files() == in_chunks(tmp_path / "one", pdf).files()


def test_going_on_gives_the_same_bytes_as_separate_visits(tmp_path: Path) -> None:
    pdf = samples.report(12)
    assert at_once(tmp_path / "once", pdf).files() == in_chunks(tmp_path / "chunks", pdf).files()


def test_the_same_document_gives_the_same_bytes_twice(tmp_path: Path) -> None:
    pdf = samples.report(6)
    assert at_once(tmp_path / "one", pdf).files() == at_once(tmp_path / "two", pdf).files()


def test_hash_and_size_are_those_of_the_files(tmp_path: Path) -> None:
    outcome = at_once(tmp_path, samples.report(3))
    assert set(outcome.files()) == {
        "document.md",
        "document.json",
        "document.txt",
        "document.html",
        "pages.idx",
    }
    for name, raw in outcome.files().items():
        assert outcome.joined.artifacts[name].size_bytes == len(raw)
        assert outcome.joined.artifacts[name].sha256 == sha256(raw).hexdigest()


def test_only_asked_formats_are_written(tmp_path: Path) -> None:
    answer = opened(tmp_path, samples.letter(), formats=("markdown",))
    assert answer.result is not None
    assert set(answer.result.artifacts) == {"document.md"}


def test_the_index_finds_each_page_in_the_document(whole: dict[str, bytes]) -> None:
    for row in orjson.loads(whole["document.json"])["pages"]:
        found = find_page(whole["pages.idx"], row["number"])
        assert found is not None
        offset, length = found
        assert orjson.loads(whole["document.json"][offset : offset + length]) == row
    assert find_page(whole["pages.idx"], 0) is None
    assert find_page(whole["pages.idx"], PAGES + 1) is None


def test_the_index_knows_pages_by_number_not_by_place(tmp_path: Path) -> None:
    outcome = at_once(tmp_path, samples.report(9), pages="2,7-8")
    index = (tmp_path / "pages.idx").read_bytes()
    assert [page.number for page in outcome.pages()] == [2, 7, 8]
    found = find_page(index, 7)
    assert found is not None
    assert orjson.loads(outcome.json[found[0] : found[0] + found[1]])["number"] == 7
    assert find_page(index, 3) is None


def test_the_lines_of_a_document_tell_what_its_index_does(whole: dict[str, bytes]) -> None:
    assert index_from(BytesIO(whole["document.json"])) == whole["pages.idx"]


def test_a_letter_needs_no_index_and_no_page_file(tmp_path: Path) -> None:
    outcome = at_once(tmp_path, samples.letter())
    assert not {"pages.idx", "pages.jsonl"} & {file.name for file in tmp_path.iterdir()}
    place = find_page(index_from(BytesIO(outcome.json)), 1)
    assert place is not None
    [page] = orjson.loads(outcome.json)["pages"]
    assert orjson.loads(outcome.json[place[0] : sum(place)]) == page


def test_document_json_is_as_its_schema_says(tmp_path: Path, whole: dict[str, bytes]) -> None:
    check = Draft202012Validator(SCHEMA)
    check.validate(orjson.loads(whole["document.json"]))
    for name in ("form", "long_table", "broken_page_tree", "unicode_text"):
        check.validate(orjson.loads(at_once(tmp_path / name, getattr(samples, name)()).json))


def test_draft_pages_have_the_shape_of_pages(tmp_path: Path) -> None:
    at_once(tmp_path, samples.report(2))
    page = Draft202012Validator({"$ref": "#/$defs/page", "$defs": SCHEMA["$defs"]})
    lines = (tmp_path / "pages.jsonl").read_bytes().splitlines()
    assert len(lines) == 2
    for line in lines:
        page.validate(orjson.loads(line))


def test_pages_that_no_chunk_delivered_are_in_the_document_as_failed(tmp_path: Path) -> None:
    answer = opened(tmp_path, samples.big(4), join_at_once=False)
    names = tuple(read_chunk(tmp_path, answer, (page, page))[0] for page in (1, 3, 4))
    lost = PageFailure(2, "worker_crashed", "it crashed")
    request = JoinRequest(names, str(tmp_path), FORMATS, 4, failed=(lost,))
    joined = JoinAnswer.from_bytes(join_pages(request.to_bytes()))
    rows = orjson.loads((tmp_path / "document.json").read_bytes())["pages"]
    assert joined.failed == (lost,)
    assert [row["number"] for row in rows] == [1, 2, 3, 4]
    assert rows[1]["error"] == {"code": "worker_crashed", "message": "it crashed"}
    assert "<!-- page 2 could not be read: worker_crashed -->" in (tmp_path / "document.md").read_text()


def test_reading_page_by_page_gives_every_page(tmp_path: Path) -> None:
    answer = opened(tmp_path, samples.big(5), join_at_once=False)
    name, read = read_chunk(tmp_path, answer, (2, 4), single=True)
    numbers = [orjson.loads(line)["number"] for line in Path(name).read_bytes().splitlines()]
    assert (numbers, read.pages_read, read.failed) == ([2, 3, 4], 3, ())


PEAK = """
import resource, sys
from pathlib import Path
from tests import samples
from tests.reading.journey import in_chunks
in_chunks(Path(sys.argv[1]), samples.big(int(sys.argv[2])))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def peak_of(folder: Path, pages: int) -> int:
    """The most memory that a process used to read and join so many pages."""
    command = [sys.executable, "-c", PEAK, str(folder / str(pages)), str(pages)]
    return int(subprocess.run(command, check=True, capture_output=True, text=True, timeout=600).stdout)


def test_memory_does_not_grow_with_the_number_of_pages(tmp_path: Path) -> None:
    assert peak_of(tmp_path, 1000) < 1.3 * peak_of(tmp_path, 100)
