"""The documentation is whole: links lead somewhere, and generated parts are up to date."""

import json
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, ROOT, blocks, every_page, links, name_of
from tools import reference, sample


@pytest.mark.parametrize("page", every_page(), ids=name_of)
def test_the_links_of_a_page_lead_somewhere(page: Path) -> None:
    inside = [
        link.partition("#")[0] for link in links(page) if "://" not in link and not link.startswith("#")
    ]
    assert not [link for link in inside if not (page.parent / link).exists()]


@pytest.mark.parametrize("page", reference.pages(), ids=name_of)
def test_a_generated_page_is_up_to_date(page: Path) -> None:
    assert page.read_text(encoding="utf-8") == reference.fresh(page), "run `make docs`"


def test_every_generated_part_stands_on_a_page() -> None:
    there = "".join(page.read_text(encoding="utf-8") for page in reference.pages())
    assert not [part for part in reference.PARTS if f"<!-- generated: {part} -->" not in there]


def test_the_sample_is_what_its_program_writes(tmp_path: Path) -> None:
    sample.write(tmp_path / "sample.pdf")
    assert (tmp_path / "sample.pdf").read_bytes() == sample.PATH.read_bytes()


@pytest.mark.parametrize("page", every_page(), ids=name_of)
def test_the_json_of_a_page_is_json(page: Path) -> None:
    for block in blocks(page, "json"):
        json.loads(block)


def test_the_index_links_to_every_page_of_the_docs() -> None:
    index = DOCS / "index.md"
    linked = {(DOCS / link.partition("#")[0]).resolve() for link in links(index)}
    assert not [name_of(page) for page in DOCS.rglob("*.md") if page != index and page not in linked]


def test_every_page_of_the_docs_is_within_reach_of_the_quick_start() -> None:
    seen: set[Path] = set()
    ahead = [ROOT / "README.md"]
    while ahead:
        page = ahead.pop()
        if page not in seen and page.suffix == ".md" and page.exists():
            seen.add(page)
            ahead += [
                (page.parent / link.partition("#")[0]).resolve() for link in links(page) if "://" not in link
            ]
    assert set(every_page()) <= seen
