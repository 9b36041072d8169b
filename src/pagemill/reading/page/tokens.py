"""Single words with their edges, as tables are made of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pagemill.model.pages import Box

# So many dots in a row, no further apart than this, lead on.
FEWEST_LEADER_DOTS, LEADER_GAP_POINTS = 3, 12.0


@dataclass(slots=True)
class Token:
    """A single printed word and its edges; upright words only."""

    text: str
    left: float
    top: float
    right: float
    bottom: float


def without_leaders(tokens: Sequence[Token]) -> tuple[Token, ...]:
    """The words without rows of dots that lead from one to another: in a table they would be columns of their own."""
    dots = [token for token in tokens if token.text.strip(".…·") == ""]
    if len(dots) < FEWEST_LEADER_DOTS:
        return tuple(tokens)
    rows: dict[int, list[Token]] = {}
    for dot in dots:
        rows.setdefault(round(dot.bottom), []).append(dot)
    leaders = {id(dot) for row in rows.values() if len(row) >= FEWEST_LEADER_DOTS for dot in _in_runs(row)}
    return tuple(token for token in tokens if id(token) not in leaders)


def tokens_in(tokens: Sequence[Token], box: Box) -> tuple[Token, ...]:
    """The words whose middles are in a box."""
    return tuple(
        token
        for token in tokens
        if box.x <= (token.left + token.right) / 2 <= box.right
        and box.y <= (token.top + token.bottom) / 2 <= box.bottom
    )


def _in_runs(row: Sequence[Token]) -> Iterator[Token]:
    """The dots of a row that have others close by."""
    ordered = sorted(row, key=lambda dot: dot.left)
    for at, dot in enumerate(ordered):
        near = [ordered[other] for other in (at - 1, at + 1) if 0 <= other < len(ordered)]
        if any(abs(one.left - dot.left) < LEADER_GAP_POINTS for one in near):
            yield dot
