"""Writes the generated parts of docs/ and the files that follow from the API and the migrations: `python -m tools.reference`.

A page is written by hand but for what is between `<!-- generated: NAME -->` and `<!-- end -->`.
"""

import re
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import mdformat

from tools import (
    command_line,
    error_list,
    licences,
    metric_list,
    route_list,
    setting_list,
    shapes,
    sqlite_tables,
)

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
FORM = tomllib.loads((ROOT / ".mdformat.toml").read_text(encoding="utf-8"))
PART = re.compile(r"(<!-- generated: (\w+) -->\n).*?(\n<!-- end -->)", re.DOTALL)
PARTS: dict[str, Callable[[], str]] = {
    "commands": command_line.markdown,
    "errors": error_list.markdown,
    "licences": licences.markdown,
    "metrics": metric_list.markdown,
    "routes": route_list.markdown,
    "settings": setting_list.markdown,
}


# Files that are generated as a whole.
FILES: dict[Path, Callable[[], str]] = {**shapes.FILES, **sqlite_tables.FILES}


def pages() -> list[Path]:
    """The pages that have a generated part."""
    return [page for page in sorted(DOCS.rglob("*.md")) if PART.search(page.read_text(encoding="utf-8"))]


def fresh(page: Path) -> str:
    """The text of a page with its generated parts as they should be."""
    text = page.read_text(encoding="utf-8")
    written = PART.sub(lambda found: f"{found[1]}\n{PARTS[found[2]]().strip()}\n{found[3]}", text)
    return mdformat.text(written, options=FORM, extensions={"gfm", "tables"})


def contents() -> dict[Path, str]:
    """What every file with generated parts should hold."""
    return {page: fresh(page) for page in pages()} | {file: write() for file, write in FILES.items()}


def main() -> int:
    """Write every file that is out of date, and name it."""
    for file, text in contents().items():
        if not file.exists() or text != file.read_text(encoding="utf-8"):
            file.write_text(text, encoding="utf-8")
            print(f"written: {file.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
