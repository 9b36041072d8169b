"""The pages of a job as lines of JSON, a few at a time, while it runs and after."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import orjson
from sqlalchemy import Connection

from pagemill.db import chunks
from pagemill.desk.contents import draft_page, numbers_from, page_index
from pagemill.desk.queries import job_with_result
from pagemill.errors import ArtifactNotMade
from pagemill.mill import Mill
from pagemill.model.formats import ARTIFACT_NAMES
from pagemill.model.jobs import Chunk, JobRow, Result
from pagemill.model.page_index import find_page
from pagemill.model.states import ChunkState

LINES_AT_ONCE = 32


@dataclass(frozen=True, slots=True)
class PageLines:
    """Some pages in order, each as a line, and the page that comes next; `is_end` if there will be none."""

    lines: bytes
    next_page: int
    is_end: bool


def read_page_lines(mill: Mill, tenant: str, job_id: str, first: int) -> PageLines:
    """The pages that can be read now, from a number on, up to the first that can't."""

    def query(conn: Connection) -> tuple[JobRow, Result | None, list[int], list[Chunk]]:
        job, _, result = job_with_result(conn, tenant, job_id)
        numbers = numbers_from(job, first, LINES_AT_ONCE)
        if not numbers or (job.is_over and result is not None):
            return job, result, numbers, []
        read = chunks.of_run(conn, tenant, job_id, job.run, numbers[0], numbers[-1])
        return job, result, numbers, read

    job, result, numbers, read = mill.db.read(query)
    if job.is_over and result is not None:
        lines = list(final_lines(mill, result, numbers))
    else:
        lines = list(draft_lines(mill, numbers, read))
    next_page = numbers[len(lines)] if len(lines) < len(numbers) else (numbers[-1] + 1 if numbers else first)
    is_end = job.is_over and (len(lines) < len(numbers) or len(numbers) < LINES_AT_ONCE)
    return PageLines(b"".join(lines), next_page, is_end)


def final_lines(mill: Mill, result: Result, numbers: Sequence[int]) -> Iterator[bytes]:
    """The pages of a finished document, read with one look at its index."""
    if ARTIFACT_NAMES["json"] not in result.artifacts:
        raise ArtifactNotMade("Pages are served from the JSON, which this job was not asked for.")
    failed = {page["page"]: page for page in result.failed_pages}
    with mill.blobs.open(f"{result.prefix}/{ARTIFACT_NAMES['json']}") as document:
        index = page_index(mill, result, document)
        for number in numbers:
            place = None if number in failed else find_page(index, number)
            if place is None:
                yield failed_line(number, failed.get(number))
                continue
            document.seek(place[0])
            yield page_line("final", document.read(place[1]))


def draft_lines(mill: Mill, numbers: Sequence[int], read: Sequence[Chunk]) -> Iterator[bytes]:
    """The pages of a running job that were read, up to the first that was not."""
    for number in numbers:
        # A page that was handed on is in two chunks; the later one has it as it was recognised.
        own = [one for one in read if (one.first_page or 1) <= number <= (one.last_page or 0)]
        settled = [
            one
            for one in own
            if one.state in (ChunkState.DONE, ChunkState.FAILED) and number not in one.handed_pages
        ]
        if not settled:
            return
        last = settled[-1]
        failed = next((page for page in last.failed_pages if page["page"] == number), None)
        if failed is not None or last.output is None:
            yield failed_line(number, failed)
        else:
            yield page_line("draft", draft_page(mill, last.output, number))


def page_line(state: str, page: bytes) -> bytes:
    """A page with its state in front, without taking it apart."""
    return b'{"state":"%s",%s\n' % (state.encode(), page[1:])


def failed_line(number: int, failed: object) -> bytes:
    """A page that could not be read, and why."""
    return orjson.dumps(
        {"state": "failed", "number": number, "error": failed}, option=orjson.OPT_APPEND_NEWLINE
    )
