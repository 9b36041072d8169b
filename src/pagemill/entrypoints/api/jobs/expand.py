"""`expand=`: what comes with a job in one answer, chosen by the caller."""

from collections.abc import Mapping

import orjson

from pagemill.desk import contents, on_demand, queries
from pagemill.desk.page_facts import document_facts, list_known_pages, page_views
from pagemill.entrypoints.thread_pools import run_in_thread
from pagemill.entrypoints.wire.problems import invalid
from pagemill.errors import ArtifactNotMade, JobFailed, JobNotFinished
from pagemill.mill import Mill
from pagemill.model.formats import FORMATS
from pagemill.model.views import JobView, event_view

# A longer text is fetched by its own address, where it is streamed.
MAX_TEXT_BYTES = 4_000_000
MAX_LISTED = 1_000
EXPANDABLE = (*FORMATS, "facts", "pages", "events", "artifacts")


def expansions(query: Mapping[str, str]) -> tuple[str, ...]:
    """What a caller wants to come with the job; ValidationFailed for what can't."""
    names = tuple(dict.fromkeys(name.strip() for name in query.get("expand", "").split(",") if name.strip()))
    if unknown := [name for name in names if name not in EXPANDABLE]:
        raise invalid(("/expand", f"{unknown[0][:100]!r} is not one of {', '.join(EXPANDABLE)}"))
    return names


async def expand_job(mill: Mill, view: JobView, names: tuple[str, ...]) -> JobView | dict[str, object]:
    """A job with what was asked to come with it; null for what is not there yet, or too large for one answer."""
    if not names:
        return view
    found = await run_in_thread(lambda: {name: expansion_of(mill, view, name) for name in names})
    return {**view, "expanded": found}


def expansion_of(mill: Mill, view: JobView, name: str) -> object:
    """One thing that comes with a job."""
    who = (view["tenant"], view["id"])
    try:
        match name:
            case "facts":
                return document_facts(mill, *who)
            case "pages":
                found, facts = list_known_pages(mill, *who, first=1, limit=MAX_LISTED)
                return page_views(found, facts)
            case "events":
                return [event_view(event) for event in queries.job_events(mill, *who, 0, MAX_LISTED)]
            case "artifacts":
                listed = on_demand.list_artifacts(mill, *who)
                return [
                    {"name": one.name, "media_type": one.media_type, "size_bytes": one.size_bytes}
                    for one in listed
                ]
        return text_of(mill, contents.artifact(mill, *who, name), is_json=name == "json")
    except (JobNotFinished, JobFailed, ArtifactNotMade):
        return None


def text_of(mill: Mill, found: contents.ArtifactRef, *, is_json: bool) -> object:
    """The text of an artifact, or its JSON as it is; None if it is too large."""
    if found.size_bytes > MAX_TEXT_BYTES:
        return None
    with mill.blobs.open(found.key) as file:
        content = file.read()
    return orjson.Fragment(content) if is_json else content.decode()
