"""Whether pages take the right way: scanned ones to recognition, digital ones past it."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from pagemill.model.pages import Route
from quality.categories import DIGITAL, SCANNED
from quality.results import Result, grouped, tidy

WHOLLY_SCANNED = "scan_truth"
PER_PAGE = "multipage_truth"
WHOLLY_DIGITAL = ("pdf_md_truth", "long_doc")
RECOGNISED = (Route.OCR, Route.MIXED)


@dataclass(frozen=True, slots=True)
class Routes:
    """Which ways the scanned and the digital pages took."""

    scanned: Counter[Route] = field(default_factory=Counter)
    digital: Counter[Route] = field(default_factory=Counter)

    def add(self, result: Result) -> None:
        """Count a page, if it is known what it is."""
        if result.route is not None and (kind := kind_of(result)):
            (self.scanned if kind == SCANNED else self.digital)[result.route] += 1

    @property
    def recall(self) -> float | None:
        """The share of the scanned pages whose letters are recognised, on the whole page or in its pictures."""
        return _share(sum(self.scanned[route] for route in RECOGNISED), self.scanned.total())

    @property
    def precision(self) -> float | None:
        """The share of the pages that are recognised as a whole which are scanned."""
        return _share(self.scanned[Route.OCR], self.scanned[Route.OCR] + self.digital[Route.OCR])

    @property
    def needless(self) -> float | None:
        """The share of the digital pages that are recognised as a whole."""
        return _share(self.digital[Route.OCR], self.digital.total())

    def told(self) -> dict[str, object]:
        """The figures and the counts behind them."""
        figures = {"recall": self.recall, "precision": self.precision, "needless": self.needless}
        counts = {SCANNED: _by_name(self.scanned), DIGITAL: _by_name(self.digital)}
        return {**{name: tidy(value) for name, value in figures.items()}, **counts}


def kind_of(result: Result) -> str | None:
    """What kind of page a result is about; None where the corpus does not say."""
    category = result.document.category
    if category == PER_PAGE:
        return result.scored.group
    if category == WHOLLY_SCANNED:
        return SCANNED
    return DIGITAL if category in WHOLLY_DIGITAL else None


def routes_of(results: Sequence[Result]) -> Iterator[dict[str, object]]:
    """The routing of each engine that says how it reads pages."""
    for engine, of_engine in grouped(results, lambda result: result.engine).items():
        routes = Routes()
        for result in of_engine:
            routes.add(result)
        if routes.scanned or routes.digital:
            yield {"engine": engine, "category": "routing", **routes.told()}


def misled(result: Result) -> bool:
    """Whether a page took a wrong way."""
    kind = kind_of(result)
    if kind is None or result.route is None:
        return False
    return result.route not in RECOGNISED if kind == SCANNED else result.route is Route.OCR


def _by_name(routes: Counter[Route]) -> dict[str, int]:
    return {str(route): count for route, count in routes.items()}


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
