"""kill -9 of everything, at any moment: nothing acknowledged is lost, nothing is published twice."""

import hashlib
import http.client
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import httpx
import pytest

from bench.door import Door
from bench.machine import tree
from bench.pages import write_document
from bench.serving import Serving
from pagemill.faultpoints import POINTS
from tests.faults.conftest import Serve
from tests.faults.evidence import asked, assert_each_completed_once, completed_count, outputs
from tests.faults.scenes import is_alive
from tests.http_receivers import Answered, receiving_http
from tests.samples import letter
from tests.waiting import wait_for
from tests.walking import files_below

JOBS, BOOK_PAGES = 100, 70
KILLS_AT = (10, 40, 70)
PATIENCE_SECONDS = 100.0
# A service with its workers inside is never woken by a broker; webhooks, documents by URL, resumable uploads and enriching
# have tests of their own.
OTHERS = ("worker.", "webhook.", "fetch.", "upload.", "enrich.")
OWN_POINTS = [point for point in POINTS if not point.startswith(OTHERS)]
# One for each kind of harm: an answer that was promised, work done and not told, told and not seen, half removed.
FIRST_POINTS = ("accept.after_commit", "turn.before_record", "publish.before_commit", "sweep.before_blobs")
LATER_POINTS = [point for point in OWN_POINTS if point not in FIRST_POINTS]
T = TypeVar("T")


@pytest.mark.slow
def test_a_hundred_jobs_outlive_kills_of_the_whole_process_tree(tmp_path: Path, serve: Serve) -> None:
    sizes = [BOOK_PAGES if number % 50 == 5 else 1 for number in range(JOBS)]
    documents = [write_document(tmp_path / f"{n}.pdf", pages, 900 + n) for n, pages in enumerate(sizes)]
    quiet = serve(tmp_path / "quiet")
    with quiet.door() as door:
        expected = outputs(door, finished(door, [door.submit(path) for path in documents]))
    quiet.stop()

    data_dir = tmp_path / "mill"
    server = serve(data_dir)
    with server.door() as door:
        ids = [door.submit(path) for path in documents]
    for count in KILLS_AT:
        wait_for_completed(data_dir, count)
        kill_all(server)
        server = serve(data_dir, up=False)
    server.wait_until_up("/ready")
    with server.door() as door:
        finished(door, ids)
        assert outputs(door, ids) == expected
    assert_each_completed_once(data_dir, ids)


@pytest.mark.slow
@pytest.mark.parametrize(
    "fault",
    [
        *[f"{point}:kill" for point in FIRST_POINTS],
        *[pytest.param(f"{point}:kill", marks=pytest.mark.long) for point in LATER_POINTS],
        "turn.before_record:nth=3:kill",
    ],
)
def test_a_kill_at_any_point_loses_and_doubles_nothing(tmp_path: Path, serve: Serve, fault: str) -> None:
    paths = [write_document(tmp_path / f"{pages}.pdf", pages, pages) for pages in (1, 2, 130)]
    data_dir = tmp_path / "mill"
    server = serve(data_dir, fault=fault)
    house = Rebuilt(server, data_dir, serve)
    doomed = [
        house.hand_in(write_document(tmp_path / f"doomed{n}.pdf", 1, 70 + n), f"doomed{n}") for n in range(2)
    ]
    ids = [house.hand_in(path, path.name) for path in paths]
    assert [house.hand_in(path, path.name) for path in paths] == ids, (
        "the key finds the job of the first request"
    )
    for job_id in [*doomed, *ids]:
        house.wait(job_id)
    for job_id in doomed:
        house.remove(job_id)
    house.wait_for_files_gone(doomed)
    assert house.deaths == 1, "the point was never passed"
    for job_id in ids:
        assert house.completions(job_id) == 1


class Rebuilt:
    """A caller who asks again, and a house that is built again, whenever the server dies."""

    def __init__(self, server: Serving, data_dir: Path, serve: Serve) -> None:
        self.server = server
        self.data_dir = data_dir
        self.serve = serve
        self.deaths = 0

    def hand_in(self, path: Path, key: str) -> str:
        """Hand a document in under a key, as often as it takes."""
        headers = {"Idempotency-Key": key}
        return str(
            self.asked(
                lambda door: door.hand_in(path.read_bytes(), path.name, headers).expect(202).json()["id"]
            )
        )

    def wait(self, job_id: str) -> None:
        """Wait for the end of a job, which must be a good one."""
        job = self.asked(lambda door: door.finished([job_id], PATIENCE_SECONDS)[0])
        assert job.status == "completed", job

    def remove(self, job_id: str) -> None:
        """Delete a job."""
        self.asked(lambda door: door.delete(f"/v1/jobs/{job_id}").expect(204, 410))

    def asked(self, request: Callable[[Door], T]) -> T:
        """The answer to a request, asked again after each death of the server."""
        while True:
            try:
                with self.server.door() as door:
                    return request(door)
            except (OSError, http.client.HTTPException):
                self.rebuild()

    def rebuild(self) -> None:
        """Start the server again if it is dead."""
        self.server.process.wait(10)
        self.deaths += 1
        self.server = self.serve(self.data_dir)

    def wait_for_files_gone(self, job_ids: list[str]) -> None:
        """Return as soon as no file of these jobs is left."""

        def are_gone() -> bool:
            if self.server.process.poll() is not None:
                self.rebuild()
            return not self.files(job_ids)

        wait_for(are_gone, PATIENCE_SECONDS, f"there are still files of {job_ids}")

    def files(self, job_ids: list[str]) -> list[Path]:
        """The files that still belong to these jobs."""
        found = files_below(self.data_dir / "blobs")
        return [path for path in found if any(job_id in str(path) for job_id in job_ids)]

    def completions(self, job_id: str) -> int:
        """How often the log says that a job was completed."""
        rows = asked(self.data_dir, "SELECT job_id FROM events WHERE type = 'job.completed'")
        return rows.count((job_id,))


def finished(door: Door, ids: list[str]) -> list[str]:
    """The ids, once all of their jobs are completed."""
    jobs = door.finished(ids, PATIENCE_SECONDS)
    assert [job for job in jobs if job.status != "completed"] == []
    return ids


def wait_for_completed(data_dir: Path, count: int) -> None:
    """Return as soon as that many jobs are completed."""
    wait_for(lambda: completed_count(data_dir) >= count, PATIENCE_SECONDS, f"{count} jobs are not completed")


def kill_all(server: Serving) -> None:
    """Kill a server with all its processes, and see that none is left."""
    processes = tree(server.pid)
    server.kill()
    assert [process for process in processes if is_alive(process)] == []


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["fetch.after_blob:kill", "fetch.before_commit:kill"])
def test_a_kill_while_a_document_is_fetched_loses_and_doubles_nothing(
    tmp_path: Path, serve: Serve, fault: str
) -> None:
    data_dir = tmp_path / "mill"
    with receiving_http(lambda _: Answered(body=letter("Dear archive,"))) as archive:
        server = serve(data_dir, fault=fault, outbound_allow="127.0.0.0/8")
        url = f"http://127.0.0.1:{server.port}/v1/jobs"
        job_id = httpx.post(url, json={"url": f"{archive.url}/a.pdf"}, timeout=30).json()["id"]
        assert server.process.wait(PATIENCE_SECONDS) == -9
        server = serve(data_dir, outbound_allow="127.0.0.0/8", orphan_seconds=1)
        with server.door() as door:
            finished(door, [job_id])
        assert len(archive.requests) == 2
    assert_each_completed_once(data_dir, [job_id])


@pytest.mark.slow
def test_a_kill_while_a_document_is_enriched_loses_and_doubles_nothing(tmp_path: Path, serve: Serve) -> None:
    data_dir = tmp_path / "mill"
    server = serve(data_dir, fault="enrich.before_files:kill")
    url = f"http://127.0.0.1:{server.port}/v1/jobs"
    job_id = httpx.post(url, params={"enrich": "entities"}, content=letter(), timeout=30).json()["id"]
    assert server.process.wait(PATIENCE_SECONDS) == -9
    server = serve(data_dir, orphan_seconds=1)
    with server.door() as door:
        finished(door, [job_id])
    url = f"http://127.0.0.1:{server.port}/v1/jobs/{job_id}"
    assert httpx.get(f"{url}/enrichments/entities", timeout=30).status_code == 200
    assert httpx.get(url, timeout=30).json()["revision"] == 1
    assert_each_completed_once(data_dir, [job_id])


@pytest.mark.slow
def test_a_resumable_upload_goes_on_after_a_kill_between_bytes_and_row(tmp_path: Path, serve: Serve) -> None:
    data_dir, body = tmp_path / "mill", letter("Dear upload,")
    tus = {"Tus-Resumable": "1.0.0", "content-type": "application/offset+octet-stream"}
    server = serve(data_dir, fault="upload.after_part:nth=2:kill")
    url = f"http://127.0.0.1:{server.port}"
    made = httpx.post(f"{url}/v1/uploads", headers=tus | {"Upload-Length": str(len(body))}, timeout=30)
    where = made.headers["location"]
    httpx.patch(f"{url}{where}", content=body[:500], headers=tus | {"Upload-Offset": "0"}, timeout=30)
    with pytest.raises(httpx.TransportError):
        httpx.patch(f"{url}{where}", content=body[500:], headers=tus | {"Upload-Offset": "500"}, timeout=30)
    assert server.process.wait(PATIENCE_SECONDS) == -9
    server = serve(data_dir)
    url = f"http://127.0.0.1:{server.port}"
    assert httpx.head(f"{url}{where}", headers=tus, timeout=30).headers["upload-offset"] == "500"
    httpx.patch(f"{url}{where}", content=body[500:], headers=tus | {"Upload-Offset": "500"}, timeout=30)
    asked = {"upload_id": where.rpartition("/")[2]}
    job = httpx.post(f"{url}/v1/jobs", params=asked, headers={"prefer": "wait=30"}, timeout=60).json()
    assert job["document"]["sha256"] == hashlib.sha256(body).hexdigest()
