"""Many documents in one request: one status for all, and no item stops another."""

import io
import json
import tarfile
import zipfile
from collections.abc import Iterator
from typing import Any

import pytest
from websockets.sync.client import connect

from pagemill.client import Client, Options
from pagemill.db import batches
from pagemill.entrypoints.api.batches.results import PIECE_BYTES, gather_piece
from pagemill.model.batches import entry_view
from tests.api.batch_bodies import archive_of, files_of, letters, long_list, of_unknown_version, tar_of
from tests.http_receivers import Answered, receiving_http
from tests.mills import small_settings, wait_for
from tests.samples import corrupt, letter
from tests.servers import Served, served

LARGE = {"a": "b" * 17_000}
PROGRAM = b"\x7fELF\x02\x01\x01" + bytes(64)
PATIENCE_SECONDS = 60
ZIP = {"content-type": "application/zip"}


@pytest.fixture(scope="module")
def batching(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that reads batches, may fetch from this machine, and does not sweep."""
    limits = {"outbound_allow": "127.0.0.0/8", "max_batch_items": 30, "max_file_bytes": 400_000}
    settings = small_settings(
        tmp_path_factory.mktemp("batches"), slots=1, max_batch_bytes=1_000_000, sweep_seconds=600, **limits
    )
    with served(settings) as server:
        yield server


@pytest.fixture
def client(batching: Served) -> Iterator[Client]:
    """A client of that server."""
    with Client(batching.url) as client:
        yield client


def ended(server: Served, batch_id: str) -> dict[str, Any]:
    """A batch after its end, and after its end was found."""
    wait_for(lambda: bool(server.http.get(f"/v1/batches/{batch_id}").json()["finished_at"]))
    found: dict[str, Any] = server.http.get(f"/v1/batches/{batch_id}").json()
    return found


def items_of(server: Served, batch_id: str) -> list[dict[str, Any]]:
    """The items of a batch."""
    found: list[dict[str, Any]] = server.http.get(f"/v1/batches/{batch_id}/items").json()["items"]
    return found


def test_a_form_of_files_is_one_batch_and_what_is_no_document_stops_nothing(batching: Served) -> None:
    documents = [*letters(3, "anna"), ("program.pdf", PROGRAM), ("empty.pdf", b""), ("broken.pdf", corrupt())]
    each = json.dumps(
        {"anna2.pdf": {"metadata": {"kind": "second"}}, "3": {"formats": ["text"], "priority": 2}}
    )
    answer = batching.http.post(
        "/v1/batches", files=files_of(documents), data={"name": "Mixed", "ocr": "off", "items": each}
    )
    assert answer.status_code == 202, answer.text
    batch = answer.json()
    assert (batch["total"], batch["counts"]["refused"]) == (6, 2)
    assert batch["status"] in ("pending", "processing")
    assert answer.headers["location"] == f"/v1/batches/{batch['id']}"
    done = ended(batching, batch["id"])
    assert (done["status"], done["name"]) == ("completed", "Mixed")
    assert done["counts"] == {
        "pending": 0,
        "processing": 0,
        "completed": 3,
        "failed": 1,
        "cancelled": 0,
        "refused": 2,
        "removed": 0,
    }
    assert (done["total_pages"], done["eta_seconds"]) == (3, None)
    items = items_of(batching, batch["id"])
    assert [entry["number"] for entry in items] == [1, 2, 3, 4, 5, 6]
    assert [entry["error"] and entry["error"]["code"] for entry in items] == [
        None,
        None,
        None,
        "unsupported_file_type",
        "file_empty",
        "pdf_corrupt",
    ]
    assert [entry["status"] for entry in items] == [*["completed"] * 3, "refused", "refused", "failed"]
    jobs = [batching.http.get(entry["link"]).json() for entry in items[:3]]
    assert [job["options"]["ocr"] for job in jobs] == ["off"] * 3
    assert [job["metadata"] for job in jobs] == [{}, {"kind": "second"}, {}]
    assert (jobs[2]["options"]["formats"], [job["priority"] for job in jobs]) == (["text"], [-1, -1, 2])


def test_a_batch_is_followed_to_its_end_by_stream_and_by_websocket(batching: Served) -> None:
    batch = batching.http.post("/v1/batches", files=files_of(letters(4, "frieda"))).json()
    path = f"/v1/batches/{batch['id']}"
    with connect(f"ws://127.0.0.1:{batching.port}{path}/ws", open_timeout=PATIENCE_SECONDS) as socket:
        told = [json.loads(text) for text in socket]
        assert (socket.close_code, socket.close_reason) == (1000, "It has ended.")
    done = batching.http.get(path).json()
    assert told[-1] == done
    assert (done["status"], done["counts"]["completed"]) == ("completed", 4)
    # Nothing sweeps here: the end was found by what sends webhooks.
    lines = batching.http.get(f"{path}/events", headers={"accept": "text/event-stream"}).text.splitlines()
    assert [line for line in lines if line.startswith("event:")] == ["event: batch.completed"]
    last = next(line.partition(": ")[2] for line in lines if line.startswith("id:"))
    again = batching.http.get(f"{path}/events", headers={"last-event-id": last})
    assert again.status_code == 204
    assert batching.http.get(f"{path}x/events").status_code == 404


def test_the_results_come_in_one_archive_and_as_lines(batching: Served, client: Client) -> None:
    made = client.batches.submit([body for _, body in [*letters(2, "berta"), ("x", PROGRAM)]], name="Letters")
    waiting = batching.http.get(f"/v1/batches/{made['id']}/archive.zip")
    assert waiting.status_code in (200, 202)
    client.batches.wait(made["id"])
    packed = io.BytesIO()
    client.batches.download(made["id"], packed, "text")
    with zipfile.ZipFile(packed) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == ["0001-document.txt", "0002-document.txt", "items.ndjson"]
        assert b"Dear berta 2," in archive.read("0002-document.txt")
        told = [json.loads(line) for line in archive.read("items.ndjson").splitlines()]
    assert [one["file"] for one in told] == ["0001-document.txt", "0002-document.txt", None]
    lines = list(client.batches.results(made["id"], "json"))
    assert [len(line["content"]["pages"]) if line["content"] else None for line in lines] == [1, 1, None]
    assert [one["number"] for one in client.batches.items(made["id"])] == [1, 2, 3]
    assert made["id"] in {one["id"] for one in client.batches.all(page_size=1)}


def test_long_and_short_results_come_whole_in_one_archive(client: Client) -> None:
    long = "\n".join(f"Line {number} of a long text." for number in range(13_000))
    made = client.batches.submit([long.encode(), *(body for _, body in letters(3, "beside"))])
    client.batches.wait(made["id"])
    packed = io.BytesIO()
    client.batches.download(made["id"], packed, "markdown")
    with zipfile.ZipFile(packed) as archive:
        assert archive.testzip() is None
        sizes = {one.filename: one.file_size for one in archive.infolist()}
        assert b"Line 12999 of a long text." in archive.read("0001-document.md")
        assert b"Dear beside 3," in archive.read("0004-document.md")
    assert sizes["0001-document.md"] > PIECE_BYTES > sizes["0002-document.md"]
    assert [line["number"] for line in client.batches.results(made["id"], "markdown")] == [1, 2, 3, 4]


def test_small_pieces_are_gathered_and_none_is_lost() -> None:
    pieces = iter([b"a" * 10] * 40_000)
    gathered = list(iter(lambda: gather_piece(pieces), b""))
    assert sum(map(len, gathered)) == 400_000
    assert [len(one) for one in gathered[:-1]] == [PIECE_BYTES + 6]


def test_an_archive_is_unpacked_and_its_names_lead_nowhere(batching: Served) -> None:
    link = zipfile.ZipInfo("link.pdf")
    link.external_attr = 0o120777 << 16
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("folder/", b"")
        archive.writestr("../../etc/escaped.pdf", letter("Dear traversal,"))
        archive.writestr("/absolute.pdf", letter("Dear root,"))
        archive.writestr("__MACOSX/._a.pdf", b"resource fork")
        archive.writestr(".DS_Store", b"store")
        archive.writestr(link, b"/etc/passwd")
        archive.writestr("large.pdf", b"%PDF-1.7\n" + bytes(600_000))
        archive.writestr("nested.zip", archive_of(letters(1, "inner")))
    answer = batching.http.post("/v1/batches?name=Packed", content=packed.getvalue(), headers=ZIP)
    assert answer.status_code == 202, answer.text
    ended(batching, answer.json()["id"])
    items = items_of(batching, answer.json()["id"])
    assert [(entry["name"], entry["error"] and entry["error"]["code"]) for entry in items] == [
        ("escaped.pdf", None),
        ("absolute.pdf", None),
        ("link.pdf", "archive_invalid"),
        ("large.pdf", "file_too_large"),
        ("nested.zip", "unsupported_file_type"),
    ]


def test_a_tar_archive_is_unpacked_and_its_links_lead_nowhere(batching: Served) -> None:
    folder, link = tarfile.TarInfo("deeper"), tarfile.TarInfo("deeper/link.pdf")
    folder.type, link.type, link.linkname = tarfile.DIRTYPE, tarfile.SYMTYPE, "/etc/passwd"
    documents = [("../../up.pdf", letter("Dear tar,")), ("deeper/._up.pdf", b"system"), ("program", PROGRAM)]
    answer = batching.http.post(
        "/v1/batches",
        content=tar_of(documents, folder, link),
        headers={"content-type": "application/gzip"},
        params={"formats": "markdown"},
    )
    assert answer.status_code == 202, answer.text
    done = ended(batching, answer.json()["id"])
    assert (done["total"], done["counts"]["completed"], done["counts"]["refused"]) == (3, 1, 2)
    found = [(one["name"], one["error"] and one["error"]["code"]) for one in items_of(batching, done["id"])]
    assert found == [("up.pdf", None), ("program", "unsupported_file_type"), ("link.pdf", "archive_invalid")]
    lines = batching.http.get(f"/v1/batches/{done['id']}/results.ndjson?format=json").text.splitlines()
    first = json.loads(lines[0])
    assert (first["status"], first["content"], first["error"]["code"]) == (
        "completed",
        None,
        "artifact_not_made",
    )


def test_an_archive_can_be_a_part_of_a_form(client: Client) -> None:
    packed = archive_of(letters(2, "zipped"))
    made = client.batches.submit_zip(packed, Options(pages="1"), each={"zipped2.pdf": Options(priority=3)})
    assert client.batches.wait(made["id"])["counts"]["completed"] == 2
    names = [one["name"] for one in client.batches.items(made["id"])]
    assert names == ["zipped1.pdf", "zipped2.pdf"]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (of_unknown_version(), "archive_invalid"),
        (b"PK\x03\x04 not an archive", "archive_invalid"),
        (archive_of([]), "archive_invalid"),
        (archive_of([("readme/", b"")]), "archive_invalid"),
        (archive_of(letters(31, "many")), "too_many_items"),
        (long_list(2_000_001), "too_many_items"),
        (archive_of([(f"{n}.pdf", b"%PDF-1.7\n" + bytes(390_000)) for n in range(4)]), "archive_bomb"),
    ],
)
def test_a_hostile_archive_is_refused_and_leaves_nothing(batching: Served, body: bytes, code: str) -> None:
    before, jobs = batching.files(), batching.jobs()
    answer = batching.http.post("/v1/batches", content=body, headers=ZIP)
    assert (answer.status_code, answer.json()["code"]) == (422, code)
    assert batching.files() <= before
    assert batching.jobs() == jobs


def test_a_batch_of_which_one_document_can_t_be_stored_is_refused_as_a_whole(
    batching: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, jobs = batching.files(), batching.jobs()
    monkeypatch.setenv("PAGEMILL_FAULT", "blob.before_sync:raise")
    answer = batching.http.post("/v1/batches", content=archive_of(letters(12, "unstored")), headers=ZIP)
    assert (answer.status_code, answer.json()["code"]) == (503, "storage_unavailable")
    assert batching.files() <= before
    assert batching.jobs() == jobs


def test_a_list_of_urls_is_fetched_and_a_forbidden_one_is_refused_alone(batching: Served) -> None:
    with receiving_http(lambda got: Answered(body=letter(f"Dear {got.path},"))) as archive:
        body = {
            "items": [
                {"url": f"{archive.url}/a.pdf"},
                {"url": "file:///etc/passwd"},
                {"url": "http://169.254.169.254/"},
                {"url": f"{archive.url}/b.pdf", "filename": "second.pdf", "formats": ["markdown"]},
            ],
            "options": {"formats": "text"},
            "metadata": {"source": "archive"},
        }
        made = batching.http.post("/v1/batches", json=body)
        assert made.status_code == 202, made.text
        done = ended(batching, made.json()["id"])
        assert len(archive.requests) == 2
    assert (done["counts"]["completed"], done["counts"]["refused"]) == (2, 2)
    assert done["metadata"] == {"source": "archive"}
    items = items_of(batching, made.json()["id"])
    assert [entry["name"] for entry in items] == ["a.pdf", "passwd", "document.pdf", "second.pdf"]
    assert [entry["error"]["code"] for entry in items[1:3]] == [
        "url_scheme_not_allowed",
        "url_forbidden_address",
    ]


@pytest.mark.parametrize(
    ("sent", "status", "code"),
    [
        ({"json": {}}, 422, "validation_error"),
        ({"json": {"items": []}}, 422, "validation_error"),
        ({"json": {"items": [{"url": "https://a.de"}], "metadata": LARGE}}, 422, "metadata_too_large"),
        ({"json": {"items": [{"url": "https://example.com"}] * 31}}, 422, "too_many_items"),
        ({"json": {"items": [{"url": "https://example.com", "upload_id": "x"}]}}, 422, "validation_error"),
        ({"data": {"pages": "1"}, "files": {"x": ("", b"")}}, 422, "validation_error"),
        ({"content": b"%PDF", "headers": {"content-type": "application/pdf"}}, 415, "unsupported_media_type"),
        ({"files": files_of(letters(1, "x")), "data": {"items": "{"}}, 422, "validation_error"),
        ({"files": files_of(letters(1, "x")), "data": {"pages": "5-2"}}, 422, "validation_error"),
        ({"files": files_of(letters(1, "x")), "data": {"upload_id": "x"}}, 422, "validation_error"),
        ({"files": files_of(letters(31, "x"))}, 422, "too_many_items"),
    ],
)
def test_a_request_that_is_wrong_is_refused_as_a_whole(
    batching: Served, sent: dict[str, Any], status: int, code: str
) -> None:
    before = batching.files()
    answer = batching.http.post("/v1/batches", **sent)
    assert (answer.status_code, answer.json()["code"]) == (status, code), answer.text
    assert batching.files() <= before


def test_a_repeated_batch_finds_the_first(batching: Served) -> None:
    def send(word: str) -> Any:
        key = {"idempotency-key": "batch-1"}
        return batching.http.post("/v1/batches", files=files_of(letters(2, word)), headers=key)

    first, again, other = send("same"), send("same"), send("other")
    assert (first.status_code, again.json()["id"]) == (202, first.json()["id"])
    assert again.headers["idempotent-replayed"] == "true"
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")
    assert len(items_of(batching, first.json()["id"])) == 2


def test_a_batch_reads_only_what_was_not_read_before(batching: Served) -> None:
    one, two, three, four = letters(4, "gerda")
    first = batching.http.post("/v1/batches", files=files_of([one, two])).json()
    ended(batching, first["id"])
    documents = [three, two, ("program.pdf", PROGRAM), one, four, three]
    batch = batching.http.post("/v1/batches", files=files_of(documents)).json()
    done = ended(batching, batch["id"])
    assert (done["counts"]["completed"], done["counts"]["refused"]) == (5, 1)
    items = items_of(batching, batch["id"])
    assert [entry["name"] for entry in items] == [name for name, _ in documents]
    jobs = [batching.http.get(entry["link"]).json() for entry in items if entry["link"]]
    assert [(job["document"]["filename"], job["reused"]) for job in jobs] == [
        (three[0], False),
        (two[0], True),
        (one[0], True),
        (four[0], False),
        (three[0], False),
    ]


def test_a_batch_is_cancelled_read_again_and_deleted_as_a_whole(idle: Served) -> None:
    made = idle.http.post("/v1/batches", files=files_of([*letters(3, "later"), ("x", PROGRAM)])).json()
    where = f"/v1/batches/{made['id']}"
    cancelled = idle.http.post(f"{where}/cancel")
    assert (cancelled.status_code, cancelled.json()["status"]) == (202, "cancelled")
    assert cancelled.json()["counts"]["cancelled"] == 3
    again = idle.http.post(f"{where}/retry").json()
    assert (again["status"], again["run"], again["counts"]["pending"]) == ("pending", 2, 3)
    assert idle.http.delete(where).status_code == 204
    assert idle.http.get(where).status_code == 410
    jobs = [entry["job_id"] for entry in items_of_removed(idle, made["id"])]
    assert {idle.http.get(f"/v1/jobs/{job}").status_code for job in jobs if job} == {410}
    assert idle.http.get("/v1/batches/0199a3c4-7d52-7c31-9a42-6f0f5b1c2d3e").status_code == 404


def items_of_removed(server: Served, batch_id: str) -> list[dict[str, Any]]:
    """The items of a batch, whether it was removed or not."""
    rows = server.mill.db.read(lambda conn: batches.items(conn, "default", batch_id, 0, 100))
    return [entry_view(row) for row in rows]


def test_nothing_to_cancel_and_nothing_to_retry_are_told(batching: Served) -> None:
    made = batching.http.post("/v1/batches", files=files_of(letters(1, "short"))).json()
    ended(batching, made["id"])
    cancel = batching.http.post(f"/v1/batches/{made['id']}/cancel")
    retry = batching.http.post(f"/v1/batches/{made['id']}/retry")
    assert [one.json()["code"] for one in (cancel, retry)] == ["job_terminal", "nothing_to_retry"]
    every = batching.http.post(f"/v1/batches/{made['id']}/retry", json={"only": "all"})
    assert (every.status_code, every.json()["run"]) == (202, 2)
    assert ended(batching, made["id"])["status"] == "completed"


def test_a_single_document_does_not_wait_for_a_batch_that_came_before(idle: Served) -> None:
    batch = idle.http.post("/v1/batches", files=files_of(letters(2, "crowd"))).json()
    single = idle.submit(letter("Dear single,"))
    [first, _] = items_of(idle, batch["id"])
    waiting = idle.http.get(f"/v1/jobs/{single['id']}").json()["queue_position"]
    assert waiting < idle.http.get(first["link"]).json()["queue_position"]


def test_webhooks_are_told_of_a_batch(batching: Served) -> None:
    with receiving_http() as receiver:
        asked = {"url": receiver.url, "events": ["batch.*"]}
        assert batching.http.post("/v1/webhooks", json=asked).status_code == 201
        made = batching.http.post("/v1/batches", files=files_of([*letters(2, "told"), ("x", PROGRAM)])).json()

        def messages() -> dict[str, dict[str, Any]]:
            """The messages about this batch, by type; batches of other tests may end meanwhile."""
            sent = [json.loads(body) for body in receiver.bodies()]
            return {one["type"]: one for one in sent if one["data"]["batch_id"] == made["id"]}

        wait_for(lambda: len(messages()) == 2)
        accepted, completed = messages()["batch.accepted"], messages()["batch.completed"]
    assert (accepted["type"], accepted["data"]["status"]) == ("batch.accepted", "pending")
    assert (completed["type"], completed["data"]["status"]) == ("batch.completed", "completed")
    assert (completed["data"]["batch_id"], completed["data"]["completed"]) == (made["id"], 2)
    assert completed["data"]["links"]["archive"].endswith(f"/v1/batches/{made['id']}/archive.zip")
