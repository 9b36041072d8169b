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
    "B17 tus, a wrong offset": "api/test_resumable_uploads.py::test_a_wrong_offset_is_answered_with_the_right_one",
    "B18 tus, another version": "api/test_resumable_uploads.py::test_another_version_of_the_protocol_is_refused",
    "B19 tus, past the end": "api/test_resumable_uploads.py::test_bytes_past_the_announced_length_are_refused_and_change_nothing",
    "B21 tus, after its time": "api/test_resumable_uploads.py::test_an_upload_that_is_given_up_or_expired_is_gone",
    "B22 tus, bad metadata": "api/test_resumable_uploads.py::test_an_upload_that_makes_no_sense_is_refused",
    "B23 URL, other schemes": "api/test_by_url.py::test_a_url_whose_spelling_is_enough_is_refused_at_once",
    "B24 URL, internal addresses": "outbound/test_forbidden_addresses.py::test_an_internal_address_is_refused_in_every_spelling",
    "B26 URL, what can't be had": "api/test_by_url.py::test_what_can_t_be_had_fails_with_its_code_and_leaves_nothing",
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
    "G2 webhook, checked again": "webhooks/test_schedule.py::test_an_address_that_is_forbidden_by_now_is_not_tried_again",
    "G3 webhook, a redirect": "webhooks/test_schedule.py::test_a_redirect_is_a_failure_and_is_not_followed",
    "G4 webhook, 410": "webhooks/test_schedule.py::test_a_receiver_that_is_gone_is_disabled_with_an_event",
    "G5 webhook, Retry-After": "webhooks/test_schedule.py::test_waits_that_receivers_ask_for_are_capped_and_dates_are_understood",
    "G6 webhook, hanging": "webhooks/test_isolation.py::test_a_receiver_that_hangs_is_cut_off_in_time",
    "G6 webhook, endless": "outbound/test_outbound_limits.py::test_an_endless_answer_to_a_post_is_cut_off",
    "G6 webhook, others": "webhooks/test_isolation.py::test_a_hanging_receiver_delays_no_other_and_no_job",
    "G8 webhook, certificates": "webhooks/test_schedule.py::test_an_expired_certificate_is_a_failure_that_is_tried_again",
    "G9 webhook, a long event": "webhooks/test_delivery.py::test_a_payload_is_thin_whatever_the_event_holds",
    "G11 webhook, secrets": "webhooks/test_schedule.py::test_the_log_keeps_a_short_answer_without_secrets",
    "G12 webhook, deleted": "webhooks/test_schedule.py::test_what_waits_for_an_endpoint_that_is_deleted_is_cancelled",
    "H7 a tenant that is named": "api/test_foreign_ids.py::test_a_tenant_in_a_header_a_query_or_a_body_changes_nothing",
    "H8 changed links": "api/test_direct_uploads.py::test_an_artifact_in_a_folder_is_fetched_by_a_link_for_it_alone",
    "H9 revoked meanwhile": "api/test_keys.py::test_an_upload_whose_key_is_revoked_is_refused_and_leaves_nothing",
}


@pytest.mark.parametrize("row", ELSEWHERE)
def test_the_test_of_a_row_exists(row: str) -> None:
    file, name = ELSEWHERE[row].split("::")
    tree = ast.parse((TESTS / file).read_text())
    assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
