"""Notes of what the fault tests measured, for the table in docs/reliability.md."""

import json
import os
from pathlib import Path

VARIABLE = "FAULT_NOTES"


def note(row: int, measured: str) -> None:
    """Write down what was measured for a row of the table, if somebody wants to know."""
    path = os.environ.get(VARIABLE)
    if path:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(json.dumps({"row": row, "measured": measured}) + "\n")
