"""Every line of the story carries the same words, whoever writes it, and no secrets."""

import json
import logging
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from pydantic import SecretStr

from pagemill.entrypoints.output.live_line import STUCK_SECONDS, LinesAbove, LiveLine
from pagemill.entrypoints.output.logs import FewRepeats, JsonLines, TextLines, secrets_of, set_up
from pagemill.errors import DatabaseUnavailable
from pagemill.log_context import log_words, log_words_always
from pagemill.model.states import Lane
from pagemill.runner import run_periodically, take_turn
from pagemill.wiring import open_mill
from tests.mills import hand_in, small_settings
from tests.samples import corrupt, letter

WORDS = {"step", "job", "chunk", "tenant", "worker"}
PATIENCE_SECONDS = 10.0
PIPE_BYTES, LONG_LETTERS = 1_000_000, 10_000


class Kept(logging.Handler):
    """Keeps the lines that were written by the thread that made it; others may have something to say as well."""

    def __init__(self, lines: logging.Formatter) -> None:
        super().__init__()
        self.setFormatter(lines)
        self.lines: list[str] = []
        self._thread = threading.get_ident()

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a line."""
        if record.thread == self._thread:
            self.lines.append(self.format(record))


@contextmanager
def kept(lines: logging.Formatter) -> Iterator[list[str]]:
    """All lines that this thread writes in the time of the context."""
    root, handler = logging.getLogger(), Kept(lines)
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    try:
        yield handler.lines
    finally:
        root.removeHandler(handler)
        root.setLevel(level)


def test_a_set_back_names_its_step_job_chunk_tenant_and_worker(tmp_path: Path) -> None:
    with open_mill(small_settings(tmp_path), workers=False) as mill:
        job_id = hand_in(mill, corrupt()).job_id
        with kept(JsonLines()) as lines:
            assert take_turn(mill, (Lane.FAST,), threading.Event())
        worker_id = mill.worker_id
    told = [json.loads(line) for line in lines if "pdf_corrupt" in line]
    assert told
    assert told[0]["message"].startswith("job failed after pdf_corrupt: ")
    for line in told:
        assert set(line) >= WORDS
        assert (line["step"], line["job"], line["tenant"]) == ("plan", job_id, "default")
        assert line["worker"] == worker_id


def test_a_turn_over_several_documents_names_them_all(tmp_path: Path) -> None:
    with open_mill(small_settings(tmp_path), workers=False) as mill:
        ids = {hand_in(mill, letter(f"Dear {number},")).job_id for number in range(3)}
        mill.press.stop()
        with kept(JsonLines()) as lines:
            assert take_turn(mill, (Lane.FAST,), threading.Event())
    assert {json.loads(line)["job"] for line in lines} == ids


def test_lines_of_libraries_come_out_in_the_same_form() -> None:
    with kept(JsonLines()) as lines, log_words(step="extract", job="j1"):
        logging.getLogger("celery.worker").warning("consumer: %s", "connection lost")
    [line] = [json.loads(line) for line in lines]
    assert (line["logger"], line["message"]) == ("celery.worker", "consumer: connection lost")
    assert (line["step"], line["job"]) == ("extract", "j1")


def test_text_has_the_words_in_front() -> None:
    with (
        kept(TextLines()) as lines,
        log_words_always(worker="w1"),
        log_words(step="join", job="j1", tenant="acme"),
    ):
        logging.getLogger("pagemill.test").info("it goes on")
    assert lines[0].endswith("INFO    step=join job=j1 tenant=acme worker=w1: it goes on")


def test_a_line_may_have_words_of_its_own() -> None:
    with kept(JsonLines()) as lines, log_words(job="j1"):
        logging.getLogger("pagemill.test").info("another one", extra={"job": "j2"})
    assert json.loads(lines[0])["job"] == "j2"


def test_words_are_gone_with_the_turn() -> None:
    with kept(JsonLines()) as lines:
        with log_words(step="plan"):
            pass
        logging.getLogger("pagemill.test").info("afterwards")
    assert "step" not in json.loads(lines[0])


@pytest.mark.parametrize("form", [JsonLines, TextLines])
def test_no_line_tells_a_secret(form: type[JsonLines] | type[TextLines], tmp_path: Path) -> None:
    settings = small_settings(tmp_path).model_copy(
        update={
            "database_url": SecretStr("postgresql://mill:geheimnis@db/pages"),
            "broker_url": SecretStr("redis://:verschwiegen@broker/0"),
            "api_key": SecretStr("key-of-the-operator"),
        }
    )
    log = logging.getLogger("pagemill.test")
    with kept(form(secrets_of(settings))) as lines:
        log.warning("can't reach postgresql://mill:geheimnis@db/pages")
        log.warning("can't reach redis://:verschwiegen@broker/0, nor amqp://guest:other@elsewhere//")
        log.warning("password=geheimnis key=key-of-the-operator")
        try:
            raise ConnectionError("redis://:verschwiegen@broker/0 is away")
        except ConnectionError:
            log.exception("trouble")
    said = "\n".join(lines)
    assert not [
        word for word in ("geheimnis", "verschwiegen", "key-of-the-operator", "other@") if word in said
    ]
    assert "amqp://guest:***@elsewhere" in said


def test_libraries_are_quiet_unless_everything_is_asked_for() -> None:
    before = logging.getLogger().handlers[:]
    try:
        set_up("INFO", "json", LiveLine())
        assert not logging.getLogger("celery").isEnabledFor(logging.INFO)
        set_up("DEBUG", "json", LiveLine())
        assert logging.getLogger("celery").isEnabledFor(logging.DEBUG)
    finally:
        set_up("WARNING", "text", LiveLine())
        logging.getLogger().handlers[:] = before


def test_an_outage_is_told_once_by_what_has_to_wait_for_it(caplog: pytest.LogCaptureFixture) -> None:
    stopping, tries = threading.Event(), iter(range(6))

    def work() -> None:
        number = next(tries)
        if number == 5:
            stopping.set()
        if number != 3:
            raise DatabaseUnavailable

    with caplog.at_level("DEBUG", "pagemill.runner"):
        run_periodically(work, 0.001, stopping, "chore").join(PATIENCE_SECONDS)
    told = [record.levelname for record in caplog.records if "postponed" in record.message]
    assert told == ["WARNING", "DEBUG", "DEBUG", "WARNING", "DEBUG"]


def test_a_library_repeats_itself_a_few_times_a_minute_only() -> None:
    now = [0.0]
    few = FewRepeats(lambda: now[0])

    def write(logger: str, text: str) -> str | None:
        record = logging.LogRecord(logger, logging.ERROR, __file__, 1, text, ("OOM",), None)
        return record.getMessage() if few.filter(record) else None

    written = [write("celery.worker", "refused: %s") for _ in range(50)]
    assert [line for line in written if line] == ["refused: OOM"] * 3
    assert write("celery.worker", "other: %s") == "other: OOM"
    assert [write("pagemill.worker", "refused: %s") for _ in range(5)] == ["refused: OOM"] * 5
    now[0] = 61.0
    assert write("celery.worker", "refused: %s") == "refused: OOM (and 47 more like it)"
    assert write("celery.worker", "refused: %s") == "refused: OOM"


def test_each_document_that_is_done_has_a_line(tmp_path: Path) -> None:
    with open_mill(small_settings(tmp_path), workers=False) as mill, kept(JsonLines()) as lines:
        job_id = hand_in(mill, letter()).job_id
        while take_turn(mill, (Lane.FAST,), threading.Event()):
            pass
    [line] = [told for told in map(json.loads, lines) if told["message"].startswith("document completed")]
    assert (line["level"], line["job"], "pages=1 failed=0" in line["message"]) == ("INFO", job_id, True)


def test_a_reader_of_the_log_that_is_stuck_holds_no_one_up(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    with open(reading, "rb", buffering=0) as pipe, open(writing, "w", encoding="utf-8") as stuck:
        fill(writing)
        monkeypatch.setattr("sys.stderr", stuck)
        handler, began = LinesAbove(LiveLine()), time.monotonic()
        for number in range(1_000):
            handler.handle(logging.makeLogRecord({"msg": f"lost {number}"}))
        assert time.monotonic() - began < 5 * STUCK_SECONDS
        pipe.read(PIPE_BYTES)
        handler.handle(logging.makeLogRecord({"msg": "read again " + "x" * LONG_LETTERS}))
        told = pipe.read(PIPE_BYTES).decode()
    assert told.startswith("1000 log lines were left out")
    assert told.endswith("x" * LONG_LETTERS + "\n")


def test_a_line_that_was_cut_is_counted_in_the_form_of_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    with open(reading, "rb", buffering=0) as pipe, open(writing, "w", encoding="utf-8") as stuck:
        monkeypatch.setattr("sys.stderr", stuck)
        handler = LinesAbove(LiveLine())
        handler.setFormatter(JsonLines())
        handler.handle(logging.makeLogRecord({"msg": "x" * PIPE_BYTES}))
        cut = pipe.read(PIPE_BYTES).decode()
        handler.handle(logging.makeLogRecord({"msg": "read again"}))
        told = pipe.read(PIPE_BYTES).decode()
    assert not cut.endswith("\n")
    assert told.startswith("\n")
    left_out, line = map(json.loads, told.strip().split("\n"))
    assert (left_out["level"], left_out["message"].split()[0]) == ("WARNING", "1")
    assert line["message"] == "read again"


def fill(writing: int) -> None:
    """Write into a pipe until it takes no more."""
    os.set_blocking(writing, False)
    with suppress(BlockingIOError):
        while True:
            os.write(writing, b"x" * 4_096)
    os.set_blocking(writing, True)
