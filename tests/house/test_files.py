"""What is in the tree works on any machine."""

import re
import tomllib
from functools import cache
from pathlib import Path

import pytest

from tests.house.source import ROOT, project_files

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())

# Written so that the patterns don't match themselves.
MACHINE_PATH = re.compile(r"(?<![\w.])/(?:root|work|home/[a-z]|Users/[A-Za-z])[\w]*/")
REGISTRY = re.compile(r"(?:pypi|pythonhosted|npmjs|conda|anaconda)[.](?:org|com)|index[-]url\s*=")


@cache
def text_of(path: Path) -> str:
    """The text of a file, with what is not text replaced."""
    return path.read_text(encoding="utf-8", errors="replace")


def test_the_tree_has_files_to_look_at() -> None:
    assert {"README.md", "pyproject.toml", "Makefile"} <= {path.name for path in project_files()}


@pytest.mark.parametrize("pattern", [MACHINE_PATH, REGISTRY], ids=["machine path", "package registry"])
def test_no_file_names_a_place_that_others_do_not_have(pattern: re.Pattern[str]) -> None:
    found = [
        f"{path.relative_to(ROOT)}: {match.group()}"
        for path in project_files()
        for match in pattern.finditer(text_of(path))
    ]
    assert not found, "\n".join(found)


def test_the_patterns_find_what_they_look_for() -> None:
    assert MACHINE_PATH.search("see /home" + "/someone/notes")
    assert REGISTRY.search("https://py" + "pi.org/simple")


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-cluster.lock", "requirements-dev.lock"])
def test_a_lock_file_pins_every_package_by_hash(name: str) -> None:
    entries = re.split(r"\n(?=\S)", (ROOT / name).read_text().strip())
    assert len(entries) > len(PYPROJECT["project"]["dependencies"])
    assert not [entry.splitlines()[0] for entry in entries if "--hash=sha256:" not in entry]


def test_the_lock_files_agree_with_each_other() -> None:
    pins = {
        name: set(re.findall(r"^\S+==\S+", text_of(ROOT / name), re.MULTILINE))
        for name in ("requirements.lock", "requirements-cluster.lock", "requirements-dev.lock")
    }
    assert pins["requirements.lock"] <= pins["requirements-dev.lock"]
    assert pins["requirements-cluster.lock"] <= pins["requirements-dev.lock"]


def test_every_dependency_is_locked() -> None:
    locked = set(re.findall(r"^([\w.-]+)==", text_of(ROOT / "requirements-dev.lock"), re.MULTILINE))
    groups = [
        line for group in PYPROJECT["dependency-groups"].values() for line in group if isinstance(line, str)
    ]
    wanted = {re.split(r"[^\w.-]", line)[0] for line in [*PYPROJECT["project"]["dependencies"], *groups]}
    assert wanted <= locked


def test_the_changelog_tells_of_the_present_version() -> None:
    changelog = text_of(ROOT / "CHANGELOG.md")
    version = re.escape(PYPROJECT["project"]["version"])
    assert re.search(rf"^## \[(Unreleased|{version})\]", changelog, re.MULTILINE)


def test_continuous_integration_runs_what_people_run() -> None:
    script = ROOT / ".ci" / "run"
    assert script.stat().st_mode & 0o111
    assert text_of(script).rstrip().endswith("make test")


@pytest.mark.parametrize("folder", ["src/pagemill", "src/pagemill/entrypoints"])
def test_the_map_in_contributing_has_every_module_and_package(folder: str) -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    places = text.partition("## Where things are")[2].partition("## ")[0]
    modules = [path.name for path in (ROOT / folder).glob("[a-z]*.py")]
    packages = [f"{path.parent.name}/" for path in (ROOT / folder).glob("[a-z]*/__init__.py")]
    assert not [name for name in (*modules, *packages) if not re.search(rf"\b{re.escape(name)}", places)]


def test_every_target_of_the_makefile_explains_itself() -> None:
    makefile = text_of(ROOT / "Makefile")
    phony = re.search(r"^\.PHONY: (.+)$", makefile, re.MULTILINE)
    assert phony
    helped = set(re.findall(r"^([a-z-]+):.*## \S", makefile, re.MULTILINE))
    assert set(phony.group(1).split()) == helped
