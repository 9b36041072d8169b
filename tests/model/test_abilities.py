"""What a worker takes and what it leaves to others, by the engines that it and the others have."""

from pagemill.model.abilities import WorkerAbilities, WorkerEngines, chain_needs, run_needs

OWN = ("reading 2", "pdfium 5")
MORE = (*OWN, "ppocr 1")
OPENS = frozenset({"fast", "bulk"})
FAST, BULK = frozenset({"fast"}), frozenset({"bulk"})
SCAN = chain_needs(["pdfium", "ppocr"])


def worker(*engines: str, lanes: frozenset[str] = OPENS, draining: bool = False) -> WorkerEngines:
    """A worker as its row has it."""
    return WorkerEngines(frozenset(engines), lanes, draining)


def test_what_others_can_read_better_is_left_to_them_while_they_are_there() -> None:
    abilities = WorkerAbilities()
    assert abilities.can_take(SCAN, OWN)
    abilities.note_fleet([worker(*OWN), worker(*MORE)], OPENS)
    assert not abilities.can_take(SCAN, OWN)
    assert abilities.refused_needs() == [SCAN]
    assert abilities.can_take(SCAN, MORE)
    assert abilities.can_take(chain_needs(["pdfium"]), OWN)
    assert abilities.can_take(None, OWN)
    abilities.note_fleet([worker(*OWN)], OPENS)
    assert (abilities.refused_needs(), abilities.can_take(SCAN, OWN)) == ([], True)


def test_others_that_draw_no_work_from_these_lanes_or_have_other_engines_are_not_waited_for() -> None:
    abilities = WorkerAbilities()
    remote = frozenset({"remote"})
    abilities.note_fleet(
        [worker(*MORE, draining=True), worker(*MORE, lanes=remote), worker("ppocr 1")], OPENS
    )
    assert abilities.can_take(SCAN, OWN)


def test_others_that_take_only_some_of_the_lanes_are_not_waited_for() -> None:
    abilities = WorkerAbilities()
    abilities.note_fleet([worker(*MORE, lanes=BULK)], FAST)
    assert abilities.can_take(SCAN, OWN)
    abilities.note_fleet([worker(*MORE, lanes=BULK)], OPENS)
    assert abilities.can_take(SCAN, OWN)
    abilities.note_fleet([worker(*MORE)], FAST)
    assert not abilities.can_take(SCAN, OWN)


def test_a_run_is_abandoned_in_the_lanes_where_those_with_its_engines_take_nothing() -> None:
    now = 0.0
    abilities = WorkerAbilities(lambda: now)
    abilities.note_fleet([worker(*OWN, draining=True), worker(*OWN, lanes=FAST)], OPENS | {"notify"})
    assert not abilities.can_take(run_needs(OWN), MORE)
    assert abilities.find_abandoned(20) == {}
    now = 21.0
    assert abilities.find_abandoned(20) == {run_needs(OWN): BULK}
    abilities.note_fleet([worker(*OWN, lanes=FAST), worker(*OWN, lanes=BULK)], OPENS)
    assert abilities.find_abandoned(20) == {}


def test_a_run_is_taken_with_the_very_same_engines_only() -> None:
    abilities = WorkerAbilities()
    assert abilities.can_take(run_needs(OWN), OWN)
    assert not abilities.can_take(run_needs(OWN), MORE)
    assert not abilities.can_take(run_needs(OWN), ("reading 3", "pdfium 5"))
    assert abilities.refused_needs() == [run_needs(OWN)]


def test_a_run_is_abandoned_once_no_worker_has_had_its_engines_for_a_while() -> None:
    now = 0.0
    abilities = WorkerAbilities(lambda: now)
    abilities.note_fleet([worker(*OWN), worker(*MORE)], OPENS)
    assert not abilities.can_take(run_needs(OWN), MORE)
    assert abilities.find_abandoned(20) == {}
    now = 100.0
    assert abilities.find_abandoned(20) == {}
    abilities.note_fleet([worker("reading 3")], OPENS)
    assert abilities.find_abandoned(20) == {}
    now = 110.0
    abilities.note_fleet([worker(*OWN)], OPENS)
    assert abilities.find_abandoned(20) == {}
    abilities.note_fleet([worker("reading 3")], OPENS)
    assert abilities.find_abandoned(20) == {}
    now = 131.0
    assert abilities.find_abandoned(20) == {run_needs(OWN): OPENS}
    abilities.forget(run_needs(OWN))
    assert (abilities.find_abandoned(20), abilities.refused_needs()) == ({}, [])
