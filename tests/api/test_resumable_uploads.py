"""Resumable uploads: real clients of the tus protocol, cut connections, and what the protocol asks of refusals."""

import base64
import hashlib
import io
import json
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import update
from tusclient import client as tuspy

from pagemill.db.schema import uploads
from pagemill.desk.resumable_uploads import PartReceiver, existing_upload
from pagemill.errors import UploadOffsetMismatch
from tests.api.test_http import problem
from tests.mills import small_settings, wait_for
from tests.samples import letter
from tests.servers import Served, served

TUS = {"Tus-Resumable": "1.0.0"}
MOST_UPLOADS = 60
OFFSET = {"content-type": "application/offset+octet-stream"}
MODULES = Path(__file__).parents[2] / "web" / "node_modules"
SCRIPT = """
import { Upload } from "tus-js-client";
import { createReadStream, statSync } from "node:fs";
const [url, path] = process.argv.slice(2);
let cut = false;
function start(from) {
  const upload = new Upload(createReadStream(path), {
    endpoint: url, uploadUrl: from, uploadSize: statSync(path).size, chunkSize: 400, retryDelays: [0, 50],
    metadata: { filename: "from node.pdf", filetype: "application/pdf" },
    onError: error => { console.error(error); process.exit(1); },
    onSuccess: () => { console.log(upload.url); },
    onChunkComplete: (size, sent) => {
      if (!cut && sent >= 800) { cut = true; upload.abort().then(() => start(upload.url)); }
    },
  });
  upload.start();
}
start(undefined);
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with a low limit on the size of documents."""
    with served(
        small_settings(
            tmp_path_factory.mktemp("tus"),
            slots=1,
            max_file_bytes=3_000_000,
            max_resumable_uploads=MOST_UPLOADS,
        )
    ) as server:
        yield server


def create(server: Served, size: int, **headers: str) -> httpx.Response:
    """Begin an upload."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return server.http.post("/v1/uploads", headers=TUS | {"Upload-Length": str(size)} | named)


def append(server: Served, where: str, body: bytes, offset: int, **headers: str) -> httpx.Response:
    """Go on with an upload."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    own = TUS | OFFSET | {"Upload-Offset": str(offset)} | named
    return server.http.patch(where, content=body, headers=own)


def offset_of(server: Served, where: str) -> int:
    """How far an upload has come."""
    answer = server.http.head(where, headers=TUS)
    assert answer.status_code == 200, answer.headers
    assert answer.headers["cache-control"] == "no-store"
    return int(answer.headers["upload-offset"])


def parts_of(server: Served, where: str) -> list[Path]:
    """The files of an upload."""
    return [path for path in server.files() if where.rpartition("/")[2] in str(path)]


def read(server: Served, where: str) -> dict[str, Any]:
    """The job of a complete upload, after its end."""
    upload_id = where.rpartition("/")[2]
    made = server.http.post("/v1/jobs", params={"upload_id": upload_id}, headers={"prefer": "wait=60"})
    assert made.status_code == 200, made.text
    job: dict[str, Any] = made.json()
    return job


def test_the_python_client_uploads_in_pieces(server: Served) -> None:
    body = letter("Dear tuspy,")
    uploader = tuspy.TusClient(f"{server.url}/v1/uploads").uploader(
        file_stream=io.BytesIO(body),
        chunk_size=500,
        metadata={"filename": "résumé.pdf"},
        upload_checksum=True,
    )
    uploader.upload()
    job = read(server, str(uploader.url))
    assert (job["status"], job["document"]["filename"]) == ("completed", "résumé.pdf")
    assert job["document"]["sha256"] == hashlib.sha256(body).hexdigest()


def test_the_javascript_client_uploads_is_cut_and_goes_on(server: Served, tmp_path: Path) -> None:
    if shutil.which("node") is None or not (MODULES / "tus-js-client").exists():
        if os.environ.get("CI"):
            pytest.fail("tus-js-client is not installed: run `make web`")
        pytest.skip("tus-js-client is not installed: run `make web`")
    body = letter("Dear node,")
    (tmp_path / "letter.pdf").write_bytes(body)
    (tmp_path / "upload.mjs").write_text(SCRIPT)
    (tmp_path / "node_modules").symlink_to(MODULES)
    ran = subprocess.run(
        ["node", "upload.mjs", f"{server.url}/v1/uploads", "letter.pdf"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    job = read(server, ran.stdout.strip())
    assert job["document"]["filename"] == "from node.pdf"
    assert job["document"]["sha256"] == hashlib.sha256(body).hexdigest()


def test_what_arrived_before_a_connection_was_cut_is_kept(server: Served) -> None:
    body = letter("Dear cut,")
    where = create(server, len(body)).headers["location"]
    head = (
        f"PATCH {where} HTTP/1.1\r\nHost: 127.0.0.1\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\n"
        f"Content-Type: application/offset+octet-stream\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", server.port)) as door:
        door.sendall(head.encode() + body[:700])
        # What the server has not taken from the connection goes with it.
        wait_for(lambda: [path.stat().st_size for path in parts_of(server, where)] == [700])
    wait_for(lambda: offset_of(server, where) == 700)
    assert append(server, where, body[700:], 700).headers["upload-offset"] == str(len(body))
    shown = server.http.get(where).json()
    assert (shown["complete"], shown["offset_bytes"]) == (True, len(body))
    assert read(server, where)["status"] == "completed"


def test_the_service_says_what_it_can_do(server: Served) -> None:
    told = server.http.options("/v1/uploads")
    assert told.status_code == 204
    assert told.headers["tus-version"] == "1.0.0"
    assert set(told.headers["tus-extension"].split(",")) == {
        "creation",
        "creation-with-upload",
        "creation-defer-length",
        "expiration",
        "checksum",
        "termination",
    }
    assert told.headers["tus-max-size"] == "3000000"
    assert "sha1" in told.headers["tus-checksum-algorithm"]


def test_a_wrong_offset_is_answered_with_the_right_one(server: Served) -> None:
    where = create(server, 100).headers["location"]
    assert append(server, where, b"x" * 10, 0).status_code == 204
    for offset in (0, 11):
        wrong = append(server, where, b"y", offset)
        assert (wrong.status_code, wrong.json()["code"]) == (409, "upload_offset_mismatch")
        assert (wrong.headers["upload-offset"], wrong.headers["tus-resumable"]) == ("10", "1.0.0")
    assert offset_of(server, where) == 10


@pytest.mark.parametrize("version", [None, "0.2.2"])
def test_another_version_of_the_protocol_is_refused(server: Served, version: str | None) -> None:
    where = create(server, 100).headers["location"]
    headers = {"Upload-Length": "5", "Upload-Offset": "0", **OFFSET} | (
        {"Tus-Resumable": version} if version else {}
    )
    answers = [
        server.http.post("/v1/uploads", headers=headers),
        server.http.head(where, headers=headers),
        server.http.patch(where, headers=headers, content=b"x"),
        server.http.delete(where, headers=headers),
    ]
    assert [(one.status_code, one.headers["tus-version"]) for one in answers] == [(412, "1.0.0")] * 4


def test_bytes_past_the_announced_length_are_refused_and_change_nothing(server: Served) -> None:
    where = create(server, 10).headers["location"]
    assert append(server, where, b"x" * 11, 0).status_code == 413
    assert offset_of(server, where) == 0
    assert append(server, where, b"x" * 10, 0).status_code == 204
    assert append(server, where, b"y", 10).status_code == 413


def test_a_checksum_that_does_not_fit_throws_the_bytes_away(server: Served) -> None:
    where = create(server, 10).headers["location"]
    digest = base64.b64encode(hashlib.sha1(b"hello").digest()).decode()
    wrong = append(server, where, b"world", 0, upload_checksum=f"sha1 {digest}")
    assert (wrong.status_code, wrong.json()["code"]) == (460, "checksum_mismatch")
    assert offset_of(server, where) == 0
    assert append(server, where, b"hello", 0, upload_checksum=f"sha1 {digest}").status_code == 204
    for given in ("crc32 AAAA", "sha1 *", "sha1"):
        assert append(server, where, b"x", 5, upload_checksum=given).status_code in (400, 460)
    assert offset_of(server, where) == 5


def test_an_upload_that_is_given_up_or_expired_is_gone(server: Served) -> None:
    where = create(server, 10).headers["location"]
    append(server, where, b"x" * 5, 0)
    assert server.http.delete(where, headers=TUS).status_code == 204
    assert server.http.head(where, headers=TUS).status_code == 404
    assert not parts_of(server, where)
    late = create(server, 10)
    assert late.headers["upload-expires"].endswith("GMT")
    expire(server, late.headers["location"].rpartition("/")[2])
    assert server.http.head(late.headers["location"], headers=TUS).status_code in (404, 410)


def expire(server: Served, upload_id: str) -> None:
    """Let the time of an upload be over."""
    server.mill.db.write(
        lambda tx: tx.conn.execute(
            update(uploads).where(uploads.c.id == upload_id).values(expires_at=tx.now - 1)
        )
    )


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Upload-Length": "-1"}, 400),
        ({"Upload-Length": "ten"}, 400),
        ({"Upload-Length": "9" * 30}, 400),
        ({"Upload-Length": "3000001"}, 413),
        # More than any disk has room for.
        ({"Upload-Length": "99999999999999"}, 413),
        ({"Upload-Length": "5", "Upload-Metadata": "filename !!!"}, 400),
        ({"Upload-Length": "5", "Upload-Metadata": "filename /w=="}, 400),
        ({"Upload-Defer-Length": "1", "Upload-Length": "5"}, 400),
    ],
)
def test_an_upload_that_makes_no_sense_is_refused(
    server: Served, headers: dict[str, str], status: int
) -> None:
    answer = server.http.post("/v1/uploads", headers=TUS | headers)
    assert (answer.status_code, answer.headers["tus-resumable"]) == (status, "1.0.0")


def test_an_upload_is_handed_in_only_when_it_is_complete_and_by_nobody_else(server: Served) -> None:
    where = create(server, 10).headers["location"]
    early = server.http.post("/v1/jobs", params={"upload_id": where.rpartition("/")[2]})
    assert (early.status_code, early.json()["code"]) == (404, "upload_not_found")
    assert "0 of 10 bytes" in early.json()["detail"]
    assert append(server, where, b"x", 0, content_type="text/plain").status_code == 415
    unknown = server.http.head("/v1/uploads/0199a3c4-7d52-7c31-9a42-6f0f5b1c2d3e", headers=TUS)
    assert unknown.status_code == 404
    assert json.loads(server.http.get("/v1/uploads/x").text)["code"] == "not_found"


def test_two_who_go_on_at_the_same_place_do_not_both_win(server: Served) -> None:
    where = create(server, 6).headers["location"]
    upload = existing_upload(server.mill, "default", where.rpartition("/")[2])
    one, other = PartReceiver(server.mill, upload), PartReceiver(server.mill, upload)
    one.write(b"abc")
    other.write(b"xyz")
    one.finish()
    with pytest.raises(UploadOffsetMismatch):
        other.finish()
    other.discard()
    assert offset_of(server, where) == 3


def test_an_upload_begins_with_its_first_bytes(server: Served) -> None:
    document = letter("Dear creation,")
    own = TUS | OFFSET | {"Upload-Length": str(len(document))}
    begun = server.http.post("/v1/uploads", content=document[:300], headers=own)
    assert (begun.status_code, begun.headers["upload-offset"]) == (201, "300")
    where = begun.headers["location"]
    assert append(server, where, document[300:], 300).status_code == 204
    assert read(server, where)["status"] == "completed"
    whole = server.http.post("/v1/uploads", content=document, headers=own).headers
    assert offset_of(server, whole["location"]) == len(document)


def test_the_length_may_be_said_later(server: Served) -> None:
    document = letter("Dear deferred,")
    begun = server.http.post("/v1/uploads", headers=TUS | {"Upload-Defer-Length": "1"})
    assert begun.status_code == 201
    where = begun.headers["location"]
    assert append(server, where, document[:300], 0).status_code == 204
    head = server.http.head(where, headers=TUS).headers
    assert (head["upload-defer-length"], "upload-length" in head) == ("1", False)
    early = server.http.post("/v1/jobs", params={"upload_id": where.rpartition("/")[2]})
    assert early.json()["code"] == "upload_not_found"
    assert append(server, where, b"", 300, Upload_Length="200").status_code == 400
    assert append(server, where, b"", 300, Upload_Length="999999999").status_code == 413
    last = append(server, where, document[300:], 300, Upload_Length=str(len(document)))
    assert (last.status_code, last.headers["upload-offset"]) == (204, str(len(document)))
    assert server.http.head(where, headers=TUS).headers["upload-length"] == str(len(document))
    assert read(server, where)["status"] == "completed"
    wrong = server.http.post("/v1/uploads", headers=TUS | {"Upload-Defer-Length": "2"})
    assert wrong.status_code == 400


def test_a_tenant_has_a_limit_of_uploads_under_way(server: Served) -> None:
    answers = [create(server, 10) for _ in range(MOST_UPLOADS + 1)]
    refused = answers[-1]
    assert (refused.status_code, refused.json()["code"]) == (429, "quota_exceeded")
    assert "retry-after" in refused.headers
    made = [answer.headers["location"] for answer in answers if answer.status_code == 201]
    assert {server.http.delete(where, headers=TUS).status_code for where in made} == {204}
    assert create(server, 10).status_code == 201


def test_uploads_count_towards_the_space_of_a_tenant(tmp_path: Path) -> None:
    settings = small_settings(tmp_path, slots=1, kept_slots=0, max_tenant_bytes=5_000)
    with served(settings) as full:
        first = create(full, 3_000)
        assert first.status_code == 201
        refused = problem(create(full, 2_001), 429, "quota_exceeded")
        assert refused["violated-policies"] == ["max_tenant_bytes"]
        later = {"Upload-Defer-Length": "1"}
        where = full.http.post("/v1/uploads", headers=TUS | later).headers["location"]
        assert append(full, where, bytes(1_500), 0).status_code == 204
        problem(append(full, where, bytes(600), 1_500), 429, "quota_exceeded")
        problem(append(full, where, bytes(10), 1_500, Upload_Length="9000"), 429, "quota_exceeded")
        assert offset_of(full, where) == 1_500
        assert sum(path.stat().st_size for path in parts_of(full, where)) == 1_500
        full.http.delete(first.headers["location"], headers=TUS)
        assert append(full, where, bytes(600), 1_500).status_code == 204
        body = letter("Dear guest,")
        fitting = create(full, len(body)).headers["location"]
        assert append(full, fitting, body, 0).status_code == 204
        assert read(full, fitting)["status"] == "completed"
