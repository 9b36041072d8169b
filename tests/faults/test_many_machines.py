"""What goes wrong between machines: other engines, other databases, other versions. Two mills share one PostgreSQL."""

import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import pytest
from cryptography.fernet import Fernet
from sqlalchemy import Connection, select, update

from pagemill.db import schema, workers
from pagemill.db.database import Tx
from pagemill.db.migrate import migrate
from pagemill.db.postgres import PostgresDatabase
from pagemill.desk.admin import StuckLimits, find_stuck_work
from pagemill.desk.engine_changes import restart_abandoned_runs, restart_runs_waiting_for
from pagemill.desk.installation import owns_files
from pagemill.desk.queries import job_events, show_job
from pagemill.errors import Refused
from pagemill.heartbeat import worker_row
from pagemill.mill import DEFAULT_TENANT, Mill
from pagemill.model.abilities import WorkerAbilities
from pagemill.model.options import ReadingOptions
from pagemill.model.states import Lane, Step
from pagemill.model.views import JobView
from pagemill.runner import claim_chunks, ready_messages, take_turn
from pagemill.wiring import check_blobs, open_mill
from tests import samples
from tests.cluster.postgres import Postgres
from tests.faults.rows import work_off
from tests.mills import hand_in, small_settings
from tests.office_files import docx, para
from tests.waiting import wait_for

LANES = (Lane.FAST, Lane.BULK)
OLDER, NEWER = ("reading 1", "liteparse 1"), ("reading 2", "liteparse 2", "ppocr 1")
PAGES = 150
KEY = Fernet.generate_key().decode()


@pytest.fixture(scope="module")
def shared(postgres_server: Postgres, tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """The database and the files of one installation."""
    files = tmp_path_factory.mktemp("files")
    shared = {"database_url": postgres_server.new_database(), "secret_key": KEY, "sweep_seconds": 3_600}
    return shared | {"blobs_url": f"file://{files}"}


@pytest.fixture(scope="module")
def mills(shared: dict[str, object], tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Mill, Mill]]:
    """An older and a newer worker, which work when the test says so."""
    one, other = (small_settings(tmp_path_factory.mktemp(name), **shared) for name in ("one", "other"))
    with open_mill(one, workers=False) as older, open_mill(other, workers=False) as newer:
        older.engines.entries = lambda _: OLDER
        newer.engines.entries = lambda _: NEWER
        yield older, newer


@pytest.fixture(autouse=True)
def no_claims(mills: tuple[Mill, Mill]) -> Iterator[None]:
    """Each test begins without work and without knowledge of other workers."""
    yield
    done = update(schema.chunks).where(schema.chunks.c.state.in_(["ready", "running"])).values(state="void")
    mills[0].db.write(lambda tx: tx.conn.execute(done))
    for mill in mills:
        mill.abilities.note_fleet([], LANES)


def register(mill: Mill, engines: tuple[str, ...]) -> None:
    """Have a worker say which engines it has."""
    row = replace(worker_row(mill, LANES), engines=list(engines))

    def write(tx: Tx) -> None:
        workers.remove(tx, mill.worker_id)
        workers.register(tx, row)

    mill.db.write(write)


def claimed(mill: Mill) -> list[str]:
    """The jobs of what a worker claims."""
    return [claim.job_id for claim in mill.db.write(lambda tx: claim_chunks(tx, mill, LANES))]


def open_document(mill: Mill, job_id: str) -> None:
    """Have a worker open a document and cut it into chunks; on a busy machine it may have to begin more than once."""
    wait_for(
        lambda: (
            take_turn(mill, (Lane.FAST,), threading.Event())
            and mill.db.read(lambda conn: waiting_needs(conn, job_id))
        )
    )


def read_to_the_end(mill: Mill, job_id: str) -> JobView:
    """The job after a worker has done all there is to do, also what it had to begin more than once."""

    def is_finished() -> bool:
        work_off(mill)
        return show_job(mill, DEFAULT_TENANT, job_id)["finished_at"] is not None

    wait_for(is_finished)
    return show_job(mill, DEFAULT_TENANT, job_id)


def waiting_needs(conn: Connection, job_id: str) -> set[str]:
    """What the ready chunks of an opened document need."""
    own = (schema.chunks.c.job_id == job_id, schema.chunks.c.state == "ready")
    query = select(schema.chunks.c.needs).where(*own, schema.chunks.c.step == Step.EXTRACT.value)
    return set(conn.scalars(query))


def test_a_second_installation_on_the_same_files_does_not_start(
    mills: tuple[Mill, Mill], postgres_server: Postgres
) -> None:
    blobs = mills[0].blobs
    with closing(PostgresDatabase(postgres_server.new_database())) as second:
        migrate(second.engine)
        with pytest.raises(Refused, match="admin adopt"):
            check_blobs(blobs, second)
        assert not owns_files(blobs, second), "nothing is swept"
    assert owns_files(blobs, mills[0].db)


def test_a_run_stays_with_the_engines_that_opened_its_document(mills: tuple[Mill, Mill]) -> None:
    older, newer = mills
    job_id = hand_in(older, samples.big(PAGES), reuse=False).job_id
    open_document(older, job_id)
    assert ready_messages(newer, LANES, 8), "it may be its own as far as it knows"
    assert claimed(newer) == []
    assert ready_messages(newer, LANES, 8) == []
    assert claimed(older) == [job_id]


def test_a_run_whose_engines_are_gone_is_read_again_as_a_whole(mills: tuple[Mill, Mill]) -> None:
    older, newer = mills
    now = 0.0
    newer = replace(newer, abilities=WorkerAbilities(lambda: now))
    job_id = hand_in(older, samples.big(PAGES), reuse=False).job_id
    open_document(older, job_id)
    register(older, OLDER)
    register(newer, NEWER)
    newer.abilities.note_fleet(newer.db.read(workers.fleet_engines), LANES)
    assert claimed(newer) == []
    assert restart_abandoned_runs(newer) == 0
    older.db.write(lambda tx: workers.remove(tx, older.worker_id))
    newer.abilities.note_fleet(newer.db.read(workers.fleet_engines), LANES)
    assert restart_abandoned_runs(newer) == 0
    now = 3 * newer.settings.lease_seconds
    assert restart_abandoned_runs(newer) == 1
    job = read_to_the_end(newer, job_id)
    assert (job["status"], job["run"], job["processed_pages"]) == ("completed", 2, PAGES)
    events = job_events(newer, DEFAULT_TENANT, job_id, 0)
    assert [one.facts["reason"] for one in events if one.type == "job.retried"] == ["engines_gone"]


def test_a_run_that_is_read_again_is_opened_in_the_lane_where_it_waited(mills: tuple[Mill, Mill]) -> None:
    older, newer = mills
    job_id = hand_in(older, samples.big(PAGES), reuse=False).job_id
    open_document(older, job_id)
    [needs] = older.db.read(lambda conn: waiting_needs(conn, job_id))
    assert restart_runs_waiting_for(newer, needs, {Lane.BULK}) == 1
    assert newer.db.write(lambda tx: claim_chunks(tx, newer, (Lane.FAST,))) == []
    assert claimed(newer) == [job_id]


def test_an_office_file_that_is_to_be_rendered_is_left_to_workers_that_have_libreoffice(
    mills: tuple[Mill, Mill],
) -> None:
    older, newer = mills
    plain = replace(older, renderer=None)
    register(older, OLDER)
    register(newer, (*NEWER, "libreoffice 24.8"))
    plain.abilities.note_fleet(plain.db.read(workers.fleet_engines), LANES)
    rendered = ReadingOptions(providers=("liteparse",), render=True)
    job_id = hand_in(plain, docx(para("Dear office,")), rendered, reuse=False).job_id
    assert claimed(plain) == []
    assert claimed(newer) == [job_id]


def test_a_worker_without_an_engine_leaves_documents_to_those_that_have_it(mills: tuple[Mill, Mill]) -> None:
    older, newer = mills
    register(older, OLDER)
    register(newer, NEWER)
    older.abilities.note_fleet(older.db.read(workers.fleet_engines), LANES)
    scan = ReadingOptions(providers=("liteparse", "ppocr"))
    job_id = hand_in(older, samples.letter("Dear engine,"), scan, reuse=False).job_id
    assert claimed(older) == []
    assert claimed(newer) == [job_id]
    again = hand_in(older, samples.letter("Dear alone,"), scan, reuse=False).job_id
    older.abilities.note_fleet([], LANES)
    assert claimed(older) == [again]


def test_a_page_that_no_worker_could_recognise_is_told_by_the_job_and_its_result_not_used_again(
    mills: tuple[Mill, Mill],
) -> None:
    older, _ = mills
    without_ocr = ReadingOptions(providers=("pdfium",))
    for _ in range(2):
        job_id = hand_in(older, samples.garbage_text(), without_ocr).job_id
        job = read_to_the_end(older, job_id)
        assert (job["status"], job["lacks_text"], job["reused"]) == ("completed", True, False)


def test_work_of_another_version_is_left_alone_and_told(mills: tuple[Mill, Mill]) -> None:
    older, _ = mills
    later = hand_in(older, samples.letter("Dear later,"), reuse=False).job_id
    unknown = {"step": "summarise", "lane": "gpu"}
    one = schema.chunks.c.job_id == later
    older.db.write(lambda tx: tx.conn.execute(update(schema.chunks).where(one).values(unknown)))
    job_id = hand_in(older, samples.letter("Dear now,"), reuse=False).job_id
    assert claimed(older) == [job_id]
    found = find_stuck_work(older.db, StuckLimits(3_600, 3_600, 3_600))
    assert [one.job_id for one in found if one.why == "unknown_kind"] == [later]
