"""`pagemill worker`: woken by Celery, and never deaf for long."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest
from pydantic import SecretStr
from sqlalchemy import text

from pagemill.db import lanes as lane_rows
from pagemill.db import workers as worker_rows
from pagemill.desk.queries import show_job
from pagemill.desk.webhooks import add_endpoint
from pagemill.entrypoints.cli.serve.worker import crew_of, lanes_of
from pagemill.entrypoints.output.terminal import EXIT_REFUSED
from pagemill.entrypoints.worker.crew import DEAF_LOOKS, CeleryCrew
from pagemill.entrypoints.worker.turn_slots import TurnSlots
from pagemill.errors import Refused
from pagemill.mill import DEFAULT_TENANT, Mill
from pagemill.model.options import ReadingOptions
from pagemill.model.states import Lane
from pagemill.model.webhooks import WantedEndpoint
from pagemill.settings import Settings
from pagemill.wiring import open_mill, prepare_mill, run_worker
from tests import samples
from tests.cli.around import Shell, start
from tests.cluster import redis
from tests.cluster.postgres import Postgres
from tests.cluster.proxy import FaultProxy, Way, Weather, between
from tests.http_receivers import receiving_http
from tests.mills import finished, hand_in, small_settings
from tests.timing import can_take_less_than, seconds_of
from tests.trial_provider import ENVIRONMENT
from tests.waiting import wait_for

SECRET = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
TRIAL = ReadingOptions(providers=("trial",))
CHUNKS = "SELECT state, crashes, errors, lost FROM chunks"
DOCUMENTS = 5
# Longer than a look around.
QUIET_SECONDS = 3.0
# A fraction of what the work under way would take.
STOP_SECONDS = 30.0
PATIENCE_SECONDS = 30.0


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[redis.RedisServer]:
    """A broker that a test may mistreat."""
    with redis.running(tmp_path / "redis") as server:
        yield server


@pytest.fixture
def proxy(broker: redis.RedisServer) -> Iterator[FaultProxy]:
    """What stands between the worker and the broker."""
    with between(broker.url) as fault_proxy:
        yield fault_proxy


@pytest.fixture
def shared(tmp_path: Path, postgres_server: Postgres, broker: redis.RedisServer) -> Settings:
    """The settings of an API that shares its rows and files with workers."""
    return small_settings(
        tmp_path / "api",
        database_url=postgres_server.new_database(),
        blobs_url=f"file://{tmp_path / 'blobs'}",
        broker_url=broker.url,
        secret_key=SECRET,
        kept_slots=1,
        slots=1,
    )


@pytest.fixture
def api(shared: Settings) -> Iterator[Mill]:
    """A mill that takes documents in and reads none."""
    with open_mill(shared, workers=False) as mill:
        yield mill


@contextmanager
def worker(settings: Settings, lanes: str = "", **changes: object) -> Iterator[CeleryCrew]:
    """A worker in this process."""
    own = settings.model_copy(update={"data_dir": settings.data_dir.with_name("worker")} | changes)
    with prepare_mill(own) as mill:
        crew = crew_of(mill, lanes_of(lanes))
        with run_worker(mill, crew):
            yield crew
        # Celery tells all consumers of a process to stop in one place; the next one would bring this one back to life.
        wait_for(lambda: not crew.consumer.is_alive)


def letter(number: int = 0, marker: str = "") -> bytes:
    """A document of one page."""
    return samples.trial_pages([f"{marker} Letter {number}"])


def read_all(mill: Mill, documents: int, first: int = 0) -> None:
    """Hand in some documents and wait until they are done."""
    jobs = [hand_in(mill, letter(first + number), TRIAL).job_id for number in range(documents)]
    assert {finished(mill, job)["status"] for job in jobs} == {"completed"}


def test_a_worker_reads_what_another_process_took_in_at_once(api: Mill, shared: Settings) -> None:
    numbers = count(step=DOCUMENTS)

    def reading_seconds() -> float:
        first = next(numbers)
        return seconds_of(lambda: read_all(api, DOCUMENTS, first))

    with worker(shared) as crew:
        wait_for(lambda: crew.consumer.is_connected)
        reading_seconds()
        assert can_take_less_than(2, reading_seconds)


def test_wake_ups_that_were_thrown_away_are_made_up_for(
    api: Mill, shared: Settings, broker: redis.RedisServer
) -> None:
    with worker(shared):
        jobs = [hand_in(api, letter(number, "TRIAL:sleep:0.1"), TRIAL).job_id for number in range(10)]
        broker.flush()
        assert {finished(api, job)["status"] for job in jobs} == {"completed"}


def test_documents_are_read_while_the_broker_is_away_and_after_it_is_back(
    api: Mill, shared: Settings, broker: redis.RedisServer
) -> None:
    with worker(shared):
        read_all(api, 1)
        broker.kill()
        read_all(api, 3, first=1)
        broker.start()
        read_all(api, 3, first=4)


def test_documents_are_read_while_the_broker_hangs_and_after_it_goes_on(
    api: Mill, shared: Settings, broker: redis.RedisServer
) -> None:
    with worker(shared):
        read_all(api, 1)
        broker.pause()
        read_all(api, 3, first=1)
        broker.resume()
        read_all(api, 3, first=4)


@pytest.mark.parametrize("weather", [Weather(Way.REFUSE), Weather(Way.BLACKHOLE)], ids=["cut", "silent"])
def test_a_worker_whose_line_to_the_broker_breaks_goes_on(
    api: Mill, shared: Settings, broker: redis.RedisServer, proxy: FaultProxy, weather: Weather
) -> None:
    through = SecretStr(proxy.url_through(broker.url))
    with worker(shared, broker_url=through):
        read_all(api, 1)
        proxy.weather = weather
        proxy.cut()
        read_all(api, 3, first=1)
        proxy.weather = Weather()
        proxy.cut()
        read_all(api, 3, first=4)


@pytest.mark.slow
def test_a_consumer_that_has_gone_deaf_while_work_waits_gets_a_new_connection(
    api: Mill, shared: Settings
) -> None:
    with worker(shared) as crew:
        wait_for(lambda: crew.consumer.is_connected)
        read_all(api, 1)
        assert crew.consumer.celery is not None
        consumer = crew.consumer.celery.consumer
        consumer.call_soon(consumer.task_consumer.cancel)
        number, restarts = 1, crew.mill.metrics.watchdog_restarts
        while not restarts._value.get():
            read_all(api, 1, first=number)
            number += 1
        wait_until_heard(api, crew, number)


def wait_until_heard(api: Mill, crew: CeleryCrew, number: int) -> None:
    """Hand a document in and wait until the worker heard of it through the broker."""
    sent_at = time.monotonic()
    hand_in(api, letter(number), TRIAL)
    wait_for(lambda: time.monotonic() - crew.seconds_since_message() > sent_at)


@pytest.mark.slow
def test_a_consumer_that_knows_that_the_broker_is_away_is_not_taken_for_deaf(
    api: Mill, shared: Settings, broker: redis.RedisServer
) -> None:
    with worker(shared) as crew:
        # A connection that breaks before its first message may go unnoticed until the watchdog looks.
        wait_until_heard(api, crew, DEAF_LOOKS + 3)
        broker.kill()
        wait_for(lambda: not crew.consumer.is_connected)
        for number in range(DEAF_LOOKS + 2):
            read_all(api, 1, first=number)
        assert crew.mill.metrics.watchdog_restarts._value.get() == 0


def test_nothing_is_taken_from_a_paused_lane(api: Mill, shared: Settings) -> None:
    with worker(shared):
        api.db.write(lambda tx: lane_rows.pause(tx, Lane.FAST, DEFAULT_TENANT))
        job = hand_in(api, letter(), TRIAL).job_id
        time.sleep(QUIET_SECONDS)
        assert show_job(api, DEFAULT_TENANT, job)["status"] == "pending"
        api.db.write(lambda tx: lane_rows.resume(tx, Lane.FAST))
        assert finished(api, job)["status"] == "completed"


def test_a_worker_that_is_drained_takes_nothing_more(api: Mill, shared: Settings) -> None:
    with worker(shared) as crew:
        api.db.write(lambda tx: worker_rows.set_draining(tx, crew.mill.worker_id, draining=True))
        job = hand_in(api, letter(), TRIAL).job_id
        time.sleep(QUIET_SECONDS)
        assert show_job(api, DEFAULT_TENANT, job)["status"] == "pending"


def test_a_worker_takes_only_from_its_own_lanes(api: Mill, shared: Settings) -> None:
    with worker(shared, lanes="bulk,ocr"):
        job = hand_in(api, letter(), TRIAL).job_id
        time.sleep(QUIET_SECONDS)
        assert show_job(api, DEFAULT_TENANT, job)["status"] == "pending"


def test_a_worker_for_webhooks_alone_sends_them_and_reads_nothing(api: Mill, shared: Settings) -> None:
    with receiving_http() as receiver, worker(shared, lanes="notify", outbound_allow="127.0.0.0/8") as crew:
        assert crew.lanes == (Lane.NOTIFY,)
        endpoint = WantedEndpoint(receiver.url, ("job.accepted",))
        add_endpoint(crew.mill, DEFAULT_TENANT, endpoint)
        job = hand_in(api, letter(), TRIAL).job_id
        wait_for(lambda: len(receiver.requests) == 1)
        assert show_job(api, DEFAULT_TENANT, job)["status"] == "pending"


def test_a_worker_that_is_told_to_stop_gives_its_work_back_uncounted(
    api: Mill, shared: Settings, broker: redis.RedisServer, tmp_path: Path
) -> None:
    job = hand_in(api, letter(1, "TRIAL:sleep:60"), TRIAL).job_id
    process = start(tmp_path, "worker", "--concurrency", "1", **variables(shared))
    try:
        wait_for(lambda: show_job(api, DEFAULT_TENANT, job)["status"] == "processing")
        broker.pause()
        began = time.monotonic()
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=2 * STOP_SECONDS)
        assert process.returncode == 0, said
        assert time.monotonic() - began < STOP_SECONDS
    finally:
        process.kill()
        broker.resume()
    [(state, *counts)] = api.db.read(lambda conn: conn.execute(text(CHUNKS)).all())
    assert (state, counts) == ("ready", [0, 0, 0])
    assert api.db.read(worker_rows.everyone) == []


def variables(settings: Settings) -> dict[str, str]:
    """The settings that machines share, for a process."""
    urls = {"database_url": settings.database_url, "broker_url": settings.broker_url}
    shown = {name: url.get_secret_value() for name, url in urls.items() if url}
    wanted = shown | {"blobs_url": settings.blobs_url, "secret_key": SECRET}
    return {f"PAGEMILL_{name.upper()}": value for name, value in wanted.items()} | ENVIRONMENT


@pytest.mark.parametrize(
    ("missing", "advice"),
    [
        ("PAGEMILL_BROKER_URL", "PAGEMILL_BROKER_URL"),
        ("PAGEMILL_DATABASE_URL", "PAGEMILL_DATABASE_URL"),
        ("PAGEMILL_BLOBS_URL", "PAGEMILL_BLOBS_URL"),
        ("PAGEMILL_SECRET_KEY", "PAGEMILL_SECRET_KEY"),
    ],
)
def test_a_worker_says_what_it_lacks(shell: Shell, shared: Settings, missing: str, advice: str) -> None:
    given = {name: value for name, value in variables(shared).items() if name != missing}
    ran = shell.run("worker", **given)
    assert ran.returncode == EXIT_REFUSED
    assert advice in ran.stderr


@pytest.mark.parametrize("url", ["nosuch://127.0.0.1", "confluentkafka://127.0.0.1"])
def test_a_broker_that_nobody_speaks_to_is_told(shell: Shell, shared: Settings, url: str) -> None:
    ran = shell.run("worker", **variables(shared) | {"PAGEMILL_BROKER_URL": url})
    assert ran.returncode == EXIT_REFUSED
    assert "PAGEMILL_BROKER_URL can't be used" in ran.stderr


def test_a_worker_on_a_machine_that_lacks_the_shared_disk_is_refused_before_it_takes_work(
    api: Mill, shell: Shell, shared: Settings, tmp_path: Path
) -> None:
    hand_in(api, letter(), TRIAL)
    nowhere = {"PAGEMILL_BLOBS_URL": f"file://{tmp_path / 'not-mounted'}"}
    ran = shell.run("worker", **variables(shared) | nowhere)
    assert ran.returncode == EXIT_REFUSED
    assert "Look whether its disk is mounted" in ran.stderr


def test_lanes_with_nothing_to_do_are_refused_with_the_reason(shell: Shell, shared: Settings) -> None:
    ran = shell.run("worker", "--lanes", "remote", **variables(shared))
    assert ran.returncode == EXIT_REFUSED
    assert "PAGEMILL_VLM_URL" in ran.stderr


def test_a_lane_that_does_not_exist_is_refused() -> None:
    with pytest.raises(Refused, match="no lane 'slow'"):
        lanes_of("fast,slow")
    assert lanes_of(" fast, bulk ") == (Lane.FAST, Lane.BULK)
    assert lanes_of("") == tuple(Lane)


def test_a_seat_is_taken_by_one_at_a_time_and_the_widest_goes_first() -> None:
    wide, narrow = (Lane.FAST, Lane.BULK), (Lane.FAST,)
    seats = TurnSlots([narrow, wide])
    with seats.take(Lane.FAST) as first, seats.take(Lane.FAST) as second, seats.take(Lane.FAST) as third:
        assert (first, second, third) == (wide, narrow, ())
        assert seats.idle() == set()
        assert not seats.wait_until_free(0.01)
    assert seats.idle() == {Lane.FAST, Lane.BULK}
    assert seats.wait_until_free(0.01)
