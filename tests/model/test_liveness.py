"""Who is alive, whatever is done to the clock of the database."""

from pagemill.model.liveness import ClaimBackoff, ClaimSize, ClaimsUnderWay, Pulse, SilentWorkers

LEASE = 10.0
EVERY = 2.5


class SteadyClock:
    """A clock that a test moves on."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


def test_a_worker_whose_row_stays_the_same_for_a_lease_is_silent() -> None:
    clock = SteadyClock()
    watched = SilentWorkers(LEASE, clock)
    for look in range(3):
        assert watched.find({"dead": 50.0, "alive": 50.0 + look}, EVERY) == {}
        clock.now += EVERY
    assert watched.find({"dead": 50.0, "alive": 60.0}, EVERY) == {"dead": 50.0}


def test_a_database_clock_that_is_set_back_or_forth_makes_no_living_worker_silent() -> None:
    clock = SteadyClock()
    watched = SilentWorkers(LEASE, clock)
    for jump in (0.0, 3_600.0, -3_600.0):
        for look in range(8):
            assert watched.find({"alive": 10_000.0 + jump + look}, EVERY) == {}
            clock.now += EVERY


def test_a_dead_worker_with_a_time_in_the_future_is_silent_after_a_lease() -> None:
    clock = SteadyClock()
    watched = SilentWorkers(LEASE, clock)
    looks = 0
    while not watched.find({"dead": 1e12}, EVERY):
        clock.now += EVERY
        looks += 1
    assert looks * EVERY <= LEASE


def test_after_an_outage_everybody_has_a_lease_to_be_heard_of_again() -> None:
    clock = SteadyClock()
    watched = SilentWorkers(LEASE, clock)
    watched.find({"worker": 1.0}, EVERY)
    clock.now += 600
    assert watched.find({"worker": 1.0}, EVERY) == {}


def test_a_process_whose_heartbeat_is_not_written_is_late_and_one_that_does_not_try_has_stopped() -> None:
    clock = SteadyClock()
    pulse = Pulse(clock)
    assert not pulse.is_late(LEASE)
    pulse.note_try()
    clock.now += LEASE + 1
    pulse.note_try()
    assert pulse.is_late(LEASE)
    assert not pulse.has_stopped(LEASE)
    pulse.note_success()
    assert not pulse.is_late(LEASE)
    clock.now += LEASE + 1
    assert not pulse.has_stopped(LEASE), "a try may take that long"
    clock.now += 2 * LEASE
    assert pulse.has_stopped(LEASE)


def test_a_claim_that_nobody_works_on_is_unknown_after_a_while() -> None:
    clock = SteadyClock()
    under_way = ClaimsUnderWay(clock)
    under_way.begin(["ours.1"])
    assert under_way.find_unknown(["ours.1", "ghost.1"], LEASE) == []
    clock.now += LEASE
    assert under_way.find_unknown(["ours.1", "ghost.1"], LEASE) == ["ghost.1"]
    under_way.end(["ours.1"])
    assert under_way.find_unknown(["ours.1"], LEASE) == []
    clock.now += LEASE
    assert under_way.find_unknown(["ours.1"], LEASE) == ["ours.1"]


def test_a_worker_pauses_longer_each_time_its_storage_fails_it() -> None:
    clock = SteadyClock()
    backoff, pauses = ClaimBackoff(clock), []
    for _ in range(6):
        backoff.note_trouble("storage_full")
        # Other threads that fail at the same moment change nothing.
        backoff.note_trouble("storage_full")
        began = clock.now
        while backoff.is_pausing():
            clock.now += 0.25
        pauses.append(clock.now - began)
    assert pauses == [0.5, 1, 2, 4, 8, 10]


def test_a_worker_says_why_it_pauses_after_several_turns_and_no_more_once_one_succeeds() -> None:
    clock = SteadyClock()
    backoff, reasons = ClaimBackoff(clock), []
    for _ in range(3):
        backoff.note_trouble("storage_unavailable")
        reasons.append(backoff.reason)
        clock.now += 10
    backoff.note_trouble("storage_unavailable")
    assert backoff.is_pausing()
    backoff.note_success()
    assert (reasons, backoff.reason) == ([None, None, "storage_unavailable"], None)
    assert not backoff.is_pausing()


def test_a_claim_takes_twice_as_many_while_the_one_before_it_was_full() -> None:
    size = ClaimSize()
    assert size.limit(8) == 8
    size.note(8, 8)
    assert size.limit(8) == 16
    size.note(16, 8)
    assert size.limit(8) == 16
    size.note(7, 8)
    assert size.limit(8) == 8
