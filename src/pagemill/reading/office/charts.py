"""Charts of office files: their numbers as a table, one row for each category."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from pagemill.model.pages import Block, Cell, Kind
from pagemill.reading.office.package import Package
from pagemill.reading.office.reading_limits import MAX_CELLS, check_count
from pagemill.reading.office.writing import Text, table
from pagemill.reading.office.xml_parts import Element, attribute, child, children, descendants, local, number

# The elements that hold the names and the values of a series, in all kinds of charts.
_NAMES, _VALUES, _SIZES = ("cat", "xVal"), ("val", "yVal"), ("bubbleSize",)
_AXES = ("catAx", "dateAx", "serAx", "valAx", "axis")
MOST_POINTS = 100_000


def chart_blocks(package: Package, part: str | None) -> list[Block]:
    """The title of a chart as its caption, and its data as a table."""
    root = package.xml_if_any(part)
    if root is None:
        return []
    title = chart_title(root)
    caption = [Block("", Kind.CAPTION, text=title, role="chart")] if title else []
    named, *others = axis_titles(root) or [""]
    axes = [Block("", Kind.PARAGRAPH, text=one, role="chart") for one in others if one]
    found = chart_table(root, named)
    return [*caption, *axes, replace(found, role="chart")] if found else [*caption, *axes]


def chart_title(root: Element) -> str:
    """The title of a chart, empty if it has none."""
    title = next((one for one in descendants(root, "title") if local(one.getparent()) not in _AXES), None)
    return _words(title) if title is not None else ""


def axis_titles(root: Element) -> list[str]:
    """What the axes are called, that of the categories first."""
    axes = sorted(descendants(root, *_AXES), key=lambda one: local(one) == "valAx")
    titles = [child(one, "title") for one in axes]
    return [_words(one) if one is not None else "" for one in titles]


def chart_table(root: Element, categories: str = "") -> Block | None:
    """The series of a chart side by side, behind a column of its categories."""
    plot = next(descendants(root, "plotArea", "plotAreaRegion"), None)
    series = list(descendants(plot, "ser")) if plot is not None else []
    names = _column(series[0], _NAMES) if series else _extended_names(root)
    columns = list(_columns(series) if series else _extended_columns(root))
    if not columns:
        return None
    height = max([len(names), *(len(points) for _, points in columns)])
    check_count(height * (len(columns) + 1), MAX_CELLS, "points in a chart")
    header = [Cell(categories), *(Cell(name) for name, _ in columns)]
    rows = ([_at(names, row), *(_at(points, row) for _, points in columns)] for row in range(height))
    return table([header, *rows], header_rows=1)


Column = tuple[str, list[str]]


def _columns(series: Sequence[Element]) -> Iterator[Column]:
    """The values of each series by its name; the sizes of bubbles are a column of their own."""
    for one in series:
        name = _series_name(one)
        yield name, _column(one, _VALUES)
        if sizes := _column(one, _SIZES):
            yield f"{name} (size)".strip(), sizes


def _extended_columns(root: Element) -> Iterator[Column]:
    """The series of the newer kinds of charts (waterfall, funnel, treemap), which refer to data beside them."""
    holders = {attribute(one, "id"): one for one in descendants(root, "data")}
    for one in descendants(root, "series"):
        holder = holders.get(attribute(child(one, "dataId"), "val"))
        if holder is not None:
            yield _series_name(one), _column(holder, ("numDim",))


def _extended_names(root: Element) -> list[str]:
    holder = next(descendants(root, "data"), None)
    return _column(holder, ("strDim",)) if holder is not None else []


def _at(column: Sequence[str], row: int) -> Cell:
    text = column[row] if row < len(column) else ""
    return number_cell(text)


def number_cell(text: str) -> Cell:
    """A cell, with its value if it is a number."""
    try:
        value = float(text)
    except ValueError:
        return Cell(text)
    if not abs(value) < 1e300:
        return Cell(text)
    whole = value.is_integer() and abs(value) < 1e15
    return Cell(
        str(int(value)) if whole else repr(value), value=int(value) if whole else value, value_type="number"
    )


def _series_name(series: Element) -> str:
    title = child(series, "tx")
    return _words(title) if title is not None else ""


def _column(series: Element, names: Sequence[str]) -> list[str]:
    """The points of a series, those that are missing as empty text."""
    holder = next(children(series, *names), None)
    if holder is None:
        return []
    points = dict(_points(holder))
    height = min(max(points, default=-1) + 1, MOST_POINTS)
    return [points.get(at, "") for at in range(height)]


def _points(holder: Element) -> Iterator[tuple[int, str]]:
    """The points by their place; the names of several levels are put together."""
    levels = [dict(_level(one)) for one in descendants(holder, "lvl")]
    if not levels:
        yield from _level(holder)
        return
    last: list[str] = [""] * len(levels)
    for at in sorted(set().union(*levels)):
        last = [level.get(at, before) for level, before in zip(levels, last, strict=True)]
        yield at, " / ".join(reversed([one for one in last if one]))


def _level(holder: Element) -> Iterator[tuple[int, str]]:
    for point in descendants(holder, "pt"):
        at = number(attribute(point, "idx"), -1)
        value = child(point, "v")
        if 0 <= at < MOST_POINTS:
            yield at, ((value if value is not None else point).text or "").strip()


def _words(element: Element) -> str:
    """All words below an element, paragraphs apart by spaces."""
    text = Text()
    for one in descendants(element, "t", "v", "p"):
        text.add(" " if local(one) == "p" else one.text or "")
    return " ".join(text.plain().split())
