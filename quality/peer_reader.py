"""Reads documents with another engine inside that engine's own environment; needs nothing but it and Python.

It is started with the engine's name; each line of input is a path, each line of output the pages and the seconds.
"""

import json
import os
import sys
import time
from collections.abc import Callable


def with_pdf_inspector(path: str) -> list[str]:
    """The pages as pdf-inspector writes them; a page that it would hand on to recognition is empty."""
    import pdf_inspector  # type: ignore[import-not-found]

    whole = pdf_inspector.process_pdf(path)
    if whole.page_count == 1:
        return [whole.markdown or ""]
    return [page.markdown or "" for page in pdf_inspector.extract_pages_markdown(path).pages]


def with_pymupdf4llm(path: str) -> list[str]:
    """The pages as pymupdf4llm writes them."""
    import pymupdf4llm  # type: ignore[import-not-found]

    return [page["text"] for page in pymupdf4llm.to_markdown(path, page_chunks=True)]


def with_anydoc(path: str) -> list[str]:
    """An office file as anydoc writes it."""
    import anydoc

    return [anydoc.to_markdown(path)]


def with_markitdown(path: str) -> list[str]:
    """An office file as markitdown writes it."""
    from markitdown import MarkItDown  # type: ignore[import-not-found]

    return [MarkItDown().convert(path).text_content]


def with_undoc(path: str) -> list[str]:
    """An office file as undoc writes it."""
    import undoc  # type: ignore[import-not-found]

    return [undoc.parse_file(path).to_markdown()]


READERS: dict[str, Callable[[str], list[str]]] = {
    "anydoc": with_anydoc,
    "markitdown": with_markitdown,
    "pdf-inspector": with_pdf_inspector,
    "pymupdf4llm": with_pymupdf4llm,
    "undoc": with_undoc,
}


def main() -> None:
    """Answer line by line."""
    read = READERS[sys.argv[1]]
    # Engines print remarks; the answers keep the output to themselves.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    for line in sys.stdin:
        started, cpu_started = time.perf_counter(), time.process_time()
        try:
            answer: dict[str, object] = {"pages": read(line.rstrip("\n"))}
        except Exception as error:  # the other side reports it
            answer = {"pages": [""], "failure": f"{type(error).__name__}: {error}"}
        answer["seconds"] = time.perf_counter() - started
        answer["cpu_seconds"] = time.process_time() - cpu_started
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
