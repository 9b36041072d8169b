"""A document of which page after page crashes the reader: it is given up before it has cost much."""

import stat
from pathlib import Path

import pytest

from pagemill.data_folder import make_data_folder
from pagemill.model.options import ReadingOptions
from pagemill.wiring import open_mill
from tests import samples, trial_provider
from tests.mills import finished, hand_in, small_settings

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


def test_the_data_folder_is_for_its_owner_alone(tmp_path: Path) -> None:
    new = make_data_folder(tmp_path / "new")
    assert stat.S_IMODE(new.stat().st_mode) == 0o700
    old = tmp_path / "old"
    old.mkdir(mode=0o755)
    (old / "lock").touch()
    assert stat.S_IMODE(make_data_folder(old).stat().st_mode) == 0o750


def test_a_folder_of_somebody_else_is_left_as_it_is(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    assert stat.S_IMODE(make_data_folder(tmp_path).stat().st_mode) == 0o755
