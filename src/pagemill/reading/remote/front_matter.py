"""What olmOCR says about a page before its text: the language, whether it is on its side, and more."""

import re
from dataclasses import dataclass

import orjson

from pagemill.model.pages import Box
from pagemill.reading.remote.base import Picture
from pagemill.reading.remote.grounding import box_between

_FRONT = re.compile(r"\A\s*---[ \t]*\n(.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_LINE = re.compile(r"^(\w+)[ \t]*:[ \t]*(.*?)[ \t]*$", re.MULTILINE)
_PICTURE_NAME = re.compile(r"page_(\d+)_(\d+)_(\d+)_(\d+)\.png")
KNOWN = "rotation_correction"
QUARTERS = ("90", "180", "270")


@dataclass(frozen=True, slots=True)
class Fronted:
    """The text of an answer, and how many degrees clockwise the page has to be turned to be upright."""

    text: str
    turned: int = 0


def without_front(answer: str) -> Fronted | None:
    """The answer apart from what is before its text; None if nothing is."""
    older = _older_form(answer)
    if older:
        return older
    front = _FRONT.match(answer)
    values = dict(_LINE.findall(front[1])) if front else {}
    if front is None or KNOWN not in values:
        return None
    text = answer[front.end() :].strip()
    return Fronted("" if text == "null" else text, _quarter(values[KNOWN]))


def _older_form(answer: str) -> Fronted | None:
    """The first models answered with one JSON object."""
    if not answer.lstrip().startswith("{") or '"natural_text"' not in answer:
        return None
    try:
        parsed = orjson.loads(answer)
    except orjson.JSONDecodeError:
        return None
    text = parsed.get("natural_text") or ""
    return Fronted(text, _quarter(str(parsed.get(KNOWN)))) if isinstance(text, str) else None


def _quarter(value: str) -> int:
    return int(value) if value in QUARTERS else 0


def picture_box(name: str, picture: Picture) -> Box | None:
    """The box of a figure that is named after the pixels where it is; None if that is outside the picture."""
    match = _PICTURE_NAME.fullmatch(name)
    if match is None:
        return None
    left, top, width, height = map(int, match.groups())
    right, bottom = left + width, top + height
    if right > picture.pixels_wide or bottom > picture.pixels_high:
        return None
    wide, high = picture.pixels_wide, picture.pixels_high
    return box_between(left / wide, top / high, right / wide, bottom / high, picture)
