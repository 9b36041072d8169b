"""On demand: artifacts that are made when somebody asks for them, and kept with the result that they are made from.

What takes a press makes what is not there; without one it raises NotMade, so that callers that only fetch never wait for
callers that have something made.
"""

import re
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import PurePath

from pagemill.desk.contents import ArtifactRef, copy_image, drawing_error, failure
from pagemill.desk.contents import artifact as joined_artifact
from pagemill.desk.queries import job_with_result
from pagemill.errors import ArtifactNotMade, JobNotFinished, NotFound, Timeout
from pagemill.mill import Mill
from pagemill.model.artifacts import (
    BLOCK_NAME,
    CSV,
    JPEG,
    PNG,
    MadeFile,
    MakeAnswer,
    MakeRequest,
)
from pagemill.model.file_types import is_office
from pagemill.model.formats import ARTIFACT_NAMES, BY_NAME, ON_DEMAND
from pagemill.model.ids import new_id
from pagemill.model.jobs import DocumentRow, JobRow, Result
from pagemill.model.passages import PassageOptions
from pagemill.model.paths import made_prefix, readable
from pagemill.model.visits import INDEX_FILE
from pagemill.press import Done, Press, TimedOut

IMAGE_NAME = re.compile(rf"{BLOCK_NAME}\.(png|jpg)")
ONE_FILE = frozenset(ON_DEMAND) - {"images"}
# What has chunks in it, whose tokens the tokenizer of the settings counts.
WITH_CHUNKS = ("chunks", "archive")
TABLE_NAME = re.compile(rf"{BLOCK_NAME}\.csv")


class NotMade(Exception):
    """It has not been made yet, and there was no press to make it."""


@dataclass(frozen=True, slots=True)
class FinishedJob:
    """A job with a result that more can be made from."""

    job: JobRow
    document: DocumentRow
    result: Result

    def filename(self, file: str) -> str:
        """What a file that was made is called when it is fetched."""
        return f"{PurePath(self.document.filename).stem}.{file.removeprefix('document.')}"


@dataclass(frozen=True, slots=True)
class ArtifactState:
    """An artifact of a job: what it is, and how large if it is made."""

    name: str
    media_type: str
    size_bytes: int | None


def finished_job(mill: Mill, tenant: str, job_id: str) -> FinishedJob:
    """A job that has a result."""
    job, document, result = mill.db.read(lambda conn: job_with_result(conn, tenant, job_id))
    if result is None:
        raise failure(job) if job.is_over else JobNotFinished(status=job.status)
    return FinishedJob(job, document, result)


def list_artifacts(mill: Mill, tenant: str, job_id: str) -> list[ArtifactState]:
    """Everything that can be had of a job; what is made on demand has a size once it was."""
    done = finished_job(mill, tenant, job_id)
    result, has_pages = done.result, not is_office(done.document.blob_key)
    joined = [
        ArtifactState(name, BY_NAME[name].media_type, result.artifacts[file]["size_bytes"])
        for name, file in ARTIFACT_NAMES.items()
        if file in result.artifacts
    ]
    if ARTIFACT_NAMES["json"] not in result.artifacts:
        return joined
    return joined + [
        ArtifactState(name, kind.media_type, size_on_demand(mill, done, name))
        for name, kind in ON_DEMAND.items()
        if has_pages or not kind.needs_pages
    ]


def artifact(
    mill: Mill,
    tenant: str,
    job_id: str,
    name: str,
    *,
    press: Press | None,
    password: str | None = None,
    variant: str = "",
) -> ArtifactRef:
    """Where an artifact is stored that is one file; `variant` names the options that it is made with, if it takes any."""
    done = finished_job(mill, tenant, job_id)
    variant = counted_variant(mill, name, variant)
    if not variant and (own := written_with_result(done, name)):
        return own
    file = make_files(mill, done, name, press, password, variant=variant)[0]
    return reference(done, folder_of(name, variant), file, ON_DEMAND[name].media_type)


def searched_chunks(mill: Mill, tenant: str, job_id: str, press: Press) -> ArtifactRef:
    """Where the chunks of the search index are stored, whose tokens are always estimated."""
    done = finished_job(mill, tenant, job_id)
    if own := written_with_result(done, "chunks"):
        return own
    [file] = make_files(mill, done, "chunks", press)
    return reference(done, "chunks", file, ON_DEMAND["chunks"].media_type)


def counted_variant(mill: Mill, name: str, variant: str = "") -> str:
    """The options that an artifact is made with, and which tokenizer counts its tokens."""
    if mill.tokenizer is None or name not in WITH_CHUNKS:
        return variant
    return replace(PassageOptions.from_variant(variant), tokenizer=mill.tokenizer.fingerprint).variant


def written_with_result(done: FinishedJob, name: str) -> ArtifactRef | None:
    """Where an artifact is stored that was written with the result, as chunks are if they are searched."""
    kind = ON_DEMAND[name]
    if kind.file not in done.result.artifacts:
        return None
    return ArtifactRef(
        key=f"{done.result.prefix}/{kind.file}",
        size_bytes=done.result.artifacts[kind.file]["size_bytes"],
        sha256=done.result.artifacts[kind.file]["sha256"],
        tag=done.result.artifacts[kind.file]["sha256"],
        media_type=kind.media_type,
        filename=done.filename(kind.file),
        revision=done.job.revision,
    )


def size_on_demand(mill: Mill, done: FinishedJob, name: str) -> int | None:
    """The size of an artifact that is made on demand, if it was made."""
    variant = counted_variant(mill, name)
    if not variant and (own := written_with_result(done, name)):
        return own.size_bytes
    folder = made_prefix(done.result.prefix, folder_of(name, variant))
    return mill.blobs.size(f"{folder}/{ON_DEMAND[name].file}")


def folder_of(name: str, variant: str) -> str:
    """Where the files of an artifact are kept, below those of the result."""
    return f"{name}-{variant}" if variant else name


def any_artifact(
    mill: Mill, tenant: str, job_id: str, name: str, *, press: Press | None, password: str | None = None
) -> ArtifactRef:
    """Where an artifact is stored that is one file, whether it is made with the result or on demand."""
    if name in ARTIFACT_NAMES:
        return joined_artifact(mill, tenant, job_id, name)
    if name not in ONE_FILE:
        raise NotFound(f"There is no artifact {name[:40]} that is one file.")
    return artifact(mill, tenant, job_id, name, press=press, password=password)


def list_files(mill: Mill, tenant: str, job_id: str, name: str, *, press: Press | None) -> list[MadeFile]:
    """The files of single blocks: the tables or the figures of the document."""
    files = make_files(mill, finished_job(mill, tenant, job_id), name, press)
    return [file for file in files if file.page is not None]


def table(mill: Mill, tenant: str, job_id: str, name: str, *, press: Press | None) -> ArtifactRef:
    """Where the CSV of one table is stored."""
    done = finished_job(mill, tenant, job_id)
    known = make_files(mill, done, "tables", press) if TABLE_NAME.fullmatch(name) else ()
    for file in known:
        if file.name == name:
            return reference(done, "tables", file, CSV)
    raise NotFound(f"The document has no table {name[:40]}.")


def image(
    mill: Mill, tenant: str, job_id: str, name: str, *, press: Press | None, password: str | None = None
) -> ArtifactRef:
    """Where the image of one figure is stored."""
    done = finished_job(mill, tenant, job_id)
    if not IMAGE_NAME.fullmatch(name):
        raise NotFound(f"The document has no figure {name[:40]}.")
    size_bytes = mill.blobs.size(f"{made_prefix(done.result.prefix, 'images')}/{name}")
    if size_bytes is None:
        size_bytes = make_in_press(mill, done, "images", press, password, only=name)[0].size_bytes
    media_type = PNG if name.endswith(".png") else JPEG
    return reference(done, "images", MadeFile(name, size_bytes), media_type)


def reference(done: FinishedJob, name: str, file: MadeFile, media_type: str) -> ArtifactRef:
    """Where a file that was made is stored."""
    key = f"{made_prefix(done.result.prefix, name)}/{file.name}"
    own = done.filename(file.name)
    return ArtifactRef(
        key=key,
        size_bytes=file.size_bytes,
        sha256=file.sha256 or None,
        tag=file.sha256 or f"{done.result.id}-{file.name}",
        media_type=media_type,
        filename=own,
        revision=done.job.revision,
    )


def make_files(
    mill: Mill,
    done: FinishedJob,
    name: str,
    press: Press | None,
    password: str | None = None,
    *,
    variant: str = "",
) -> tuple[MadeFile, ...]:
    """The files of an artifact: those that were made before, otherwise made now."""
    prefix, listing = f"{done.result.prefix}/made", f"{folder_of(name, variant)}.json"
    if mill.blobs.size(f"{prefix}/{listing}") is not None:
        with mill.blobs.open(f"{prefix}/{listing}") as listing_file:
            return MakeAnswer.from_bytes(listing_file.read()).files
    files = make_in_press(mill, done, name, press, password, variant=variant)
    # Written last, so that when it is there, the files are too.
    with mill.blobs.folders([prefix]) as [folder]:
        part = folder / f"{listing}.{new_id()}.part"
        part.write_bytes(MakeAnswer(files).to_bytes())
        part.replace(folder / listing)
    return files


def make_in_press(
    mill: Mill,
    done: FinishedJob,
    name: str,
    press: Press | None,
    password: str | None,
    *,
    only: str = "",
    variant: str = "",
) -> tuple[MadeFile, ...]:
    """Have the press make an artifact, or one file of it."""
    if ARTIFACT_NAMES["json"] not in done.result.artifacts:
        raise ArtifactNotMade(
            "This is made from the JSON, which the job was not asked for. Ask for both in `formats`."
        )
    if press is None:
        raise NotMade
    prefix, blobs = done.result.prefix, mill.blobs
    if only or ON_DEMAND[name].drawn:
        copy_image(mill, done.document)
    with ExitStack() as stack:
        document_json = stack.enter_context(blobs.local(f"{prefix}/{ARTIFACT_NAMES['json']}"))
        has_index = INDEX_FILE in done.result.artifacts
        index = str(stack.enter_context(blobs.local(f"{prefix}/{INDEX_FILE}"))) if has_index else None
        original = stack.enter_context(blobs.local(*readable(done.document)))
        [scratch] = stack.enter_context(blobs.folders([made_prefix(prefix, folder_of(name, variant))]))
        key = password or mill.passwords.decrypt(done.job.password)
        counted = mill.tokenizer if PassageOptions.from_variant(variant).tokenizer else None
        request = MakeRequest(
            name=name,
            document_json=str(document_json),
            index=index,
            scratch=str(scratch),
            path=str(original),
            password=key,
            only=only,
            variant=variant,
            tokenizer=counted.path if counted else "",
        )
        seconds = mill.settings.page_timeout_seconds if only else mill.settings.join_timeout_seconds
        visit = mill.visit(f"make.{new_id()}", "make_artifact", request, seconds)
        [outcome] = press.run([visit], small=bool(only))
    if isinstance(outcome, TimedOut) and not only:
        raise Timeout("This took too long to make. Raise PAGEMILL_JOIN_TIMEOUT_SECONDS.")
    if not isinstance(outcome, Done):
        raise drawing_error(outcome)
    return MakeAnswer.from_bytes(outcome.answer).files
