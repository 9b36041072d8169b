"""What a removed job leaves behind: nothing that is being removed is handed out again."""

from pagemill.db import cleanup, jobs, new_jobs, results
from pagemill.db.database import Database, Tx
from pagemill.db.new_jobs import NewJob
from pagemill.model.ids import new_id
from pagemill.model.jobs import DocumentRow, Result
from pagemill.model.options import ReadingOptions
from pagemill.model.states import Lane

TENANT = "default"
PRINT = "print"


def finished(tx: Tx, result: Result | None = None) -> str:
    """A job that is done, with a result of its own or one that is there already."""
    document = DocumentRow(new_id(), TENANT, "sha", 1, "application/pdf", "f.pdf", "key", tx.now)
    results.add_documents(tx, [document])
    job_id = new_id()
    if result is None:
        prefix = f"results/{job_id[-2:]}/{job_id}/{new_id()}.1"
        result = Result(new_id(), TENANT, PRINT, prefix, {}, 1, 1, [], [], True, tx.now)
        results.add(tx, result)
    new = NewJob(
        job_id, TENANT, document.id, Lane.FAST, 0, ReadingOptions(), {}, PRINT, None, tx.now + 99, 0.0
    )
    new_jobs.create(tx, new, result)
    return job_id


def reusable(db: Database) -> Result | None:
    """The result that the next job with the same document would be given."""
    return db.read(lambda conn: results.reusable(conn, TENANT, PRINT))


def test_a_doomed_result_is_not_reused_while_its_files_go(db: Database) -> None:
    job_id = db.write(finished)
    made = reusable(db)
    assert made is not None
    db.write(lambda tx: jobs.mark_removed(tx, TENANT, job_id))
    gone = db.write(lambda tx: cleanup.withdraw_files(tx, TENANT, job_id))
    assert gone.result_prefixes == (made.prefix,)
    assert reusable(db) is None
    db.write(lambda tx: cleanup.forget_files(tx, gone))
    assert db.read(lambda conn: results.one(conn, TENANT, made.id)) is None


def test_a_result_that_a_living_job_points_to_is_not_doomed(db: Database) -> None:
    first = db.write(finished)
    made = reusable(db)
    second = db.write(lambda tx: finished(tx, made))
    db.write(lambda tx: jobs.mark_removed(tx, TENANT, first))
    assert db.write(lambda tx: cleanup.withdraw_files(tx, TENANT, first)).result_prefixes == ()
    assert reusable(db) == made
    db.write(lambda tx: jobs.mark_removed(tx, TENANT, second))
    assert db.write(lambda tx: cleanup.withdraw_files(tx, TENANT, second)).result_prefixes == (
        made.prefix if made else "",
    )
    assert reusable(db) is None


def test_dooming_again_after_a_crash_finds_the_same(db: Database) -> None:
    job_id = db.write(finished)
    db.write(lambda tx: jobs.mark_removed(tx, TENANT, job_id))
    first = db.write(lambda tx: cleanup.withdraw_files(tx, TENANT, job_id))
    assert db.write(lambda tx: cleanup.withdraw_files(tx, TENANT, job_id)) == first
    assert len(first.result_prefixes) == 1


def test_a_doomed_job_leaves_the_results_of_others_alone(db: Database) -> None:
    first = db.write(finished)
    db.write(finished)
    newest = reusable(db)
    db.write(lambda tx: jobs.mark_removed(tx, TENANT, first))
    assert len(db.write(lambda tx: cleanup.withdraw_files(tx, TENANT, first)).result_prefixes) == 1
    assert reusable(db) == newest


def test_only_removed_jobs_with_files_are_unswept(db: Database) -> None:
    living, removed = db.write(finished), db.write(finished)
    db.write(lambda tx: jobs.mark_removed(tx, TENANT, removed))
    assert db.read(lambda conn: cleanup.removed_jobs_with_files(conn, 9)) == [(TENANT, removed)]
    assert [job for _, job in db.read(lambda conn: cleanup.expired_jobs(conn, 1e12, 9))] == [living]
    db.write(lambda tx: cleanup.forget_files(tx, cleanup.withdraw_files(tx, TENANT, removed)))
    assert db.read(lambda conn: cleanup.removed_jobs_with_files(conn, 9)) == []
    assert db.write(lambda tx: cleanup.forget_tombstones(tx, tx.now + 1, 9)) == 1
