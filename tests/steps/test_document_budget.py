"""A document of which page after page crashes the reader: it is given up before it has cost much."""

import signal
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from pagemill import failures
from pagemill.data_folder import make_data_folder
from pagemill.failures import Caps
from pagemill.model.document_budgets import DocumentBudgets
from pagemill.model.options import ReadingOptions
from pagemill.model.states import Lane, Step
from pagemill.model.work import Claim, Retry
from pagemill.press import TimedOut
from pagemill.wiring import open_mill
from tests import samples, trial_provider
from tests.bad_inputs.documents import exponential_forms
from tests.mills import finished, hand_in, small_settings

pytestmark = pytest.mark.mill

CRASHES = 3
CRASHING = "TRIAL:segfault"
READ_BY_TRIAL = ReadingOptions(providers=("trial",))


@pytest.fixture(autouse=True)
def trial(monkeypatch: pytest.MonkeyPatch) -> None:
    """The provider that does what pages say."""
    for name, value in trial_provider.ENVIRONMENT.items():
        monkeypatch.setenv(name, value)


def test_a_document_that_only_crashes_is_given_up(tmp_path: Path) -> None:
    settings = small_settings(tmp_path, providers="trial", max_document_crashes=CRASHES)
    with open_mill(settings) as mill:
        job = finished(mill, hand_in(mill, samples.trial_pages([CRASHING] * 130), READ_BY_TRIAL).job_id)
        starts = sum(state.starts for state in mill.press.state())
    assert job["status"] == "failed"
    assert job["error"] is not None
    assert job["error"]["code"] in {"document_limit", "worker_crashed"}
    # One crash while it was opened and read in one go, and one that may be under way when the limit is reached.
    assert starts <= CRASHES + 4


def test_pages_that_were_read_before_are_delivered_and_the_others_named(tmp_path: Path) -> None:
    settings = small_settings(tmp_path, providers="trial", max_document_crashes=CRASHES)
    pages = ["A good page."] * 64 + [CRASHING] * 70
    with open_mill(settings) as mill:
        job = finished(mill, hand_in(mill, samples.trial_pages(pages), READ_BY_TRIAL).job_id)
    assert job["status"] == "completed"
    codes = {page["page"]: page["code"] for page in job["failed_pages"]}
    assert set(codes) >= set(range(65, 135))
    assert "document_limit" in codes.values()


def test_a_form_that_draws_itself_without_end_costs_its_own_page_alone(tmp_path: Path) -> None:
    with open_mill(small_settings(tmp_path, page_timeout_seconds=2)) as mill:
        job = finished(mill, hand_in(mill, exponential_forms(levels=8, calls=10)).job_id)
    assert job["status"] == "completed"
    assert [(page["page"], page["code"]) for page in job["failed_pages"]] == [(1, "page_timeout")]


def test_the_tries_of_a_page_share_its_time() -> None:
    budgets = DocumentBudgets(40, 900.0)
    opening = a_claim(Step.PLAN, None)
    page = a_claim(Step.EXTRACT, 1)
    assert failures.set_back(opening, Caps(), budgets, TimedOut(10.0)).verdict == Retry(
        "crashes", 0.0, single=True
    )
    assert budgets.seconds_spent(page) == 10.0
    assert failures.set_back_out_of_time(page, budgets, 20.0) is None
    failures.set_back(page, Caps(), budgets, TimedOut(10.0))
    lost = failures.set_back_out_of_time(page, budgets, 20.0)
    assert lost is not None
    assert lost.code == "page_timeout"
    # Of a document of many pages the opening says nothing about a single one.
    assert budgets.seconds_spent(replace(page, document_pages=9, first_page=2, last_page=2)) == 0.0
    assert budgets.seconds_spent(replace(page, run=2)) == 0.0


def test_pages_that_take_more_cpu_than_they_have_end_their_process() -> None:
    spinning = "from pagemill.reading.page_budget import limit_pages\nlimit_pages(1, 0.1)\nwhile True: pass"
    ended = subprocess.run([sys.executable, "-c", spinning], check=False)
    assert ended.returncode == -signal.SIGXCPU


def a_claim(step: Step, page: int | None) -> Claim:
    """A claim on a document of one page."""
    return Claim(
        chunk_id="c",
        fence=1,
        job_id="j",
        tenant="default",
        run=1,
        step=step,
        lane=Lane.FAST,
        options=ReadingOptions(),
        small=True,
        first_page=page,
        last_page=page,
        single=False,
        crashes=0,
        errors=0,
        lost=0,
        claimed_at=0.0,
        blob_key="k",
        sha256="",
        fingerprint="",
        document_pages=1,
        password=None,
    )


def test_the_data_folder_is_for_its_owner_alone(tmp_path: Path) -> None:
    new = make_data_folder(tmp_path / "new")
    assert stat.S_IMODE(new.stat().st_mode) == 0o700
    old = tmp_path / "old"
    old.mkdir()
    # Whatever the process keeps from others by default.
    old.chmod(0o755)
    (old / "lock").touch()
    assert stat.S_IMODE(make_data_folder(old).stat().st_mode) == 0o750


def test_a_folder_of_somebody_else_is_left_as_it_is(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    assert stat.S_IMODE(make_data_folder(tmp_path).stat().st_mode) == 0o755
