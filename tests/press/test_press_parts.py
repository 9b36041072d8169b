"""The parts of the press that can be looked at without a child."""

import os
import signal
import subprocess
import sys

import pytest

from pagemill.press.children import _cpu_seconds, _tree_cpu_seconds, _wants_to_run
from pagemill.press.ledger import NOTES_BYTES, PRINTED_BYTES, Ledger
from pagemill.press.text import LONGEST, last_line, one_line, tells_of_memory
from pagemill.press.wire import AnswerKind, AnswerReader, Hello, VisitAnswer, VisitRefusal, WireError
from tests.waiting import wait_for


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("can't open /var/lib/x/a.pdf: no such file", "can't open …: no such file"),
        ("'/tmp/with-dash/b_c.pdf' is broken", "'…' is broken"),
        ("two\nlines\tand \x1b[31mcolour", "two lines and [31mcolour"),
        ("1/2 of the pages, and/or more", "1/2 of the pages, and/or more"),
        ("Dateiname: Größe", "Dateiname: Größe"),
        ("", ""),
    ],
)
def test_text_is_made_fit_to_be_shown(text: str, shown: str) -> None:
    assert one_line(text) == shown


def test_long_text_is_cut() -> None:
    assert len(one_line("word " * 1_000)) == LONGEST


def test_the_last_line_that_says_something_is_taken() -> None:
    assert last_line("first\nsecond\n\n  \n") == "second"
    assert last_line("\n") == ""


@pytest.mark.parametrize(
    "text",
    [
        "memory allocation of 123 bytes failed",
        "terminate called after throwing an instance of 'std::bad_alloc'",
        "Out of memory.",
        "Traceback:\nMemoryError",
    ],
)
def test_words_of_memory_are_known(text: str) -> None:
    assert tells_of_memory(text)
    assert not tells_of_memory("segmentation fault")


def test_answers_arrive_whole_however_they_are_cut() -> None:
    answers = [
        VisitAnswer(AnswerKind.HELLO, 0, Hello(("seccomp",), 3, 2, 1).body()),
        VisitAnswer(AnswerKind.DONE, 1, b"x" * 300, worn=True, seconds=0.25, cpu_seconds=0.125, rss_bytes=77),
        VisitAnswer(AnswerKind.FAILED, 2, VisitRefusal("code", "message", True, "").body()),
    ]
    stream = b"".join(answer.frame() for answer in answers)
    for step in (1, 2, 7, 100, len(stream)):
        reader = AnswerReader(1_000)
        pieces = [stream[start : start + step] for start in range(0, len(stream), step)]
        assert [answer for piece in pieces for answer in reader.feed(piece)] == answers


@pytest.mark.parametrize("stream", [b"\xff" * 64, VisitAnswer(AnswerKind.DONE, 1, b"x" * 100_000).frame()])
def test_frames_that_are_none_of_ours_are_refused(stream: bytes) -> None:
    with pytest.raises(WireError):
        list(AnswerReader(1_000).feed(stream))


@pytest.mark.parametrize("body", [b"", b"\xff", b"[]", b'{"code": "only"}', b"null"])
def test_bodies_that_are_none_of_ours_are_refused(body: bytes) -> None:
    with pytest.raises(WireError):
        VisitRefusal.of(body)
    with pytest.raises(WireError):
        Hello.of(body)


def test_a_ledger_keeps_notes_apart_from_what_is_printed() -> None:
    ledger = Ledger.create()
    try:
        assert (ledger.note().number, ledger.last_output()) == (0, "")
        ledger.begin(7)
        os.write(ledger.fd, b"some words")
        ledger.run_out_of_memory()
        assert (ledger.note().number, ledger.note().out_of_memory) == (7, True)
        assert ledger.last_output() == "some words"
        ledger.begin(8)
        assert (ledger.note().number, ledger.note().out_of_memory, ledger.last_output()) == (8, False, "")
        os.write(ledger.fd, b"z" * PRINTED_BYTES)
        with pytest.raises(PermissionError):
            os.write(ledger.fd, b"one more")
        with pytest.raises(PermissionError):
            os.ftruncate(ledger.fd, NOTES_BYTES)
        assert ledger.note().number == 8
    finally:
        ledger.close()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the clocks of other processes")
def test_the_cpu_time_of_a_wrapped_child_is_that_of_all_below_it() -> None:
    busy = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'while True: pass'])"
    wrapper = subprocess.Popen([sys.executable, "-c", busy], start_new_session=True)
    try:
        wait_for(lambda: _tree_cpu_seconds(wrapper.pid) > _cpu_seconds(wrapper.pid) + 0.2)
        assert _wants_to_run(wrapper.pid)
        os.killpg(wrapper.pid, signal.SIGSTOP)
        wait_for(lambda: not _wants_to_run(wrapper.pid))
    finally:
        os.killpg(wrapper.pid, signal.SIGKILL)
        wrapper.wait()
