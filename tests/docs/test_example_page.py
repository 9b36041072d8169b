"""The page that shows one document beside its Markdown and JSON shows what really comes out."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.docs.conftest import PROGRAMS, plain_environment
from tests.docs.pages import DOCS, blocks

pytestmark = pytest.mark.mill

PAGE = DOCS / "example.md"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What is made of the sample."""
    folder = tmp_path_factory.mktemp("example")
    sample = str(DOCS / "sample.pdf")
    command = [str(PROGRAMS / "pagemill"), "convert", sample, "-o", str(folder), "-f", "markdown,json"]
    subprocess.run(command, check=True, env=plain_environment(), capture_output=True, timeout=120)
    return folder


def test_the_markdown_of_the_page_is_that_of_the_sample(results: Path) -> None:
    [shown] = blocks(PAGE, "markdown")
    assert shown.strip() == (results / "sample.md").read_text("utf-8").strip()


def test_the_blocks_of_the_page_are_in_the_json_of_the_sample(results: Path) -> None:
    pages = json.loads((results / "sample.json").read_text("utf-8"))["pages"]
    made = [block for page in pages for block in page["blocks"]]
    page, heading, table = (json.loads(block) for block in blocks(PAGE, "json"))
    assert page.items() <= pages[0].items()
    assert [block["level"] for block in made if block.get("text") == heading["text"]] == [heading["level"]]
    [made_table] = [block for block in made if block["kind"] == "table"]
    assert texts(made_table["header"]) == texts(table["header"])
    assert texts(made_table["rows"][0]) == texts(table["rows"][0])


def texts(cells: list[dict[str, object]]) -> list[object]:
    """The text of each cell."""
    return [cell["text"] for cell in cells]
