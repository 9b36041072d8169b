"""Enrichments: what was added to a result, and having more added without reading again."""

from collections.abc import Iterable
from dataclasses import replace

from pagemill.db import chunks
from pagemill.db.chunks import NewChunk
from pagemill.db.database import Tx
from pagemill.desk.contents import ArtifactRef
from pagemill.desk.on_demand import finished_job
from pagemill.desk.queries import existing_job, show_job
from pagemill.desk.runs import NewRun, Parts, ended_job, make_pending
from pagemill.errors import ArtifactNotMade, NotFound, NothingToRetry
from pagemill.mill import Mill
from pagemill.model.abilities import ENRICHER, chain_needs
from pagemill.model.enriching import (
    BUILT_IN,
    ENRICHER_NAME,
    ENRICHMENT_FAILED,
    enrichment_file,
    wanted_enrichments,
)
from pagemill.model.events import Facts
from pagemill.model.formats import ARTIFACT_NAMES, BY_NAME
from pagemill.model.messages import Message
from pagemill.model.options import ReadingOptions
from pagemill.model.states import Lane, Step
from pagemill.model.views import JobView
from pagemill.reading.enricher import packaged_enrichers

JSON = BY_NAME["json"].media_type


def enrich_again(
    mill: Mill, tenant: str, job_id: str, names: tuple[str, ...], password: str | None = None
) -> JobView:
    """Start a run of a finished job that adds these enrichments to its result, as the next revision."""
    job, document = mill.db.read(lambda conn: existing_job(conn, tenant, job_id))
    options = replace(ReadingOptions.from_dict(job.options), enrich=names)
    fingerprint = mill.result_fingerprint(document.sha256, options)
    how = NewRun(options.as_dict(), fingerprint, mill.passwords.encrypt(password))
    mill.queue.send(mill.db.write(lambda tx: enrich_in(tx, tenant, job_id, how)))
    return show_job(mill, tenant, job_id)


def enrich_in(
    tx: Tx, tenant: str, job_id: str, how: NewRun, *, corrected: int | None = None
) -> list[Message]:
    """Make a job pending again with the chunk that enriches its result; `corrected` is the revision that asks for it."""
    job, result = ended_job(tx, tenant, job_id)
    if result is None:
        raise NothingToRetry("The job has no result that could be enriched. Retry it as a whole.")
    if ARTIFACT_NAMES["json"] not in result.artifacts:
        raise ArtifactNotMade(
            "Enrichers work on the JSON, which the job was not asked for. Ask for it in `formats`."
        )
    new = NewChunk(Step.ENRICH, Lane(job.lane), needs=enricher_needs(how.options.get("enrich", ())))
    names = how.options.get("enrich") or wanted_enrichments(ReadingOptions.from_dict(how.options))
    facts: Facts = {"enrich": ",".join(names)} | ({} if corrected is None else {"corrected": corrected})
    again = make_pending(
        tx,
        job,
        how,
        Parts([], [new]),
        facts,
        warnings=[code for code in job.warnings if code != ENRICHMENT_FAILED],
        stage=new.step,
    )
    return chunks.create(tx, again, [new])


def enricher_needs(names: Iterable[str]) -> str | None:
    """What a worker must have that runs these enrichers: those from packages; None if there are none."""
    packaged = packaged_enrichers(tuple(names))
    return chain_needs(f"{ENRICHER}{name}" for name in packaged) if packaged else None


def enrichment(mill: Mill, tenant: str, job_id: str, name: str) -> ArtifactRef:
    """Where the enrichment of a result is that was made with it."""
    done = finished_job(mill, tenant, job_id)
    file = enrichment_file(name) if ENRICHER_NAME.fullmatch(name) else ""
    if file not in done.result.artifacts:
        raise NotFound(f"The result has no enrichment {name[:40]}. Ask for it with POST …/enrich.")
    written = done.result.artifacts[file]
    return ArtifactRef(
        key=f"{done.result.prefix}/{file}",
        size_bytes=written["size_bytes"],
        sha256=written["sha256"],
        tag=written["sha256"],
        media_type=BY_NAME[name].media_type if name in BUILT_IN else JSON,
        filename=done.filename(file),
        revision=done.job.revision,
    )
