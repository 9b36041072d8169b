"""What a visit may lead to when the child lives."""

import logging

import pytest

from pagemill.press import Done, Failed, Press, PressConfig, Visit
from tests.press.around import MakePress, run_one, visit


def test_a_visit_is_answered_with_what_the_function_returned(press: Press) -> None:
    outcome = run_one(press, "echo", b"\x00 any bytes \xff")
    assert isinstance(outcome, Done)
    assert outcome.answer == b"\x00 any bytes \xff"
    assert 0 <= outcome.seconds < 5


def test_the_visits_of_a_batch_are_answered_in_order_by_one_child(press: Press) -> None:
    outcomes = press.run([visit("echo", number) for number in range(50)])
    assert [outcome.answer for outcome in outcomes if isinstance(outcome, Done)] == [
        str(number).encode() for number in range(50)
    ]
    here = press.run([visit("pid"), visit("pid")])
    assert len({outcome.answer for outcome in here if isinstance(outcome, Done)}) == 1


def test_no_visits_have_no_outcomes(press: Press) -> None:
    assert press.run([]) == []


def test_an_error_that_knows_its_code_keeps_it(press: Press) -> None:
    outcome = run_one(press, "raise_with_code")
    assert isinstance(outcome, Failed)
    assert (outcome.code, outcome.message, outcome.retryable) == ("page_missing", "page 7 is not there", True)


def test_any_other_error_is_told_in_one_line_without_paths(
    press: Press, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR, "pagemill.press"):
        outcome = run_one(press, "raise_without_code")
    assert isinstance(outcome, Failed)
    assert (outcome.code, outcome.retryable) == ("internal_error", False)
    assert outcome.message == "ValueError: could not open … at all"
    assert "Traceback" in caplog.text


@pytest.mark.parametrize("name", ["no_such_function", "no_bytes", "leave"])
def test_a_function_that_breaks_the_rules_fails(press: Press, name: str) -> None:
    outcome = run_one(press, name)
    assert isinstance(outcome, Failed)
    assert outcome.code == "internal_error"


def test_a_module_that_is_not_there_fails_the_visit_only(press: Press) -> None:
    [outcome] = press.run([Visit("a", "no.such.module:read", b"", 30)])
    assert isinstance(outcome, Failed)
    assert "ModuleNotFoundError" in outcome.message
    assert isinstance(run_one(press, "echo"), Done)


def test_a_child_survives_an_error_but_not_a_panic(press: Press) -> None:
    [before] = press.run([visit("pid")])
    run_one(press, "raise_without_code")
    [after_error] = press.run([visit("pid")])
    panic = run_one(press, "raise_panic")
    [after_panic] = press.run([visit("pid")])
    assert isinstance(before, Done)
    assert isinstance(after_error, Done)
    assert isinstance(after_panic, Done)
    assert before.answer == after_error.answer != after_panic.answer
    assert isinstance(panic, Failed)
    assert panic.message == "Panic: index out of bounds"


def test_answers_and_arguments_larger_than_any_buffer_come_through(press: Press) -> None:
    outcome = run_one(press, "large", 5_000_000)
    assert isinstance(outcome, Done)
    assert len(outcome.answer) == 5_000_000
    outcomes = press.run([visit("echo", bytes([number]) * 1_000_000) for number in range(8)])
    assert [outcome.answer for outcome in outcomes if isinstance(outcome, Done)] == [
        bytes([number]) * 1_000_000 for number in range(8)
    ]


def test_long_batches_of_middling_answers_come_through(press: Press) -> None:
    lengths = [10, 3_000, 5_000, 100_000, 1, 2, 3] * 40
    outcomes = press.run([visit("large", length) for length in lengths])
    assert [len(outcome.answer) for outcome in outcomes if isinstance(outcome, Done)] == lengths


def test_an_answer_over_the_limit_fails(make_press: MakePress) -> None:
    outcome = run_one(make_press(slots=1, kept_slots=0, answer_bytes=1_000), "large", 1_001)
    assert isinstance(outcome, Failed)
    assert "1001 bytes" in outcome.message


def test_preloaded_modules_and_further_paths_are_there(
    make_press: MakePress, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("modules")
    (folder / "far_away.py").write_text("def read(argument): return b'from ' + argument\n")
    press = make_press(slots=1, kept_slots=0, extra_path=(str(folder),), preload=("far_away",))
    [outcome] = press.run([Visit("a", "far_away:read", b"afar", 30)])
    assert isinstance(outcome, Done)
    assert outcome.answer == b"from afar"


def test_a_press_must_be_started_and_is_started_once(press: Press) -> None:
    idle = Press(PressConfig(slots=1))
    with pytest.raises(RuntimeError):
        idle.run([visit("echo")])
    idle.stop()
    with pytest.raises(RuntimeError):
        idle.start()
    with pytest.raises(RuntimeError):
        press.start()


@pytest.mark.parametrize(
    "wrong", [{"slots": 0}, {"slots": 1, "kept_slots": -1}, {"slots": 1, "recycle_after": 0}]
)
def test_a_senseless_configuration_is_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="at least"):
        PressConfig(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("function", "seconds"),
    [
        ("no colon", 1),
        ("module:", 1),
        (":read", 1),
        ("a:" + "b" * 70_000, 1),
        ("a:b", 0),
        ("a:b", -1),
        ("a:b", float("nan")),
    ],
)
def test_a_senseless_visit_is_refused(function: str, seconds: float) -> None:
    with pytest.raises(ValueError, match=r"visit|function"):
        Visit("a", function, b"", seconds)


def test_a_visit_without_a_limit_runs(press: Press) -> None:
    assert isinstance(run_one(press, "echo", seconds=float("inf")), Done)


def test_an_error_with_a_message_without_end_is_cut(press: Press) -> None:
    outcome = run_one(press, "raise_with_code", "very long " * 100_000)
    assert isinstance(outcome, Failed)
    assert len(outcome.message) == 2_000
