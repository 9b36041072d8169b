"""Faults between machines, what must still hold, and the tests that cause them."""

from tests.faults.fault_row import Row

# Faults between machines; they are counted apart, from this number on.
BETWEEN = 200
MACHINE_ROWS = (
    Row(
        BETWEEN + 1,
        "two installations on one bucket and prefix, or one pointed at an empty database",
        "the second does not start, nothing is swept; `pagemill admin adopt` is explicit",
        (
            "test_two_installations_do_not_share_a_bucket",
            "test_a_second_installation_on_the_same_files_does_not_start",
            "test_files_of_another_installation_are_refused_and_not_swept",
            "test_an_empty_database_does_not_take_documents_that_say_no_owner",
            "test_adopted_files_change_hands",
        ),
    ),
    Row(
        BETWEEN + 2,
        "yesterday's database beside newer files; a lost PUT; a lifecycle rule of the bucket",
        "a missing file is 410 and its result answers no submission; `admin verify --repair` reads again and deletes again",
        (
            "test_a_result_that_the_bucket_has_lost_is_gone_and_the_document_is_read_again",
            "test_the_procedure_for_a_shared_database_brings_everything_back",
            "test_files_that_are_missing_damaged_or_unnamed_are_found_and_read_again",
            "test_a_document_whose_result_was_found_damaged_is_read_again",
        ),
    ),
    Row(
        BETWEEN + 3,
        "older and newer engines, or a machine without an OCR engine, beside others",
        "a run stays with its engines or is read again; a worker leaves to others what they read better",
        (
            "test_a_run_stays_with_the_engine_that_began_it_or_is_read_again",
            "test_a_run_stays_with_the_engines_that_opened_its_document",
            "test_a_run_whose_engines_are_gone_is_read_again_as_a_whole",
            "test_a_run_that_is_read_again_is_opened_in_the_lane_where_it_waited",
            "test_a_worker_without_an_engine_leaves_documents_to_those_that_have_it",
            "test_an_office_file_that_is_to_be_rendered_is_left_to_workers_that_have_libreoffice",
            "test_a_page_that_no_worker_could_recognise_is_told_by_the_job_and_its_result_not_used_again",
            "test_a_result_is_kept_under_the_engines_that_read_it",
        ),
    ),
    Row(
        BETWEEN + 4,
        "failover to a replica that lacks the last commits",
        "a worker gives back claims that the rows have again and it does not know; an alert on chunks held long",
        (
            "test_a_replica_that_lacks_the_last_seconds_takes_over",
            "test_claims_that_a_failover_brought_back_are_given_back",
            "test_a_claim_that_its_worker_does_not_know_is_given_back_uncounted",
            "test_how_long_work_waits_and_is_held_is_counted_by_lane",
        ),
    ),
    Row(
        BETWEEN + 5,
        "a ready row with a lane or step that this version does not know",
        "it is left to others, and named by `admin stuck`; all other work goes on",
        (
            "test_work_of_a_version_that_is_not_known_here_holds_up_no_other",
            "test_a_chunk_of_an_unknown_step_is_left_to_other_workers",
            "test_work_of_another_version_is_left_alone_and_told",
        ),
    ),
    Row(
        BETWEEN + 6,
        "the heartbeat of a worker is dead while its work goes on",
        "it claims nothing, and its liveness probe fails; the same worker counts once as lost for a document",
        (
            "test_a_worker_whose_heartbeat_hangs_claims_nothing_and_has_to_be_restarted",
            "test_a_worker_that_vanishes_again_with_the_same_work_costs_nothing",
            "test_a_worker_without_a_heartbeat_claims_nothing",
            "test_a_process_whose_heartbeat_is_not_written_is_late_and_one_that_does_not_try_has_stopped",
        ),
    ),
    Row(
        BETWEEN + 7,
        "the bucket answers 200 with a wrong byte",
        "downloads are cut or 410, logged and counted; workers fetch again",
        (
            "test_a_wrong_byte_of_the_bucket_is_not_handed_out",
            "test_a_small_file_with_a_wrong_byte_is_not_sent",
            "test_a_large_file_with_a_wrong_byte_is_cut_before_its_end",
        ),
    ),
    Row(
        BETWEEN + 8,
        "a full scratch disk, or no bucket, on one worker of several",
        "it pauses, turns unready, says why, and comes back by itself",
        (
            "test_a_worker_that_has_lost_its_bucket_pauses_and_comes_back",
            "test_a_worker_pauses_longer_each_time_its_storage_fails_it",
            "test_a_worker_says_why_it_pauses_after_several_turns_and_no_more_once_one_succeeds",
        ),
    ),
    Row(
        BETWEEN + 9,
        "the clock of the database goes back an hour and a worker is killed",
        "its claims are free after a lease: rows that do not change are silent, whatever their times",
        (
            "test_the_clock_of_the_database_goes_back_an_hour_and_a_worker_is_killed",
            "test_claims_of_a_dead_worker_are_free_though_its_times_are_in_the_future",
            "test_a_dead_worker_with_a_time_in_the_future_is_silent_after_a_lease",
            "test_a_database_clock_that_is_set_back_or_forth_makes_no_living_worker_silent",
        ),
    ),
    Row(
        BETWEEN + 10,
        "an object is readable only after seconds",
        "it is waited for (`PAGEMILL_BLOBS_MISSING_SECONDS`), and nothing counts against the document",
        (
            "test_a_document_that_the_bucket_shows_late_is_read",
            "test_a_document_whose_file_shows_late_is_read",
        ),
    ),
    Row(
        BETWEEN + 11,
        "1,000 tenants with work waiting and 5,000 chunks running",
        "a claim costs what it does with one tenant (`make bench BENCH=claims`), and each tenant is served once in a round",
        (
            "test_every_tenant_is_served_once_in_a_round_however_many_wait",
            "test_a_tenant_past_the_window_is_found_when_those_before_it_have_to_wait",
        ),
    ),
)
# Where the tests are that are not in this folder.
OTHER_FILES = (
    "api/test_contents.py",
    "contracts/test_fairness.py",
    "contracts/test_installation.py",
    "contracts/test_lanes.py",
    "desk/test_backup.py",
    "model/test_failures.py",
    "model/test_liveness.py",
    "steps/test_journey.py",
)
