"""Every fault that is caused on purpose, what must still hold, and the tests that cause it."""

from tests.faults.fault_row import Row
from tests.faults.machine_rows import MACHINE_ROWS

ROWS = (
    Row(
        1,
        "an API is killed in the middle of an upload",
        "no job, nothing left behind, the next try is taken",
        ("test_an_api_killed_in_the_middle_of_an_upload_leaves_nothing",),
    ),
    Row(
        2,
        "an API is killed after the bytes are stored, before the commit",
        "no 202 was sent, the bytes are removed, the same key makes one job",
        ("test_a_kill_between_blob_and_commit_leaves_no_job_and_no_file",),
    ),
    Row(
        3,
        "an API is killed after the commit, before the answer",
        "the job runs, and the same key finds it",
        ("test_a_job_whose_answer_never_came_is_found_by_its_key",),
    ),
    Row(
        4,
        "an API is killed after the commit, before it has sent a message to the broker",
        "the job runs after the next sweep at the latest",
        ("test_a_job_that_was_never_sent_to_the_broker_runs_all_the_same",),
    ),
    Row(
        6,
        "a worker with all its processes is killed in the middle of a chunk",
        "another finishes, done chunks are not read again, same bytes",
        (
            "test_what_a_killed_worker_was_reading_is_finished_by_another",
            "test_a_hundred_jobs_outlive_kills_of_the_whole_process_tree",
        ),
    ),
    Row(
        7,
        "a reading process is killed in the middle of a chunk",
        "one crash is counted, the chunk is read again",
        ("test_a_killed_reading_process_counts_as_one_crash",),
    ),
    Row(
        8,
        "a worker is killed after its files are written, before they are recorded",
        "the chunk is read again, the files of the loser are removed",
        ("test_files_of_a_worker_that_died_before_recording_them_are_removed",),
    ),
    Row(
        10,
        "a worker is killed before the join or before it is published; two publish at once",
        "published once",
        (
            "test_a_document_whose_joining_died_is_joined_once",
            "test_of_two_that_publish_the_same_document_one_wins",
        ),
    ),
    Row(
        11,
        "the broker forgets 1,000 messages (`FLUSHALL`)",
        "all 1,000 are done, none twice",
        ("test_a_broker_that_forgets_everything_costs_no_job",),
    ),
    Row(
        12,
        "the broker is down for 60 s",
        "documents are taken within 2 s; workers go on by themselves after its return",
        ("test_a_minute_without_broker_costs_no_job",),
    ),
    Row(
        13,
        "the broker hangs (SIGSTOP)",
        "answers within 2 s (p99)",
        ("test_a_broker_that_hangs_delays_nobody",),
    ),
    Row(
        14,
        "connections to the broker are reset every 5 s for 2 min",
        "jobs are done in every 15 s",
        ("test_connections_that_are_cut_again_and_again_stall_nobody",),
    ),
    Row(
        17,
        "the database crashes and restarts under load",
        "503 meanwhile, pools recover, nothing lost",
        ("test_a_database_that_crashes_again_and_again_loses_nothing",),
    ),
    Row(
        18,
        "the database is down for 60 s",
        "503 with `Retry-After`, `/ready` 503, `/health` 200; work goes on after its return",
        ("test_a_minute_without_database_is_told_to_callers_and_then_forgotten",),
    ),
    Row(
        19,
        "the database is locked by somebody else",
        "waited for, or 503; no 500",
        (
            "test_a_database_locked_by_somebody_else_is_waited_for",
            "test_tables_that_are_locked_are_waited_for",
        ),
    ),
    Row(
        21,
        "the disk is full at an upload, at a result, for the database",
        "503 or 507, work waits uncounted, the database stays sound",
        (
            "test_an_upload_that_fills_the_disk_is_refused_and_leaves_nothing",
            "test_a_job_waits_while_the_disk_is_full_and_goes_on_when_it_is_not",
            "test_a_machine_whose_disk_is_full_refuses_and_goes_on",
        ),
    ),
    Row(
        22,
        "the disk fails with an I/O error",
        "the upload is refused, nothing is acknowledged",
        ("test_an_upload_that_the_disk_fails_is_refused",),
    ),
    Row(
        23,
        "30 % of the bucket's answers are 500, 503, cut off, too short or missing",
        "same bytes, nothing counted against documents",
        ("test_a_bucket_on_a_bad_day_spoils_no_result",),
    ),
    Row(
        24,
        "the bucket is down or silent for 60 s",
        "503 for uploads, work waits uncounted",
        ("test_a_minute_without_bucket_counts_against_no_document",),
    ),
    Row(
        26,
        "a webhook receiver takes 30 s to answer",
        "jobs and other receivers don't notice; it gets no more at once than it may",
        ("test_a_slow_webhook_receiver_delays_neither_jobs_nor_other_receivers",),
    ),
    Row(
        27,
        "a webhook receiver is down for 3 h, then for days",
        "the schedule is followed under one id, attempts are logged in order, then it is given up",
        ("test_a_webhook_receiver_that_is_down_for_hours_is_tried_on_schedule",),
    ),
    Row(
        28,
        "the sender of webhooks is killed between sending and recording",
        "sent again with the same id, by another worker if there is one",
        (
            "test_a_sender_killed_between_sending_and_recording_sends_again_under_the_same_id",
            "test_what_a_killed_worker_was_sending_is_sent_by_another",
        ),
    ),
    Row(
        29,
        "the clock of a worker is an hour off; that of an API jumps back",
        "no claim is taken early, all times come from the database",
        (
            "test_a_worker_with_a_wrong_clock_works_like_any_other",
            "test_an_api_whose_clock_jumps_back_goes_on",
        ),
    ),
    Row(
        30,
        "a worker is paused for twice its lease and goes on",
        "its write is refused, its files are removed",
        ("test_a_worker_that_slept_through_its_lease_changes_nothing",),
    ),
    Row(
        32,
        "native code wants all memory",
        "one page fails with `memory_limit`, the worker lives",
        ("test_a_bad_page_is_named_and_all_others_are_delivered",),
    ),
    Row(
        33,
        "native code hangs and lets no other thread run",
        "killed at the limit, one page fails with `page_timeout`",
        ("test_a_bad_page_is_named_and_all_others_are_delivered",),
    ),
    Row(
        34,
        "SIGSEGV, SIGABRT, SIGBUS in a reading process",
        "one page fails with `worker_crashed`, attempts are bounded",
        ("test_a_bad_page_is_named_and_all_others_are_delivered",),
    ),
    Row(
        35,
        "a document kills everybody who takes it, with 100 good ones behind it",
        "given up after the cap; the others complete, p95 at most doubled",
        (
            "test_a_document_that_kills_its_reader_holds_up_nobody",
            "test_a_document_that_kills_every_worker_is_given_up",
        ),
    ),
    Row(
        36,
        "APIs and workers are restarted one by one under load (SIGTERM)",
        "no request fails, nothing is lost, no attempt is counted",
        ("test_restarts_one_after_the_other_fail_no_request",),
    ),
    Row(
        37,
        "SIGTERM, then SIGKILL",
        "as row 6",
        ("test_a_worker_that_is_killed_while_it_stops_loses_nothing",),
    ),
    Row(
        38,
        "the same `Idempotency-Key` 50 times at once over two APIs",
        "one job",
        ("test_fifty_requests_with_the_same_key_make_one_job",),
    ),
    Row(
        40,
        "a cancel races every change of state",
        "one end, no result of a cancelled job",
        (
            "test_a_cancel_at_any_moment_ends_the_job_once",
            "test_a_cancelled_job_frees_its_process_within_two_seconds",
        ),
    ),
    Row(
        42,
        "tables grow while older workers run",
        "they finish undisturbed",
        ("test_tables_that_grow_while_machines_run_disturb_nobody",),
    ),
    Row(
        43,
        "wrong keys of the bucket, wrong broker, wrong database",
        "not ready, a clear message, no secret in the log",
        ("test_wrong_keys_and_addresses_are_told_at_the_start_without_secrets",),
    ),
    Row(
        44,
        "no more files can be opened",
        "503, and well again afterwards",
        ("test_an_api_without_files_to_open_recovers", "test_a_worker_without_files_to_open_recovers"),
    ),
    Row(
        45,
        "the parent of reading processes dies",
        "none is left",
        ("test_reading_processes_end_with_their_parent",),
    ),
    Row(
        47,
        "thousands of small jobs with random kills",
        "none lost, none twice, memory and open files stay level",
        ("test_thousands_of_jobs_outlive_random_kills_and_nothing_grows",),
    ),
)
# Rows of our own, beside those that have a number.
KILLS, MACHINE = 101, 102
OWN_ROWS = (
    Row(
        KILLS,
        "a kill at every fault point, in API and worker, on one machine and on several",
        "all of the above",
        ("test_a_kill_at_any_point_loses_and_doubles_nothing",),
    ),
    Row(
        MACHINE,
        "submit, poll, cancel, retry, delete, kill, flush, restart in random order",
        "all of the above",
        (
            "test_whatever_happens_every_job_ends_as_it_should",
            "test_whatever_happens_for_long_every_job_ends_as_it_should",
        ),
    ),
)
EVERY_ROW = (*ROWS, *OWN_ROWS, *MACHINE_ROWS)
