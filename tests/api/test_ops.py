"""For those who run the service."""

import re
import signal
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

import pagemill
from pagemill import tracing
from pagemill.desk.counts_cache import KEPT_SECONDS, CountsCache
from pagemill.model.ids import new_id
from pagemill.model.states import Lane
from pagemill.model.work import Retry, SetBack, Split
from pagemill.reading.providers.installed import READING_VERSION, every_provider
from pagemill.turn_telemetry import measure
from pagemill.wiring import open_mill
from tests.api.test_http import problem
from tests.mills import hand_in, small_settings
from tests.model.test_failures import CHUNK
from tests.samples import corrupt, letter
from tests.servers import Served, served_idle
from tests.waiting import wait_for


def test_health_tells_what_can_be_used(busy: Served) -> None:
    told = busy.http.get("/health").json()
    assert told["status"] == "ok"
    assert re.fullmatch(r"\d+\.\d+\.\d+.*", told["version"])
    assert told["uptime_seconds"] >= 0
    assert told["sandbox"] == busy.mill.press.sandbox
    assert [provider["name"] for provider in told["providers"]] == [
        provider.name for provider in every_provider()
    ]
    [ppocr] = [provider for provider in told["providers"] if provider["name"] == "ppocr"]
    assert "reader.onnx" in ppocr["models"]
    assert set(ppocr["models"]) <= set(told["models"])


def test_a_service_at_work_is_ready(busy: Served) -> None:
    assert busy.http.get("/ready").json() == {"status": "ready"}


def test_the_version_is_told(busy: Served) -> None:
    told = busy.http.get("/version").json()
    assert (told["name"], told["api"]) == ("pagemill", "v1")


def test_the_root_tells_where_to_go(busy: Served) -> None:
    told = busy.http.get("/").json()
    for address in told["links"].values():
        assert busy.http.get(address).status_code == 200, address


def test_metrics_tell_what_happens(busy: Served) -> None:
    busy.finished(letter("Dear meter,"))
    assert busy.finished(corrupt())["status"] == "failed"
    # Counted after the commit that tells of the end.
    wait_for(lambda: value_of(busy, 'pagemill_failures_total{code="pdf_corrupt"}') > 0)
    answer = busy.http.get("/metrics")
    found = list(text_string_to_metric_families(answer.text))
    families = {family.name: family for family in found}
    assert len(families) == len(found), "a metric is told twice"
    assert answer.headers["content-type"].startswith("text/plain")
    for name, label in {
        "pagemill_queue_ready": "lane",
        "pagemill_queue_oldest_seconds": "lane",
        "pagemill_press_slots": "phase",
        "pagemill_step_seconds": "step",
        "pagemill_pages": "outcome",
        "pagemill_failures": "code",
        "pagemill_jobs": "status",
    }.items():
        assert label in families[name].samples[0].labels, name
    assert {sample.labels["lane"] for sample in families["pagemill_queue_ready"].samples} == {
        lane.value for lane in Lane
    }
    assert "pdf_corrupt" in {sample.labels["code"] for sample in families["pagemill_failures"].samples}


def value_of(server: Served, sample: str) -> float:
    """What the metrics say now; 0 if they say nothing of it."""
    lines = server.http.get("/metrics").text.splitlines()
    return next((float(line.split()[-1]) for line in lines if line.startswith(f"{sample} ")), 0.0)


def test_what_waits_is_measured(idle: Served) -> None:
    idle.submit(letter())
    # Counted at most every few seconds, however often it is asked for.
    wait_for(lambda: value_of(idle, 'pagemill_queue_ready{lane="fast"}') >= 1, 3 * KEPT_SECONDS)
    assert value_of(idle, 'pagemill_backlog_chunks{lane="fast",state="due"}') >= 1
    assert value_of(idle, "pagemill_database_up") == 1


def test_the_time_in_the_queue_is_measured(busy: Served) -> None:
    before = value_of(busy, 'pagemill_queue_seconds_count{lane="fast"}')
    busy.finished(letter("Dear queue,"))
    wait_for(lambda: value_of(busy, 'pagemill_queue_seconds_count{lane="fast"}') > before)
    wait_for(lambda: value_of(busy, 'pagemill_workers{state="alive"}') == 1)
    assert value_of(busy, f'pagemill_workers_by_version{{version="{pagemill.__version__}"}}') == 1
    assert value_of(busy, f'pagemill_workers_by_engine{{engine="reading {READING_VERSION}"}}') == 1


def test_a_crash_is_counted_by_its_signal_and_a_retry_by_its_counter(busy: Served) -> None:
    crashed = SetBack(CHUNK, Retry("crashes", 0.0), "worker_crashed", "", signal=signal.SIGSEGV)
    given_back = SetBack(CHUNK, Retry(None, 0.0), "returned", "")
    samples = (
        'crashes_total{kind="SIGSEGV"}',
        'crashes_total{kind="timeout"}',
        'retries_total{counter="crashes"}',
    )
    before = [value_of(busy, f"pagemill_{sample}") for sample in samples]
    measure(busy.mill, [crashed, given_back, SetBack(CHUNK, Split("crashes"), "timeout", "")])
    assert [value_of(busy, f"pagemill_{sample}") for sample in samples] == [count + 1 for count in before]
    assert value_of(busy, 'pagemill_retries_total{counter="none"}') >= 1


def test_requests_are_counted_by_route_and_unknown_addresses_together(idle: Served) -> None:
    route = 'pagemill_http_requests_total{method="GET",route="/v1/jobs/{job_id}",status="404"}'
    strange = 'pagemill_http_requests_total{method="GET",route="other",status="404"}'
    before, strangers = value_of(idle, route), value_of(idle, strange)
    for _ in range(3):
        assert idle.http.get(f"/v1/jobs/{new_id()}").status_code == 404
        assert idle.http.get(f"/nowhere/{new_id()}").status_code == 404
    assert value_of(idle, route) == before + 3
    assert value_of(idle, strange) == strangers + 3


def test_a_scrape_during_an_outage_of_the_database_still_tells_of_this_process(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    settings = small_settings(tmp_path_factory.mktemp("dark"))
    with served_idle(settings) as server:
        server.mill.db.write(lambda tx: tx.conn.exec_driver_sql("ALTER TABLE chunks RENAME TO chunks_away"))
        shown = server.http.get("/metrics").text
        assert "pagemill_database_up 0.0" in shown
        assert "pagemill_press_slots" in shown
        assert "pagemill_backlog_chunks{" not in shown


def test_a_long_backlog_is_counted_rarely_however_many_ask(tmp_path: Path) -> None:
    with open_mill(small_settings(tmp_path), workers=False) as mill:
        census = CountsCache(mill)
        first = census.current()
        hand_in(mill, letter("Dear census,"))
        assert census.current() is first


def test_a_database_that_does_not_answer_is_told_as_an_outage(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    settings = small_settings(tmp_path_factory.mktemp("away"))
    with served_idle(settings) as server:
        server.mill.db.write(lambda tx: tx.conn.exec_driver_sql("ALTER TABLE jobs RENAME TO jobs_away"))
        server.mill.db.write(lambda tx: tx.conn.exec_driver_sql("ALTER TABLE chunks RENAME TO chunks_away"))
        for path in ("/ready", "/v1/jobs", f"/v1/jobs/{new_id()}"):
            answer = server.http.get(path)
            assert problem(answer, 503, "database_unavailable")["retryable"] is True
            assert answer.headers["retry-after"]
        assert server.http.get("/health").status_code == 200


def test_without_an_address_there_are_no_traces() -> None:
    with tracing.exporting("", 1.0, "one"):
        assert not tracing.is_on()
        assert tracing.present() is None
        assert tracing.child_span("anything") is tracing.request_span("anything", None) is tracing.NOTHING
