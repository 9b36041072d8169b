"""The gate: a quick look whether a page may have a table at all, before its words are looked at one by one."""

from collections.abc import Iterator, Sequence

from pagemill.reading.liteparse_native import NativeText

# Runs further apart than this share of their height are not of one sentence.
APART = 0.8
# Lines of two columns of text stand apart too, but both are wide; shares of the page's width.
WIDE_SHARE = 0.28
FEWEST_ROWS = 3
# Between two rows, cells may go on in so many lines.
MOST_BETWEEN = 2

Run = tuple[float, float, float, float]


def may_have_tables(texts: Sequence[NativeText], width: float) -> bool:
    """Whether some lines, close to each other, have runs apart that are not all wide."""
    rows = others = 0
    for line in _lines(texts):
        if len(line) > 1 and _is_apart(line, width * WIDE_SHARE):
            rows, others = rows + 1, 0
        else:
            others += 1
        if others > MOST_BETWEEN:
            rows = 0
        if rows == FEWEST_ROWS:
            return True
    return False


def _lines(texts: Sequence[NativeText]) -> Iterator[list[Run]]:
    """The runs, those side by side together, from the top down."""
    runs = sorted([(text.y + text.height / 2, text.x, text.width, text.height) for text in texts])
    line: list[Run] = []
    for run in runs:
        if line and run[0] - line[-1][0] > 0.6 * run[3]:
            yield line
            line = []
        line.append(run)
    if line:
        yield line


def _is_apart(line: list[Run], wide: float) -> bool:
    line.sort(key=lambda run: run[1])
    end, narrow = line[0][1] + line[0][2], line[0][2] < wide
    for _, left, width, height in line[1:]:
        if left - end > APART * height and (narrow or width < wide):
            return True
        narrow = width < wide
        end = max(end, left + width)
    return False
