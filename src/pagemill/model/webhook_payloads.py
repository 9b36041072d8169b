"""What a webhook says: thin, with links to the rest, and never longer than a receiver may refuse."""

from collections.abc import Iterable, Mapping

import orjson

from pagemill.model.batches import batch_links
from pagemill.model.events import EventRow, EventType
from pagemill.model.jobs import DocumentRow, JobRow
from pagemill.model.options import select_pages, within
from pagemill.model.views import iso, links
from pagemill.model.webhooks import PAGE_EVENT, PROGRESS_EVENT, TEST_EVENT, Endpoint

MOST_BYTES = 20_000
MOST_METADATA_BYTES = 8_000
MOST_LISTED = 50
MOST_PAGES_AT_END = 64
PERCENT = 100

Facts = Mapping[str, object]


def job_facts(job: JobRow, document: DocumentRow, base_url: str) -> dict[str, object]:
    """A job in the few words of a payload."""
    metadata = job.metadata if len(orjson.dumps(job.metadata)) <= MOST_METADATA_BYTES else {}
    return {
        "job_id": job.id,
        "status": job.status,
        "document": {
            "id": document.id,
            "filename": document.filename[: MOST_LISTED * 4],
            "size_bytes": document.size_bytes,
            "sha256": document.sha256,
        },
        "metadata": metadata,
        "total_pages": job.total_pages,
        "processed_pages": job.processed_pages,
        "failed_pages": [page["page"] for page in job.failed_pages[:MOST_LISTED]],
        "failed_pages_count": len(job.failed_pages),
        "warnings": job.warnings[:MOST_LISTED],
        "run": job.run,
        "revision": job.revision,
        "links": {name: f"{base_url}{path}" for name, path in links(job.id).items()},
    }


def payload(kind: str, at: float, facts: Facts) -> str:
    """The body of a message; one that would be too long keeps only its ids and links."""
    body = orjson.dumps({"type": kind, "timestamp": iso(at), "data": facts})
    if len(body) >= MOST_BYTES:
        kept = {name: facts[name] for name in ("job_id", "status", "links") if name in facts}
        body = orjson.dumps({"type": kind, "timestamp": iso(at), "data": kept})
    return body.decode()


def example_payload(at: float, endpoint_id: str) -> str:
    """The body of the message that shows that an endpoint works."""
    return payload(TEST_EVENT, at, {"endpoint_id": endpoint_id, "message": "This is a test of the webhook."})


def is_concerned(endpoint: Endpoint, kind: EventType) -> bool:
    """Whether an endpoint may be sent anything for a line of this type; most lines are of no interest to any."""
    if kind is EventType.READ and endpoint.wants(PROGRESS_EVENT):
        return True
    tells_pages = kind in (EventType.READ, EventType.PUBLISHED, EventType.COMPLETED)
    return endpoint.wants(kind.value) or (tells_pages and endpoint.wants(PAGE_EVENT))


def messages(
    event: EventRow, job: JobRow, document: DocumentRow, endpoint: Endpoint, base_url: str
) -> Iterable[tuple[str, str, str]]:
    """What an endpoint is sent for a line of the log: type, key and body of each message.

    The key is the same however often the line is read.
    """
    shown = job_facts(job, document, base_url) | status_at(event)
    if endpoint.wants(event.type.value):
        yield event.type.value, str(event.id), payload(event.type.value, event.at, shown)
    if event.type is EventType.READ and endpoint.wants(PROGRESS_EVENT) and crosses_step(event, endpoint):
        counts = {name: event.facts.get(name) for name in ("processed_pages", "total_pages")}
        yield PROGRESS_EVENT, f"{event.id}:progress", payload(PROGRESS_EVENT, event.at, shown | counts)
    if endpoint.wants(PAGE_EVENT):
        failed = numbers(event.facts.get("failed_pages"))
        for page in pages_of(event, job):
            own = {"page": page, "failed": page in failed, "links": page_links(job.id, page, base_url)}
            # The job may be in another run by now.
            run = event.facts.get("run") or job.run
            facts = {"job_id": job.id, "status": job.status, "run": run} | own
            yield PAGE_EVENT, f"{job.id}:{run}:{page}", payload(PAGE_EVENT, event.at, facts)


def batch_message(event: EventRow, base_url: str) -> tuple[str, str, str]:
    """What an endpoint is sent for a line about a batch: type, key and body."""
    batch_id = str(event.facts.get("batch_id"))
    links = {name: f"{base_url}{path}" for name, path in batch_links(batch_id).items()}
    facts: dict[str, object] = {
        **event.facts,
        "status": {"batch.accepted": "pending"}.get(
            event.type.value, event.type.value.removeprefix("batch.")
        ),
        "links": links,
    }
    return event.type.value, str(event.id), payload(event.type.value, event.at, facts)


def status_at(event: EventRow) -> dict[str, object]:
    """What the line itself says about the job, which may have moved on since."""
    statuses = {
        EventType.ACCEPTED: "pending",
        EventType.STARTED: "processing",
        EventType.READ: "processing",
        EventType.COMPLETED: "completed",
        EventType.FAILED: "failed",
        EventType.CANCELLED: "cancelled",
    }
    members: dict[str, object] = {"seq": event.seq, "facts": short_facts(event)}
    if event.type in statuses:
        members["status"] = statuses[event.type]
    if "run" in event.facts:
        members["run"] = event.facts["run"]
    if event.type is EventType.COMPLETED and "pages" in event.facts:
        failed = sorted(numbers(event.facts.get("failed_pages")))
        pages = event.facts["pages"]
        members |= {"total_pages": pages, "processed_pages": pages}
        members |= {"failed_pages": failed[:MOST_LISTED], "failed_pages_count": len(failed)}
    if event.type is EventType.FAILED:
        members["error"] = {"code": event.facts.get("code"), "stage": event.facts.get("stage")}
    return members


def short_facts(event: EventRow) -> dict[str, object]:
    """The facts of a line; of long lists the beginning."""
    return {
        name: fact[:MOST_LISTED] if isinstance(fact, list) else fact for name, fact in event.facts.items()
    }


def page_links(job_id: str, page: int, base_url: str) -> dict[str, str]:
    """Where a page is read and its job is found."""
    base = f"{base_url}/v1/jobs/{job_id}"
    return {"job": base, "page": f"{base}/pages/{page}"}


def crosses_step(event: EventRow, endpoint: Endpoint) -> bool:
    """Whether the pages of this line take the job over one of the steps that an endpoint asked for."""
    now, count, total = (
        number(event.facts.get(name)) for name in ("processed_pages", "pages", "total_pages")
    )
    if not count or not total:
        return False
    before = now - count
    if endpoint.progress_pages:
        return now // endpoint.progress_pages > before // endpoint.progress_pages
    step = endpoint.progress_percent
    return now * PERCENT // total // step > before * PERCENT // total // step


def pages_of(event: EventRow, job: JobRow) -> list[int]:
    """The pages that this line settles; a document of one chunk has no lines but its last."""
    if event.type is EventType.READ:
        first, last = number(event.facts.get("first_page")), number(event.facts.get("last_page"))
    elif (
        event.type in (EventType.PUBLISHED, EventType.COMPLETED)
        and (job.total_pages or 0) <= MOST_PAGES_AT_END
    ):
        first, last = 1, job.document_pages or 0
    else:
        return []
    handed = numbers(event.facts.get("handed"))
    runs = within(select_pages(job.options["pages"], job.document_pages or 0), first, last)
    return [page for start, end in runs for page in range(start, end + 1) if page not in handed]


def number(fact: object) -> int:
    """A fact that is a number; 0 if it is missing."""
    return fact if isinstance(fact, int) else 0


def numbers(fact: object) -> set[int]:
    """A fact that is a list of numbers."""
    return {one for one in fact if isinstance(one, int)} if isinstance(fact, list) else set()
