"""The pages of the documentation, as the tests look at them."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")


def every_page() -> list[Path]:
    """The README and its like, and everything below docs/."""
    return sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])


def blocks(page: Path, language: str) -> list[str]:
    """The code blocks of a page in one language."""
    return [code for tag, code in BLOCK.findall(page.read_text(encoding="utf-8")) if tag == language]


def name_of(page: Path) -> str:
    """The page's path from the root."""
    return str(page.relative_to(ROOT))


def links(page: Path) -> list[str]:
    """Where the page's links lead, code blocks left out."""
    return LINK.findall(BLOCK.sub("", page.read_text(encoding="utf-8")))
