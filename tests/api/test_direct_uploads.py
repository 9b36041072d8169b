"""Documents that go straight to a bucket, and artifacts that are fetched straight from it."""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import httpx
import pytest

from pagemill.client import ApiError, Client, Options
from pagemill.desk.direct_uploads import expire_uploads
from pagemill.errors import LinkInvalid
from pagemill.model.ids import new_id
from pagemill.model.signed_links import LinkSigner, SignedLink
from tests.api.test_http import problem
from tests.cluster.s3 import S3
from tests.mills import small_settings
from tests.samples import encrypted, letter
from tests.servers import Served, served
from tests.waiting import wait_for

MAX_BYTES = 20_000_000


@pytest.fixture(scope="module")
def bucket(s3_server: S3, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that keeps its files in a bucket."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in s3_server.variables().items():
            patch.setenv(name, value)
        folder = tmp_path_factory.mktemp("bucket")
        settings = small_settings(
            folder, blobs_url="s3://documents/direct", slots=1, max_file_bytes=MAX_BYTES
        )
        with served(settings) as server:
            yield server


def offered(server: Served, **asked: object) -> dict[str, Any]:
    """A link to upload by."""
    answer = server.http.post("/v1/uploads", json=asked)
    assert answer.status_code == 201, answer.text
    told: dict[str, Any] = answer.json()
    return told


def uploaded(server: Served, document: bytes, **asked: object) -> str:
    """The id of an upload with these bytes."""
    link = offered(server, **asked)
    sent = httpx.request(link["method"], link["url"], content=document, headers=link["headers"])
    assert sent.status_code == 200, sent.text
    upload_id: str = link["upload_id"]
    return upload_id


def hand_in(server: Served, upload_id: str, key: str | None = None, **options: str) -> httpx.Response:
    """Make a job of an upload."""
    headers = {"idempotency-key": key} if key else {}
    return server.http.post("/v1/jobs", params={"upload_id": upload_id, **options}, headers=headers)


def test_an_uploaded_document_becomes_a_job_like_any_other(bucket: Served) -> None:
    upload_id = uploaded(bucket, letter(), filename="a letter.pdf", size_bytes=len(letter()))
    answer = hand_in(bucket, upload_id, formats="markdown")
    assert answer.status_code == 202, answer.text
    job = answer.json()
    assert job["document"]["filename"] == "a letter.pdf"
    assert job["document"]["sha256"] == hashlib.sha256(letter()).hexdigest()
    done = bucket.http.get(f"/v1/jobs/{job['id']}", params={"wait": 60}).json()
    assert done["status"] == "completed", done
    assert bucket.http.get(f"/v1/jobs/{job['id']}/markdown").text


def test_the_same_key_finds_the_job_of_the_first_request(bucket: Served) -> None:
    upload_id = uploaded(bucket, letter())
    first, again = (hand_in(bucket, upload_id, key=f"key {upload_id}") for _ in range(2))
    assert again.headers["idempotent-replayed"] == "true"
    assert again.json()["id"] == first.json()["id"]


def test_uploads_are_refused_for_the_same_reasons_as_bodies(bucket: Served) -> None:
    problem(hand_in(bucket, uploaded(bucket, b"")), 422, "file_empty")
    problem(hand_in(bucket, uploaded(bucket, b"\0 no text, and no more")), 415, "unsupported_file_type")
    too_large = uploaded(bucket, letter() + b"\n" * MAX_BYTES)
    problem(hand_in(bucket, too_large), 413, "file_too_large")
    problem(bucket.http.post("/v1/uploads", json={"size_bytes": MAX_BYTES + 1}), 413, "file_too_large")
    assert not [entry.key for entry in bucket.mill.blobs.entries("documents") if "none" in entry.key]


def test_an_upload_that_nobody_made_is_not_found(bucket: Served) -> None:
    problem(hand_in(bucket, new_id()), 404, "upload_not_found")
    problem(hand_in(bucket, "../../etc"), 404, "upload_not_found")
    problem(hand_in(bucket, offered(bucket)["upload_id"]), 404, "upload_not_found")


def test_a_body_beside_an_upload_is_refused(bucket: Served) -> None:
    upload_id = uploaded(bucket, letter())
    answer = bucket.http.post("/v1/jobs", params={"upload_id": upload_id}, content=letter())
    problem(answer, 422, "validation_error")
    form = bucket.http.post("/v1/jobs", files={"file": ("a.pdf", letter())}, data={"upload_id": upload_id})
    problem(form, 422, "validation_error")


def test_an_upload_whose_time_is_over_is_removed(bucket: Served) -> None:
    upload_id = uploaded(bucket, letter())
    key = f"uploads/{upload_id[-2:]}/{upload_id}"
    expire_uploads(bucket.mill)
    assert bucket.mill.blobs.size(key) == len(letter())
    with bucket.mill.db.engine.begin() as conn:
        conn.exec_driver_sql("UPDATE uploads SET expires_at = 1")
    expire_uploads(bucket.mill)
    # The sweeper may have been quicker with the row and not yet be done with the file.
    wait_for(lambda: bucket.mill.blobs.size(key) is None)
    problem(hand_in(bucket, upload_id), 404, "upload_not_found")


@pytest.mark.parametrize("name", ["markdown", "tables"])
def test_an_artifact_is_fetched_by_its_link_alone(bucket: Served, name: str) -> None:
    job = bucket.finished(letter())
    link = bucket.http.get(f"/v1/jobs/{job['id']}/artifacts/{name}/link").json()
    fetched = httpx.get(link["url"])
    assert fetched.status_code == 200
    assert hashlib.sha256(fetched.content).hexdigest() == link["sha256"]
    assert len(fetched.content) == link["size_bytes"]
    assert fetched.headers["content-type"] == link["media_type"]
    assert fetched.headers["content-disposition"].startswith("attachment")
    assert httpx.get(link["url"].replace("X-Amz-Expires=3600", "X-Amz-Expires=3601")).status_code == 403


def test_a_removed_job_leaves_nothing_in_the_bucket(bucket: Served) -> None:
    before = keys_in(bucket)
    job = bucket.finished(letter(), reuse="false")
    bucket.http.get(f"/v1/jobs/{job['id']}/pages/1/image")
    assert len(keys_in(bucket) - before) == 3
    bucket.http.delete(f"/v1/jobs/{job['id']}")
    wait_for(lambda: keys_in(bucket) <= before)


def keys_in(server: Served) -> set[str]:
    """Every folder and document of the store."""
    blobs = server.mill.blobs
    kinds = [("documents", 2), ("results", 3), ("pages", 3), ("images", 3)]
    return {entry.key for kind, depth in kinds for entry in blobs.entries(kind, depth)}


def test_links_go_only_to_what_there_is(bucket: Served) -> None:
    job = bucket.finished(letter(), formats="markdown")
    problem(bucket.http.get(f"/v1/jobs/{job['id']}/artifacts/images/link"), 404, "not_found")
    problem(bucket.http.get(f"/v1/jobs/{job['id']}/artifacts/html/link"), 404, "artifact_not_made")
    problem(bucket.http.get(f"/v1/jobs/{new_id()}/artifacts/html/link"), 404, "not_found")


def test_everything_else_works_over_a_bucket_too(bucket: Served) -> None:
    job = bucket.finished(letter())
    page = bucket.http.get(f"/v1/jobs/{job['id']}/pages/1")
    assert page.json()["number"] == 1
    part = bucket.http.get(f"/v1/jobs/{job['id']}/markdown", headers={"range": "bytes=2-5"})
    assert (part.status_code, part.content) == (
        206,
        bucket.http.get(f"/v1/jobs/{job['id']}/markdown").content[2:6],
    )
    assert bucket.http.get(f"/v1/jobs/{job['id']}/pages/1/image").content
    assert bucket.http.get("/ready").status_code == 200


def test_the_client_hands_in_by_a_link_and_gets_one(bucket: Served) -> None:
    with Client(bucket.url) as client:
        job = client.submit_by_link(letter(), Options(formats=("markdown",)), filename="b.pdf")
        assert client.wait(job.id).document.filename == "b.pdf"
        link = client.link(job.id)
        assert hashlib.sha256(httpx.get(link.url).content).hexdigest() == link.sha256
        assert link.url not in repr(link)


def test_a_link_to_what_is_drawn_of_an_encrypted_document_takes_its_password(bucket: Served) -> None:
    with Client(bucket.url) as client:
        job = client.wait(client.submit(encrypted(), Options(password="open")).id)
        with pytest.raises(ApiError, match="password_required"):
            client.link(job.id, "layout")
        link = client.link(job.id, "layout", password="open")
        assert httpx.get(link.url).content.startswith(b"%PDF-")


def test_a_folder_makes_no_links_for_uploads(busy: Served) -> None:
    problem(busy.http.post("/v1/uploads"), 409, "links_not_offered")


def test_an_artifact_in_a_folder_is_fetched_by_a_link_for_it_alone(busy: Served) -> None:
    job = busy.finished(letter("Dear link,"))
    link = busy.http.get(f"/v1/jobs/{job['id']}/artifacts/markdown/link").json()
    fetched = httpx.get(link["url"])
    assert (fetched.status_code, "Dear link," in fetched.text) == (200, True)
    assert (len(fetched.content), fetched.headers["repr-digest"][:8]) == (link["size_bytes"], "sha-256=")
    assert httpx.get(link["url"], headers={"range": "bytes=0-3"}).content == fetched.content[:4]
    old = re.sub(r"expires=\d+", "expires=1", link["url"])
    for changed in (
        link["url"][:-1],
        link["url"].replace("/markdown?", "/json?"),
        old,
        link["url"].partition("?")[0],
    ):
        problem(httpx.get(changed), 403, "link_invalid")
    for method in ("DELETE", "POST", "PUT"):
        problem(httpx.request(method, link["url"]), 403, "link_invalid")
    assert busy.http.delete(f"/v1/jobs/{job['id']}").status_code == 204
    problem(httpx.get(link["url"]), 410, "gone")


def test_a_link_that_has_run_out_is_worth_nothing() -> None:
    signer = LinkSigner(b"secret")
    link = SignedLink("anna", "job", "markdown", "100")
    signature = signer.address(link).rpartition("=")[2]
    signer.check(link, signature, 99.0)
    with pytest.raises(LinkInvalid):
        signer.check(link, signature, 101.0)
    with pytest.raises(LinkInvalid):
        signer.check(replace(link, tenant="bert"), signature, 99.0)


def test_an_upload_in_parts_goes_through_a_bucket_and_leaves_nothing_when_it_is_given_up(
    bucket: Served,
) -> None:
    body, tus = letter("Dear parts,"), {"Tus-Resumable": "1.0.0"}
    begun = bucket.http.post("/v1/uploads", headers=tus | {"Upload-Length": str(len(body))})
    where, upload_id = begun.headers["location"], begun.headers["location"].rpartition("/")[2]
    for start in range(0, len(body), 600):
        own = {"Upload-Offset": str(start), "content-type": "application/offset+octet-stream"}
        sent = bucket.http.patch(where, content=body[start : start + 600], headers=tus | own)
        assert sent.status_code == 204, sent.text
    job = bucket.http.post("/v1/jobs", params={"upload_id": upload_id}, headers={"prefer": "wait=60"}).json()
    assert (job["status"], job["document"]["size_bytes"]) == ("completed", len(body))
    assert not bucket.mill.blobs.is_empty(f"uploads/{upload_id[-2:]}/{upload_id}")
    assert bucket.http.delete(where, headers=tus).status_code == 204
    assert bucket.mill.blobs.is_empty(f"uploads/{upload_id[-2:]}/{upload_id}")
