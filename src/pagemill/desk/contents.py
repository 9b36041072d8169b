"""Contents: the pages, artifacts and images of a job, while it runs and after."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import BinaryIO

from sqlalchemy import Connection

from pagemill.db import chunks, results
from pagemill.desk.queries import existing_job, job_with_result, jobs_with_results
from pagemill.errors import (
    BY_CODE,
    ArtifactNotMade,
    JobFailed,
    JobNotFinished,
    MemoryLimit,
    NoPageImage,
    NotFound,
    PagemillError,
    PageNotReady,
    PageTimeout,
    ShuttingDown,
    WorkerCrashed,
)
from pagemill.mill import Mill
from pagemill.model.file_types import is_office
from pagemill.model.formats import ARTIFACT_NAMES, BY_NAME
from pagemill.model.ids import new_id
from pagemill.model.jobs import Chunk, DocumentRow, JobRow, Result
from pagemill.model.options import ReadingOptions, select_pages, within
from pagemill.model.page_index import find_page, index_from
from pagemill.model.paths import images_prefix, readable, rendered_key
from pagemill.model.states import ChunkState
from pagemill.model.visits import INDEX_FILE, PAGES_FILE, RenderAnswer, RenderRequest
from pagemill.press import Crashed, Done, Failed, Outcome, TimedOut

IMAGE_TYPES = {"png": "image/png", "jpeg": "image/jpeg", "webp": "image/webp"}


@dataclass(frozen=True, slots=True)
class PageProgress:
    """A page and how far it is: `waiting`, `draft`, `final` or `failed`."""

    number: int
    state: str


@dataclass(frozen=True, slots=True)
class PageList:
    """Some pages of a job, how many it has in all, and its newest result."""

    pages: list[PageProgress]
    total: int | None
    result: Result | None


@dataclass(frozen=True, slots=True)
class PageAnswer:
    """A page as JSON; a draft may still lose its running header or change its heading levels."""

    body: bytes
    draft: bool
    revision: int


@dataclass(frozen=True, slots=True)
class ArtifactRef:
    """A file that we made and where it is; the tag changes with its bytes, even where their SHA-256 is not known."""

    key: str
    size_bytes: int
    sha256: str | None
    tag: str
    media_type: str
    filename: str
    revision: int
    # Of a file that was made with a result: whose that is.
    tenant: str | None = None


@dataclass(frozen=True, slots=True)
class ImageRef:
    """The image of a page and where it is stored."""

    key: str
    media_type: str
    size_bytes: int


def list_pages(mill: Mill, tenant: str, job_id: str, *, first: int, limit: int) -> PageList:
    """The pages of a job from a number on, each with its state."""

    def query(conn: Connection) -> PageList:
        job, _, result = job_with_result(conn, tenant, job_id)
        numbers = numbers_from(job, first, limit)
        if job.is_over and result is not None:
            failed = {page["page"] for page in result.failed_pages}
            states = [PageProgress(n, "failed" if n in failed else "final") for n in numbers]
            return PageList(states, job.total_pages, result)
        read = (
            chunks.of_run(conn, tenant=tenant, job_id=job_id, run=job.run, first=numbers[0], last=numbers[-1])
            if numbers
            else []
        )
        return PageList(states_of(numbers, read), job.total_pages, result)

    return mill.db.read(query)


def numbers_from(job: JobRow, first: int, limit: int) -> list[int]:
    """The next page numbers of a job, without counting through all of them."""
    total = job.document_pages or 0
    numbers: list[int] = []
    for start, end in within(select_pages(ReadingOptions.from_dict(job.options).pages, total), first, total):
        numbers.extend(range(start, min(end, start + limit - len(numbers) - 1) + 1))
        if len(numbers) >= limit:
            break
    return numbers


def states_of(numbers: list[int], read: list[Chunk]) -> list[PageProgress]:
    """How far the pages of a running job are."""
    states: dict[int, str] = {}
    for chunk in read:
        state = "draft" if chunk.state == ChunkState.DONE else "waiting"
        states |= dict.fromkeys(range(chunk.first_page or 1, (chunk.last_page or 0) + 1), state)
        states |= dict.fromkeys(chunk.handed_pages, "waiting")
        states |= {page["page"]: "failed" for page in chunk.failed_pages}
    return [PageProgress(number, states.get(number, "waiting")) for number in numbers]


def one_page(mill: Mill, tenant: str, job_id: str, number: int) -> PageAnswer:
    """One page: of the newest result, or the draft of a run that is not joined yet."""

    def query(conn: Connection) -> tuple[JobRow, Result | None, Chunk | None]:
        job, _, result = job_with_result(conn, tenant, job_id)
        draft = None if job.is_over and result else chunks.with_page(conn, tenant, job_id, job.run, number)
        return job, result, draft

    job, result, draft = mill.db.read(query)
    if draft is not None and number in draft.handed_pages:
        # Somebody else is still to read it.
        draft = None
    if draft is not None and draft.output is not None:
        return PageAnswer(draft_page(mill, draft.output, number), True, job.revision)
    if result is not None:
        return PageAnswer(final_page(mill, result, number), False, job.revision)
    raise missing_page(job, number, draft)


def missing_page(job: JobRow, number: int, draft: Chunk | None) -> PagemillError:
    """Why a page can't be shown."""
    if draft is not None and draft.failed_pages:
        failed = draft.failed_pages[0]
        return BY_CODE.get(failed["code"], PagemillError)(failed["message"], page=number)
    exists = job.document_pages is None or number in numbers_from(job, number, 1)
    if not exists:
        return NotFound(f"The document has no page {number} that was asked for.")
    return failure(job) if job.is_over else PageNotReady(page=number)


def draft_page(mill: Mill, output: str, number: int) -> bytes:
    """A page as it was read, before the join."""
    marker = b'"number":%d,' % number
    with mill.blobs.open(f"{output}/{PAGES_FILE}") as lines:
        for line in lines:
            if marker in line[:64]:
                return line.rstrip(b"\n")
    raise NotFound(f"The document has no page {number} that was asked for.")


def final_page(mill: Mill, result: Result, number: int) -> bytes:
    """A page of the finished document, read as one slice."""
    if ARTIFACT_NAMES["json"] not in result.artifacts:
        raise ArtifactNotMade("Single pages are served from the JSON, which this job was not asked for.")
    with mill.blobs.open(f"{result.prefix}/{ARTIFACT_NAMES['json']}") as document:
        place = find_page(page_index(mill, result, document), number)
        if place is None:
            raise NotFound(f"The document has no page {number} that was asked for.")
        document.seek(place[0])
        return document.read(place[1])


def page_index(mill: Mill, result: Result, document: BinaryIO) -> bytes:
    """Where the pages are in document.json, as the file beside it says, or as it says itself if there is none."""
    if INDEX_FILE not in result.artifacts:
        return index_from(document)
    with mill.blobs.open(f"{result.prefix}/{INDEX_FILE}") as index:
        return index.read()


def artifact(mill: Mill, tenant: str, job_id: str, name: str) -> ArtifactRef:
    """Where an artifact of the newest result is stored."""
    return artifact_in(*mill.db.read(lambda conn: job_with_result(conn, tenant, job_id)), name)


def artifacts(
    mill: Mill, tenant: str, job_ids: Iterable[str], name: str
) -> dict[str, ArtifactRef | PagemillError]:
    """Where an artifact of the newest result of each of these jobs is stored, or why there is none; without removed jobs."""
    found = mill.db.read(lambda conn: jobs_with_results(conn, tenant, job_ids))
    return {job_id: artifact_or_error(*one, name) for job_id, one in found.items()}


def artifact_or_error(
    job: JobRow, document: DocumentRow, result: Result | None, name: str
) -> ArtifactRef | PagemillError:
    """Where an artifact of a result is stored, or why there is none."""
    try:
        return artifact_in(job, document, result, name)
    except PagemillError as error:
        return error


def artifact_in(job: JobRow, document: DocumentRow, result: Result | None, name: str) -> ArtifactRef:
    """Where an artifact of a result is stored."""
    if result is None:
        raise failure(job) if job.is_over else JobNotFinished(status=job.status)
    file = ARTIFACT_NAMES[name]
    if file not in result.artifacts:
        made_ones = [name for name, file in ARTIFACT_NAMES.items() if file in result.artifacts]
        raise ArtifactNotMade(made=sorted(made_ones))
    made = result.artifacts[file]
    filename = PurePath(document.filename).stem + PurePath(file).suffix
    return ArtifactRef(
        key=f"{result.prefix}/{file}",
        size_bytes=made["size_bytes"],
        sha256=made["sha256"],
        tag=made["sha256"],
        media_type=BY_NAME[name].media_type,
        filename=filename,
        revision=job.revision,
        tenant=job.tenant,
    )


def withdraw_result(mill: Mill, found: ArtifactRef) -> None:
    """Answer no further submission from the result that a missing or damaged file belongs to."""
    tenant, prefix = found.tenant, found.key.rpartition("/")[0]
    if tenant is not None:
        mill.db.write(lambda tx: results.withdraw_prefix(tx, tenant, prefix))


def failure(job: JobRow) -> JobFailed:
    """Why a job that has ended has nothing to show."""
    if job.error is None:
        return JobFailed(f"The job is {job.status} and has no result.", job_status=job.status)
    error = job.error
    return JobFailed(
        error["message"],
        error_code=error["code"],
        stage=error["stage"],
        page=error["page"],
        job_status=job.status,
    )


def page_image(
    mill: Mill, tenant: str, job_id: str, number: int, *, dpi: int, form: str, password: str | None = None
) -> ImageRef:
    """The image of a page, drawn in the press the first time and kept with the job."""
    job, document = mill.db.read(lambda conn: existing_job(conn, tenant, job_id))
    if job.document_pages is not None and number > job.document_pages:
        raise NotFound(f"The document has no page {number}.")
    if not document.is_here or (mill.scanner is not None and job.document_pages is None):
        # It is yet to be fetched or scanned, or something was found in it.
        raise missing_page(job, number, None)
    name = f"{number}-{dpi}.{form}"
    key = f"{images_prefix(job_id)}/{name}"
    size_bytes = mill.blobs.size(key)
    if size_bytes is None:
        given = password or mill.passwords.decrypt(job.password)
        wanted = RenderRequest(
            path="", scratch="", page=number, name=name, password=given, dpi=dpi, format=form
        )
        size_bytes = draw(mill, job, document, wanted)
    return ImageRef(key, IMAGE_TYPES[form], size_bytes)


def draw(mill: Mill, job: JobRow, document: DocumentRow, wanted: RenderRequest) -> int:
    """Have the press draw a page; the size of the image in bytes."""
    copy_image(mill, document)
    with (
        mill.blobs.local(*drawable(mill, job, document)) as path,
        mill.blobs.folders([images_prefix(job.id)]) as [scratch],
    ):
        request = replace(wanted, path=str(path), scratch=str(scratch))
        seconds = mill.settings.page_timeout_seconds
        visit = mill.visit(f"image.{new_id()}", "render_page", request, seconds)
        [outcome] = mill.press.run([visit], small=True)
    if isinstance(outcome, Done):
        return RenderAnswer.from_bytes(outcome.answer).size_bytes
    raise drawing_error(outcome)


def drawable(mill: Mill, job: JobRow, document: DocumentRow) -> tuple[str, str | None]:
    """The PDF that pages are drawn from, as `readable` has it; NoPageImage if an office file was not rendered."""
    if not is_office(document.blob_key):
        return readable(document)
    key = rendered_key(document.blob_key)
    if mill.will_render(document.blob_key, ReadingOptions.from_dict(job.options)):
        if mill.blobs.size(key) is not None:
            return key, None
        if not job.is_over:
            raise PageNotReady
    raise NoPageImage


def copy_image(mill: Mill, document: DocumentRow) -> None:
    """See that there is a PDF to draw from: an image of a job that was not planned has none yet."""
    small = document.size_bytes <= mill.settings.small_file_bytes
    outcome = mill.copy_image(document, f"image.{new_id()}", small=small)
    if outcome is not None:
        raise drawing_error(outcome)


def drawing_error(outcome: Outcome) -> PagemillError:
    """Why the press did not draw a page."""
    match outcome:
        case Failed(code, message):
            return BY_CODE.get(code, PagemillError)(message)
        case TimedOut():
            return PageTimeout()
        case Crashed(memory=memory):
            return MemoryLimit() if memory else WorkerCrashed()
        case _:
            return ShuttingDown()
