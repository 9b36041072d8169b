"""The former release and this one on the same rows: each reads what the other accepted.

`former_release.json` is the record of the former release: what it said to the database, statement by statement.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import psycopg
import pytest
from cryptography.fernet import Fernet
from psycopg.types.json import Json

from pagemill.adapters.queues.celery_queue import TURN
from pagemill.db.migrate import newest_revision
from pagemill.desk.queries import show_job
from pagemill.desk.runs import retry
from pagemill.entrypoints.worker.consumer import known_message
from pagemill.mill import DEFAULT_TENANT, Mill
from pagemill.model.messages import Message
from pagemill.model.options import ReadingOptions
from pagemill.model.states import ChunkState, Lane, Status, Step
from pagemill.wiring import open_mill
from tests.cluster.postgres import Postgres
from tests.faults.rows import work_off
from tests.mills import finished, hand_in, made, small_settings
from tests.upgrades.record import LETTER

FORMER: dict[str, Any] = json.loads((Path(__file__).parent / "former_release.json").read_text("utf-8"))
BOUNDS = ("BEGIN", "COMMIT", "ROLLBACK")
# What a worker does to its own rows must find them.
OWN = re.compile(r"UPDATE (chunks|jobs|workers) ")


@pytest.fixture(scope="module")
def mill(postgres_server: Postgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mill]:
    """This release, which works when the test says so."""
    folder = tmp_path_factory.mktemp("upgrade")
    settings = small_settings(
        folder / "mill",
        database_url=postgres_server.new_database(),
        blobs_url=f"file://{folder}/files",
        secret_key=Fernet.generate_key().decode(),
        sweep_seconds=3_600,
    )
    with open_mill(settings, workers=False) as still:
        yield still


def replay(mill: Mill, said: list[dict[str, Any]], ids: Mapping[str, str]) -> None:
    """Say again what the former release said, about other jobs and documents."""
    assert mill.settings.database_url is not None
    with psycopg.connect(mill.settings.database_url.get_secret_value(), autocommit=True) as connection:
        for one in said:
            if one["sql"] not in BOUNDS:
                cursor = connection.execute(one["sql"].encode(), value_of(one["values"], ids))
                assert cursor.rowcount or not OWN.match(one["sql"]), one["sql"]


def value_of(value: Any, ids: Mapping[str, str]) -> Any:
    """A recorded value for the driver."""
    match value:
        case {"json": document, **rest} if not rest:
            return Json(value_of(document, ids))
        case {"hex": digits, **rest} if not rest:
            return bytes.fromhex(digits)
        case dict():
            return {key: value_of(one, ids) for key, one in value.items()}
        case list():
            return [value_of(one, ids) for one in value]
        case str():
            for old, new in ids.items():
                value = value.replace(old, new)
    return value


def test_what_the_former_release_accepted_is_read_by_this_one(mill: Mill) -> None:
    writer = mill.blobs.writer(FORMER["ids"]["blob_key"])
    writer.write(LETTER)
    writer.commit()
    replay(mill, FORMER["accept"], {})
    work_off(mill)
    job_id = FORMER["ids"]["job"]
    assert finished(mill, job_id)["status"] == "completed"
    assert b"Dear former," in made(mill, job_id)


def test_what_this_release_accepts_is_read_by_a_worker_of_the_former(mill: Mill) -> None:
    job_id = hand_in(mill, LETTER, reuse=False).job_id
    found = "SELECT c.id, j.document_id FROM chunks c JOIN jobs j ON j.id = c.job_id WHERE j.id = %(job)s"
    with mill.db.engine.connect() as conn:
        chunk, document = conn.exec_driver_sql(found, {"job": job_id}).one()
    ids = {FORMER["ids"]["job"]: job_id, FORMER["ids"]["chunk"]: chunk, FORMER["ids"]["document"]: document}
    replay(mill, FORMER["work"], ids)
    job = show_job(mill, DEFAULT_TENANT, job_id)
    assert (job["status"], job["processed_pages"], job["run"]) == ("completed", 1, 1)
    retry(mill, DEFAULT_TENANT, job_id, only="all", password=None)
    work_off(mill)
    assert (finished(mill, job_id)["run"], b"Dear former," in made(mill, job_id)) == (2, True)


def test_every_word_of_the_former_release_is_known() -> None:
    words = (("lanes", Lane), ("steps", Step), ("statuses", Status), ("chunk_states", ChunkState))
    assert [name for name, kind in words if not set(FORMER[name]) <= {one.value for one in kind}] == []
    assert FORMER["migration"] <= newest_revision()


def test_options_of_the_former_release_and_of_a_later_one_are_understood() -> None:
    former = ReadingOptions.from_dict(FORMER["options"])
    assert former == ReadingOptions()
    later: Any = FORMER["options"] | {"summary": True}
    assert ReadingOptions.from_dict(later) == former
    for name, value in FORMER["options"].items():
        assert ReadingOptions().as_dict()[name] == value, "the former release reads what we store"  # type: ignore[literal-required]


def test_wake_ups_of_other_releases_are_understood_or_left() -> None:
    step, lane, job_id = FORMER["message"]["arguments"]
    assert FORMER["message"]["task"] == TURN
    assert known_message(step, lane, job_id) == Message(Step.PLAN, Lane.FAST, job_id)
    assert known_message("summarise", lane, job_id) is None
    assert known_message(step, "gpu", job_id) is None
