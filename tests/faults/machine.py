"""A machine that does whatever callers and bad luck may do to an installation, in any order, and then takes stock."""

from typing import cast

from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, rule

from bench.door import Answer, Door
from tests.cluster.cluster import Cluster
from tests.faults.evidence import (
    assert_attempts_are_bounded,
    assert_each_run_ended_once,
    assert_logs_are_whole,
    assert_nothing_is_left,
    assert_results_are_whole,
    of_cluster,
)
from tests.faults.scenes import book, finished, hand_in_surely, insist, page

SETTLE_SECONDS = 60.0


class Machine(RuleBasedStateMachine):
    """Callers and faults on one cluster that all machines share; each has jobs of its own."""

    submitted = Bundle("submitted")

    def __init__(self, cluster: Cluster) -> None:
        super().__init__()
        self.cluster = cluster
        self.bodies: dict[str, tuple[str, bytes]] = {}
        self.versions: dict[str, int] = {}
        self.removed: set[str] = set()
        self.cancelled: set[str] = set()

    def asked(self, path: str, method: str = "GET") -> Answer:
        """The answer of whichever API is there."""
        return insist(self.cluster.apis, lambda door: requested(door, method, path))

    @initialize(target=submitted)
    def begin(self) -> str:
        """There is always a job to do something to."""
        return self.hand_in(page())

    def hand_in(self, body: bytes) -> str:
        """Hand in a document under a key of its own."""
        key = f"key{len(self.bodies)}-{id(self)}"
        job_id = hand_in_surely(self.cluster, body, key)
        self.bodies[job_id] = (key, body)
        self.versions[job_id] = 0
        return job_id

    @rule(target=submitted, chunks=st.integers(0, 3))
    def submit(self, chunks: int) -> str:
        """A new document, short or long."""
        return self.hand_in(book(chunks, 0.3) if chunks else page())

    @rule(job_id=submitted)
    def submit_again(self, job_id: str) -> None:
        """The same request finds the same job, for as long as that is there."""
        key, body = self.bodies[job_id]
        if job_id not in self.removed:
            assert hand_in_surely(self.cluster, body, key) == job_id

    @rule(job_id=submitted)
    def poll(self, job_id: str) -> None:
        """A job never goes back to an earlier version, and one that was removed stays so."""
        answer = self.asked(f"/v1/jobs/{job_id}")
        if job_id in self.removed:
            assert answer.status == 410
            return
        version = cast(int, answer.expect(200).json()["version"])
        assert version >= self.versions[job_id]
        self.versions[job_id] = version

    @rule(job_id=submitted)
    def cancel(self, job_id: str) -> None:
        """A cancel is done or comes too late."""
        answer = self.asked(f"/v1/jobs/{job_id}/cancel", "POST")
        assert answer.status in ((410,) if job_id in self.removed else (202, 409))
        if answer.status == 202:
            self.cancelled.add(job_id)

    @rule(job_id=submitted)
    def retry(self, job_id: str) -> None:
        """A job that has ended runs again."""
        answer = self.asked(f"/v1/jobs/{job_id}/retry", "POST")
        assert answer.status in ((410,) if job_id in self.removed else (202, 409))
        self.cancelled.discard(job_id)

    @rule(job_id=submitted)
    def delete(self, job_id: str) -> None:
        """A job is removed."""
        assert self.asked(f"/v1/jobs/{job_id}", "DELETE").status in (204, 410)
        self.removed.add(job_id)

    @rule(which=st.integers(0, 1))
    def kill_worker(self, which: int) -> None:
        """A worker dies with all its processes; somebody starts it again."""
        self.cluster.workers[which].kill()

    @rule(which=st.integers(0, 1))
    def kill_api(self, which: int) -> None:
        """An API dies; somebody starts it again."""
        self.cluster.apis[which].kill()

    @rule()
    def flush_broker(self) -> None:
        """The broker forgets everything."""
        self.cluster.redis.flush()

    @rule()
    def restart_database(self) -> None:
        """The database dies and comes back."""
        self.cluster.postgres.kill()
        self.cluster.postgres.start()

    def teardown(self) -> None:
        """Take stock: every job that was acknowledged has ended, once, as its callers were told."""
        if not self.bodies:
            return
        left = [job_id for job_id in self.bodies if job_id not in self.removed]
        jobs = {job.id: job for job in (finished(self.cluster, left, SETTLE_SECONDS) if left else [])}
        for job_id in self.cancelled - self.removed:
            assert jobs[job_id].status == "cancelled"
        evidence = of_cluster(self.cluster)
        assert_each_run_ended_once(evidence)
        assert_logs_are_whole(evidence)
        assert_attempts_are_bounded(evidence)
        whole = [job.id for job in jobs.values() if job.status == "completed"]
        assert {job.status for job in jobs.values()} <= {"completed", "cancelled"}
        insist(self.cluster.apis, lambda door: assert_results_are_whole(door, evidence, whole))


class TidyMachine(Machine):
    """The same, and it waits until nothing is left of what was removed."""

    def teardown(self) -> None:
        """Take stock, of the files as well."""
        super().teardown()
        assert_nothing_is_left(self.cluster)


def requested(door: Door, method: str, path: str) -> Answer:
    """An answer that is not an outage."""
    ask = {"GET": door.get, "POST": door.post, "DELETE": door.delete}[method]
    return ask(path).expect(200, 202, 204, 404, 409, 410)
