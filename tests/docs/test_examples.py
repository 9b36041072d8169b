"""The examples of the documentation do what it says."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.conftest import plain_environment
from tests.docs.pages import DOCS, ROOT, blocks, every_page, name_of

ADDRESS = "http://127.0.0.1:8080"
# Its commands need the module of its example, so they have a test of their own.
PROVIDER_PAGE = DOCS / "how-to" / "write-a-provider.md"
PAGES = [page for page in every_page() if blocks(page, "sh") and page != PROVIDER_PAGE]
# The first thing that people try must answer with Markdown.
FIRST_PAGES = [ROOT / "README.md", DOCS / "quickstart.md"]
FIRST_LINES = {"# A short history of the mill", "| overshot | 4 to 10 | 80 to 90 % |"}


def run(page: Path, folder: Path, url: str) -> str:
    """What the shell blocks of a page print when they are run one after the other."""
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    script = "\n".join(blocks(page, "sh")).replace(ADDRESS, url)
    environment = {**plain_environment(), "PAGEMILL_SERVER": url, "XDG_DATA_HOME": str(folder / "share")}
    done = subprocess.run(
        ["sh", "-euxc", script],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_the_commands_of_a_page_work(page: Path, desk: Path, service_url: str) -> None:
    printed = run(page, desk, service_url)
    assert "urn:pagemill:problem" not in printed, printed
    if page in FIRST_PAGES:
        assert set(printed.splitlines()) >= FIRST_LINES, printed


def test_the_example_of_the_client_runs(desk: Path, service_url: str) -> None:
    [code] = blocks(DOCS / "how-to" / "python-client.md", "python")
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code.replace(ADDRESS, service_url)],
        cwd=desk,
        env=plain_environment(),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "nothing_to_retry"
    assert "2 final " in done.stdout
    assert (desk / "sample.md").read_text("utf-8").count("# A short history of the mill") == 1


def test_the_example_of_a_provider_reads_pages(desk: Path, service_url: str) -> None:
    [code] = blocks(PROVIDER_PAGE, "python")
    (desk / "my_module.py").write_text(code, encoding="utf-8")
    printed = run(PROVIDER_PAGE, desk, service_url)
    assert printed.split("\n\n") == ["This is page 1.", "This is page 2.", "This is page 3.\n"]
