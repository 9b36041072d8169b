"""What an installation of several processes shows of itself: one trace per document, metrics and health of its workers."""

import json
from pathlib import Path

import httpx

from bench.ports import free_port
from tests.cluster import s3
from tests.cluster.cluster import Api, Cluster, running
from tests.receivers import Spans, receiving
from tests.samples import letter
from tests.waiting import wait_for

TRACE, CALLER = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
PATIENCE_SECONDS = 30


def test_a_document_is_followed_from_one_process_to_the_other(tmp_path: Path, s3_server: s3.S3) -> None:
    port = free_port()
    with receiving() as receiver, running(tmp_path, s3_server, traces_url=receiver.url) as cluster:
        api, worker = cluster.api(), cluster.worker(metrics_port=port, log_format="json", log_level="DEBUG")
        job_id = handed_in(api)
        wait_for(lambda: has_come(Spans(receiver.spans)), PATIENCE_SECONDS, "the trace is not whole")
        check_probes(port)
        check_api(api)
        lines = [json.loads(line) for line in worker.log.read_text().splitlines() if line.startswith("{")]
    check_trace(Spans(receiver.spans), job_id)
    check_lines(lines, cluster)


def has_come(spans: Spans) -> bool:
    """Whether both processes have sent what they do last; each sends at times of its own."""
    return all(spans.named(name) for name in ("POST /v1/jobs", "plan"))


def handed_in(api: Api) -> str:
    """The job of a document that is handed in within a trace of the caller's."""
    headers = {"content-type": "application/pdf", "traceparent": f"00-{TRACE}-{CALLER}-01"}
    with httpx.Client(base_url=f"http://127.0.0.1:{api.port}", timeout=60) as http:
        job_id: str = http.post("/v1/jobs", content=letter(), headers=headers).json()["id"]
        ended = http.get(f"/v1/jobs/{job_id}", params={"wait": PATIENCE_SECONDS}).json()
    assert ended["status"] == "completed", ended
    return job_id


def check_trace(spans: Spans, job_id: str) -> None:
    """One trace: the request, and below it what the worker did."""
    assert {span.trace for span in spans.all} == {TRACE}
    root, step = spans.one("POST /v1/jobs"), spans.one("plan")
    assert (root.parent, step.parent) == (CALLER, root.id)
    assert step.facts["job"] == root.facts["job"] == job_id
    below = {span.name for span in spans.all if span.parent == step.id}
    assert {"visit", "publish", "blob get", "blob put"} <= below


def check_probes(port: int) -> None:
    """A worker at work is alive and ready, and shows what it counted."""
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=10) as http:
        assert http.get("/health").status_code == 200
        assert http.get("/ready").json() == {"status": "ok"}
        shown = http.get("/metrics").text
    assert 'pagemill_jobs_total{status="completed"} 1.0' in shown
    assert 'pagemill_queue_seconds_count{lane="fast"} 1.0' in shown


def check_api(api: Api) -> None:
    """The API tells how the whole installation stands."""
    with httpx.Client(base_url=f"http://127.0.0.1:{api.port}", timeout=10) as http:
        shown = http.get("/metrics").text
    assert "pagemill_database_up 1.0" in shown
    assert 'pagemill_workers{state="alive"} 1.0' in shown


def check_lines(lines: list[dict[str, str]], cluster: Cluster) -> None:
    """The lines of a worker are JSON, name it, and tell no secret."""
    own = [line for line in lines if line["logger"].startswith("pagemill")]
    assert own
    assert all(line["worker"] for line in own)
    said = json.dumps(lines)
    assert cluster.redis.url not in said
    assert cluster.database_url not in said
