"""`python -m quality.rules CORPUS`: what each model and each rule of the layout is worth, read without it on several sets.

A rule is left out by putting something in its place that decides nothing. Where models are trained on a set, those of folds that
have not seen the document read it (`--folds`).
"""

import argparse
import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import orjson

from pagemill.model.pages import Block, Kind
from pagemill.reading.layout.features import HINTS
from pagemill.reading.layout.page import laid_out
from pagemill.reading.layout.paragraphs import paragraphs_of
from pagemill.reading.layout.roles import ROLES
from pagemill.reading.layout.tables.finding import is_sound
from pagemill.reading.layout.tables.frame import Draft
from pagemill.reading.page.sheet import Precision
from pagemill.reading.sources.printed import words_as_printed
from pagemill.reading.sources.text_layer import sheet_of
from quality.corpus import documents
from quality.measure import measured
from quality.ours import Pagemill
from quality.results import Result, means, summed
from quality.unseen import Unseen

LAYOUT, TABLES, READING = "pagemill.reading.layout", "pagemill.reading.layout.tables", "pagemill.reading"
# One figure for each set, the mean of several.
TALLIED = ("heading_f1", "running_f1", "footnote_f1", "table_f1", "order", "breaks_f1")
LABELLED, AS_SCANS = "layout_truth", " as scans"
FIGURES = {
    "pdf_md_truth": ("overall",),
    "pdf_table_truth": ("cell_f1",),
    "multipage_truth": ("nid",),
    "scan_truth": ("nid", "teds", "mhs"),
}
# Read as they are, and as if their text layers had been recognised.
SETS = (LABELLED, *FIGURES, *(f"{name}{AS_SCANS}" for name in (LABELLED, "pdf_md_truth", "pdf_table_truth")))
Place = tuple[str, str, Callable[..., Any]]


def _no(*_: object, **__: object) -> bool:
    return False


def _none(*_: object, **__: object) -> None:
    return None


def _yes(*_: object, **__: object) -> bool:
    return True


def _nothing(*_: object, **__: object) -> list[Any]:
    return []


def _same(given: Any, *_: object, **__: object) -> Any:
    return given


def _each(given: Any, *_: object, **__: object) -> list[Any]:
    return [given]


def _every_table(blocks: Sequence[Block], _: object) -> list[Block]:
    return [block for block in blocks if block.kind is Kind.TABLE]


def _only_run_words(page: Any, texts: Sequence[Any], words: Sequence[Any]) -> tuple[list[Any], bool]:
    return words_as_printed(page, texts, words), False


def _unwidened(draft: Draft, *_: object) -> Draft | None:
    return draft if is_sound(draft) else None


def _by_hints(sheet: Any, lines: Sequence[Any], _: object = None) -> Any:
    """The engine's opinion in the place of the model of roles."""
    chances = np.full((len(lines), len(ROLES)), 0.01, np.float32)
    for row, line in zip(chances, lines, strict=True):
        kind = sheet.hints[line.hint].kind if line.hint >= 0 else "paragraph"
        row[ROLES.index(kind) if kind in HINTS and kind in ROLES else ROLES.index("text")] = 0.9
    return chances


def _joined_by_rules(_: Any, lines: Sequence[Any], sequence: Sequence[int], __: object = None) -> Any:
    """The rules for recognised pages in the place of the model of joins."""
    groups = paragraphs_of([lines[at] for at in sequence])
    joined = [at > 0 for group in groups for at in range(len(group))]
    return np.array(joined[1:], np.float32)


RULES: Mapping[str, Sequence[Place]] = {
    "nothing": (),
    "model of roles": ((f"{LAYOUT}.judging", "role_probabilities", _by_hints),),
    "model of joins": ((f"{LAYOUT}.judging", "join_probabilities", _joined_by_rules),),
    "captions by their first word": ((f"{LAYOUT}.settling", "is_caption", _no),),
    "notes by size and sign": ((f"{LAYOUT}.settling", "_is_note", _no),),
    "no larger text below notes": ((f"{LAYOUT}.settling", "_has_text_below", _no),),
    "raised signs start no heading": ((f"{LAYOUT}.settling", "_starts_raised", _no),),
    "headings have letters": ((f"{LAYOUT}.settling", "_may_be_heading", _yes),),
    "headings by numbers": ((f"{LAYOUT}.settling", "_is_numbered_heading", _no),),
    "two headings by size and colour": ((f"{LAYOUT}.judging", "Judged._are_two_headings", _no),),
    "items by markers": ((f"{LAYOUT}.judging", "continues_list", _no),),
    "drop caps": ((f"{LAYOUT}.page", "with_drop_caps", _same),),
    "labels of drawings": ((f"{LAYOUT}.page", "cluster_labels", _same),),
    "prose cut from tables": ((f"{LAYOUT}.page", "without_prose", _each),),
    "titles cut from tables": ((f"{LAYOUT}.page", "without_titles", _each),),
    "tables need likely lines": ((f"{LAYOUT}.tabled", "is_likely", _yes),),
    "items that count on": ((f"{LAYOUT}.blocks", "are_counted_on", lambda texts: [False] * len(texts)),),
    "columns and order": ((f"{LAYOUT}.page", "parts_of", lambda lines, _: [lines]),),
    "names beside rules": ((f"{TABLES}.finding", "names_beside", _nothing),),
    "false tables of the engine": ((TABLES, "true_tables", _every_table),),
    "tables as wide as the engine's": ((f"{TABLES}.finding", "_widen", _unwidened),),
    "tables between rules": ((f"{TABLES}.finding", "stacks_of", _nothing),),
    "tables without rules": ((f"{TABLES}.finding", "loose_drafts", _nothing),),
    "tables in grids": ((f"{TABLES}.finding", "grids_of", _nothing),),
    "rows of figures": ((f"{TABLES}.rows", "_are_figures", _no),),
    "pages on their side": ((f"{READING}.read_page", "turn_of", _none),),
    "words that the engine dropped": ((f"{READING}.read_page", "all_words_printed", _only_run_words),),
    "leaders and stops": ((f"{LAYOUT}.blocks", "mend_text", _same),),
    "tags": ((f"{READING}.read_page", "page_tags", _nothing),),
    "raised words": ((f"{LAYOUT}.page", "with_raised_words", _same),),
    "numbers of chapters": ((f"{LAYOUT}.settling", "_is_chapter_number", _no),),
    "known titles": ((f"{LAYOUT}.settling", "is_known_title", _no),),
    "notes of one sentence": (
        (f"{LAYOUT}.page", "is_noted_sentence", _no),
        (f"{LAYOUT}.settling", "is_noted_sentence", _no),
    ),
    "contents: entries with leaders": ((f"{LAYOUT}.settling", "is_led_entry", _no),),
    "contents: numbers of pages": ((f"{LAYOUT}.judging", "Judged.is_page_of_entry", _no),),
    "contents: ends of entries": ((f"{LAYOUT}.judging", "Judged._ends_entry", _no),),
    "contents: leaders apart": ((f"{LAYOUT}.judging", "are_led", _no),),
    "first words in bold": ((f"{LAYOUT}.blocks", "with_run_in", _same),),
    "lines: texts of the engine": ((f"{LAYOUT}.lines", "_are_one_text", _no),),
    "lines: justified": ((f"{LAYOUT}.lines", "_are_justified", _no),),
    "lines: numbers and their words": ((f"{LAYOUT}.lines", "_is_number_of", _no),),
    "lines: bullets and their words": ((f"{LAYOUT}.lines", "_is_bullet_of", _no),),
    "lines: beside larger text": ((f"{LAYOUT}.lines", "_are_two_lines", _no),),
    "lines: walls": ((f"{LAYOUT}.lines", "_is_walled", _no),),
    "lines: headings of the engine": ((f"{LAYOUT}.lines", "note_headings", _none),),
    "columns: sections": ((f"{LAYOUT}.columns", "section_start", _none),),
    "columns: short headlines": ((f"{LAYOUT}.columns", "_begins_columns", _no),),
    "columns: crossed gutters": ((f"{LAYOUT}.columns", "_is_crossed_beside_text", _no),),
    "columns: gutters at edges": ((f"{LAYOUT}.columns", "_edge_gutters", _nothing),),
    "columns: rules over them": ((f"{LAYOUT}.columns", "_rules_across", _nothing),),
    "columns: heads in the margin": ((f"{LAYOUT}.columns", "_is_side_head", _no),),
    "columns: narrow ones": ((f"{LAYOUT}.columns", "_is_stack", _no),),
    "columns: sentences that run on": ((f"{LAYOUT}.columns", "_runs_on", _no),),
    "columns: long lines": ((f"{LAYOUT}.columns", "_has_long_lines", _yes),),
    "labels side by side": ((f"{LAYOUT}.scattered", "_is_beside", _no),),
    "tables: looked at again": ((f"{LAYOUT}.trimming", "_look_again", lambda part, _: [part]),),
    "tables: grids before rules": ((f"{TABLES}.finding", "_are_whole", _no),),
    "tables: rules through words": ((f"{TABLES}.finding", "_is_struck", _no),),
    "tables: prose side by side": ((f"{TABLES}.finding", "is_prose", _no),),
    "tables: fewest rows": ((f"{TABLES}.finding", "is_firm", _yes),),
    "tables: rows outside of rules": ((f"{TABLES}.finding", "grown", _same),),
    "tables: even rows": ((f"{TABLES}.loose", "_even", _each),),
    "tables: lines over gaps": ((f"{TABLES}.columns", "_without_worst", _none),),
    "tables: words flush with columns": ((f"{TABLES}.columns", "_flush", lambda *_: 0),),
    "heads: before figures": ((f"{TABLES}.plain", "leading", lambda _: 0),),
    "heads: over short rules": ((f"{TABLES}.heads", "_columns_under_rule", _none),),
    "heads: over columns": ((f"{TABLES}.heads", "_columns_around", _none),),
    "heads: over heads": ((f"{TABLES}.heads", "_over_overs", _none),),
    "rows: crowded between rules": ((f"{TABLES}.rows", "_is_crowded", _no),),
    "rows: white between them": ((f"{TABLES}.rows", "_by_white", lambda strips: [list(strips)]),),
    "rows: cells that go on": ((f"{TABLES}.rows", "_goes_on", _no),),
    "cells: parted by edges of others": ((f"{TABLES}.ruled", "_close", _none),),
    "cells: parted by figures": ((f"{TABLES}.ruled", "_close_between_figures", _none),),
    "cells: parted by white": ((f"{TABLES}.ruled", "_close_below", _none),),
    "grids: idle edges": ((f"{TABLES}.ruled", "_without_idle_edges", _same),),
    "grids: columns that are not drawn": ((f"{TABLES}.ruled", "_with_columns", _same),),
    "grids: names with figures": ((f"{TABLES}.ruled", "_with_entries", lambda frame, *_, **__: (frame, 0)),),
    "grids: rows that are not drawn": ((f"{TABLES}.ruled", "_are_rows", _no),),
    "grids: text that wraps": ((f"{TABLES}.ruled", "_is_wrapped", _no),),
    "scans: lines set wide": ((f"{LAYOUT}.page", "with_spread_lines", _same),),
    "scans: centred headings": ((f"{LAYOUT}.page", "with_whole_headings", _same),),
    "scans: headings over paragraphs": ((f"{LAYOUT}.judging", "Judged.without_heading", lambda _, g: [g]),),
    "scans: paragraphs that count": (
        (f"{LAYOUT}.blocks", "are_counted", lambda texts: [False] * len(texts)),
    ),
    "scans: no tables of prose": ((f"{LAYOUT}.page", "is_prose", _no),),
}


@contextmanager
def left_out(rule: str) -> Iterator[None]:
    """Read without a rule for a while."""
    with ExitStack() as stack:
        for module, name, replacement in RULES[rule]:
            stack.enter_context(_put(module, name, replacement))
        yield


@contextmanager
def _put(module: str, name: str, replacement: Callable[..., Any]) -> Iterator[None]:
    owner: Any = importlib.import_module(module)
    *outer, last = name.split(".")
    for part in outer:
        owner = getattr(owner, part)
    former = getattr(owner, last)
    setattr(owner, last, replacement)
    try:
        yield
    finally:
        setattr(owner, last, former)


def _as_scan(_: object, native: Any, __: object, ___: object) -> Any:
    """A page laid out as the text layer of a scan: words without type."""
    return laid_out(sheet_of(native.native, native.texts, Precision.RECOGNISED))


def figure(category: str, results: Sequence[Result]) -> float:
    """The figure of a set."""
    if category == LABELLED:
        tallies = summed(results)
        return fmean(score for name in TALLIED if (score := tallies[name].f1) is not None)
    found = means(results)
    return fmean(score for name in FIGURES[category] if (score := found.get(name)) is not None)


def figures(arguments: argparse.Namespace, category: str, folder: Path) -> float:
    """The figure of a set, of which every so manieth document is read."""
    wanted = documents(arguments.corpus, [category], None, untrusted=False)
    step = arguments.every if category == LABELLED else 1
    unseen = Unseen(arguments.folds) if arguments.folds else None
    return figure(category, list(measured(Pagemill(), wanted[::step], folder, unseen)))


def rows(arguments: argparse.Namespace, folder: Path) -> Iterator[dict[str, object]]:
    """For each rule that is left out the figure of each set."""
    for rule in arguments.rule or RULES:
        row: dict[str, object] = {"without": rule}
        with left_out(rule):
            for name in arguments.only or SETS:
                category = name.removesuffix(AS_SCANS)
                with (
                    _put(f"{READING}.read_page", "_laid_out", _as_scan) if category != name else nullcontext()
                ):
                    row[name] = round(figures(arguments, category, folder), 4)
        yield row


def main() -> None:
    """Print a line of JSON for each rule."""
    line = argparse.ArgumentParser(prog="python -m quality.rules", description=__doc__)
    line.add_argument("corpus", type=Path, help="a folder with a manifest.jsonl")
    line.add_argument("--folds", type=Path, help="models trained without the documents they read")
    line.add_argument("--only", action="append", choices=SETS)
    line.add_argument("--rule", action="append", choices=list(RULES))
    line.add_argument("--every", type=int, default=5, help="one of so many labelled documents (default 5)")
    with TemporaryDirectory(prefix="pagemill-quality-") as scratch:
        for row in rows(line.parse_args(), Path(scratch)):
            print(orjson.dumps(row).decode(), flush=True)


if __name__ == "__main__":
    main()
