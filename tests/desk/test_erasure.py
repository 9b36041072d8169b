"""Deletion leaves nothing behind: the whole data folder and the bucket are searched for a marker."""

import zipfile
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import obstore
import pytest

from pagemill.db import idempotency, schema, vectors
from pagemill.desk import classes, logins, on_demand, rules, tenant_keys, tenants
from pagemill.desk.commands import remove
from pagemill.desk.contents import page_image
from pagemill.desk.corrections import Correction, correct
from pagemill.desk.enrichments import enrich_again
from pagemill.desk.extraction import extract
from pagemill.desk.runs import retry
from pagemill.desk.sweeper import Sweeper
from pagemill.desk.tenant_export import export_tenant
from pagemill.errors import Refused
from pagemill.mill import Mill
from pagemill.model.login_rules import LoginGrant
from pagemill.model.tenant_limits import TenantOverride
from pagemill.model.tenants import Scope
from pagemill.steps.accept import Callback, accept_submission
from pagemill.steps.deliver import fan_out
from pagemill.tenant_settings import refresh_limits
from pagemill.wiring import open_mill
from tests import samples
from tests.cluster.s3 import S3
from tests.faults.rows import work_off
from tests.mills import small_settings, submission
from tests.walking import files_below

MARKER = "Zanzibar-4711"
# As a full-text index has it: normalised, and without letters that it shares with the word before.
INDEXED = b"anzibar"
TENANT = "anna"
STORES = ("folder", "s3")
EXTRACT = '{"schema": {"type": "object", "properties": {"date": {"type": "string"}}}, "instructions": "Zanzibar-4711"}'


@pytest.fixture(scope="module", params=STORES)
def mill(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mill]:
    """A mill that works when the test says so, with its files in a folder or in a bucket."""
    with pytest.MonkeyPatch.context() as patch:
        changes: dict[str, object] = {}
        if request.param == "s3":
            server: S3 = request.getfixturevalue("s3_server")
            changes["blobs_url"] = f"{server.blobs_url}/erasure"
            for name, value in server.variables().items():
                patch.setenv(name, value)
        settings = small_settings(tmp_path_factory.mktemp("erasure"), sweep_seconds=3_600, **changes)
        with open_mill(settings, workers=False) as still:
            yield still


def hand_in_everything(mill: Mill, tenant: str) -> str:
    """A job with the marker wherever a caller can put it, read twice, with artifacts and images made on demand."""
    secret = mill.passwords.encrypt(MARKER) or b""
    asked = submission(
        mill,
        samples.text_pages([[f"Dear {MARKER}, this letter has one page."]]),
        idempotency_key=f"{MARKER}-once",
        receivers=(Callback(f"https://example.com/{MARKER}", ("job.completed",), secret),),
    )
    upload = replace(asked.upload, filename=f"{MARKER}.pdf")
    asked = replace(asked, tenant=tenant, upload=upload, metadata={"who": MARKER})
    job_id = accept_submission(mill, asked).job_id
    work_off(mill)
    retry(mill, tenant, job_id, only="all", password=None)
    work_off(mill)
    change = {"block": "p1-b1", "text": f"Dear {MARKER}, this was corrected."}
    correct(mill, tenant, job_id, Correction(2, [change], [], author=MARKER, key_id="hers"), mill.press)
    page_image(mill, tenant, job_id, 1, dpi=50, form="png")
    on_demand.artifact(mill, tenant, job_id, "searchable", press=mill.press)
    fan_out(mill)
    classes.add_examples(mill, tenant, "letter-to-zanzibar", [job_id], only=True)
    enrich_again(mill, tenant, job_id, ("class", "entities"))
    work_off(mill)
    extract(mill, tenant, job_id, EXTRACT, press=mill.press)
    add_marked_vectors(mill, tenant)
    return job_id


def add_marked_vectors(mill: Mill, tenant: str) -> None:
    """Give the passages of a tenant vectors whose bytes are the marker."""
    found = mill.db.read(lambda conn: vectors.results_without_vectors(conn, "m/7", 9))
    for result_id in [result_id for owner, result_id in found if owner == tenant]:
        said = mill.db.read(
            partial(vectors.texts_of_result, tenant=tenant, result_id=result_id, after=0, limit=9)
        )
        new = [(number, f"{MARKER}.".encode(), "[1,0,0,0,0,0,0]") for number, _, _ in said]
        mill.db.write(partial(vectors.add_vectors, tenant=tenant, result_id=result_id, model="m/7", new=new))


def places_with_marker(mill: Mill) -> list[str]:
    """Where the marker is: files below the data folder, objects of the bucket, columns of the database."""
    files = [(str(path), path.read_bytes()) for path in files_below(mill.settings.data_dir)]
    found = [path for path, held in files if MARKER.encode() in held or INDEXED in held]
    return [*found, *objects_with(mill, MARKER.encode()), *columns_with(mill)]


def objects_with(mill: Mill, needle: bytes) -> Iterator[str]:
    """Objects of the bucket that hold the bytes."""
    store = getattr(mill.blobs, "_store", None)
    if store is not None:
        for batch in obstore.list(store):
            for one in batch:
                if needle in bytes(obstore.get(store, one["path"]).bytes()):
                    yield one["path"]


def columns_with(mill: Mill) -> Iterator[str]:
    """Columns in which a value has the marker."""
    for table in schema.metadata.sorted_tables:
        rows = mill.db.read(lambda conn, table=table: conn.execute(table.select()).mappings().all())  # type: ignore[misc]
        for row in rows:
            yield from (f"{table.name}.{name}" for name, value in row.items() if MARKER in str(value))


def test_a_deleted_job_leaves_no_trace_of_what_was_given(mill: Mill) -> None:
    job_id = hand_in_everything(mill, "default")
    columns = {place for place in places_with_marker(mill) if "/" not in place}
    assert columns >= {"documents.filename", "jobs.metadata", "idempotency_keys.answer"}
    assert columns >= {"webhook_endpoints.url", "webhook_deliveries.payload", "passage_vectors.vector"}
    assert classes.count_examples(mill, "default") == {"letter-to-zanzibar": 1}
    remove(mill, "default", job_id)
    assert list(columns_with(mill)) == []
    # What labelled documents leave behind is gone with them.
    assert classes.count_examples(mill, "default") == {}
    Sweeper(mill, 0.0).clean_up()
    assert places_with_marker(mill) == []


def test_a_deleted_tenant_leaves_nothing_but_lines_of_the_audit_log(mill: Mill, tmp_path: Path) -> None:
    made = tenant_keys.add(mill.db, TENANT, "laptop")
    somebody = LoginGrant(subject=f"id of {MARKER}", name=MARKER, tenant=TENANT, scope=Scope.READ)
    login = logins.start_login(mill.db, somebody, lifetime_seconds=3_600)
    assert tenant_keys.holder_of_id(mill.db, login.id) is not None
    job_id = hand_in_everything(mill, TENANT)
    rules.add_rule(mill, TENANT, rules.WantedRule(MARKER, {"tags": [MARKER]}, {"tags": [MARKER]}))
    exported = export_tenant(mill.db, mill.blobs, TENANT, tmp_path / "export.zip")
    assert exported.missing == ()
    assert (tmp_path / "export.zip").stat().st_mode & 0o777 == 0o600
    with zipfile.ZipFile(tmp_path / "export.zip") as package:
        assert MARKER in package.read(f"jobs/{job_id}/result/document.md").decode()
        assert package.read(f"jobs/{job_id}/document/{MARKER}.pdf").startswith(b"%PDF")
        assert MARKER in package.read("rows/jobs.jsonl").decode()
        keys = package.read("rows/api_keys.jsonl").decode()
        assert made.row.id in keys
        assert tenant_keys.hash_key(made.key.encode()) not in keys
    with pytest.raises(Refused, match="can't be written"):
        export_tenant(mill.db, mill.blobs, TENANT, tmp_path / "export.zip")
    erased = tenants.delete_tenant(mill.db, mill.blobs, TENANT)
    assert (erased.jobs, erased.rows["jobs"]) == (1, 1)
    assert places_with_marker(mill) == []
    left = {
        table.name
        for table in schema.metadata.sorted_tables
        if "tenant" in table.c
        and mill.db.read(
            lambda conn, table=table: conn.execute(table.select().where(table.c.tenant == TENANT)).first()  # type: ignore[misc]
        )
    }
    assert left == {"api_keys", "audit_log"}
    for key_id in (made.row.id, login.id):
        assert tenant_keys.holder_of_id(mill.db, key_id) is None
    with pytest.raises(Refused, match="no tenant nobody"):
        tenants.delete_tenant(mill.db, mill.blobs, "nobody")


def test_a_tenant_has_limits_and_a_retention_of_its_own(mill: Mill) -> None:
    sooner = submission(mill, samples.letter())
    job_id = accept_submission(mill, replace(sooner, tenant="bert")).job_id
    override = TenantOverride("bert", retention_seconds=60.0, max_pending_jobs=7)
    assert tenants.change_limits(mill.db, override) == 1
    assert override in tenants.list_tenants(mill.db)
    refresh_limits(mill)
    limits = mill.limits.of("bert")
    assert (limits.max_pending_jobs, mill.limits.of("anna").max_pending_jobs) == (7, 100_000)
    assert [limits.keep_seconds(asked) for asked in (None, 10.0, 9_999.0)] == [60.0, 10.0, 60.0]
    expires_at, created_at = mill.db.read(
        lambda conn: conn.execute(
            schema.jobs.select()
            .with_only_columns(schema.jobs.c.expires_at, schema.jobs.c.created_at)
            .where(schema.jobs.c.id == job_id)
        ).one()
    )
    assert expires_at == created_at + 60
    tenants.change_limits(mill.db, TenantOverride("bert"))
    refresh_limits(mill)
    assert mill.limits.of("bert") == mill.limits.of("anna")


def test_a_document_that_was_never_fetched_is_not_missing_in_an_export(mill: Mill, tmp_path: Path) -> None:
    asked = submission(mill, samples.letter())
    unfetched = replace(asked, tenant="never", upload=replace(asked.upload, sha256="", size_bytes=0))
    accept_submission(mill, unfetched)
    assert export_tenant(mill.db, mill.blobs, "never", tmp_path / "never.zip").missing == ()
    with zipfile.ZipFile(tmp_path / "never.zip") as package:
        assert not [name for name in package.namelist() if name.startswith("jobs/")]


def test_the_key_of_a_deleted_job_is_still_known_though_it_is_not_kept(mill: Mill) -> None:
    asked = replace(
        submission(mill, samples.letter("Dear repeater,"), idempotency_key=f"{MARKER}-again"), tenant="carl"
    )
    job_id = accept_submission(mill, asked).job_id
    for _ in range(2):
        mill.db.write(lambda tx: idempotency.erase(tx, "carl", job_id))
    known = mill.db.read(lambda conn: idempotency.find(conn, "carl", f"{MARKER}-again"))
    assert known is not None
    assert (known.job_id, known.answer) == (job_id, b"")
    assert mill.db.read(lambda conn: idempotency.find(conn, "bert", f"{MARKER}-again")) is None
