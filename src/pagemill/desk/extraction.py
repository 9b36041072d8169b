"""Extraction beside the flow: made when somebody asks for it, and kept with the result that it is made from."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson

from pagemill.desk.contents import ArtifactRef
from pagemill.desk.on_demand import (
    FinishedJob,
    NotMade,
    finished_job,
    make_files,
    reference,
    written_with_result,
)
from pagemill.errors import ArtifactNotMade
from pagemill.language_model import chat_config, count_use, open_chat, price_of
from pagemill.mill import Mill
from pagemill.model.artifacts import MadeFile
from pagemill.model.extraction import Extraction, ExtractionOrder, extraction_row
from pagemill.model.formats import ARTIFACT_NAMES, BY_NAME, ON_DEMAND
from pagemill.model.ids import new_id
from pagemill.model.paths import made_prefix
from pagemill.model.visits import INDEX_FILE
from pagemill.press import Press
from pagemill.reading.extraction.by_model import extract_by_model
from pagemill.reading.extraction.by_rules import ENGINE, extract_by_rules
from pagemill.reading.extraction.chat import ChatConfig
from pagemill.reading.extraction.grounding import passages_of
from pagemill.reading.stored_document import StoredDocument

FILE = "extraction.json"


def extract(mill: Mill, tenant: str, job_id: str, order_json: str, *, press: Press | None) -> ArtifactRef:
    """Where the values are that a schema asks of a document; without a press only what was made before is found."""
    done = finished_job(mill, tenant, job_id)
    if ARTIFACT_NAMES["json"] not in done.result.artifacts:
        raise ArtifactNotMade("Values are taken from the JSON, which the job was not asked for.")
    order = ExtractionOrder.from_json(order_json)
    config = chat_config(mill.settings)
    folder = f"extract-{order.key(ENGINE if config is None else config.model)}"
    prefix = made_prefix(done.result.prefix, folder)
    size_bytes = kept_size(mill, f"{prefix}/{FILE}")
    if size_bytes is None:
        if press is None:
            raise NotMade
        found = by_rules(mill, done, order, press) if config is None else by_model(mill, done, order, config)
        size_bytes = keep(mill, prefix, extraction_row(found, price_of(mill, found.use)))
    return reference(done, folder, MadeFile(FILE, size_bytes), BY_NAME["json"].media_type)


def kept_size(mill: Mill, key: str) -> int | None:
    """The size of what was extracted before; None if there is nothing, or an answer that did not fit its schema."""
    size_bytes = mill.blobs.size(key)
    if size_bytes is None:
        return None
    with mill.blobs.open(key) as file:
        return size_bytes if orjson.loads(file.read())["valid"] else None


def by_model(mill: Mill, done: FinishedJob, order: ExtractionOrder, config: ChatConfig) -> Extraction:
    """Ask the language model."""
    with open_chat(config) as model:
        try:
            with stored_document(mill, done) as document:
                return extract_by_model(model, order, passages_of(document.pages()))
        finally:
            count_use(mill, done.job.tenant, model.use)


def by_rules(mill: Mill, done: FinishedJob, order: ExtractionOrder, press: Press) -> Extraction:
    """Fill what rules can fill, from facts and entities."""
    facts = made_json(mill, done, "facts", press)
    entities = made_json(mill, done, "entities", press)["entities"]
    return extract_by_rules(order, facts, entities)


@contextmanager
def stored_document(mill: Mill, done: FinishedJob) -> Iterator[StoredDocument]:
    """The pages of a result, on this machine."""
    prefix, has_index = done.result.prefix, INDEX_FILE in done.result.artifacts
    wanted = [f"{prefix}/{ARTIFACT_NAMES['json']}", *([f"{prefix}/{INDEX_FILE}"] if has_index else [])]
    with mill.blobs.local_all([(key, None) for key in wanted]) as paths:
        yield StoredDocument(str(paths[0]), str(paths[1]) if has_index else None)


def made_json(mill: Mill, done: FinishedJob, name: str, press: Press) -> dict[str, Any]:
    """An artifact that is JSON, made now if it was not before."""
    own = written_with_result(done, name)
    if own is None:
        make_files(mill, done, name, press)
    key = own.key if own else f"{made_prefix(done.result.prefix, name)}/{ON_DEMAND[name].file}"
    with mill.blobs.open(key) as file:
        found: dict[str, Any] = orjson.loads(file.read())
    return found


def keep(mill: Mill, prefix: str, row: dict[str, Any]) -> int:
    """Write an extraction; its size in bytes."""
    raw = orjson.dumps(row)
    with mill.blobs.folders([prefix]) as [folder]:
        part = Path(folder) / f"{FILE}.{new_id()}.part"
        part.write_bytes(raw)
        part.replace(Path(folder) / FILE)
    return len(raw)
