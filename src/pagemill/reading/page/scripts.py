"""What the script of a text says about how it is set: spaces, direction, width of characters."""

import re

from pagemill.model.unspaced_scripts import EAST_ASIAN, THAI_AND_LAO

_UNSPACED = re.compile(f"[{EAST_ASIAN}{THAI_AND_LAO}]")
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")
_WIDE = re.compile("[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]")


def needs_no_space(before: str, after: str) -> bool:
    """Whether two texts follow each other without a space, as Chinese, Japanese and Thai do."""
    if before.isascii() and after.isascii():
        return False
    return bool(_UNSPACED.match(before[-1:]) and _UNSPACED.match(after[:1]))


def is_right_to_left(text: str) -> bool:
    """Whether most letters belong to a script that runs from right to left."""
    if text.isascii() or not _RIGHT_TO_LEFT.search(text):
        return False
    backwards = len(_RIGHT_TO_LEFT.findall(text))
    return backwards * 2 > sum(character.isalpha() for character in text)


def breadth(text: str) -> int:
    """The length of a text in narrow characters: Chinese, Japanese and Korean ones count twice."""
    return len(text) if text.isascii() else len(text) + len(_WIDE.findall(text))
