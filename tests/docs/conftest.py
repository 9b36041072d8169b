"""A real service for the examples, and the files that they speak of."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pikepdf
import pytest

from tests import office_files
from tests.docs.pages import DOCS

PROGRAMS = Path(sys.executable).parent
GREETING = "pagemill serves "
REPORT = office_files.docx("<w:p><w:r><w:t>Rivers and wheels</w:t></w:r></w:p>")


@pytest.fixture(scope="session")
def service_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a running service."""
    folder = tmp_path_factory.mktemp("service")
    settings = {"PAGEMILL_PORT": "0", "PAGEMILL_DATA_DIR": str(folder / "kept"), "PAGEMILL_SLOTS": "1"}
    with (folder / "stderr").open("wb") as complaints:
        service = subprocess.Popen(
            [PROGRAMS / "pagemill", "serve"],
            cwd=folder,
            env={**plain_environment(), **settings},
            stdout=subprocess.PIPE,
            stderr=complaints,
            text=True,
        )
        assert service.stdout
        with service.stdout as said:
            greeting = said.readline()
            assert greeting.startswith(GREETING), (folder / "stderr").read_text()
            yield greeting.removeprefix(GREETING).strip()
            service.terminate()
            assert service.wait(30) == 0, (folder / "stderr").read_text()


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """A folder with the files that the examples hand in."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "archive" / "2024").mkdir(parents=True)
    for name in ("docs/sample.pdf", "report.pdf", "archive/one.pdf", "archive/2024/letter.pdf"):
        shutil.copy(DOCS / "sample.pdf", tmp_path / name)
    (tmp_path / "report.docx").write_bytes(REPORT)
    (tmp_path / ".venv").symlink_to(PROGRAMS.parent)
    with pikepdf.open(DOCS / "sample.pdf") as sample:
        locks = pikepdf.Encryption(user="open sesame", owner="the owner")
        sample.save(tmp_path / "secret.pdf", encryption=locks)
    return tmp_path


def plain_environment() -> dict[str, str]:
    """The environment of a shell without settings of ours, with our programs on its path."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PAGEMILL_")}
    return {**kept, "PATH": f"{PROGRAMS}{os.pathsep}{kept.get('PATH', '')}"}
