"""The rows of documents and results."""

from collections.abc import Iterable
from dataclasses import fields

from sqlalchemy import Connection, bindparam, insert, select, update

from pagemill.db.database import Tx
from pagemill.db.prepared_statements import PreparedStatement, in_list
from pagemill.db.schema import documents, jobs, results
from pagemill.model.jobs import DocumentRow, Result
from pagemill.model.work import Claim, DocumentFetched

INSERT_DOCUMENT = PreparedStatement(insert(documents))
DOCUMENT_FIELDS = tuple(field.name for field in fields(DocumentRow))
INSERT_RESULT = PreparedStatement(insert(results))
RESULT_FIELDS = tuple(field.name for field in fields(Result))
RESULT = select(*(results.c[field.name] for field in fields(Result)))
ONE = PreparedStatement(
    RESULT.where(results.c.id == bindparam("id"), results.c.tenant == bindparam("tenant"))
)
SEVERAL = PreparedStatement(
    RESULT.where(in_list(results.c.id, "ids"), results.c.tenant == bindparam("tenant"))
)
REUSABLE = PreparedStatement(
    RESULT.where(
        results.c.tenant == bindparam("tenant"),
        results.c.fingerprint == bindparam("fingerprint"),
        results.c.complete,
    )
    .order_by(results.c.id.desc())
    .limit(1)
    # The process that removes its files waits until the job that uses it again is there, or is waited for and wins.
    .with_for_update(read=True)
)
REUSABLE_AMONG = PreparedStatement(
    select(results.c.fingerprint).where(
        results.c.tenant == bindparam("tenant"),
        in_list(results.c.fingerprint, "fingerprints"),
        results.c.complete,
    )
)

MOST_DOCUMENTS = 20


def add_documents(tx: Tx, new: Iterable[DocumentRow]) -> None:
    """Write the rows of documents."""
    rows = [{name: getattr(document, name) for name in DOCUMENT_FIELDS} for document in new]
    INSERT_DOCUMENT.run_many(tx.conn, rows)


def settle_document(tx: Tx, claim: Claim, fetched: DocumentFetched) -> None:
    """Write what is known of the document of a job now that its bytes are here."""
    tx.conn.execute(
        update(documents)
        .where(documents.c.tenant == claim.tenant)
        .where(
            documents.c.id == select(jobs.c.document_id).where(jobs.c.id == claim.job_id).scalar_subquery()
        )
        .values(
            sha256=fetched.sha256,
            size_bytes=fetched.size_bytes,
            media_type=fetched.media_type,
            filename=fetched.filename or documents.c.filename,
            blob_key=fetched.blob_key,
        )
    )


def add(tx: Tx, result: Result) -> None:
    """Write the row of a result."""
    INSERT_RESULT.run(tx.conn, {name: getattr(result, name) for name in RESULT_FIELDS})


def one(conn: Connection, tenant: str, result_id: str) -> Result | None:
    """A result of a tenant by its id."""
    row = ONE.one(conn, {"id": result_id, "tenant": tenant})
    return None if row is None else Result(*row)


def several(conn: Connection, tenant: str, result_ids: Iterable[str]) -> dict[str, Result]:
    """Those of the results that the tenant has, by their ids."""
    found = [Result(*row) for row in SEVERAL.all(conn, {"ids": list(result_ids), "tenant": tenant})]
    return {result.id: result for result in found}


def withdraw(tx: Tx, result: Result) -> None:
    """Answer no further submission from a result."""
    own = (results.c.id == result.id, results.c.tenant == result.tenant)
    tx.conn.execute(update(results).where(*own).values(complete=False))


def withdraw_unused(tx: Tx, tenant: str, result_id: str | None) -> None:
    """Answer no further submission from a result that is no longer that of a job: it is about to be deleted."""
    used = select(jobs.c.id).where(
        jobs.c.result_id == result_id, jobs.c.tenant == tenant, jobs.c.removed_at.is_(None)
    )
    own = (results.c.id == result_id, results.c.tenant == tenant)
    tx.conn.execute(update(results).where(*own).where(~used.exists()).values(complete=False))


def withdraw_prefix(tx: Tx, tenant: str, prefix: str) -> None:
    """Answer no further submission from the result whose files are under a prefix."""
    own = (results.c.tenant == tenant, results.c.prefix == prefix)
    tx.conn.execute(update(results).where(*own).values(complete=False))


def document_keys(conn: Connection, result: Result) -> list[str]:
    """Where the documents of some of the jobs are that have a result."""
    rows = conn.execute(
        select(documents.c.blob_key)
        .join(jobs, jobs.c.document_id == documents.c.id)
        .where(jobs.c.result_id == result.id, jobs.c.tenant == result.tenant)
        .where(documents.c.tenant == result.tenant)
        .order_by(jobs.c.id.desc())
        .limit(MOST_DOCUMENTS)
    )
    return [key for (key,) in rows]


def reusable(conn: Connection, tenant: str, fingerprint: str) -> Result | None:
    """The newest complete result of the same document with the same options and engine."""
    row = REUSABLE.one(conn, {"tenant": tenant, "fingerprint": fingerprint})
    return None if row is None else Result(*row)


def reusable_among(conn: Connection, tenant: str, fingerprints: Iterable[str]) -> set[str]:
    """Those of the fingerprints that there is a complete result of."""
    return {
        found for (found,) in REUSABLE_AMONG.all(conn, {"tenant": tenant, "fingerprints": list(fingerprints)})
    }
