"""Rows of bad inputs that need more than a request or a document: each has a test elsewhere, which is named here."""

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
# Row -> the file below tests/, and the test that shows its answer.
ELSEWHERE = {
    "A16 a body that breaks off": "api/test_wire.py::test_a_body_that_breaks_off_leaves_nothing_behind",
    "A17 slow uploads": "api/test_wire.py::test_an_upload_that_dawdles_is_given_up",
    "B16 a client that leaves": "api/test_wire.py::test_a_body_that_breaks_off_leaves_nothing_behind",
    "D20 a page that takes too long": "faults/test_bad_pages.py::test_a_bad_page_is_named_and_all_others_are_delivered",
    "D29 crash after crash": "steps/test_document_budget.py::test_a_document_that_only_crashes_is_given_up",
    "D30 a page that every provider takes long for": "steps/test_document_budget.py::test_the_tries_of_a_page_share_its_time",
    "D30 forms in forms": "steps/test_document_budget.py::test_a_form_that_draws_itself_without_end_costs_its_own_page_alone",
    "E1 many jobs": "api/test_gate.py::test_more_jobs_than_may_wait_are_refused_until_some_are_done",
    "E2 many uploads": "api/test_keys.py::test_large_uploads_are_limited_for_a_tenant_and_in_all",
    "E3 many watchers": "api/test_watching.py::test_not_too_many_wait_at_once",
    "E4 a large job of another": "api/test_batches.py::test_a_single_document_does_not_wait_for_a_batch_that_came_before",
    "E5 spinning": "press/test_press_limits.py::test_native_code_that_holds_the_interpreter_is_ended_too",
    "E6 memory": "faults/test_bad_pages.py::test_a_bad_page_is_named_and_all_others_are_delivered",
    "E7 processes and disk": "press/test_sandbox.py::test_a_child_that_fills_the_disk_is_ended",
    "E8 a full disk": "api/test_gate.py::test_documents_are_refused_while_the_disk_is_nearly_full",
    "E9 streams of one tenant": "api/test_keys.py::test_a_tenant_waits_with_so_many_requests_and_others_are_served",
    "E10 clients that do not read": "api/test_wire.py::test_a_caller_who_does_not_read_is_cut_off",
    "F3 result of a failed job": "bad_inputs/test_documents.py::test_a_bad_document_gets_its_answer",
    "F12 the key of another": "api/test_tenants.py::test_an_idempotency_key_of_another_tenant_is_another_key",
    "F15 one bad item": "api/test_batches.py::test_a_form_of_files_is_one_batch_and_what_is_no_document_stops_nothing",
    "H7 a tenant that is named": "api/test_foreign_ids.py::test_a_tenant_in_a_header_a_query_or_a_body_changes_nothing",
    "H8 changed links": "api/test_direct_uploads.py::test_an_artifact_in_a_folder_is_fetched_by_a_link_for_it_alone",
    "H9 revoked meanwhile": "api/test_keys.py::test_an_upload_whose_key_is_revoked_is_refused_and_leaves_nothing",
}


@pytest.mark.parametrize("row", ELSEWHERE)
def test_the_test_of_a_row_exists(row: str) -> None:
    file, name = ELSEWHERE[row].split("::")
    tree = ast.parse((TESTS / file).read_text())
    assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
