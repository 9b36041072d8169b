"""Columns of words: the white gaps that go down between them."""

from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import pairwise

from pagemill.reading.layout.tables.lines import LinePiece, TokenLine

# A gap between columns is at least this wide, in character heights.
NARROWEST_GAP = 0.4
# Lines of a header or a title inside the table may go across columns.
MOST_ACROSS = 0.34
# It is one of the lines with the widest pieces that hides a gap.
MOST_SUSPECTS = 8
# Or it is all lines of a head.
HEAD_LINES = (2, 3)
# A character that leans over the edge of its column is still in it.
EDGE_POINTS = 1.5
# Where a line goes on over a gap, the space there must be this much wider than between words.
WIDER_SPACE = 1.25
LEAST_SPACE = 0.36
# A word that starts with its column does so to this degree.
FLUSH_POINTS = 0.7

Gap = tuple[float, float]


def gaps_of(lines: Sequence[TokenLine], height: float) -> list[Gap]:
    """The white gaps between the columns of the lines, from left to right."""
    apart = [line for line in lines if len(line.pieces) > 1]
    if len(apart) < 2:
        return []
    gaps = _white(apart, height)
    for _ in range(int(len(apart) * MOST_ACROSS)):
        more = _without_worst(apart, height, len(gaps))
        if more is None:
            break
        apart, gaps = more
    return gaps


def _without_worst(
    lines: list[TokenLine], height: float, count: int
) -> tuple[list[TokenLine], list[Gap]] | None:
    """The lines without the one, or the head, that hides most gaps, if there is one."""
    best: tuple[list[TokenLine], list[Gap]] | None = None
    most = max(len(line.pieces) for line in lines)
    suspects = [line for line in lines if len(line.pieces) < most or count < most - 1]
    suspects.sort(key=lambda line: -max(piece.right - piece.left for piece in line.pieces))
    heads = [lines[:count] for count in HEAD_LINES]
    for hiding in [*([line] for line in suspects[:MOST_SUSPECTS]), *heads]:
        rest = [line for line in lines if line not in hiding]
        gaps = _white(rest, height) if len(rest) > 1 else []
        if len(gaps) > max(count, len(best[1]) if best else 0):
            best = rest, gaps
    return best


def _white(lines: Iterable[TokenLine], height: float) -> list[Gap]:
    """Gaps that no piece of any line goes across."""
    stretches = sorted([(piece.left, piece.right) for line in lines for piece in line.pieces])
    gaps: list[Gap] = []
    end = stretches[0][1]
    for left, right in stretches:
        if left - end >= NARROWEST_GAP * height:
            gaps.append((end, left))
        if right > end:
            end = right
    return gaps


def columns_under(piece: LinePiece, gaps: Sequence[Gap]) -> tuple[int, int]:
    """The first and last column that a piece is in; what only reaches into a gap is no crossing."""
    first = sum(left - EDGE_POINTS <= piece.left for left, _ in gaps)
    last = sum(right + EDGE_POINTS < piece.right for _, right in gaps)
    if last >= first:
        return first, last
    middle = (piece.left + piece.right) / 2
    nearest = sum((left + right) / 2 <= middle for left, right in gaps)
    return nearest, nearest


def split_at(piece: LinePiece, gaps: Sequence[Gap], height: float) -> list[LinePiece]:
    """A piece that goes over gaps, cut at them if its words are further apart there than elsewhere."""
    first, last = columns_under(piece, gaps)
    spaces = {at: (one.right, other.left) for at, (one, other) in enumerate(pairwise(piece.tokens), 1)}
    flush = {_flush(spaces, gap) for gap in gaps[first:last]}
    cuts = flush if 0 not in flush else {_widest(spaces, gap, height) for gap in gaps[first:last]}
    if not cuts or 0 in cuts or len(cuts) < last - first:
        return [piece]
    if cuts is not flush and not _stand_out(spaces, cuts, height):
        return [piece]
    bounds = [0, *sorted(cuts), len(piece.tokens)]
    return [LinePiece(piece.tokens[one:other]) for one, other in pairwise(bounds)]


def _widest(spaces: Mapping[int, Gap], gap: Gap, height: float) -> int:
    """Which of the spaces between words in a gap is the widest; 0 if there is none."""
    inside = {
        at: right - left
        for at, (left, right) in spaces.items()
        if gap[0] - height / 2 <= (left + right) / 2 <= gap[1] + height / 2
    }
    return max(inside, key=lambda at: inside[at], default=0)


def _stand_out(spaces: Mapping[int, Gap], cuts: Set[int], height: float) -> bool:
    """Whether the spaces at the cuts are wider than all others."""
    inner = max((right - left for at, (left, right) in spaces.items() if at not in cuts), default=0.0)
    least = max(inner * WIDER_SPACE, LEAST_SPACE * height)
    return all(spaces[at][1] - spaces[at][0] >= least for at in cuts)


def _flush(spaces: Mapping[int, Gap], gap: Gap) -> int:
    """Which space between words ends where the next column starts, or starts where the last one ends; 0 if none."""
    return next(
        (
            at
            for at, space in spaces.items()
            if min(abs(space[0] - gap[0]), abs(space[1] - gap[1])) <= FLUSH_POINTS
        ),
        0,
    )
