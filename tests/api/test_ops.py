"""For those who run the service."""

import re

import pytest
from prometheus_client.parser import text_string_to_metric_families

from pagemill.model.ids import new_id
from pagemill.model.states import Lane
from pagemill.reading.providers import every_provider
from tests.api.test_http import problem
from tests.mills import small_settings
from tests.samples import corrupt, letter
from tests.servers import Served, served


def test_health_tells_what_can_be_used(busy: Served) -> None:
    told = busy.http.get("/health").json()
    assert told["status"] == "ok"
    assert re.fullmatch(r"\d+\.\d+\.\d+.*", told["version"])
    assert told["uptime_seconds"] >= 0
    assert [provider["name"] for provider in told["providers"]] == [
        provider.name for provider in every_provider()
    ]


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
    answer = busy.http.get("/metrics")
    families = {family.name: family for family in text_string_to_metric_families(answer.text)}
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


def test_what_waits_is_measured(idle: Served) -> None:
    idle.submit(letter())
    lines = idle.http.get("/metrics").text.splitlines()
    waiting = next(line for line in lines if line.startswith('pagemill_queue_ready{lane="fast"}'))
    assert float(waiting.split()[-1]) >= 1


def test_a_database_that_does_not_answer_is_told_as_an_outage(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    settings = small_settings(tmp_path_factory.mktemp("away"), slots=1, kept_slots=0)
    with served(settings, workers=False) as server:
        server.mill.db.write(lambda tx: tx.conn.exec_driver_sql("ALTER TABLE jobs RENAME TO jobs_away"))
        server.mill.db.write(lambda tx: tx.conn.exec_driver_sql("ALTER TABLE chunks RENAME TO chunks_away"))
        for path in ("/ready", "/v1/jobs", f"/v1/jobs/{new_id()}"):
            answer = server.http.get(path)
            assert problem(answer, 503, "database_unavailable")["retryable"] is True
            assert answer.headers["retry-after"]
        assert server.http.get("/health").status_code == 200
