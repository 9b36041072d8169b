"""The HTML report: the figures, and the worst pages drawn beside what was read and what is there."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from pathlib import Path

import pypdfium2

from pagemill.model.file_types import is_office
from quality.measure import as_pdf
from quality.results import Result, grouped, summaries, tidy
from quality.routing import misled, routes_of

PAGE_PIXELS = 900
LONGEST_TEXT = 20_000
MOST_PICTURES = 4
STYLE = """
body { font: 14px/1.45 system-ui, sans-serif; margin: 2rem; color: #1c1c1c; }
table.figures { border-collapse: collapse; margin: 1rem 0 2rem; }
.figures td, .figures th { padding: .2rem .7rem; border-bottom: 1px solid #ddd; text-align: right; }
.figures td:nth-child(-n+3), .figures th:nth-child(-n+3) { text-align: left; }
.page { border-top: 2px solid #888; padding: .5rem 0 2rem; }
.beside { display: grid; grid-template-columns: 1fr 1fr 1fr; gap: 1rem; align-items: start; }
.beside img { width: 100%; border: 1px solid #ccc; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: 12px; max-height: 80vh; overflow: auto;
  background: #f7f7f5; padding: .6rem; margin: 0; }
.scores { color: #555; } .failure { color: #a00; }
"""


def write_report(results: Sequence[Result], folder: Path, worst: int, scratch: Path) -> Path:
    """Write index.html and the pictures of the pages that it shows; the path of index.html."""
    (folder / "images").mkdir(parents=True, exist_ok=True)
    index = folder / "index.html"
    index.write_text("".join(_document(results, folder, worst, scratch)), "utf-8")
    return index


def _document(results: Sequence[Result], folder: Path, worst: int, scratch: Path) -> Iterator[str]:
    yield f"<!doctype html><html lang=en><meta charset=utf-8><title>Quality</title><style>{STYLE}</style>"
    yield "<h1>Quality of reading</h1>"
    for rows in by_columns([*summaries(results), *routes_of(results)]):
        yield figures_table(rows)
    for title, shown in sections(results, worst):
        yield f"<h2>{escape(title)}</h2>"
        for result in shown:
            yield _page(result, pictures(result, folder, scratch))
    yield "</html>"


def sections(results: Sequence[Result], worst: int) -> Iterator[tuple[str, list[Result]]]:
    """The results to be shown: the worst of each engine and category, and pages that took a wrong way."""
    for title, of_title in grouped(results, lambda one: f"{one.engine}: {one.document.category}").items():
        bad = sorted((one for one in of_title if one.goodness < 1.0), key=lambda one: one.goodness)
        if bad:
            yield f"{title}, the worst {min(worst, len(bad))}", bad[:worst]
    for engine, of_engine in grouped(filter(misled, results), lambda one: one.engine).items():
        yield f"{engine}: {len(of_engine)} pages that took a wrong way", of_engine[:worst]


def by_columns(rows: Iterable[Mapping[str, object]]) -> list[list[Mapping[str, object]]]:
    """Rows of figures, those with the same columns together."""
    tables: dict[tuple[str, ...], list[Mapping[str, object]]] = {}
    for row in rows:
        tables.setdefault(tuple(name for name in row if name != "group"), []).append(row)
    return list(tables.values())


def figures_table(rows: Sequence[Mapping[str, object]]) -> str:
    """Figures as a table."""
    names = [
        "engine",
        "category",
        "group",
        *(name for name in rows[0] if name not in ("engine", "category", "group")),
    ]
    head = "".join(f"<th>{escape(name)}" for name in names)
    body = "".join("<tr>" + "".join(f"<td>{_shown(row.get(name))}" for name in names) for row in rows)
    return f"<table class=figures><tr>{head}{body}</table>"


def _shown(value: object) -> str:
    return "" if value is None else escape(str(value))


def pictures(result: Result, folder: Path, scratch: Path) -> list[str]:
    """The addresses of pictures of the first pages that a result is about."""
    first = result.scored.page
    if is_office(result.document.path.name):
        return []
    path = as_pdf(result.document.path, scratch)
    with pypdfium2.PdfDocument(path, result.document.password) as document:
        last = min(first + result.scored.pages, first + MOST_PICTURES, len(document) + 1)
        return [_drawn(document, number, result.document.name, folder) for number in range(first, last)]


def _drawn(document: pypdfium2.PdfDocument, number: int, title: str, folder: Path) -> str:
    name = f"images/{title.replace('/', '-')}-{number}.png"
    page = document[number - 1]
    page.render(scale=PAGE_PIXELS / max(page.get_size())).to_pil().save(folder / name)
    return name


def _page(result: Result, images: Sequence[str]) -> str:
    scores = ", ".join(
        f"{name} {tidy(score)}" for name, score in result.scored.scores.items() if score is not None
    )
    route = f", route {result.route}" if result.route else ""
    failure = f"<p class=failure>{escape(result.failure)}</p>" if result.failure else ""
    drawn = "".join(f'<img loading=lazy alt="the page" src="{escape(image)}">' for image in images)
    return (
        f"<section class=page><h3>{escape(result.document.name)}, page {result.scored.page}</h3>"
        f"<p class=scores>{escape(result.engine)}: {scores}{route}</p>{failure}"
        f"<div class=beside><div>{drawn}</div>"
        f"<div><h4>Read</h4>{_text(result.scored.answer)}</div>"
        f"<div><h4>Truth</h4>{_text(result.scored.truth)}</div></div></section>"
    )


def _text(text: str) -> str:
    return f"<pre>{escape(text[:LONGEST_TEXT])}</pre>"
