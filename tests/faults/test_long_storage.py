"""A bucket that answers badly or not at all, a full disk, a disk that fails: 503 or 507, and no attempt is counted."""

import time
from pathlib import Path

import psutil
import pytest

from bench.pages import padded_document
from tests.cluster.bad_bucket import bad_bucket
from tests.cluster.cluster import Cluster
from tests.cluster.proxy import FAIR, Way, Weather, between
from tests.faults.conftest import DISK_BYTES, Serve, start_all
from tests.faults.evidence import (
    assert_completed_once,
    assert_logs_are_whole,
    assert_nothing_is_left,
    assert_results_are_whole,
    of_cluster,
    of_folder,
    orphans,
    outputs,
)
from tests.faults.notes import note
from tests.faults.scenes import Timed, book, finished, hand_in_surely, insist, page, percentile, timed
from tests.waiting import wait_for

pytestmark = [pytest.mark.slow, pytest.mark.long]
DOWN_SECONDS = 60.0
BAD_SHARE = 0.3
LETTERS = 40
SHORT_BYTES = 100_000


def test_a_bucket_on_a_bad_day_spoils_no_result(cluster: Cluster) -> None:
    with bad_bucket(cluster.s3.url, 0.0) as bucket:
        cluster.routes["bucket"] = bucket.url
        start_all(cluster, apis=1, workers=2)
        bodies = [book(2, 0.2), *(page() for _ in range(LETTERS))]
        expected = told(cluster, finished_ids(cluster, bodies, "good"))
        bucket.share = BAD_SHARE
        ids = finished_ids(cluster, bodies, "bad")
        bucket.share = 0.0
        assert told(cluster, ids) == expected
        evidence = of_cluster(cluster)
        assert_completed_once(evidence, ids)
        assert_logs_are_whole(evidence)
        insist(cluster.apis, lambda door: assert_results_are_whole(door, evidence, ids))
        assert cluster.asked("SELECT sum(crashes), sum(errors), sum(lost) FROM jobs") == [(0, 0, 0)]
        assert all(bucket.troubles[trouble] for trouble in ("slow_down", "truncate", "shorten", "reset"))
    note(23, f"{sum(bucket.troubles.values())} bad answers over {len(ids)} jobs; same bytes, nothing counted")


def finished_ids(cluster: Cluster, bodies: list[bytes], key: str) -> list[str]:
    """The ids of jobs that were made of documents and are completed."""
    ids = [hand_in_surely(cluster, body, f"{key}{number}") for number, body in enumerate(bodies)]
    assert {job.status for job in finished(cluster, ids, 120)} == {"completed"}
    return ids


def told(cluster: Cluster, ids: list[str]) -> list[tuple[bytes, bytes]]:
    """What the API gives out for jobs."""
    return insist(cluster.apis, lambda door: outputs(door, ids))


@pytest.mark.parametrize("way", [Way.REFUSE, Way.BLACKHOLE])
def test_a_minute_without_bucket_counts_against_no_document(cluster: Cluster, way: Way) -> None:
    with between(cluster.s3.url) as proxy:
        cluster.routes["bucket"] = proxy.url_through(cluster.s3.url)
        start_all(cluster, apis=1, workers=2)
        job_id = hand_in_surely(cluster, book(4, 1.0), "long")
        wait_for(lambda: cluster.asked("SELECT 1 FROM chunks WHERE state = 'running' AND step = 'extract'"))
        proxy.weather = Weather(way)
        proxy.cut()
        refused, looks, end = list[Timed](), list[Timed](), time.monotonic() + DOWN_SECONDS
        with cluster.apis[0].door() as door:
            while time.monotonic() < end:
                refused.append(timed(lambda: door.hand_in(page(), "a.pdf")))
                looks.append(timed(lambda: door.get(f"/v1/jobs/{job_id}")))
                time.sleep(1)
        proxy.weather = FAIR
        proxy.cut()
        back = time.monotonic()
        [job] = finished(cluster, [job_id], 120)
        seconds = time.monotonic() - back
        assert {one.answer.status if one.answer else 0 for one in refused} == {503}
        assert {one.answer.status if one.answer else 0 for one in looks} == {200}
        assert (job.status, job.counters.crashes, job.counters.errors) == ("completed", 0, 0)
        assert_completed_once(of_cluster(cluster), [job_id])
        assert_nothing_is_left(cluster)
    slowest = percentile([one.seconds for one in refused], 99)
    note(24, f"{way.value}: 503 within {slowest:.0f} s, the job was done {seconds:.0f} s after its return")


def test_a_machine_whose_disk_is_full_refuses_and_goes_on(cluster: Cluster, small_disk: Path) -> None:
    api = cluster.api(data_dir=str(small_disk / "api"), min_free_bytes=0)
    cluster.worker()
    with api.door() as door:
        refused = door.hand_in(iter([padded_document(1, 2 * DISK_BYTES)]), "huge.pdf")
    job_id = hand_in_surely(cluster, page(), "small")
    finished(cluster, [job_id])
    assert_nothing_is_left(cluster)
    assert refused.status in (503, 507)
    note(21, f"an upload larger than the API's disk: {refused.status}; SQLite and results in `make test`")


def test_an_upload_that_the_disk_fails_is_refused(tmp_path: Path, serve: Serve) -> None:
    data_dir = tmp_path / "mill"
    server = serve(data_dir, fault="blob.before_sync:raise")
    with server.door() as door:
        refused = door.hand_in(page(), "a.pdf", {"Idempotency-Key": "k"})
        again = str(door.hand_in(page(), "a.pdf", {"Idempotency-Key": "k"}).expect(202).json()["id"])
        assert door.finished([again], 30)[0].status == "completed"
        files = psutil.Process(server.pid)
        files.rlimit(psutil.RLIMIT_FSIZE, (SHORT_BYTES, -1))
        short = door.hand_in(iter([padded_document(1, 2 * SHORT_BYTES)]), "b.pdf")
        files.rlimit(psutil.RLIMIT_FSIZE, (-1, -1))
        after = str(door.hand_in(page(), "c.pdf").expect(202).json()["id"])
        assert door.finished([after], 30)[0].status == "completed"
    assert (refused.status, refused.code) == (503, "storage_unavailable")
    assert short.status in (503, 507)
    assert set(of_folder(data_dir).statuses()) == {again, after}
    assert orphans(of_folder(data_dir)) == []
    assert server.stop() == 0
    note(22, f"an error of fsync: {refused.status}; a write cut short: {short.status}; no job, no file")
