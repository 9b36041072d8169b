"""Run every fault test, tell the result of each row, and write the table of docs/reliability.md: `make faults`.

Arguments go to pytest; with any, only some tests run, and the table is left as it is.
"""

import json
import os
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

import pytest

from tests.faults.catalogue import EVERY_ROW, OWN_ROWS
from tests.faults.fault_row import Row
from tests.faults.machine_rows import BETWEEN, OTHER_FILES
from tests.faults.notes import VARIABLE

FOLDER = Path(__file__).parent
PAGE = FOLDER.parents[1] / "docs" / "reliability.md"
BEGIN, END = "<!-- faults: begin -->", "<!-- faults: end -->"
HEAD = "| # | Fault | What must hold | Result |\n|---|---|---|---|\n"
# The longest tests take ten minutes on a busy machine; one that takes this long hangs.
LONGEST_SECONDS = 3_600
# The worst that happened to any test of a name counts.
RANKS = ("passed", "skipped", "failed")


class Recorder:
    """Listens to pytest and keeps what became of each test."""

    def __init__(self) -> None:
        self.outcomes: dict[str, str] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the worst outcome under the name of the test."""
        name = report.nodeid.rpartition("::")[2].partition("[")[0]
        if report.when == "call" or report.outcome != "passed":
            before = self.outcomes.get(name, RANKS[0])
            self.outcomes[name] = max(before, report.outcome, key=RANKS.index)


def run(arguments: list[str]) -> int:
    """Run the tests, tell each row, and write the page after a whole run."""
    recorder = Recorder()
    with tempfile.TemporaryDirectory() as folder:
        notes = Path(folder) / "notes"
        notes.touch()
        os.environ[VARIABLE] = str(notes)
        chosen = [
            "-q",
            "-n0",
            "-m",
            "slow or long or not long",
            "-o",
            f"faulthandler_timeout={LONGEST_SECONDS}",
        ]
        others = [str(FOLDER.parent / name) for name in OTHER_FILES]
        code = pytest.main([*chosen, str(FOLDER), *others, *arguments], [recorder])
        measured = measured_in(notes)
    results = [(row, result_of(row, recorder.outcomes, measured)) for row in EVERY_ROW]
    for row, result in results:
        print(f"{label(row):>3}  {row.fault}: {result}")
    if not arguments:
        PAGE.write_text(with_table(PAGE.read_text("utf-8"), results), "utf-8")
    return int(code)


def measured_in(notes: Path) -> dict[int, list[str]]:
    """What the tests noted, by row."""
    found: dict[int, list[str]] = defaultdict(list)
    for line in notes.read_text("utf-8").splitlines():
        told = json.loads(line)
        if told["measured"] not in found[told["row"]]:
            found[told["row"]].append(told["measured"])
    return found


def result_of(row: Row, outcomes: dict[str, str], measured: dict[int, list[str]]) -> str:
    """The result of a row in words."""
    if not row.tests:
        return f"not applicable: {row.remark}"
    worst = max((outcomes.get(name, "skipped") for name in row.tests), key=RANKS.index)
    words = {"passed": "holds", "skipped": "not run as a whole", "failed": "**does not hold**"}[worst]
    return "; ".join([words, *measured.get(row.number, [])])


def label(row: Row) -> str:
    """The number of a row, if it has one that others know."""
    if row in OWN_ROWS:
        return ""
    return f"m{row.number - BETWEEN}" if row.number > BETWEEN else str(row.number)


def with_table(page: str, results: list[tuple[Row, str]]) -> str:
    """The page with the results between its marks."""
    lines = [f"| {label(row)} | {row.fault} | {row.must_hold} | {result} |\n" for row, result in results]
    before, _, rest = page.partition(BEGIN)
    after = rest.partition(END)[2]
    return f"{before}{BEGIN}\n{HEAD}{''.join(lines)}{END}{after}"


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
