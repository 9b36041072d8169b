"""Documents in buckets of others: read by reference from where the operator allows it, and from nowhere else."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import obstore
import pytest

from pagemill.adapters.blobs.object_stores import store_at
from pagemill.errors import Refused, SourceNotAllowed, UrlInvalid
from pagemill.model.references import check_reference, parse_reference, source_prefixes
from tests.api.test_http import problem
from tests.cluster.azurite import CONTAINER, Azurite
from tests.cluster.gcs import Gcs
from tests.cluster.s3 import BUCKET, OPEN_BUCKET, S3
from tests.mills import small_settings, wait_for
from tests.samples import letter
from tests.servers import Served, served

PATIENCE_SECONDS = 60
ALLOWED = f"s3://{BUCKET}/inbox/{{tenant}}/"


@pytest.fixture(scope="module")
def reading(s3_server: S3, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that reads documents from a part of a bucket; its own files are in a folder."""
    folder: Path = tmp_path_factory.mktemp("references")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in s3_server.variables().items():
            patch.setenv(name, value)
        settings = small_settings(
            folder, slots=1, kept_slots=0, source_prefixes=ALLOWED, max_file_bytes=200_000, max_errors=1
        )
        with served(settings) as server:
            yield server


def submit(server: Served, url: str, **more: Any) -> dict[str, Any]:
    """Hand in a document by reference and return its job after its end."""
    answer = server.http.post("/v1/jobs", json={"url": url, **more})
    assert answer.status_code == 202, answer.text
    job: dict[str, Any] = server.http.get(
        f"/v1/jobs/{answer.json()['id']}", params={"wait": PATIENCE_SECONDS}
    ).json()
    return job


def test_an_object_is_read_by_its_reference(reading: Served, s3_server: S3) -> None:
    obstore.put(s3_server.store(), "inbox/default/letter ä.pdf", letter("Dear bucket,"))
    job = submit(reading, f"s3://{BUCKET}/inbox/default/letter ä.pdf")
    assert job["status"] == "completed", job
    assert "Dear bucket" in reading.http.get(f"/v1/jobs/{job['id']}/markdown").text


def test_documents_come_from_azure_and_results_go_there(
    azure_server: Azurite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in azure_server.variables().items():
        monkeypatch.setenv(name, value)
    check_both_ways(f"az://{CONTAINER}", tmp_path)


def test_documents_come_from_google_and_results_go_there(
    gcs_server: Gcs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in gcs_server.variables().items():
        monkeypatch.setenv(name, value)
    check_both_ways(f"gs://{OPEN_BUCKET}", tmp_path)


def check_both_ways(url: str, folder: Path) -> None:
    """Have documents read from a bucket, one by one and as a batch, and a result pushed to it."""
    bucket = store_at(url, PATIENCE_SECONDS)
    for number in (1, 2):
        obstore.put(bucket, f"inbox/{number}.pdf", letter(f"Dear bucket {number},"))
    inbox, results = f"{url}/inbox/", f"{url}/results/"
    settings = small_settings(
        folder, slots=1, kept_slots=0, source_prefixes=inbox, push_prefixes=results, max_errors=1
    )
    with served(settings) as server:
        job = submit(server, f"{inbox}1.pdf")
        assert "Dear bucket 1" in server.http.get(f"/v1/jobs/{job['id']}/markdown").text
        assert submit(server, f"{inbox}none.pdf")["error"]["code"] == "fetch_failed"
        pushed = submit(server, f"{inbox}2.pdf", push_to=results)
        name = f"results/{pushed['id']}/document.md"
        wait_for(lambda: name in {one["path"] for some in obstore.list(bucket) for one in some})
        made = server.http.post("/v1/batches", json={"prefix": inbox}).json()
        assert made["total"] == 2, made
    assert b"Dear bucket 2" in bytes(obstore.get(bucket, name).bytes())


def test_what_is_not_there_or_too_large_fails_with_the_reason(reading: Served, s3_server: S3) -> None:
    assert submit(reading, f"s3://{BUCKET}/inbox/default/none.pdf")["error"]["code"] == "fetch_failed"
    obstore.put(s3_server.store(), "inbox/default/large.pdf", letter() + b"%" * 300_000)
    assert submit(reading, f"s3://{BUCKET}/inbox/default/large.pdf")["error"]["code"] == "file_too_large"


@pytest.mark.parametrize(
    ("url", "status", "code"),
    [
        (f"s3://{BUCKET}/secret.pdf", 403, "source_not_allowed"),
        (f"s3://{BUCKET}/inbox/other/letter.pdf", 403, "source_not_allowed"),
        (f"s3://{BUCKET}/inbox/defaultish/letter.pdf", 403, "source_not_allowed"),
        ("s3://another/inbox/default/letter.pdf", 403, "source_not_allowed"),
        (f"gs://{BUCKET}/inbox/default/letter.pdf", 403, "source_not_allowed"),
        (f"s3://{BUCKET}/inbox/default/../other/letter.pdf", 422, "url_invalid"),
        (f"s3://{BUCKET}", 422, "url_invalid"),
    ],
)
def test_nothing_else_is_read(reading: Served, url: str, status: int, code: str) -> None:
    problem(reading.http.post("/v1/jobs", json={"url": url}), status, code)


def test_headers_are_of_no_use_to_a_bucket(reading: Served) -> None:
    body = {"url": f"s3://{BUCKET}/inbox/default/letter.pdf", "headers": {"x-key": "1"}}
    problem(reading.http.post("/v1/jobs", json=body), 422, "validation_error")


def test_no_bucket_is_read_unless_it_is_listed() -> None:
    with pytest.raises(SourceNotAllowed):
        check_reference("s3://inbox/letter.pdf", "", "default")
    assert check_reference("S3://inbox/a/b.pdf", "s3://inbox", "default").key == "a/b.pdf"
    for wrong in (
        "s3://user@inbox/a.pdf",
        "s3:///a.pdf",
        "s3://inbox//a.pdf",
        "s3://inbox/./a.pdf",
        "s3://inbox/a\n.pdf",
    ):
        with pytest.raises(UrlInvalid):
            parse_reference(wrong)
    for wrong in ("inbox", "file:///inbox/", "s3://"):
        with pytest.raises(Refused, match="PAGEMILL_SOURCE_PREFIXES"):
            source_prefixes(wrong)
