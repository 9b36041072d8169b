"""Compatible APIs: the names of all their fields, the words of their statuses, and the same rules as /v1."""

import io
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from PIL import Image
from pydantic import ValidationError

from pagemill.entrypoints.doors import celery, ocr, upload
from pagemill.model.ids import new_id
from pagemill.model.views import JobView
from tests.api.test_http import problem
from tests.mills import small_settings, wait_for
from tests.pictures import illustrated
from tests.samples import corrupt, letter
from tests.servers import Served, served_idle

KEY = "a-key-for-tests"
BROWSER = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that asks for a key, offers one compatible API alone, and reads nothing."""
    folder = tmp_path_factory.mktemp("locked")
    settings = small_settings(folder, slots=1, kept_slots=0, api_key=KEY, doors="celery")
    with served_idle(settings) as server:
        yield server


@pytest.fixture(scope="module")
def book(busy: Served) -> str:
    """The id of a finished job with figures and tables."""
    return str(busy.finished(illustrated(2), filename="book.pdf")["id"])


@pytest.fixture(scope="module")
def broken(busy: Served) -> str:
    """The id of a job that failed."""
    return str(busy.finished(corrupt(), filename="broken.pdf")["id"])


def send(server: Served, path: str, document: bytes, **headers: str) -> httpx.Response:
    """Hand in a document in a form."""
    return server.http.post(path, files={"file": ("letter.pdf", document)}, headers=headers)


def names(model: Any) -> set[str]:
    """The fields that a model documents."""
    return set(model.model_fields)


# Celery


def test_celery_a_document_is_taken_and_looked_at(busy: Served) -> None:
    answer = send(busy, "/jobs", letter("Dear Celery,"))
    assert (answer.status_code, set(answer.json())) == (202, {"job_id"})
    assert answer.headers["location"] == f"/jobs/{answer.json()['job_id']}"

    def look() -> dict[str, Any]:
        told: dict[str, Any] = busy.http.get(answer.headers["location"]).json()
        assert set(told) == {"task_id", "task_status", "task_result"} == names(celery.CeleryJob)
        return told

    wait_for(lambda: look()["task_status"] == "SUCCESS")
    told = look()
    assert told["task_id"] == answer.json()["job_id"]
    assert set(told["task_result"]) == {"page_count", "failed_pages", "summary", "links"}
    assert told["task_result"]["page_count"] == 1
    assert told["task_result"]["summary"] == "1 of 1 pages of letter.pdf were read."
    assert set(told["task_result"]["links"]) == {"markdown", "result", "text", "html", "pages", "artifacts"}
    assert "Dear Celery" in busy.http.get(told["task_result"]["links"]["markdown"]).text
    listed = busy.http.get("/jobs", params={"limit": 1}).json()
    assert (set(listed), listed["jobs"]) == ({"jobs", "next_cursor"}, [told])


def test_celery_a_failure_is_told_by_its_code_alone(busy: Served, broken: str) -> None:
    told = busy.http.get(f"/jobs/{broken}").json()
    assert told["task_status"] == "FAILURE"
    assert set(told["task_result"]) == {"error"}
    error = told["task_result"]["error"]
    assert set(error) == {"code", "message", "retryable"} == names(celery.CeleryError)
    assert (error["code"], error["retryable"]) == ("pdf_corrupt", False)


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"status": "pending"}, "PENDING"),
        ({"status": "processing"}, "STARTED"),
        ({"status": "processing", "counters": {"crashes": 1, "errors": 0, "lost": 0}}, "RETRY"),
        ({"status": "pending", "run": 2}, "RETRY"),
        ({"status": "completed", "run": 2}, "SUCCESS"),
        ({"status": "failed"}, "FAILURE"),
        ({"status": "cancelled"}, "FAILURE"),
    ],
)
def test_celery_every_status_has_its_word(idle: Served, changes: dict[str, Any], status: str) -> None:
    view: JobView = idle.submit(letter()) | changes  # type: ignore[assignment]
    assert celery.celery_status(view) == status


def test_celery_a_cancelled_job_is_a_failure(idle: Served) -> None:
    job = idle.submit(letter())
    idle.http.post(f"/v1/jobs/{job['id']}/cancel")
    told = idle.http.get(f"/jobs/{job['id']}").json()
    assert (told["task_status"], told["task_result"]["error"]["code"]) == ("FAILURE", "cancelled")


def test_celery_a_browser_gets_the_page_and_a_program_the_job(busy: Served, book: str) -> None:
    for path in ("/jobs", f"/jobs/{book}"):
        page = busy.http.get(path, headers=BROWSER)
        assert page.headers["content-type"].startswith("text/html")
        assert "<!doctype html>" in page.text.lower()
        for accept in ("application/json", "*/*"):
            assert (
                busy.http.get(path, headers={"accept": accept}).headers["content-type"] == "application/json"
            )
        problem(busy.http.get(path, headers={"accept": "application/xml"}), 406, "not_acceptable")


# OCR


def test_ocr_a_document_is_taken_and_looked_at(busy: Served) -> None:
    answer = send(busy, "/process_pdf", letter("Dear reader of scans,"))
    taken = answer.json()
    assert answer.status_code == 202
    assert set(taken) == {"job_id", "status", "filename", "message"} == names(ocr.OcrSubmitted)
    status = f"/result/{taken['job_id']}/status"
    wait_for(lambda: busy.http.get(status).json()["status"] == "completed")
    told = busy.http.get(status).json()
    assert set(told) == names(ocr.OcrJob)
    assert set(told) == {
        "job_id",
        "status",
        "filename",
        "total_pages",
        "processed_pages",
        "created_at",
        "updated_at",
        "error_message",
    }
    assert (told["filename"], told["total_pages"], told["processed_pages"]) == ("letter.pdf", 1, 1)
    assert told["error_message"] is None
    job = busy.http.get(f"/v1/jobs/{taken['job_id']}").json()
    assert told["created_at"] == job["created_at"] < told["updated_at"] == job["finished_at"]


def test_ocr_results_are_those_of_the_job(busy: Served, book: str) -> None:
    for path, own in (
        ("markdown", "markdown"),
        ("markdown_det", "markdown_det"),
        ("layout_pdf", "layout.pdf"),
    ):
        mine = busy.http.get(f"/result/{book}/{path}")
        assert mine.status_code == 200
        assert mine.content == busy.http.get(f"/v1/jobs/{book}/{own}").content


def test_ocr_figures_are_counted_from_0_and_are_jpegs(busy: Served, book: str) -> None:
    told = busy.http.get(f"/result/{book}/images").json()
    assert set(told) == {"job_id", "images"} == names(ocr.OcrImages)
    assert [one["filename"] for one in told["images"]] == ["0_0.jpg", "1_0.jpg"]
    assert set(told["images"][0]) == {"filename", "page", "figure", "url"} == names(ocr.OcrImage)
    answer = busy.http.get(told["images"][1]["url"])
    assert answer.headers["content-type"] == "image/jpeg"
    drawn = Image.open(io.BytesIO(answer.content))
    own = Image.open(io.BytesIO(busy.http.get(f"/v1/jobs/{book}/images/p2-b3.png").content))
    assert (drawn.format, drawn.size) == ("JPEG", own.size)
    for name in ("0_1.jpg", "2_0.jpg", "p1-b3.png", "x"):
        problem(busy.http.get(f"/result/{book}/images/{name}"), 404, "not_found")


def test_ocr_what_is_unfinished_answers_202_with_the_status(idle: Served) -> None:
    job = idle.submit(letter())
    for path in ("markdown", "markdown_det", "layout_pdf", "images", "images/0_0.jpg"):
        answer = idle.http.get(f"/result/{job['id']}/{path}")
        assert (answer.status_code, set(answer.json())) == (202, names(ocr.OcrJob))
        assert answer.headers["retry-after"]


def test_ocr_jobs_are_listed_by_status_and_deleted(busy: Served, broken: str) -> None:
    listed = busy.http.get("/tasks", params={"status": "failed"}).json()
    assert set(listed) == {"tasks", "next_cursor"} == names(ocr.OcrJobs)
    [failed] = [one for one in listed["tasks"] if one["job_id"] == broken]
    assert {one["status"] for one in listed["tasks"]} == {"failed"}
    assert "damaged" in failed["error_message"]
    problem(busy.http.get(f"/result/{broken}/markdown"), 409, "job_failed")
    problem(busy.http.get("/tasks", params={"status": "odd"}), 422, "validation_error")
    job = busy.finished(letter("to be deleted"))
    answer = busy.http.delete(f"/tasks/{job['id']}")
    assert answer.json() == {"job_id": job["id"], "status": "deleted"}
    problem(busy.http.get(f"/result/{job['id']}/status"), 410, "gone")


def test_ocr_health_says_which_models_there_are(busy: Served) -> None:
    told = busy.http.get("/health").json()
    assert told["status"] == "ok"
    assert told["models"]
    assert all({"name", "unavailable", "models"} <= set(one) for one in told["providers"])


# Upload


def test_upload_a_file_is_taken_once_under_its_key(busy: Served) -> None:
    key, document = {"idempotency-key": new_id()}, letter("Dear uploader,")
    first, second = (send(busy, "/upload", document, **key) for _ in range(2))
    assert first.status_code == second.status_code == 202
    assert set(first.json()) == {"file_id", "status", "message"} == names(upload.UploadedFile)
    assert first.json()["file_id"] == second.json()["file_id"]
    assert [one.json()["message"] for one in (first, second)] == [
        "The file is stored and will be read.",
        "The file was uploaded before.",
    ]
    wait_for(lambda: busy.http.get(f"/files/{first.json()['file_id']}").json()["status"] == "completed")
    reused = send(busy, "/upload", document, **{"idempotency-key": new_id()}).json()
    assert (reused["status"], "its result is ready" in reused["message"]) == ("completed", True)
    assert second.headers["idempotent-replayed"] == "true"
    problem(send(busy, "/upload", letter("Another"), **key), 422, "idempotency_key_reused")


def test_upload_a_file_has_the_text_of_its_pages_and_all_of_it(busy: Served, book: str) -> None:
    told = busy.http.get(f"/files/{book}").json()
    assert set(told) == names(upload.FileText)
    assert set(told) == {
        "file_id",
        "status",
        "filename",
        "total_pages",
        "processed_pages",
        "failed_pages",
        "error_message",
        "created_at",
        "finished_at",
        "pages",
        "full_text",
    }
    assert [set(page) for page in told["pages"]] == [{"page", "text", "tables"}] * 2
    assert names(upload.FilePageText) == {"page", "text", "tables"}
    assert [page["page"] for page in told["pages"]] == [1, 2]
    assert told["pages"][0]["tables"][0][0] == ["Name", "Sum"]
    assert told["full_text"] == "\n\n".join(page["text"] for page in told["pages"])
    assert "Two corners of a sheet" in told["full_text"]


def test_upload_a_file_has_no_pages_before_it_was_read(idle: Served, busy: Served, broken: str) -> None:
    waiting = idle.http.get(f"/files/{idle.submit(letter())['id']}")
    assert set(waiting.json()) == names(upload.FileText)
    assert (waiting.json()["pages"], waiting.json()["full_text"]) == ([], None)
    assert waiting.headers["retry-after"]
    failed = busy.http.get(f"/files/{broken}").json()
    assert (failed["status"], failed["pages"]) == ("failed", [])
    assert "damaged" in failed["error_message"]


def test_upload_pages_need_the_json(busy: Served) -> None:
    job = busy.finished(letter("Markdown alone"), formats="markdown")
    problem(busy.http.get(f"/files/{job['id']}"), 404, "artifact_not_made")


def test_upload_every_step_is_in_the_audit_trail(busy: Served, broken: str) -> None:
    answer = send(busy, "/upload", letter("Dear auditor,"), **{"idempotency-key": new_id()})
    file_id = answer.json()["file_id"]
    wait_for(lambda: busy.http.get(f"/files/{file_id}").json()["status"] == "completed")
    trail = busy.http.get(f"/files/{file_id}/audit").json()["events"]
    assert [set(entry) for entry in trail] == [names(upload.AuditEntry)] * 4
    assert names(upload.AuditEntry) == {"event", "file_id", "at", "detail"}
    assert {entry["file_id"] for entry in trail} == {file_id}
    assert [entry["event"] for entry in trail] == [
        "upload_received",
        "stored",
        "processing_started",
        "worker_completed",
    ]
    failed = busy.http.get(f"/files/{broken}/audit").json()["events"]
    assert failed[-1]["event"] == "worker_failed"
    assert failed[-1]["detail"]["code"] == "pdf_corrupt"


def test_upload_what_is_refused_is_in_the_trail_of_all_files(idle: Served) -> None:
    def refused() -> list[tuple[str, Any]]:
        found: list[dict[str, Any]] = []
        page = idle.http.get("/audit", params={"limit": 1000}).json()
        while page["events"]:
            assert set(page) == {"events", "next_cursor"} == names(upload.AuditPage)
            found += page["events"]
            page = idle.http.get("/audit", params={"limit": 1000, "cursor": page["next_cursor"]}).json()
        return [(one["event"], one["detail"].get("code")) for one in found if not one["file_id"]]

    # What another API refuses is none of its business.
    problem(send(idle, "/v1/jobs", b"\0none"), 415, "unsupported_file_type")
    wait_for(lambda: {"path": "/v1/jobs", "code": "unsupported_file_type"} in refused_by_all(idle))
    problem(send(idle, "/upload", letter()), 400, "idempotency_key_missing")
    problem(send(idle, "/upload", b"", **{"idempotency-key": "empty"}), 422, "file_empty")
    codes = ("idempotency_key_missing", "file_empty")
    wait_for(lambda: {("validation_failed", code) for code in codes} <= set(refused()))
    seen = [event for event, _ in refused()]
    assert seen.count("upload_received") == seen.count("validation_failed") == len(seen) // 2
    uploads = [one for one in refused_by_all(idle) if one["path"] == "/upload"]
    assert seen.count("validation_failed") == len(uploads)


def refused_by_all(server: Served) -> list[dict[str, Any]]:
    """Where requests were refused, and with which code, by the log of all APIs."""
    found: list[dict[str, Any]] = []
    page = server.http.get("/v1/events", params={"limit": 1000, "type": "request.refused"}).json()
    while page["events"]:
        found += page["events"]
        wanted = {"limit": 1000, "type": "request.refused", "cursor": page["next_cursor"]}
        page = server.http.get("/v1/events", params=wanted).json()
    return [{name: one["facts"].get(name) for name in ("path", "code")} for one in found]


# All


@pytest.mark.parametrize("path", ["/jobs", "/process_pdf", "/upload"])
def test_a_document_is_refused_as_by_v1(idle: Served, path: str) -> None:
    key = {"idempotency-key": new_id()}
    problem(send(idle, path, b"\0none", **key), 415, "unsupported_file_type")
    problem(idle.http.post(path, data={"pages": "1"}, headers=key), 415, "unsupported_media_type")
    problem(send(idle, path, letter() + b" " * 400_000, **key), 413, "file_too_large")


@pytest.mark.parametrize(
    "path", ["/jobs/{}", "/result/{}/status", "/result/{}/markdown", "/files/{}", "/files/{}/audit"]
)
def test_an_unknown_job_is_not_found(idle: Served, path: str) -> None:
    problem(idle.http.get(path.format(new_id())), 404, "not_found")


def test_a_key_is_needed_for_all_but_the_empty_pages(locked: Served) -> None:
    assert locked.http.get("/jobs", headers=BROWSER).status_code == 200
    assert locked.http.get("/jobs/1", headers=BROWSER).status_code == 200
    for path in ("/jobs", "/jobs/1"):
        problem(locked.http.get(path), 401, "unauthorized")
    problem(send(locked, "/jobs", letter()), 401, "unauthorized")
    with_key = {"authorization": f"Bearer {KEY}"}
    job_id = send(locked, "/jobs", letter(), **with_key).json()["job_id"]
    assert locked.http.get(f"/jobs/{job_id}", headers=with_key).json()["task_status"] == "PENDING"


def test_what_is_not_chosen_is_not_there(locked: Served) -> None:
    with_key = {"authorization": f"Bearer {KEY}"}
    for path in ("/tasks", "/audit", "/files/1", "/result/1/status"):
        problem(locked.http.get(path, headers=with_key), 404, "not_found")
    assert "/process_pdf" not in locked.http.get("/openapi.json", headers=with_key).json()["paths"]


def test_an_unknown_api_is_refused_by_the_settings() -> None:
    with pytest.raises(ValidationError, match="doors"):
        small_settings(__file__, doors="celery,grpc")  # type: ignore[arg-type]
