"""What `pagemill doctor` finds."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at: what was found, and what to do unless it is well."""

    name: str
    state: Literal["ok", "note", "missing"]
    found: str
    advice: str = ""
