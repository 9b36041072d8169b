"""How LibreOffice is run: in which folder, for how long, and what becomes of its file."""

from pathlib import Path
from threading import Event

import pytest

from pagemill.press import libreoffice
from pagemill.press.libreoffice import STARTED_AGAIN, TRIES, LibreOffice, NotRendered
from pagemill.press.program import SystemProgram
from pagemill.press.sandbox import SandboxMode

SECONDS = 30.0


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """The folder that LibreOffice works in."""
    folder = tmp_path / "render"
    folder.mkdir()
    return folder


@pytest.fixture
def document(tmp_path: Path) -> Path:
    """A document to be rendered."""
    path = tmp_path / "letter.docx"
    path.write_bytes(b"a letter")
    return path


def office(workspace: Path) -> LibreOffice:
    """An installation that works in a folder."""
    return LibreOffice(workspace / "program" / "soffice.bin", "auto", 1_000_000, SECONDS, workspace)


def test_copies_are_in_the_workspace_only_while_they_are_used(
    workspace: Path, document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(call: SystemProgram, _: SandboxMode, __: Event) -> int:
        assert call.folder.parent == workspace.resolve()
        assert (call.folder / "document.docx").read_bytes() == b"a letter"
        (call.folder / "document.pdf").write_bytes(b"%PDF-1.7")
        return 0

    monkeypatch.setattr(libreoffice, "run_program", run)
    target = tmp_path / "made"
    target.mkdir()
    office(workspace).render(document, target / "letter.pdf", Event())
    assert [path.name for path in target.iterdir()] == ["letter.pdf"]
    assert list(workspace.iterdir()) == []


def test_all_tries_share_one_deadline(
    workspace: Path, document: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[float] = []
    now = 0.0

    def run(call: SystemProgram, _: SandboxMode, __: Event) -> int:
        nonlocal now
        given.append(call.seconds)
        now += 10.0
        return STARTED_AGAIN

    monkeypatch.setattr(libreoffice, "run_program", run)
    monkeypatch.setattr("pagemill.press.libreoffice.time.monotonic", lambda: now)
    with pytest.raises(NotRendered, match="no PDF"):
        office(workspace).render(document, workspace / "letter.pdf", Event())
    assert given == [SECONDS - 10.0 * tried for tried in range(TRIES)]
