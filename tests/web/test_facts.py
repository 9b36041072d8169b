"""The tabs Facts and Ask of the viewer, and the page of rules: values light their boxes, and rules are tried out."""

import pytest
from playwright.sync_api import Page, expect

from tests.api.test_classes_and_rules import invoice
from tests.servers import Served
from tests.web.browsers import serious_issues
from tests.web.conftest import Open


@pytest.fixture(scope="module")
def bill(mill_server: Served) -> str:
    """The id of a job with an invoice."""
    return str(mill_server.finished(invoice(), filename="bill.pdf", enrich="class")["id"])


def test_each_value_lights_its_box_on_the_page(mill_server: Served, open_page: Open, bill: str) -> None:
    page = open_page(f"{mill_server.url}/jobs/{bill}?tab=facts")
    facts = page.get_by_role("region", name="Facts")
    expect(facts.get_by_role("region", name="Class")).to_contain_text("invoice")
    value = facts.get_by_role("region", name="Entities").get_by_role("button").filter(has_text="2026-05-03")
    value.first.click()
    expect(value.first).to_have_attribute("aria-pressed", "true")
    lit = page.locator(".pane-original .spot")
    expect(lit).to_have_count(1)
    assert is_inside(page, ".pane-original .spot", ".pane-original .original")
    facts.get_by_role("button", name="Extract").click()
    total = facts.get_by_role("region", name="Extraction").get_by_role("button").filter(has_text="1190.6")
    total.click()
    expect(total).to_have_attribute("aria-pressed", "true")
    assert serious_issues(page) == []
    facts.get_by_label("JSON Schema of the values").fill("total: number")
    facts.get_by_role("button", name="Extract").click()
    expect(page.get_by_text("The JSON Schema is not JSON: ")).to_be_visible()
    facts.get_by_label("Label as example of a class").fill("bill")
    facts.get_by_role("button", name="Label").click()
    expect(page.get_by_text("is an example of bill")).to_be_visible()
    assert mill_server.http.get("/v1/classes").json()["classes"] == [{"name": "bill", "examples": 1}]
    mill_server.http.delete("/v1/classes/bill").raise_for_status()


def is_inside(page: Page, inner: str, outer: str) -> bool:
    """Whether an element is within another."""
    small, large = (page.locator(one).first.bounding_box() for one in (inner, outer))
    assert small
    assert large
    return large["x"] <= small["x"] and small["x"] + small["width"] <= large["x"] + large["width"]


def test_without_a_model_the_question_is_answered_with_what_to_do(
    mill_server: Served, open_page: Open, bill: str
) -> None:
    page = open_page(f"{mill_server.url}/jobs/{bill}?tab=ask")
    page.get_by_label("Question to this document").fill("When is it due?")
    page.get_by_role("button", name="Ask").click()
    expect(page.get_by_role("region", name="Questions")).to_contain_text("PAGEMILL_LLM_URL")


def test_a_rule_is_tried_made_changed_and_deleted(mill_server: Served, open_page: Open, bill: str) -> None:
    page = open_page(f"{mill_server.url}/rules")
    form = page.get_by_role("form", name="New rule")
    form.get_by_label("Name", exact=True).fill("Large bills")
    form.get_by_label("Class").fill("letter")
    form.get_by_label("Entities").fill("total >= 1000")
    form.get_by_label("Add tags").fill("large")
    form.get_by_label("Job for a dry run").fill(bill)
    form.get_by_role("button", name="Dry run").click()
    expect(form).to_contain_text("the class is invoice, not letter")
    form.get_by_label("Class").fill("invoice")
    form.get_by_role("button", name="Dry run").click()
    expect(form).to_contain_text("would act on this job")
    assert serious_issues(page) == []
    form.get_by_role("button", name="Add rule").click()
    row = page.get_by_role("listitem").filter(has_text="Large bills")
    expect(row).to_contain_text("invoice · total >= 1000 → large")
    [rule] = mill_server.http.get("/v1/rules").json()["rules"]
    assert rule["when"] == {"class": ["invoice"], "entities": [{"type": "total", "at_least": 1000.0}]}
    row.get_by_role("button", name="Change").click()
    changed = page.get_by_role("form", name="Change a rule")
    changed.get_by_label("Add tags").fill("large, to-approve")
    changed.get_by_label("Class").fill("invoice, invoce")
    changed.get_by_label("Entities").fill("total >= 1000 <= 5000")
    changed.get_by_label("Media type").fill("application/*")
    changed.get_by_label("Metadata").fill("customer: Foo, Inc*\nsite: 47*")
    changed.get_by_label("Priority").fill("5")
    changed.get_by_role("button", name="Save rule").click()
    expect(row).to_contain_text("large, to-approve")
    expect(page.get_by_text("The rule may never match: no class is called invoce")).to_be_visible()
    [rule] = mill_server.http.get("/v1/rules").json()["rules"]
    assert rule["when"] == {
        "class": ["invoice", "invoce"],
        "entities": [{"type": "total", "at_least": 1000.0, "at_most": 5000.0}],
        "media_type": "application/*",
        "metadata": {"customer": "Foo, Inc*", "site": "47*"},
    }
    assert rule["then"] == {"tags": ["large", "to-approve"], "priority": 5}
    row.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(row).to_have_count(0)
    assert mill_server.http.get("/v1/rules").json()["rules"] == []


@pytest.mark.parametrize(
    ("field", "text", "told"),
    [
        ("Entities", "total > 1000", "Write bounds as in total >= 1000.50 <= 5000."),
        ("Entities", "iban DE*\ntotal >= 1,000", "Write bounds as in total >= 1000.50 <= 5000."),
        ("Metadata", "customer", "Write it as in customer: 47*."),
    ],
)
def test_a_condition_that_can_not_be_read_makes_no_rule(
    mill_server: Served, open_page: Open, field: str, text: str, told: str
) -> None:
    page = open_page(f"{mill_server.url}/rules")
    form = page.get_by_role("form", name="New rule")
    form.get_by_label("Name", exact=True).fill("Large bills")
    form.get_by_label(field).fill(text)
    form.get_by_label("Add tags").fill("large")
    form.get_by_role("button", name="Add rule").click()
    expect(page.get_by_text(told)).to_be_visible()
    expect(form.get_by_label(field)).to_have_value(text)
    assert mill_server.http.get("/v1/rules").json()["rules"] == []


def test_conditions_with_commas_stay_as_they_are(mill_server: Served, open_page: Open) -> None:
    when = {
        "entities": [{"type": "organisation", "value": "Foo, Inc*"}],
        "metadata": {"customer": "Foo, Inc*", "a:b": "c"},
    }
    body = {"name": "Foo", "when": when, "then": {"tags": ["foo"]}}
    mill_server.http.post("/v1/rules", json=body).raise_for_status()
    page = open_page(f"{mill_server.url}/rules")
    row = page.get_by_role("listitem").filter(has_text="Foo")
    row.get_by_role("button", name="Change").click()
    form = page.get_by_role("form", name="Change a rule")
    form.get_by_label("Add tags").fill("foo, bar")
    form.get_by_role("button", name="Save rule").click()
    expect(row).to_contain_text("foo, bar")
    [rule] = mill_server.http.get("/v1/rules").json()["rules"]
    mill_server.http.delete(f"/v1/rules/{rule['id']}").raise_for_status()
    assert rule["when"] == when
