"""The image: built from locked packages, run by nobody in particular, and asked after its health."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from tests.deploy.files import ROOT, parsed, settings_of, unknown_settings

DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
LAST_STAGE = DOCKERFILE.rpartition("\nFROM ")[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
HEALTH = ROOT / "deploy" / "docker" / "healthcheck.py"


def tool(name: str) -> str:
    """A program that was installed beside this Python, or else one of the machine."""
    beside = Path(sys.executable).with_name(name)
    return str(beside) if beside.exists() else shutil.which(name) or name


def environment() -> dict[str, str]:
    """The variables of the image."""
    block = re.search(r"^ENV (PATH=.*?[^\\])$", LAST_STAGE, re.MULTILINE | re.DOTALL)
    assert block
    return dict(pair.split("=", 1) for pair in block.group(1).replace("\\\n", " ").split())


def pins(name: str) -> set[str]:
    """What a lock file pins."""
    return set(re.findall(r"^\S+==[^\s;]+", (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE))


def test_hadolint_finds_nothing_in_the_dockerfile() -> None:
    found = subprocess.run(
        [tool("hadolint"), "--failure-threshold", "style", "Dockerfile"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stdout + found.stderr


def test_the_image_is_built_with_the_uv_of_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    version = re.search(r"^UV_VERSION := (\S+)$", makefile, re.MULTILINE)
    assert version
    assert f"/uv:{version.group(1)}\n" in DOCKERFILE


def test_the_packages_of_the_image_are_those_of_the_tests() -> None:
    locked = pins("requirements-cluster.lock")
    assert locked <= pins("requirements-dev.lock")
    entries = re.split(r"\n(?=\S)", (ROOT / "requirements-cluster.lock").read_text(encoding="utf-8").strip())
    assert not [entry.splitlines()[0] for entry in entries if "--hash=sha256:" not in entry]


def test_the_image_has_what_a_cluster_needs() -> None:
    extras = PYPROJECT["project"]["optional-dependencies"]
    wanted = [*PYPROJECT["project"]["dependencies"], *extras["cluster"], *extras["traces"]]
    names = {pin.partition("==")[0] for pin in pins("requirements-cluster.lock")}
    assert not {re.split(r"[^\w.-]", line)[0] for line in wanted} - names


def test_everything_that_is_copied_is_let_in() -> None:
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    let_in = {line.removeprefix("!") for line in ignored if line.startswith("!")}
    copied = [line.split()[1:-1] for line in re.findall(r"^COPY (?!--from).*$", DOCKERFILE, re.MULTILINE)]
    sources = {name for names in copied for name in names if not name.startswith("--")}
    assert sources == let_in
    assert all((ROOT / name).exists() for name in sources)


def test_the_last_stage_has_no_tools_for_building_and_no_root() -> None:
    assert "USER 10001:10001" in LAST_STAGE
    assert not re.findall(r"\b(gcc|build-essential|git|curl|uv)\b", LAST_STAGE)
    assert "STOPSIGNAL SIGTERM" in LAST_STAGE
    assert 'ENTRYPOINT ["tini", "--", "pagemill"]' in LAST_STAGE


def test_the_variables_of_the_image_are_settings() -> None:
    assert not unknown_settings(environment())
    settings = settings_of(environment())
    assert not settings.is_local
    assert settings.metrics_port == 9100


def test_the_image_serves_unless_told_otherwise() -> None:
    command = re.search(r'^CMD \["(\w+)"\]$', LAST_STAGE, re.MULTILINE)
    assert command
    assert parsed([command.group(1)])["workers"] is True


def test_the_image_says_the_version_of_the_project() -> None:
    assert f"ARG VERSION={PYPROJECT['project']['version']}\n" in LAST_STAGE


class Answering(BaseHTTPRequestHandler):
    """Answers whatever is asked with one status."""

    def __init__(self, status: int, *connection: object) -> None:
        self._status = status
        super().__init__(*connection)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        """Answer."""
        self.send_response_only(self._status if self.path == "/health" else 404)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Nothing."""


@contextmanager
def answering(status: int) -> Iterator[int]:
    """The port of a server that answers with this status."""
    with HTTPServer(("127.0.0.1", 0), partial(Answering, status)) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


def asked(api_port: int, metrics_port: int) -> int:
    """The exit code of the question after health."""
    ports = {"PAGEMILL_PORT": str(api_port), "PAGEMILL_METRICS_PORT": str(metrics_port)}
    return subprocess.run([sys.executable, str(HEALTH)], env={**os.environ, **ports}, check=False).returncode


def test_a_container_is_healthy_if_the_api_or_a_worker_answers_in_it() -> None:
    with answering(200) as port:
        assert asked(api_port=port, metrics_port=0) == 0
        assert asked(api_port=1, metrics_port=port) == 0


@pytest.mark.parametrize("status", [500, 503])
def test_a_container_is_not_healthy_if_nobody_says_so(status: int) -> None:
    with answering(status) as port:
        assert asked(api_port=port, metrics_port=0) == 1
    assert asked(api_port=1, metrics_port=1) == 1
