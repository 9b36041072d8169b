"""Submits, polls, cancels, retries, deletes, kills, flushes and restarts in any order: every job ends as it should."""

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.cluster.cluster import Cluster
from tests.faults.catalogue import MACHINE
from tests.faults.machine import Machine, TidyMachine
from tests.faults.notes import note
from tests.faults.scenes import revived

SHORT_RUNS, SHORT_STEPS = 3, 20
LONG_RUNS, LONG_STEPS = 12, 40
# Each step may take seconds, and a failed run of a real cluster can't be made smaller by running it again.
PATIENT = settings(
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.generate),
    database=None,
    print_blob=True,
)


@pytest.mark.slow
def test_whatever_happens_every_job_ends_as_it_should(house: Cluster) -> None:
    short = settings(PATIENT, max_examples=SHORT_RUNS, stateful_step_count=SHORT_STEPS, derandomize=True)
    with revived(house):
        run_state_machine_as_test(lambda: Machine(house), settings=short)  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.long
def test_whatever_happens_for_long_every_job_ends_as_it_should(house: Cluster) -> None:
    long = settings(PATIENT, max_examples=LONG_RUNS, stateful_step_count=LONG_STEPS)
    with revived(house) as deaths:
        run_state_machine_as_test(lambda: TidyMachine(house), settings=long)  # type: ignore[arg-type]
    [(jobs,)] = house.asked("SELECT count(*) FROM jobs")
    note(
        MACHINE,
        f"{LONG_RUNS} runs of up to {LONG_STEPS} random acts: {jobs} jobs, {len(deaths)} processes killed, 0 lost",
    )
