"""Classes of a tenant: the documents that are labelled as examples of each."""

from collections.abc import Sequence

from sqlalchemy import Connection
from typing_extensions import TypedDict

from pagemill.db import class_examples
from pagemill.db.database import Tx
from pagemill.desk.extraction import stored_document
from pagemill.desk.on_demand import finished_job
from pagemill.errors import ArtifactNotMade, NotFound, TooManyExamples
from pagemill.mill import Mill
from pagemill.model.formats import ARTIFACT_NAMES
from pagemill.model.labelled_classes import MOST_EXAMPLES, MOST_EXAMPLES_OF_CLASS, Features
from pagemill.model.views import iso
from pagemill.reading.facts.document_features import document_features

MOST_SHOWN = 100


class ClassExample(TypedDict):
    """A job that is an example of a class."""

    job_id: str
    labelled_at: str


class ClassView(TypedDict):
    """A class with its examples."""

    name: str
    examples: list[ClassExample]


def count_examples(mill: Mill, tenant: str) -> dict[str, int]:
    """The classes of a tenant, each with the number of its examples."""
    return mill.db.read(lambda conn: class_examples.count_by_class(conn, tenant))


def show_class(mill: Mill, tenant: str, name: str) -> ClassView:
    """A class with its examples; NotFound if it has none."""

    def query(conn: Connection) -> list[tuple[str, float]]:
        return class_examples.examples_of(conn, tenant, name)

    found = mill.db.read(query)
    if not found:
        raise NotFound()
    return {"name": name, "examples": [{"job_id": job_id, "labelled_at": iso(at)} for job_id, at in found]}


def add_examples(mill: Mill, tenant: str, name: str, job_ids: Sequence[str], *, only: bool) -> ClassView:
    """Make jobs examples of a class; `only` removes its other examples. A job is an example of one class at most."""
    known = {job_id: features_of_job(mill, tenant, job_id) for job_id in dict.fromkeys(job_ids)}

    def write(tx: Tx) -> None:
        if only:
            class_examples.remove_class(tx, tenant, name)
        for job_id, features in known.items():
            class_examples.put(tx, tenant, name, job_id, features)
        refuse_too_many(tx.conn, tenant, name)

    mill.db.write(write)
    return show_class(mill, tenant, name)


def refuse_too_many(conn: Connection, tenant: str, name: str) -> None:
    """Raises TooManyExamples if a class or all of a tenant's have more than are compared with every document."""
    counts = class_examples.count_by_class(conn, tenant)
    if counts[name] > MOST_EXAMPLES_OF_CLASS or sum(counts.values()) > MOST_EXAMPLES:
        raise TooManyExamples(max_of_class=MOST_EXAMPLES_OF_CLASS, max_examples=MOST_EXAMPLES)


def features_of_job(mill: Mill, tenant: str, job_id: str) -> Features:
    """What a finished job is compared by; NotFound names it, for others may be labelled with it."""
    try:
        done = finished_job(mill, tenant, job_id)
    except NotFound as error:
        raise NotFound(
            f"There is no job {job_id[:MOST_SHOWN]!r}. Ids are only visible to their own tenant."
        ) from error
    if ARTIFACT_NAMES["json"] not in done.result.artifacts:
        raise ArtifactNotMade("Examples are compared by the JSON, which the job was not asked for.")
    with stored_document(mill, done) as document:
        return document_features(document)


def remove_class(mill: Mill, tenant: str, name: str) -> None:
    """Remove a class with its examples; NotFound if there is none. Jobs keep the class that they were given."""
    if not mill.db.write(lambda tx: class_examples.remove_class(tx, tenant, name)):
        raise NotFound()


def remove_example(mill: Mill, tenant: str, name: str, job_id: str) -> None:
    """Let a job be no example of a class any more; NotFound if it was none."""
    if not mill.db.write(lambda tx: class_examples.remove_job(tx, tenant, job_id, name)):
        raise NotFound()
