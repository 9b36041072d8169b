"""The baselines: LiteParse with nothing around it, and web applications that do no more than they must."""

import hashlib
import multiprocessing
import sqlite3
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.pool import Pool
from pathlib import Path
from typing import Any

import orjson
import uvicorn
from fastapi import FastAPI, Request
from liteparse import LiteParse
from liteparse._liteparse import LiteParse as NativeLiteParse  # type: ignore[import-not-found,import-untyped,unused-ignore]

# The options with which pagemill calls the engine.
OPTIONS: dict[str, Any] = {
    "ocr_enabled": False,
    "output_format": "markdown",
    "quiet": True,
    "extract_blocks": True,
    "extract_form_fields": True,
    "extract_vector_graphics": True,
    "emit_word_boxes": True,
    "continue_on_page_error": True,
    "keep_headers_footers": True,
}
CONSTANT = {"id": "0198c0de-0000-7000-8000-000000000000", "status": "pending"}


@dataclass(frozen=True)
class Reading:
    """How long bare LiteParse took over some documents."""

    pages: int
    seconds: float
    cpu_seconds: float

    @property
    def pages_per_second(self) -> float:
        """Pages read and written per second."""
        return self.pages / self.seconds


@contextmanager
def readers(processes: int) -> Iterator[Pool]:
    """That many warm processes in which nothing but LiteParse runs."""
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        # A short sleep in each keeps one process from answering for all.
        pool.map(warm_up, [0.3] * processes, chunksize=1)
        yield pool


def warm_up(seconds: float) -> None:
    """Have the engine loaded before anything is measured."""
    LiteParse(**OPTIONS)
    time.sleep(seconds)


def read_all(pool: Pool, documents: Sequence[Path], folder: Path) -> Reading:
    """Read the documents with the public class, writing Markdown and JSON for each into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    started = time.perf_counter()
    visits = [(str(path), str(folder / path.stem)) for path in documents]
    answers = list(pool.imap_unordered(read_document, visits, chunksize=1))
    seconds = time.perf_counter() - started
    return Reading(sum(pages for pages, _ in answers), seconds, sum(cpu for _, cpu in answers))


def read_document(visit: tuple[str, str]) -> tuple[int, float]:
    """Read one document and write its two files; the pages and the CPU seconds of it."""
    path, target = visit
    began = time.process_time()
    result = LiteParse(**OPTIONS).parse(path)
    Path(f"{target}.md").write_text("\n\n".join(page.markdown or "" for page in result.pages), "utf-8")
    pages = [
        {
            "page": page.page_num,
            "width": page.width,
            "height": page.height,
            "text": page.text,
            "blocks": page.blocks,
        }
        for page in result.pages
    ]
    Path(f"{target}.json").write_bytes(orjson.dumps({"pages": pages}))
    return len(pages), time.process_time() - began


def parse_natively(path: str) -> tuple[int, float]:
    """Have LiteParse's inner class parse a document, looking at nothing; the pages and the CPU seconds of it."""
    began = time.process_time()
    pages = len(NativeLiteParse(**OPTIONS).parse(path).pages)
    return pages, time.process_time() - began


def first_pages_seconds(path: str, last: int) -> float:
    """How long LiteParse takes over the first pages of a document."""
    started = time.perf_counter()
    LiteParse(**OPTIONS, target_pages=f"1-{last}").parse(path)
    return time.perf_counter() - started


def application(folder: Path) -> FastAPI:
    """A web application that takes an upload and answers a constant, and does nothing else."""
    app = FastAPI()
    database = sqlite3.connect(folder / "bare.db", isolation_level=None, check_same_thread=False)
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("PRAGMA synchronous=FULL")
    database.execute("CREATE TABLE uploads (id INTEGER PRIMARY KEY, sha256 TEXT, size_bytes INTEGER)")

    @app.post("/upload", status_code=202)
    async def upload(request: Request) -> dict[str, str | int]:
        digest, size_bytes = hashlib.sha256(), 0
        with (folder / f"{time.time_ns()}-{id(request)}.pdf").open("wb") as file:
            async for piece in request.stream():
                digest.update(piece)
                size_bytes += file.write(piece)
        sha256 = digest.hexdigest()
        row = database.execute("INSERT INTO uploads (sha256, size_bytes) VALUES (?, ?)", (sha256, size_bytes))
        return {"id": row.lastrowid or 0, "sha256": sha256, "size_bytes": size_bytes}

    @app.get("/constant")
    async def constant() -> dict[str, str]:
        return CONSTANT

    return app


def main() -> None:
    """Serve the bare application on the port and in the folder that the command line names."""
    port, folder = int(sys.argv[1]), Path(sys.argv[2])
    # The settings with which pagemill runs uvicorn, as far as they cost anything per request.
    uvicorn.run(
        application(folder),
        host="127.0.0.1",
        port=port,
        loop="uvloop",
        http="httptools",
        ws="none",
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
    )


if __name__ == "__main__":
    main()
