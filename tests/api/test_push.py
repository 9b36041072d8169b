"""Results are pushed to folders and buckets when jobs end, as surely as webhooks are sent."""

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import obstore
import pikepdf
import pytest

from pagemill.errors import PushNotAllowed, Refused, UrlInvalid
from pagemill.model.push_targets import PushTarget, check_push_target, push_prefixes
from tests.api.test_http import problem
from tests.cluster.s3 import BUCKET, S3
from tests.mills import small_settings
from tests.pictures import illustrated
from tests.samples import corrupt, encrypted, letter
from tests.servers import Served, served
from tests.waiting import wait_for

ALLOWED = "s3://out/{tenant}/, file:///srv/out"


@pytest.fixture(scope="module")
def outbox(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that results may be pushed to."""
    return tmp_path_factory.mktemp("outbox")


@pytest.fixture(scope="module")
def pushing(s3_server: S3, outbox: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that pushes to a folder and a bucket, and reads batches from that bucket."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in s3_server.variables().items():
            patch.setenv(name, value)
        settings = small_settings(
            tmp_path_factory.mktemp("pushing"),
            slots=1,
            kept_slots=0,
            push_prefixes=f"file://{outbox}/ok, s3://{BUCKET}/out/{{tenant}}/",
            source_prefixes=f"s3://{BUCKET}/inbox/{{tenant}}/",
            webhook_schedule="0,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1",
            max_batch_items=5,
        )
        with served(settings) as server:
            yield server


def submit(server: Served, document: bytes, push_to: str, **options: str) -> str:
    """Hand in a document whose result is to be pushed; the id of its job."""
    answer = server.http.post(
        "/v1/jobs", files={"file": document}, data={"push_to": push_to, "reuse": "false", **options}
    )
    assert answer.status_code == 202, answer.text
    return str(answer.json()["id"])


def pushed(server: Served, job_id: str) -> dict[str, Any]:
    """The delivery of a push after its end."""

    def ended() -> list[dict[str, Any]]:
        found = server.http.get("/v1/deliveries", params={"job": job_id}).json()["deliveries"]
        return [one for one in found if one["finished_at"]]

    return wait_for(ended)[0]


def test_a_result_is_pushed_to_a_folder(pushing: Served, outbox: Path) -> None:
    job_id = submit(pushing, letter("Dear folder,"), f"file://{outbox}/ok/march/")
    assert pushed(pushing, job_id)["state"] == "delivered"
    folder = outbox / "ok/march" / job_id
    assert {path.name for path in folder.iterdir()} == {
        "document.md",
        "document.json",
        "document.txt",
        "document.html",
        "job.json",
    }
    assert "Dear folder" in (folder / "document.md").read_text()
    assert json.loads((folder / "job.json").read_text())["status"] == "completed"


def test_formats_that_are_made_on_demand_are_made_for_the_push(pushing: Served, outbox: Path) -> None:
    place = f"file://{outbox}/ok/june"
    job_id = submit(pushing, letter("Dear Word,"), place, formats="json,docx,searchable,images")
    delivery = pushed(pushing, job_id)
    assert delivery["state"] == "delivered"
    folder = outbox / "ok/june" / job_id
    found = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    assert found.keys() == {"document.json", "document.docx", "searchable.pdf", "job.json"}
    assert found["document.docx"].startswith(b"PK")
    assert found["searchable.pdf"].startswith(b"%PDF-")


def test_a_format_that_cannot_be_made_does_not_hold_up_the_others(pushing: Served, outbox: Path) -> None:
    # It is drawn onto the pages, for which the password would be needed, and that is not kept.
    asked = {"formats": "markdown,searchable", "password": "open"}
    job_id = submit(pushing, encrypted(user="open"), f"file://{outbox}/ok/july", **asked)
    assert pushed(pushing, job_id)["state"] == "delivered"
    folder = outbox / "ok/july" / job_id
    assert {path.name for path in folder.iterdir()} == {"document.md", "job.json"}
    left_out = json.loads((folder / "job.json").read_text())["left_out"]
    assert left_out == {"searchable": "password_required"}


def test_each_figure_that_cannot_be_made_is_named(pushing: Served, outbox: Path) -> None:
    locked = io.BytesIO()
    with pikepdf.open(io.BytesIO(illustrated(2))) as pdf:
        pdf.save(locked, encryption=pikepdf.Encryption(user="open", owner="own"))
    asked = {"formats": "json,images,docx", "password": "open"}
    job_id = submit(pushing, locked.getvalue(), f"file://{outbox}/ok/august", **asked)
    delivery = pushed(pushing, job_id)
    folder = outbox / "ok/august" / job_id
    left_out = json.loads((folder / "job.json").read_text())["left_out"]
    figures = {f"images/p{page}-b3.png": "password_required" for page in (1, 2)}
    assert {name: code for name, code in left_out.items() if name.startswith("images/")} == figures
    assert (folder / "document.json").exists()
    [attempt] = pushing.http.get(f"/v1/deliveries/{delivery['id']}").json()["log"]
    assert "images/p2-b3.png (password_required); document.json" in attempt["answer"]


def test_a_result_is_pushed_to_a_bucket_and_a_failure_is_told_there(pushing: Served, s3_server: S3) -> None:
    place = f"s3://{BUCKET}/out/default/april"
    done, failed = submit(pushing, letter("Dear bucket,"), place), submit(pushing, corrupt(), place)
    assert [pushed(pushing, one)["state"] for one in (done, failed)] == ["delivered", "delivered"]
    store = s3_server.store()
    assert b"Dear bucket" in bytes(obstore.get(store, f"out/default/april/{done}/document.md").bytes())
    told = json.loads(bytes(obstore.get(store, f"out/default/april/{failed}/job.json").bytes()))
    assert (told["status"], told["error"]["code"]) == ("failed", "pdf_corrupt")


def test_a_folder_that_takes_nothing_is_tried_again(pushing: Served, outbox: Path) -> None:
    (outbox / "ok").mkdir(exist_ok=True)
    in_the_way = outbox / "ok/may"
    in_the_way.write_text("a file, no folder")
    job_id = submit(pushing, letter("Dear patience,"), f"file://{outbox}/ok/may")

    def has_failed() -> bool:
        found = pushing.http.get("/v1/deliveries", params={"job": job_id}).json()["deliveries"]
        return any(one["last_error"] == "push_failed" for one in found)

    wait_for(has_failed)
    in_the_way.unlink()
    delivery = pushed(pushing, job_id)
    if delivery["state"] == "failed":
        # On a slow machine the short schedule may have run out before the folder was free.
        again = pushing.http.post(f"/v1/deliveries/{delivery['id']}/replay")
        assert again.status_code == 202, again.text
    wait_for((in_the_way / job_id / "job.json").exists)


@pytest.mark.parametrize(
    ("push_to", "status", "code"),
    [
        ("file:///etc/", 403, "push_not_allowed"),
        ("s3://elsewhere/out/default/", 403, "push_not_allowed"),
        (f"s3://{BUCKET}/out/other-tenant/", 403, "push_not_allowed"),
        (f"s3://{BUCKET}/out/default/../other/", 422, "url_invalid"),
        ("https://example.org/", 422, "url_invalid"),
    ],
)
def test_other_places_are_refused(pushing: Served, push_to: str, status: int, code: str) -> None:
    answer = pushing.http.post("/v1/jobs", files={"file": letter()}, data={"push_to": push_to})
    problem(answer, status, code)


def test_a_batch_is_made_of_a_prefix_and_pushed(pushing: Served, s3_server: S3, outbox: Path) -> None:
    store = s3_server.store()
    for number in range(3):
        obstore.put(store, f"inbox/default/batch/{number}.pdf", letter(f"Dear prefix {number},"))
    asked = {
        "prefix": f"s3://{BUCKET}/inbox/default/batch/",
        "options": {"push_to": f"file://{outbox}/ok/batch", "formats": ["text"]},
    }
    answer = pushing.http.post("/v1/batches", json=asked)
    assert answer.status_code == 202, answer.text
    batch = answer.json()
    assert (batch["total"], batch["counts"]["refused"]) == (3, 0)
    wait_for(lambda: len(list((outbox / "ok/batch").glob("*/job.json"))) == 3)
    texts = sorted(path.read_text() for path in (outbox / "ok/batch").glob("*/document.txt"))
    assert ["prefix 0" in texts[0], "prefix 1" in texts[1], "prefix 2" in texts[2]] == [True] * 3


def test_a_prefix_that_is_empty_too_long_or_not_allowed_is_refused(pushing: Served, s3_server: S3) -> None:
    for number in range(6):
        obstore.put(s3_server.store(), f"inbox/default/many/{number}.pdf", b"x")

    def refused(**asked: object) -> str:
        return str(pushing.http.post("/v1/batches", json=asked).json()["code"])

    assert refused(prefix=f"s3://{BUCKET}/inbox/default/none/") == "fetch_failed"
    assert refused(prefix=f"s3://{BUCKET}/inbox/default/many/") == "too_many_items"
    assert refused(prefix=f"s3://{BUCKET}/inbox/other/") == "source_not_allowed"
    assert (
        refused(prefix=f"s3://{BUCKET}/x", items=[{"url": "https://example.org/a.pdf"}]) == "validation_error"
    )
    assert refused() == "validation_error"


def test_what_may_be_pushed_to_goes_by_whole_steps_and_by_tenant() -> None:
    assert check_push_target("s3://out/anna/x/", ALLOWED, "anna") == PushTarget("s3://out", "anna/x")
    assert check_push_target("s3://out/anna", ALLOWED, "anna") == PushTarget("s3://out", "anna")
    assert check_push_target("file:///srv/out/a b", ALLOWED, "anna") == PushTarget("", "/srv/out/a b")
    for other in ("s3://out/berta/", "s3://out/", "file:///srv/outer", "file:///srv"):
        with pytest.raises(PushNotAllowed):
            check_push_target(other, ALLOWED, "anna")
    for wrong in ("file:///srv/out/../etc", "file://srv/out", "ftp://out/anna", "s3://out//anna"):
        with pytest.raises((UrlInvalid, PushNotAllowed)):
            check_push_target(wrong, ALLOWED, "anna")
    with pytest.raises(Refused):
        push_prefixes("/srv/out")
