"""How sure the layout of a block is: the chance that it is what it was taken for, and that it begins and ends there."""

import math
from collections.abc import Sequence

from pagemill.model.pages import Box
from pagemill.reading.layout.judging import Judged
from pagemill.reading.layout.lines import TextLine

# Roles that no reader would call another kind of block.
ALIKE = (
    ("header", "footer", "page_number"),
    ("figure", "formula"),
    ("text", "list_item", "caption", "contents", "code"),
)
LEAST = 1e-3
# Fitted on blocks of labelled papers and court documents that the models had not seen: long blocks are wrong more often than
# their least sure place says. `python -m quality CORPUS --only layout_truth --left-out sources` measures it.
SLOPE, BY_LINES, SHIFT = 1.09, -0.147, 0.474


def block_certainty(lines: Sequence[TextLine], role: str, judged: Judged) -> float:
    """The chance that lines are a block of a role, neither more nor less."""
    chance = role_chance(lines, role, judged)
    if role in ALIKE[0]:
        return calibrate(chance)
    return calibrate(chance * judged.apart(lines), len(lines))


def table_certainty(box: Box, lines: Sequence[TextLine], judged: Judged) -> float:
    """The chance that the lines in a box are those of a table."""
    inside = [
        line
        for line in lines
        if box.x <= (line.left + line.right) / 2 <= box.right and box.y <= line.centre <= box.bottom
    ]
    return calibrate(role_chance(inside, "table", judged)) if inside else 1.0


def role_chance(lines: Sequence[TextLine], role: str, judged: Judged) -> float:
    """The chance that lines have a role, or one that makes no difference."""
    alike = next((roles for roles in ALIKE if role in roles), (role,))
    return judged.mean_chance(lines, *alike)


def calibrate(chance: float, lines: int = 1) -> float:
    """A chance as it was found to hold for blocks of so many lines."""
    bounded = min(max(chance, LEAST), 1 - LEAST)
    logit = math.log(bounded / (1 - bounded))
    return 1 / (1 + math.exp(-(SLOPE * logit + BY_LINES * math.log(lines) + SHIFT)))
