"""`python -m quality [CORPUS] [--synthetic]`: one line of JSON per engine and category, and an HTML report."""

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from quality.categories import CORPUS_CATEGORIES
from quality.corpus import Document, documents
from quality.measure import measured
from quality.metrics.calibration import bins, calibration_error
from quality.report import write_report
from quality.results import Result, gathered, line, summaries
from quality.roster import ENGINES, missing, reads
from quality.routing import routes_of
from quality.scanned import made_scans
from quality.synthetic import made
from quality.unseen import DOCUMENTS, SOURCES, Unseen, train_missing
from train.plot import reliability_svg

FOLDER, TRAIN = Path(".quality"), Path(".train")


def main() -> int:
    """Measure what the command line names."""
    arguments = parser().parse_args()
    with tempfile.TemporaryDirectory(prefix="pagemill-quality-") as scratch:
        folder = Path(scratch)
        wanted = chosen(arguments, folder)
        train_lacking(arguments, wanted)
        results = list(all_measured(arguments, wanted, folder))
        if arguments.per_document:
            told(result.told() for result in sorted(results, key=lambda result: result.goodness))
        if arguments.plot:
            draw_confidence(results, arguments.plot)
        if results and not arguments.no_report:
            report = write_report(results, arguments.report, arguments.worst, folder)
            print(f"Report: {report}", file=sys.stderr)
    return 0 if results else 2


def all_measured(arguments: argparse.Namespace, wanted: Sequence[Document], folder: Path) -> Iterator[Result]:
    """The results of one engine after the other; its figures are printed when it is done."""
    for name in arguments.engine or ENGINES:
        fit = [document for document in wanted if reads(name, document.category)]
        if reason := missing(name):
            print(f"{name} is left out: {reason}", file=sys.stderr)
        elif fit:
            with closing(ENGINES[name](arguments.peers_dir)) as engine:
                results = list(measured(engine, fit, folder, unseen_by(arguments)))
            told(summaries(results))
            told(routes_of(results))
            yield from results


def unseen_by(arguments: argparse.Namespace) -> Unseen | None:
    """Which models read the documents that the usual ones were trained on; None for the usual ones."""
    if arguments.left_out:
        return Unseen(arguments.folds or TRAIN / "folds", arguments.left_out)
    return Unseen(arguments.folds) if arguments.folds else None


def train_lacking(arguments: argparse.Namespace, wanted: Sequence[Document]) -> None:
    """With --left-out, train the models that are not there yet."""
    unseen = unseen_by(arguments)
    if unseen and arguments.left_out and (folds := unseen.lacking(wanted)):
        print(f"Models are trained: {', '.join(folds)}", file=sys.stderr)
        train_missing(unseen, arguments.corpus, TRAIN)


def draw_confidence(results: Sequence[Result], path: Path) -> None:
    """Write the reliability plot of the blocks of labelled pages."""
    outcomes = gathered(results).get("block", [])
    title = f"{len(outcomes):,} blocks, expected calibration error {calibration_error(outcomes) or 0.0:.3f}"
    if outcomes:
        labels = "confidence", "share of blocks that are right"
        path.write_text(reliability_svg(list(bins(outcomes)), title, labels), "utf-8")


def told(lines: Iterator[dict[str, object]]) -> None:
    """Print figures."""
    for figures in lines:
        print(line(figures), flush=True)


def chosen(arguments: argparse.Namespace, folder: Path) -> list[Document]:
    """The documents to be read: of the corpus those whose truth can be trusted, and made ones if asked for."""
    wanted: list[Document] = []
    if arguments.corpus:
        categories = arguments.only or CORPUS_CATEGORIES
        wanted += documents(arguments.corpus, categories, arguments.limit, untrusted=arguments.all_truths)
        wanted += made_scans(arguments.corpus, folder, arguments.only or (), arguments.limit, arguments.seed)
    if arguments.synthetic:
        wanted += made(folder / "synthetic", arguments.each, arguments.seed)
    return wanted


def parser() -> argparse.ArgumentParser:
    """What the command line takes."""
    line = argparse.ArgumentParser(
        prog="python -m quality", description="Measure how well documents are read."
    )
    add, many = line.add_argument, "append"
    add("corpus", type=Path, nargs="?", help="a folder with a manifest.jsonl")
    add("--only", action=many, choices=CORPUS_CATEGORIES, help="only this category; may be repeated")
    add("--engine", action=many, choices=list(ENGINES), help="only this engine; may be repeated")
    add("--limit", type=int, help="at most so many documents of each category")
    add("--all-truths", action="store_true", help="also documents whose truth nobody has looked at")
    add(
        "--synthetic",
        action="store_true",
        help="also pages made for the purpose, of which the truth is exact",
    )
    add("--each", type=int, default=8, help="how many made pages of each kind (default 8)")
    add("--seed", type=int, default=1, help="another seed makes other pages and scans (default 1)")
    add("--per-document", action="store_true", help="also a line for each document or page, the worst first")
    add("--report", type=Path, default=FOLDER / "report", help="the folder of the HTML report")
    add("--worst", type=int, default=12, help="how many of the worst pages the report shows of each category")
    add("--no-report", action="store_true", help="figures only")
    add("--folds", type=Path, help="models trained without the documents they read (see make train)")
    add(
        "--left-out",
        choices=(DOCUMENTS, SOURCES),
        help="read by models trained without the document, or without all of its source; trained first if need be",
    )
    add("--plot", type=Path, help="a file for the plot of how much confidence is worth, as SVG")
    add("--peers-dir", type=Path, default=FOLDER, help="where other engines are installed")
    return line


if __name__ == "__main__":
    sys.exit(main())
