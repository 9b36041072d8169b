"""The Python SDK against a real server."""

import io
from dataclasses import asdict
from pathlib import Path

import orjson
import pytest

from pagemill import __version__
from pagemill.client import ApiError, Client, Job, Options
from tests import pictures, samples
from tests.cli.around import Running
from tests.client.around import Reply, cutting_proxy, scripted
from tests.waiting import wait_for

UNKNOWN = "0199a3c4-7d52-7c31-9a42-6f0f5b1c2d3e"


def finished(client: Client, document: bytes, options: Options | None = None) -> Job:
    """A job that has ended."""
    return client.wait(client.submit(document, options).id, timeout_seconds=60)


def test_a_path_bytes_and_an_open_file_can_be_handed_in(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "letter.pdf"
    path.write_bytes(samples.letter())
    with path.open("rb") as file:
        jobs = [
            client.submit(path),
            client.submit(str(path)),
            client.submit(file),
            client.submit(path.read_bytes()),
        ]
    assert [job.document.filename for job in jobs] == ["letter.pdf"] * 3 + ["document.pdf"]
    assert len({job.document.sha256 for job in jobs}) == 1
    assert client.submit(path, filename="other.pdf").document.filename == "other.pdf"


def test_options_arrive_as_they_were_given(client: Client) -> None:
    options = Options(
        pages="1-2",
        formats=("json", "text"),
        providers=("pdfium",),
        keep_running_headers=True,
        ocr="off",
        mode="accurate",
        languages=("en", "de"),
        typography="ascii",
        metadata={"customer": "4711"},
        priority=3,
        expires_in_seconds=5_000_000,
        reuse=False,
    )
    job = client.submit(samples.report(3), options)
    assert job.options == {
        "pages": "1-2",
        "formats": ["json", "text"],
        "providers": ["pdfium"],
        "keep_running_headers": True,
        "ocr": "off",
        "mode": "accurate",
        "languages": ["en", "de"],
        "typography": "ascii",
    }
    assert (job.metadata, job.priority) == ({"customer": "4711"}, 3)
    assert client.wait(job.id, timeout_seconds=60).total_pages == 2


def test_a_password_opens_a_document_and_is_never_shown(client: Client) -> None:
    options = Options(password="open")
    job = finished(client, samples.encrypted(user="open"), options)
    assert job.status == "completed"
    assert "open" not in repr(options)


def test_waiting_tells_of_progress_and_ends_with_the_job(client: Client) -> None:
    seen: list[Job] = []
    job = client.submit(samples.big(600))
    over = client.wait(job.id, progress=seen.append)
    assert (over.status, over.processed_pages) == ("completed", 600)
    counts = [job.processed_pages for job in seen]
    assert counts == sorted(counts)
    assert len(set(counts)) > 2
    assert [job.version for job in seen] == sorted({job.version for job in seen})


def test_waiting_ends_with_its_time(client: Client) -> None:
    job = client.submit(samples.big(3_000))
    assert not client.wait(job.id, timeout_seconds=0.3).is_over
    assert client.cancel(job.id).status == "cancelled"


def test_events_are_followed_to_the_end_and_can_be_taken_up_again(client: Client) -> None:
    job = client.submit(samples.big(200, seed=7))
    events = list(client.events(job.id))
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert (events[0].type, events[-1].type) == ("job.accepted", "job.completed")
    assert list(client.events(job.id, after=2)) == events[2:]
    assert list(client.events(job.id, after=len(events))) == []
    assert list(client.history(job.id)) == events
    assert [event for event in client.log() if event.job_id == job.id] == events


def test_the_log_tells_of_refusals(client: Client) -> None:
    with pytest.raises(ApiError):
        client.submit(b"\0hello")
    refusals = wait_for(lambda: list(client.log(kinds=("request.refused",))))
    assert {event.type for event in refusals} == {"request.refused"}


def test_pages_can_be_listed_and_read(client: Client) -> None:
    job = finished(client, samples.report(5))
    assert [(page.number, page.state) for page in client.pages(job.id, page_size=2)] == [
        (number, "final") for number in range(1, 6)
    ]
    assert client.page(job.id, 4)["number"] == 4


def test_artifacts_go_to_files_whole_or_not_at_all(client: Client, tmp_path: Path) -> None:
    job = finished(client, samples.letter("Dear download,"), Options(formats=("markdown",)))
    client.download(job.id, "markdown", tmp_path / "letter.md")
    assert "Dear download," in (tmp_path / "letter.md").read_text()
    into = io.BytesIO()
    client.download(job.id, "markdown", into)
    assert into.getvalue() == (tmp_path / "letter.md").read_bytes()
    with pytest.raises(ApiError, match="artifact_not_made"):
        client.download(job.id, "html", tmp_path / "letter.html")
    assert [path.name for path in tmp_path.iterdir()] == ["letter.md"]


def test_an_unfinished_artifact_says_so(client: Client, tmp_path: Path) -> None:
    job = client.submit(samples.big(3_000, seed=3))
    with pytest.raises(ApiError) as caught:
        client.download(job.id, "markdown", tmp_path / "long.md")
    assert (caught.value.code, caught.value.retryable) == ("job_not_finished", True)
    client.cancel(job.id)


def test_a_job_can_be_retried_and_deleted(client: Client) -> None:
    job = finished(client, samples.letter("Dear again,"))
    assert client.retry(job.id).run == 2
    assert client.wait(job.id, timeout_seconds=60).revision == 2
    with pytest.raises(ApiError, match="nothing_to_retry"):
        client.retry(job.id, only="failed")
    client.delete(job.id)
    client.delete(job.id)
    with pytest.raises(ApiError, match="gone"):
        client.job(job.id)
    assert [event.type for event in client.events(job.id)][-1] == "job.removed"


def test_the_list_of_jobs_goes_on_over_its_pages(client: Client) -> None:
    made = [client.submit(samples.letter(f"Dear {number},"), filename="listed.pdf").id for number in range(5)]
    assert [job.id for job in client.jobs(filename="listed", page_size=2)] == made[::-1]


def test_an_error_tells_its_code_its_status_and_what_to_do(client: Client) -> None:
    with pytest.raises(ApiError) as caught:
        client.job(UNKNOWN)
    error = caught.value
    assert (error.code, error.status, error.retryable) == ("not_found", 404, False)
    assert "id" in error.detail


def test_health_tells_version_and_readiness(client: Client) -> None:
    health = client.health()
    assert (health.alive, health.ready, health.version, health.reasons) == (True, True, __version__, ())


def test_an_answer_that_was_lost_never_makes_a_second_job(running: Running, client: Client) -> None:
    with cutting_proxy(running.url, cuts=2) as url, Client(url) as unlucky:
        job = unlucky.submit(samples.letter("Dear once,"), filename="once.pdf")
    assert [listed.id for listed in client.jobs(filename="once.pdf")] == [job.id]


def test_a_lost_answer_does_not_end_the_wait(running: Running, client: Client) -> None:
    job = client.submit(samples.letter("Dear waiting,"))
    with cutting_proxy(running.url, cuts=1) as url, Client(url) as unlucky:
        assert wait_for(lambda: unlucky.wait(job.id).is_over)


def test_artifacts_are_made_on_demand_and_fetched(client: Client, tmp_path: Path) -> None:
    job = finished(client, pictures.illustrated())
    assert {one.name for one in client.artifacts(job.id)} >= {"markdown", "layout", "archive"}
    client.download(job.id, "layout", tmp_path / "layout.pdf")
    assert (tmp_path / "layout.pdf").read_bytes().startswith(b"%PDF-")
    [table], [image] = client.tables(job.id), client.images(job.id)
    out = io.BytesIO()
    client.download(job.id, f"tables/{table.name}", out)
    client.download(job.id, f"images/{image.name}", out)
    assert out.getvalue().startswith(b"Name,Sum\r\n")


def test_what_is_drawn_of_an_encrypted_document_takes_its_password(client: Client) -> None:
    job = finished(client, samples.encrypted(user="a ü"), Options(password="a ü"))
    out = io.BytesIO()
    with pytest.raises(ApiError, match="Document-Password"):
        client.download(job.id, "layout", out)
    client.download(job.id, "layout", out, password="a ü")
    assert out.getvalue().startswith(b"%PDF-")


def test_an_artifact_that_takes_long_is_waited_for(client: Client) -> None:
    job = finished(client, samples.letter("Dear patient reader,"))
    view = orjson.dumps(asdict(job))
    out = io.BytesIO()
    with (
        scripted(Reply(202, view), Reply(202, view), Reply(body=b"made")) as server,
        Client(server.url) as waiting,
    ):
        waiting.download(job.id, "archive", out)
    assert out.getvalue() == b"made"
    assert [heard.path for heard in server.heard] == [f"/v1/jobs/{job.id}/archive.zip"] * 3


def test_a_document_by_url_is_accepted_at_once_with_its_options(client: Client) -> None:
    options = Options(
        pages="1-2", formats=("json",), languages=("en",), metadata={"a": "b"}, expires_in_seconds=99.5
    )
    job = client.submit_url(
        "https://nowhere.invalid/a.pdf?key=1", options, headers={"X-Key": "k"}, filename="b.pdf"
    )
    assert (job.document.filename, job.document.source_url) == ("b.pdf", "https://nowhere.invalid/a.pdf")
    assert (job.options["pages"], job.options["formats"], job.metadata) == ("1-2", ["json"], {"a": "b"})
    with pytest.raises(ApiError) as refused:
        client.submit_url("http://127.0.0.1/a.pdf")
    assert refused.value.code == "url_forbidden_address"


def test_a_batch_of_nothing_is_refused(client: Client) -> None:
    with pytest.raises(ValueError, match="at least one document"):
        client.batches.submit([])


def test_a_document_is_converted_in_one_call_and_its_pages_are_streamed(client: Client) -> None:
    assert b"Dear client," in client.convert(samples.letter("Dear client,"), "text", Options(pages="1"))
    late = client.convert(samples.report(3, seed=77), "markdown", wait_seconds=0)
    assert late.count(b"#")
    job = finished(client, samples.report(3, seed=77))
    assert [page["number"] for page in client.page_lines(job.id, first=2, follow=True)] == [2, 3]
