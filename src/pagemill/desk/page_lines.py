"""The pages of a job as lines of JSON, a few at a time or as events settle them, while it runs and after."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import orjson
from sqlalchemy import Connection

from pagemill.db import chunks
from pagemill.desk.contents import numbers_from, page_index
from pagemill.desk.queries import job_with_result
from pagemill.errors import ArtifactNotMade, Gone, NotFound, StoredFileMissing
from pagemill.mill import Mill
from pagemill.model.events import EventRow, EventType
from pagemill.model.formats import ARTIFACT_NAMES
from pagemill.model.jobs import Chunk, JobRow, Result
from pagemill.model.page_index import find_page
from pagemill.model.states import ChunkState
from pagemill.model.visits import PAGES_FILE
from pagemill.model.webhook_payloads import pages_of

LINES_AT_ONCE = 32
# The number is among the first members of a page.
NUMBER, HEAD_BYTES = re.compile(rb'"number":(\d+),'), 64


@dataclass(frozen=True, slots=True)
class PageLines:
    """Some pages in order, each as a line, and the page that comes next; `is_end` if there will be none."""

    lines: bytes
    next_page: int
    is_end: bool


def read_page_lines(mill: Mill, tenant: str, job_id: str, first: int) -> PageLines:
    """The pages that can be read now, from a number on, up to the first that can't."""

    job, numbers, lines = read_lines(
        mill, tenant, job_id, lambda job: numbers_from(job, first, LINES_AT_ONCE)
    )
    next_page = numbers[len(lines)] if len(lines) < len(numbers) else (numbers[-1] + 1 if numbers else first)
    is_end = job.is_over and (len(lines) < len(numbers) or len(numbers) < LINES_AT_ONCE)
    return PageLines(b"".join(lines), next_page, is_end)


def settled_lines(mill: Mill, tenant: str, job_id: str, event: EventRow) -> list[bytes]:
    """The pages that an event settles, each as a line; none if they are nowhere to be read, or with another event."""
    try:
        published = event.type is EventType.PUBLISHED
        _, _, lines = read_lines(
            mill, tenant, job_id, lambda job: settled_numbers(event, job), published=published
        )
    except (ArtifactNotMade, Gone, NotFound, StoredFileMissing):
        return []
    return lines


def settled_numbers(event: EventRow, job: JobRow) -> list[int]:
    """The pages that an event settles: the end of a job settles those of one that was read in one go, or before."""
    at_once = "pages_read" in event.facts or event.facts.get("reused")
    return pages_of(event, job) if event.type is EventType.READ or at_once else []


def read_lines(
    mill: Mill,
    tenant: str,
    job_id: str,
    choose: Callable[[JobRow], list[int]],
    *,
    published: bool = False,
) -> tuple[JobRow, list[int], list[bytes]]:
    """A job, the pages that were chosen, and the lines of these up to the first that can't be read now.

    They are those of the result if the job is over, or if it is known that they are `published`.
    """

    def query(conn: Connection) -> tuple[JobRow, Result | None, list[int], list[Chunk]]:
        job, _, result = job_with_result(conn, tenant, job_id)
        numbers = choose(job)
        if not numbers or ((job.is_over or published) and result is not None):
            return job, result, numbers, []
        read = chunks.of_run(conn, tenant, job_id, job.run, numbers[0], numbers[-1])
        return job, result, numbers, read

    job, result, numbers, read = mill.db.read(query)
    if not numbers:
        return job, numbers, []
    if (job.is_over or published) and result is not None:
        return job, numbers, list(final_lines(mill, result, numbers))
    return job, numbers, list(draft_lines(mill, numbers, read))


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
    drafts: dict[str, dict[int, bytes]] = {}
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
            if last.output not in drafts:
                drafts[last.output] = drafts_in(mill, last.output, set(numbers))
            if number not in drafts[last.output]:
                return
            yield page_line("draft", drafts[last.output][number])


def drafts_in(mill: Mill, output: str, wanted: set[int]) -> dict[int, bytes]:
    """The pages of a chunk as they were read, before the join, by number."""
    with mill.blobs.open(f"{output}/{PAGES_FILE}") as lines:
        found = ((NUMBER.search(line, 0, HEAD_BYTES), line.rstrip(b"\n")) for line in lines)
        return {int(at[1]): line for at, line in found if at and int(at[1]) in wanted}


def page_line(state: str, page: bytes) -> bytes:
    """A page with its state in front, without taking it apart."""
    return b'{"state":"%s",%s\n' % (state.encode(), page[1:])


def failed_line(number: int, failed: object) -> bytes:
    """A page that could not be read, and why."""
    return orjson.dumps(
        {"state": "failed", "number": number, "error": failed}, option=orjson.OPT_APPEND_NEWLINE
    )
