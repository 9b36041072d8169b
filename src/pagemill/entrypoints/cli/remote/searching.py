"""What `pagemill search` and `pagemill label` do."""

from dataclasses import asdict
from typing import Unpack

from pagemill.client.filters import DocumentFilters
from pagemill.entrypoints.cli.remote.actions import ServerOptions, connect
from pagemill.entrypoints.output.terminal import EXIT_FAILED, answer, answer_json, printable_path, say


def search(
    hand: ServerOptions, query: str, *, limit: int, mode: str | None, **filters: Unpack[DocumentFilters]
) -> int:
    """Show what was found; 1 if it is nothing."""
    with connect(hand) as client:
        found = client.search(query, limit=limit, mode=mode, **filters)
    if hand.as_json:
        answer_json(asdict(found))
        return 0 if found.hits else EXIT_FAILED
    for hit in found.hits:
        answer(f"{hit.job_id}  {printable_path(hit.filename)}, page {hit.page}")
        answer(f"    {printable_path(' '.join(hit.snippet.split()))}")
    if found.hits and found.matched == "any":
        say("Nothing has all words; these have some of them.")
    if not found.hits:
        say("Nothing was found.")
    return 0 if found.hits else EXIT_FAILED


def label(hand: ServerOptions, job_id: str, *, collection: str | None, tags: list[str] | None) -> None:
    """Change labels of a job if any are given, and show those that it has."""
    with connect(hand) as client:
        if collection is None and tags is None:
            job = client.job(job_id)
        else:
            job = client.label(job_id, collection=collection, tags=tags)
    if hand.as_json:
        answer_json(dict(job.metadata))
        return
    if not job.metadata:
        say("The job has no labels.")
    for name, value in sorted(job.metadata.items()):
        answer(f"{printable_path(name)}: {printable_path(value)}")


def list_labels(hand: ServerOptions) -> None:
    """Show the collections and tags that jobs have."""
    with connect(hand) as client:
        found = client.labels()
    if hand.as_json:
        answer_json(asdict(found))
        return
    for one in found.collections:
        answer(f"{one.jobs:>8}  collection  {printable_path(one.name)}")
    for one in found.tags:
        answer(f"{one.jobs:>8}  tag         {printable_path(one.name)}")
