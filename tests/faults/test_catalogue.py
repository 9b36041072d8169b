"""The table of faults names tests that exist."""

import re
from pathlib import Path

from tests.faults.__main__ import BEGIN, END, PAGE, with_table
from tests.faults.catalogue import EVERY_ROW
from tests.faults.machine_rows import OTHER_FILES

FOLDER = Path(__file__).parent
FILES = [*FOLDER.glob("test_*.py"), *(FOLDER.parent / name for name in OTHER_FILES)]
SOURCES = "".join(path.read_text("utf-8") for path in FILES)


def test_every_test_in_the_table_exists() -> None:
    known = set(re.findall(r"^def (test_\w+)", SOURCES, re.MULTILINE))
    assert [name for row in EVERY_ROW for name in row.tests if name not in known] == []


def test_the_table_is_written_between_its_marks() -> None:
    page = PAGE.read_text("utf-8")
    assert page.count(BEGIN) == page.count(END) == 1
    written = with_table(page, [(row, "holds") for row in EVERY_ROW])
    assert written.count("| holds |") == len(EVERY_ROW)
    assert with_table(written, [(row, "holds") for row in EVERY_ROW]) == written
