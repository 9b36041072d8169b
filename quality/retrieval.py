"""`python -m quality.retrieval`: how well search answers questions about made-up handbooks; one line of JSON per database.

The handbooks are drawn, read and indexed here. The exit code is 1 if the databases answer differently.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import orjson
from sqlalchemy import Connection

from pagemill.db import search, search_index, vectors
from pagemill.db.database import Database, Tx
from pagemill.db.migrate import migrate
from pagemill.db.postgres import PostgresDatabase
from pagemill.db.sqlite import SqliteDatabase
from pagemill.desk.search import MODES, TEXT, Search, rank_by, rank_text
from pagemill.desk.search_limit import SearchLimit
from pagemill.desk.vector_search import ask_model
from pagemill.mill import Mill
from pagemill.model.document_filters import DocumentFilter
from pagemill.model.index_feed import passage_from
from pagemill.model.passages import IndexedPassage, embed_text
from pagemill.model.search_queries import parse_query
from pagemill.model.visits import OpenRequest
from pagemill.reading.embedding import minilm
from pagemill.reading.embedding.packing import pack_rows, shown_vector
from pagemill.reading.visits import open_document
from pagemill.settings import Settings
from pagemill.wiring import build
from quality.handbooks import TONGUES, Question, sections, write_handbook
from tests.cluster import postgres

TENANT = "questions"
SECTIONS = 12
SHOWN = 10
DATABASES = ("sqlite", "postgres")


def main() -> int:
    """Ask every question of the databases that the command line names."""
    arguments = parser().parse_args()
    with tempfile.TemporaryDirectory(prefix="pagemill-retrieval-") as scratch:
        folder = Path(scratch)
        passages, asked = read_handbooks(folder, arguments.sections)
        modes = arguments.mode or (MODES if minilm.missing() is None else (TEXT,))
        ranks = {
            name: ranks_on(name, folder, passages, asked, modes) for name in arguments.database or DATABASES
        }
    for name, found in ranks.items():
        for mode, places in found.items():
            for line in figures(name, mode, asked, places):
                print(orjson.dumps(line).decode())
    equal = all(found == next(iter(ranks.values())) for found in ranks.values())
    if not equal:
        print("The databases answer differently.", file=sys.stderr)
    return 0 if equal else 1


def parser() -> argparse.ArgumentParser:
    """What the command line takes."""
    line = argparse.ArgumentParser(prog="python -m quality.retrieval", description="Measure search.")
    line.add_argument("--database", action="append", choices=DATABASES, help="default: both")
    line.add_argument(
        "--mode", action="append", choices=MODES, help="default: all if the weights of MiniLM are installed"
    )
    line.add_argument("--sections", type=int, default=SECTIONS, help="sections of each handbook")
    return line


def read_handbooks(folder: Path, count: int) -> tuple[dict[str, list[IndexedPassage]], list[Question]]:
    """The passages of a handbook in each language, and the questions about them."""
    passages, asked = dict[str, list[IndexedPassage]](), list[Question]()
    for tongue in TONGUES:
        parts, path = list(sections(tongue, count)), folder / f"{tongue.code}.pdf"
        write_handbook(path, parts)
        passages[tongue.code] = read_passages(path)
        asked += [question for part in parts for question in part.questions]
    return passages, asked


def read_passages(path: Path) -> list[IndexedPassage]:
    """The passages of a document as it is read."""
    made = path.with_suffix("")
    made.mkdir()
    request = OpenRequest(str(path), str(made), 100, ("liteparse", "pdfium"), formats=("chunks",))
    open_document(request.to_bytes())
    return [passage_from(line) for line in (made / "chunks.jsonl").read_bytes().splitlines()]


@contextmanager
def opened(name: str, folder: Path) -> Iterator[Database]:
    """An empty database."""
    if name == "sqlite":
        db: Database = SqliteDatabase(folder / "search.db")
        migrate(db.engine)
        yield db
        db.close()
        return
    with postgres.running(folder / "postgres") as server:
        db = PostgresDatabase(server.new_database())
        migrate(db.engine)
        yield db
        db.close()


def ranks_on(
    name: str,
    folder: Path,
    passages: dict[str, list[IndexedPassage]],
    asked: Sequence[Question],
    modes: Sequence[str] = (TEXT,),
) -> dict[str, list[int | None]]:
    """For each mode and question the place of the first passage that answers it, on one database."""
    settings = Settings(data_dir=folder, embeddings="off" if modes == (TEXT,) else "minilm")
    with opened(name, folder) as db, closing(build(settings, folder)) as assembled:
        for code, new in passages.items():
            db.write(partial(add_handbook, code=code, new=new))
        mill = replace(assembled, db=db)
        if modes != (TEXT,):
            add_vectors(mill, db, passages)
        return {mode: [place_of(mill, question, mode) for question in asked] for mode in modes}


def add_handbook(tx: Tx, code: str, new: list[IndexedPassage]) -> None:
    """Index the passages of a handbook."""
    search_index.begin_result(tx, TENANT, code)
    search_index.add_passages(tx, TENANT, code, new, complete=True)


def add_vectors(mill: Mill, db: Database, codes: Iterable[str]) -> None:
    """Make the vectors of all passages, in this process."""
    model = mill.embeddings.model()
    for code in codes:
        found = db.read(
            partial(vectors.texts_of_result, tenant=TENANT, result_id=code, after=0, limit=10_000)
        )
        made = pack_rows(minilm.embed([embed_text(headings, text) for _, headings, text in found]))
        new = [(one[0], raw, shown_vector(raw)) for one, raw in zip(found, made, strict=True)]
        db.write(partial(vectors.add_vectors, tenant=TENANT, result_id=code, model=model, new=new))


def place_of(mill: Mill, question: Question, mode: str) -> int | None:
    """The place of the first of the best passages that has the answer; None if none has."""
    wanted, query = DocumentFilter(TENANT), parse_query(question.text)
    one = Search(mill, wanted, query, SearchLimit(mill.settings.search_seconds))
    if mode == TEXT:
        ranked = mill.db.read(lambda conn: rank_text(conn, one))
    else:
        ranked = rank_by(one, ask_model(mill, TENANT, query.plain), mode=mode)
    best = [number for _, number in ranked.scores[:SHOWN]]

    def look(conn: Connection) -> int | None:
        texts = {one.id: " ".join(one.text.split()) for one in search.fetch_passages(conn, TENANT, best)}
        return next((place for place, number in enumerate(best, 1) if question.answer in texts[number]), None)

    return mill.db.read(look)


def figures(
    name: str, mode: str, asked: Sequence[Question], places: Sequence[int | None]
) -> Iterator[dict[str, object]]:
    """The figures of all questions, of each kind and of each language."""
    pairs = list(zip(asked, places, strict=True))
    yield {"database": name, "search": mode, "questions": "all", **scores(places)}
    for part in ("kind", "language"):
        for value in dict.fromkeys(getattr(question, part) for question in asked):
            some = [place for question, place in pairs if getattr(question, part) == value]
            yield {"database": name, "search": mode, "questions": value, **scores(some)}


def scores(places: Sequence[int | None]) -> dict[str, float]:
    """How often the answer comes first and among the first ten, and the mean of one over its place."""
    count = max(len(places), 1)
    return {
        "count": len(places),
        "hit_1": round(sum(place == 1 for place in places) / count, 3),
        "hit_10": round(sum(place is not None for place in places) / count, 3),
        "mrr": round(sum(1 / place for place in places if place) / count, 3),
    }


if __name__ == "__main__":
    sys.exit(main())
