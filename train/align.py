"""Labels of lines: the role, the block and the place in reading order that the pieces of a true page give them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pagemill.reading.layout.lines import TextLine
from pagemill.reading.layout.roles import ROLES
from train.truth import Piece

UNKNOWN = -1
# Of a line's width, so much must be covered by pieces of one role.
LEAST_COVERED = 0.4
# Pieces of a few pixels more or less count as the line's own if they cover this much of the lower of both.
LEAST_LEVEL = 0.35


@dataclass(frozen=True, slots=True)
class Labels:
    """For each line its role (an index of ROLES, or UNKNOWN), its block, and its place in reading order."""

    role: NDArray[np.int16]
    block: NDArray[np.int32]
    order: NDArray[np.float32]

    @classmethod
    def unknown(cls, count: int) -> "Labels":
        """Nothing is known of any line."""
        return cls(
            np.full(count, UNKNOWN, np.int16),
            np.full(count, UNKNOWN, np.int32),
            np.full(count, -1, np.float32),
        )


def labels_of(lines: Sequence[TextLine], pieces: Sequence[Piece]) -> Labels:
    """What the pieces that a line covers say about it; unknown where they cover too little of it."""
    labels = Labels.unknown(len(lines))
    if not pieces:
        return labels
    known = np.array([(p.left, p.top, p.right, p.bottom) for p in pieces], np.float32)
    for at, line in enumerate(lines):
        covered = _covered(line, known)
        if covered.sum() < LEAST_COVERED * (line.right - line.left):
            continue
        main = _heaviest([piece.role for piece in pieces], covered)
        if main in ROLES:
            own = np.where([piece.role == main for piece in pieces], covered, 0)
            best = pieces[int(own.argmax())]
            labels.role[at], labels.block[at], labels.order[at] = ROLES.index(main), best.block, best.order
    return labels


def _covered(line: TextLine, known: NDArray[np.float32]) -> NDArray[np.float32]:
    """How many points of a line's width each piece covers."""
    left, top, right, bottom = known.T
    across = np.minimum(line.right, right) - np.maximum(line.left, left)
    down = np.minimum(line.bottom, bottom) - np.maximum(line.top, top)
    level = down > LEAST_LEVEL * np.minimum(line.bottom - line.top, bottom - top)
    return np.where(level & (across > 0), across, 0)


def _heaviest(roles: Sequence[str], covered: NDArray[np.float32]) -> str:
    weights: dict[str, float] = {}
    for at in np.flatnonzero(covered).tolist():
        weights[roles[at]] = weights.get(roles[at], 0.0) + float(covered[at])
    return max(weights, key=lambda role: weights[role])
