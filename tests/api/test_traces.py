"""One trace follows a document from the request that brought it to its result."""

import secrets
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pagemill import tracing
from pagemill.errors import Refused
from tests.mills import small_settings
from tests.receivers import Receiver, Spans, receiving
from tests.samples import big, corrupt, letter
from tests.servers import Served, served
from tests.waiting import wait_for

pytestmark = pytest.mark.mill

CALLER = "00f067aa0ba902b7"


@pytest.fixture(scope="module")
def receiver() -> Iterator[Receiver]:
    """Where the spans of the tests go."""
    with receiving() as opened:
        yield opened


@pytest.fixture(scope="module")
def traced(tmp_path_factory: pytest.TempPathFactory, receiver: Receiver) -> Iterator[Served]:
    """A server whose documents are traced."""
    folder = tmp_path_factory.mktemp("traced")
    with served(small_settings(folder, traces_url=receiver.url)) as server:
        yield server


def ended(server: Served, document: bytes, **headers: str) -> str:
    """The job of a document, after its end."""
    named = {"content-type": "application/pdf", **headers}
    job_id: str = server.http.post("/v1/jobs?reuse=false", content=document, headers=named).json()["id"]
    assert server.http.get(f"/v1/jobs/{job_id}", params={"wait": 60}).json()["finished_at"]
    return job_id


def spans_of(receiver: Receiver, job_id: str, last: str) -> Spans:
    """The trace of a job, once its last span has come."""

    def of_job() -> Spans:
        traces = {span.trace for span in list(receiver.spans) if span.facts.get("job") == job_id}
        return Spans([span for span in list(receiver.spans) if span.trace in traces])

    wait_for(lambda: bool(of_job().named(last)) and is_whole(of_job()))
    return of_job()


def is_whole(spans: Spans) -> bool:
    """Whether everything has come that other spans stand below; a span is sent after all that stand below it."""
    return {span.parent for span in spans.all} <= {span.id for span in spans.all} | {"", CALLER}


def test_a_short_document_is_followed_through_door_queue_press_and_publication(
    traced: Served, receiver: Receiver
) -> None:
    job_id = ended(traced, letter("Dear tracer,"))
    spans = spans_of(receiver, job_id, "publish")
    root, queue, step = spans.one("POST /v1/jobs"), spans.one("queue"), spans.one("plan")
    assert root.parent == ""
    assert (root.facts["job"], root.facts["tenant"]) == (job_id, "default")
    assert {span.trace for span in spans.all} == {root.trace}
    assert (queue.parent, step.parent) == (root.id, root.id)
    assert (step.facts["job"], step.facts["tenant"], step.facts["outcome"]) == (job_id, "default", "joined")
    visit, publish = spans.one("visit"), spans.one("publish")
    assert (visit.parent, publish.parent) == (step.id, step.id)
    assert (visit.facts["function"], visit.facts["exit"], visit.facts["pages"]) == (
        "open_document",
        "done",
        "1",
    )
    assert step.started <= visit.started <= visit.ended <= publish.ended <= step.ended
    assert 0 < visit.seconds < step.seconds
    assert spans.one("store").parent == root.id


def test_the_trace_of_the_caller_goes_on_through_all_steps_of_a_long_document(
    traced: Served, receiver: Receiver
) -> None:
    trace = secrets.token_hex(16)
    job_id = ended(traced, big(200), traceparent=f"00-{trace}-{CALLER}-01")
    spans = spans_of(receiver, job_id, "publish")
    assert {span.trace for span in spans.all} == {trace}
    root = spans.one("POST /v1/jobs")
    assert root.parent == CALLER
    steps = [*spans.named("plan"), *spans.named("extract"), *spans.named("join")]
    assert len(steps) >= 4
    assert {span.parent for span in steps} == {root.id}
    assert len(spans.named("queue")) == len(steps)
    assert {span.parent for span in spans.named("visit")} == {span.id for span in steps}
    assert spans.one("publish").parent == spans.one("join").id
    assert sum(int(span.facts["pages"]) for span in spans.named("extract")) == 200


def test_documents_that_are_read_in_one_go_stay_in_traces_of_their_own(
    traced: Served, receiver: Receiver
) -> None:
    ids = [traced.submit(letter(f"Dear {number},"), reuse="false")["id"] for number in range(4)]
    traces = [spans_of(receiver, job_id, "publish") for job_id in ids]
    assert len({spans.one("POST /v1/jobs").trace for spans in traces}) == 4
    for spans in traces:
        assert spans.one("visit").parent == spans.one("publish").parent == spans.one("plan").id


def test_a_step_that_fails_is_marked_in_the_trace(traced: Served, receiver: Receiver) -> None:
    spans = spans_of(receiver, ended(traced, corrupt()), "plan")
    step = spans.one("plan")
    assert step.failed
    assert (step.facts["outcome"], step.facts["code"]) == ("JobLost", "pdf_corrupt")
    assert spans.one("visit").facts["exit"] == "failed"


def test_a_caller_that_records_nothing_is_followed_in_that(traced: Served, receiver: Receiver) -> None:
    trace = secrets.token_hex(16)
    ended(traced, letter("Not this one,"), traceparent=f"00-{trace}-{CALLER}-00")
    spans_of(receiver, ended(traced, letter("But this one,")), "publish")
    assert trace not in {span.trace for span in receiver.spans}


def test_a_trace_that_is_none_is_begun_anew(traced: Served, receiver: Receiver) -> None:
    job_id = ended(traced, letter("Dear nonsense,"), traceparent="00-zzzz-1-01")
    assert spans_of(receiver, job_id, "publish").one("POST /v1/jobs").parent == ""


@pytest.mark.parametrize(("ratio", "name"), [(0.0, "left out"), (1.0, "taken")])
def test_only_a_share_of_the_documents_is_traced(receiver: Receiver, ratio: float, name: str) -> None:
    with tracing.exporting(receiver.url, ratio, "one"), tracing.request_span(name, None):
        assert tracing.present() is not None
        tracing.record_span(tracing.present(), tracing.past_span(name, 0.1))
    wait_for(lambda: len(Spans(receiver.spans).named(name)) == 2 * ratio)


def test_a_receiver_that_does_not_answer_holds_up_nothing(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with served(small_settings(tmp_path, traces_url=url)) as server:
            ended(server, letter("Dear silence,"))
            stopping = time.monotonic()
        assert time.monotonic() - stopping < tracing.FAREWELL_SECONDS + 5


def test_traces_without_the_extra_are_refused_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)
    with pytest.raises(Refused, match="traces"), tracing.exporting("http://collector:4318", 1.0, "one"):
        pass
