"""Classes and routing rules over HTTP: labelled, decided, logged in the timeline, tried without doing, and refused clearly."""

import io
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from reportlab.pdfgen.canvas import Canvas
from typer.testing import CliRunner

from pagemill.desk import tenants
from pagemill.entrypoints.cli.app import app
from pagemill.mill import DEFAULT_TENANT
from pagemill.model.routing_rules import RulesOfTenants
from pagemill.model.tenant_limits import TenantOverride
from pagemill.tenant_settings import refresh_limits
from tests.http_receivers import receiving_http
from tests.mills import small_settings
from tests.reading.test_parts import stack
from tests.samples import text_pages
from tests.servers import Served, served
from tests.waiting import wait_for
from tests.webhooks.around import LOCAL

CANTEEN = "To all staff: the canteen is closed on {} because of the party of the {} team."


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that results may be pushed to."""
    return tmp_path_factory.mktemp("pushed")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, folder: Path) -> Iterator[Served]:
    """A server that may notify this machine and push to a folder."""
    changes = {"outbound_allow": LOCAL, "push_prefixes": f"file://{folder}/"}
    with served(small_settings(tmp_path_factory.mktemp("rules"), **changes)) as running:
        yield running


@pytest.fixture(autouse=True)
def _without_rules(server: Served) -> Iterator[None]:
    """Each test has the rules that it makes."""
    yield
    for rule in server.http.get("/v1/rules").json()["rules"]:
        server.http.delete(f"/v1/rules/{rule['id']}").raise_for_status()


def invoice(total: str = "1,190.60") -> bytes:
    """A page that rules know the type of."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, (595, 842), invariant=True)
    canvas.setFont("Helvetica-Bold", 20)
    canvas.drawString(60, 780, "Invoice")
    canvas.setFont("Helvetica", 11)
    for place, line in enumerate(("Invoice number: A-17", "Due date: 3 May 2026", f"Total due: EUR {total}")):
        canvas.drawString(60, 720 - 40 * place, line)
    canvas.save()
    return buffer.getvalue()


def memo(day: str, team: str) -> bytes:
    """A page that no rule of ours knows a type for."""
    return text_pages([[CANTEEN.format(day, team)]])


def add_rule(server: Served, name: str, when: dict[str, Any], then: dict[str, Any], **more: Any) -> Any:
    """A rule that was made."""
    answer = server.http.post("/v1/rules", json={"name": name, "when": when, "then": then, **more})
    assert answer.status_code == 201, answer.text
    return answer.json()


def timeline(server: Served, job: dict[str, Any]) -> list[dict[str, Any]]:
    """The events of a job."""
    log = server.http.get(f"/v1/jobs/{job['id']}/events", headers={"accept": "application/json"}).json()
    found: list[dict[str, Any]] = log["events"]
    return found


def test_a_document_gets_the_class_of_labelled_documents_like_it(server: Served) -> None:
    first = server.finished(memo("Monday", "blue"), enrich="class")
    assert (first["classification"]["name"], first["classification"]["by"]) == ("unknown", "none")
    labelled = server.http.put("/v1/classes/memo/examples", json={"job_ids": [first["id"]]})
    assert labelled.json()["examples"][0]["job_id"] == first["id"]
    second = server.finished(memo("Friday", "green"), enrich="class")
    found = second["classification"]
    assert (found["name"], found["by"], found["type"]) == ("memo", "examples", "unknown")
    assert first["id"] in found["reasons"][0]
    assert [one["facts"]["class"] for one in timeline(server, second) if one["type"] == "job.classified"] == [
        "memo"
    ]
    listed = server.http.get("/v1/jobs", params={"class": "memo"}).json()["jobs"]
    assert [job["id"] for job in listed] == [second["id"]]
    hits = server.http.get("/v1/search", params={"q": "canteen", "class": "memo"}).json()["hits"]
    assert {hit["job_id"] for hit in hits} == {second["id"]}
    assert server.http.get("/v1/search", params={"q": "canteen", "class": "bill"}).json()["hits"] == []
    # A document by rules alone keeps what they say.
    assert server.finished(invoice(), enrich="class")["classification"]["name"] == "invoice"
    assert server.http.get("/v1/classes").json() == {"classes": [{"name": "memo", "examples": 1}]}
    # An example goes with its job, and a class with its last example.
    server.http.delete(f"/v1/jobs/{first['id']}").raise_for_status()
    assert server.http.get("/v1/classes").json() == {"classes": []}
    assert server.http.get("/v1/classes/memo/examples").status_code == 404
    third = server.finished(memo("Sunday", "red"), enrich="class")
    assert third["classification"]["name"] == "unknown"


def test_examples_are_added_moved_and_removed(server: Served) -> None:
    jobs = [server.finished(memo(day, "tea"))["id"] for day in ("Monday", "Tuesday")]
    server.http.put("/v1/classes/one/examples", json={"job_ids": jobs[:1]}).raise_for_status()
    added = server.http.post("/v1/classes/one/examples", json={"job_ids": jobs[1:]}).json()
    assert [one["job_id"] for one in added["examples"]] == jobs
    # A job is an example of one class.
    server.http.put("/v1/classes/two/examples", json={"job_ids": jobs[1:]}).raise_for_status()
    counts = {one["name"]: one["examples"] for one in server.http.get("/v1/classes").json()["classes"]}
    assert (counts["one"], counts["two"]) == (1, 1)
    assert server.http.delete(f"/v1/classes/one/examples/{jobs[1]}").status_code == 404
    assert server.http.delete(f"/v1/classes/one/examples/{jobs[0]}").status_code == 204
    assert server.http.delete("/v1/classes/two").status_code == 204
    assert server.http.delete("/v1/classes/two").status_code == 404
    refused = server.http.put("/v1/classes/No Class/examples", json={"job_ids": jobs})
    assert (refused.status_code, refused.json()["code"]) == (422, "validation_error")
    unknown = server.http.put("/v1/classes/one/examples", json={"job_ids": [jobs[0], "nobody"]})
    assert (unknown.status_code, "'nobody'" in unknown.json()["detail"]) == (404, True)
    reserved = server.http.put("/v1/classes/unknown/examples", json={"job_ids": jobs})
    assert (reserved.status_code, "is not unknown" in reserved.json()["detail"]) == (422, True)


def test_rules_by_the_submission_set_options_labels_and_lane_when_it_is_accepted(server: Served) -> None:
    then = {
        "options": {"ocr": "off", "enrich": ["entities"]},
        "lane": "bulk",
        "priority": 3,
        "tags": ["mail"],
    }
    add_rule(server, "Mail", {"filename": "mail-*", "tags": ["new"]}, then)
    add_rule(server, "Elsewhere", {"filename": "*.eml"}, {"tags": ["never"]})
    job = server.finished(memo("Monday", "mail"), filename="mail-17.pdf", tags="new", collection="mine")
    assert (job["options"]["ocr"], job["options"]["enrich"]) == ("off", ["entities"])
    assert (job["lane"], job["priority"]) == ("bulk", 3)
    assert job["metadata"] == {"tags": "new, mail", "collection": "mine"}
    [routed] = [one for one in timeline(server, job) if one["type"] == "job.routed"]
    assert (routed["seq"], routed["facts"]["rules"], routed["facts"]["decided_by"]) == (
        2,
        "Mail",
        "submission",
    )
    other = server.finished(memo("Monday", "mail"), filename="mail-17.pdf")
    assert "tags" not in other["metadata"]


def test_rules_by_the_result_tag_notify_and_push_before_the_job_ends(server: Served, folder: Path) -> None:
    with receiving_http() as receiver:
        when = {"class": ["invoice"], "entities": [{"type": "total", "at_least": 1000}]}
        place = f"file://{folder}/large"
        then = {"tags": ["large"], "collection": "invoices", "webhook_url": receiver.url, "push_to": place}
        add_rule(server, "Large", when, then)
        job = server.finished(invoice(), filename="large.pdf")
        assert job["options"]["enrich"] == ["class", "entities"]
        assert job["metadata"] == {"tags": "large", "collection": "invoices"}
        kinds = [one["type"] for one in timeline(server, job)]
        assert kinds.index("job.classified") < kinds.index("job.routed") < kinds.index("job.completed")
        wait_for(lambda: bool(receiver.requests))
        wait_for((folder / "large" / job["id"] / "job.json").exists)
        small = server.finished(memo("Monday", "cheap"))
        assert small["metadata"] == {}
        # What is decided by the result is decided each time.
        assert server.finished(invoice(), filename="again.pdf")["reused"] is False


def test_a_rule_by_the_result_has_the_document_read_again_with_its_options(server: Served) -> None:
    add_rule(server, "Careful", {"class": ["invoice"]}, {"options": {"mode": "accurate"}, "lane": "bulk"})
    job = server.ended(server.submit(invoice(), filename="careful.pdf")["id"], revision=2)
    assert (job["run"], job["lane"], job["options"]["mode"]) == (2, "bulk", "accurate")
    assert job["classification"]["name"] == "invoice"
    server.http.delete(f"/v1/rules/{server.http.get('/v1/rules').json()['rules'][0]['id']}")
    add_rule(server, "Facts", {"class": ["invoice"]}, {"options": {"enrich": ["facts"]}})
    job = server.ended(server.submit(invoice(), filename="facts.pdf")["id"], revision=2)
    assert job["options"]["enrich"] == ["class", "facts"]
    assert server.http.get(f"/v1/jobs/{job['id']}/enrichments/facts").status_code == 200


def test_a_result_that_rules_have_read_again_is_announced_once_with_the_facts_of_its_run(
    server: Served,
) -> None:
    with receiving_http() as receiver:
        then = {"options": {"mode": "accurate"}, "lane": "bulk", "webhook_url": receiver.url}
        add_rule(server, "Announced", {"class": ["invoice"]}, then)
        job = server.ended(server.submit(invoice("77.00"), filename="announced.pdf")["id"], revision=2)
        log = timeline(server, job)
        kinds = [one["type"] for one in log]
        assert kinds.index("job.published") < kinds.index("job.retried") < kinds.index("job.completed")
        assert kinds.count("job.completed") == 1
        assert [one["seq"] for one in log] == list(range(1, len(log) + 1))
        facts = log[kinds.index("job.published")]["facts"]
        assert (facts["rules"], facts["run"], facts["pages"]) == ("Announced", 1, 1)
        wait_for(lambda: bool(receiver.requests))
        told = [json.loads(one.body) for one in receiver.requests]
        assert [one["type"] for one in told] == ["job.completed"]
        assert (told[0]["data"]["run"], told[0]["data"]["processed_pages"]) == (2, 1)


def test_a_dry_run_says_what_each_rule_would_do_and_changes_nothing(server: Served) -> None:
    job = server.finished(invoice(), filename="dry.pdf")
    draft = {"name": "Draft", "when": {"class": ["letter"]}, "then": {"tags": ["x"]}}
    found = server.http.post(f"/v1/jobs/{job['id']}/rules", json={"rules": [draft]}).json()
    assert found["classification"]["name"] == "invoice"
    [trial] = found["rules"]
    assert (trial["matches"], trial["decided_by"]) == (False, "result")
    assert trial["unmet"] == ["the class is invoice, not letter"]
    add_rule(server, "Last", {"filename": "*"}, {"tags": ["last"]})
    add_rule(server, "First", {"filename": "dry*"}, {"tags": ["first"]}, position=0, stop=True)
    trials = server.http.post(f"/v1/jobs/{job['id']}/rules").json()["rules"]
    assert [(one["name"], one["matches"], one["acts"]) for one in trials] == [
        ("First", True, True),
        ("Last", True, False),
    ]
    assert server.http.get(f"/v1/jobs/{job['id']}").json() == job


def test_the_languages_of_a_rule_are_kept_as_those_of_a_submission(server: Served) -> None:
    made = add_rule(server, "Spoken", {"tags": ["a"]}, {"options": {"languages": ["DE", "de", " en"]}})
    assert made["then"]["options"]["languages"] == ["de", "en"]


def test_rules_are_read_again_only_after_they_changed(server: Served) -> None:
    mill = replace(server.mill, rules=RulesOfTenants())
    kept = add_rule(server, "Kept", {"tags": ["a"]}, {"tags": ["b"]})
    gone = add_rule(server, "Gone", {"tags": ["a"]}, {"tags": ["c"]})
    refresh_limits(mill)
    read = mill.rules.of(DEFAULT_TENANT)
    assert [one.name for one in read] == ["Kept", "Gone"]
    refresh_limits(mill)
    assert mill.rules.of(DEFAULT_TENANT) is read
    server.http.delete(f"/v1/rules/{gone['id']}").raise_for_status()
    refresh_limits(mill)
    assert [one.id for one in mill.rules.of(DEFAULT_TENANT)] == [kept["id"]]


def test_rules_are_changed_and_removed(server: Served) -> None:
    made = add_rule(server, "One", {"tags": ["a"]}, {"tags": ["b"]})
    changed = server.http.put(
        f"/v1/rules/{made['id']}",
        json={"name": "Two", "when": {"tags": ["c"]}, "then": {"tags": ["d"]}, "enabled": False},
    ).json()
    assert (changed["name"], changed["position"], changed["enabled"]) == ("Two", made["position"], False)
    assert changed.pop("warnings") == ["no document has the tag c so far, and no rule adds it"]
    assert server.http.get(f"/v1/rules/{made['id']}").json() == changed
    assert server.finished(memo("Monday", "off"), tags="c")["metadata"] == {"tags": "c"}
    assert server.http.delete(f"/v1/rules/{made['id']}").status_code == 204
    assert server.http.get(f"/v1/rules/{made['id']}").status_code == 404


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"when": {}, "then": {"tags": ["a"]}}, "/when"),
        ({"when": {"tags": ["a"]}, "then": {}}, "/then"),
        ({"when": {"tags": ["a,b"]}, "then": {"tags": ["a"]}}, "/when/tags"),
        ({"when": {"class": ["No Class"]}, "then": {"tags": ["a"]}}, "/when/class/0"),
        ({"when": {"tags": ["a"]}, "then": {"options": {"enrich": ["magic"]}}}, "/then/options/enrich/0"),
        ({"when": {"tags": ["a"]}, "then": {"options": {"languages": ["xx1"]}}}, "/then/options/languages"),
        ({"when": {"tags": ["a"]}, "then": {"lane": "slow"}}, "/then/lane"),
        ({"when": {"class": ["invoice"]}, "then": {"lane": "bulk"}}, "/then/lane"),
        ({"when": {"colour": "red"}, "then": {"tags": ["a"]}}, "/when/colour"),
        (
            {"when": {"entities": [{"type": "total", "at_least": 9, "at_most": 1}]}, "then": {"tags": ["a"]}},
            "/when/entities/0/at_most",
        ),
        (
            {"when": {"entities": [{"type": "date", "at_least": 2026}]}, "then": {"tags": ["a"]}},
            "/when/entities/0/at_least",
        ),
        (
            {"when": {"collection": "bills", "metadata": {"collection": "x*"}}, "then": {"tags": ["a"]}},
            "/when/metadata/collection",
        ),
    ],
)
def test_rules_that_make_no_sense_are_refused(server: Served, body: dict[str, Any], pointer: str) -> None:
    answer = server.http.post("/v1/rules", json={"name": "Wrong", **body})
    assert (answer.status_code, answer.json()["code"]) == (422, "validation_error")
    assert f'"{pointer}"' in answer.text


def test_names_that_nothing_has_are_warned_of(server: Served) -> None:
    when = {"class": ["invoice", "invoce"], "tags": ["unheard"], "entities": [{"type": "totl"}]}
    made = add_rule(server, "Misspelt", when, {"tags": ["later"]})
    assert len(made["warnings"]) == 3
    for name, warning in zip(("invoce", "unheard", "totl"), made["warnings"], strict=True):
        assert name in warning
    # A tag that a rule adds can be there.
    assert add_rule(server, "After", {"tags": ["later"]}, {"collection": "x"})["warnings"] == []
    job = server.finished(memo("Monday", "blue"), filename="dry.pdf")
    trials = server.http.post(f"/v1/jobs/{job['id']}/rules").json()["rules"]
    assert [len(one["warnings"]) for one in trials] == [3, 0]


def test_addresses_of_rules_are_checked_like_those_of_submissions(server: Served) -> None:
    for then, code in (
        ({"webhook_url": "ftp://example.com/"}, "webhook_url_invalid"),
        ({"push_to": "file:///etc/"}, "push_not_allowed"),
    ):
        answer = server.http.post("/v1/rules", json={"name": "x", "when": {"tags": ["a"]}, "then": then})
        assert answer.json()["code"] == code, answer.text


def test_a_stack_of_scans_is_split_into_documents_of_their_own(server: Served) -> None:
    add_rule(server, "Stacks", {"filename": "stack-?.pdf"}, {"options": {"split": "auto"}})
    parent = server.finished(stack(), filename="stack-1.pdf")
    assert parent["options"]["split"] == "auto"
    suggested = server.http.get(f"/v1/jobs/{parent['id']}/parts").json()["parts"]
    family = server.http.get(f"/v1/jobs/{parent['id']}/children").json()
    assert [one["name"] for one in family["children"]] == [
        "stack-1, pages 1-3.pdf",
        "stack-1, page 5.pdf",
        "stack-1, page 7.pdf",
    ]
    assert len(suggested) == 3
    children = [server.ended(one["job_id"]) for one in family["children"]]
    assert [one["total_pages"] for one in children] == [3, 1, 1]
    assert "split" not in children[0]["options"]
    assert "Invoice number" in server.http.get(f"/v1/jobs/{children[0]['id']}/text").text
    assert "Dear reader" in server.http.get(f"/v1/jobs/{children[1]['id']}/text").text
    # A document that is one has no children.
    alone = server.finished(memo("Monday", "one"), split="auto")
    assert server.http.get(f"/v1/jobs/{alone['id']}/children").json()["children"] == []
    assert server.http.get(f"/v1/jobs/{alone['id']}/enrichments/parts").status_code == 200


def test_a_tenant_has_enrichments_of_its_own(server: Served) -> None:
    override = TenantOverride(DEFAULT_TENANT, enrich="class, entities")
    tenants.change_limits(server.mill.db, override)
    refresh_limits(server.mill)
    try:
        job = server.finished(memo("Monday", "usual"), enrich="facts")
        assert job["options"]["enrich"] == ["facts", "class", "entities"]
    finally:
        tenants.change_limits(server.mill.db, TenantOverride(DEFAULT_TENANT))
        refresh_limits(server.mill)


def test_the_command_line_looks_after_rules_and_classes(server: Served, tmp_path: Path) -> None:
    def run(*words: str) -> str:
        ran = CliRunner().invoke(app, [*words, "--server", server.url])
        assert ran.exit_code == 0, ran.output
        return ran.stdout.strip()

    (tmp_path / "bill.pdf").write_bytes(invoice("7,000.00"))
    order = {"schema": {"type": "object", "properties": {"total": {"type": "number"}}}}
    (tmp_path / "order.json").write_text(json.dumps(order))
    flags = ("--enrich", "class", "--extract", str(tmp_path / "order.json"), "--split", "suggest", "--wait")
    job_id = run("submit", str(tmp_path / "bill.pdf"), *flags)
    job = server.http.get(f"/v1/jobs/{job_id}").json()
    assert (job["options"]["enrich"], job["options"]["split"]) == (["class"], "suggest")
    made = server.http.get(f"/v1/jobs/{job_id}/enrichments/extraction").json()
    assert made["record"] == {"total": 7000.0}
    rule = {"name": "Bills", "when": {"class": ["invoice"]}, "then": {"tags": ["bill"]}}
    (tmp_path / "rule.json").write_text(json.dumps(rule))
    rule_id = run("rules", "add", str(tmp_path / "rule.json"))
    assert "Bills: would act" in run("rules", "try", job_id)
    (tmp_path / "rule.json").write_text(json.dumps(rule | {"when": {"class": ["letter"]}}))
    assert run("rules", "change", rule_id, str(tmp_path / "rule.json")) == rule_id
    assert "the class is invoice, not letter" in run("rules", "try", job_id)
    assert rule_id in run("rules", "list")
    run("rules", "remove", rule_id)
    assert run("classes", "label", "big-bill", job_id) == "big-bill has 1 example"
    assert "big-bill" in run("classes", "list")
    run("classes", "remove", "big-bill")
    refused = CliRunner().invoke(app, ["ask", "When?", "--job", job_id, "--server", server.url])
    assert refused.exit_code != 0
