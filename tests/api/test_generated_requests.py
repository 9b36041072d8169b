"""Requests that schemathesis makes of the OpenAPI document: none is answered with a 5xx or otherwise than documented."""

import subprocess
from pathlib import Path

import pytest

from bench.generated_requests import command_of, environment, load_document
from tests.mills import small_settings
from tests.servers import served

PATIENCE_SECONDS = 600


@pytest.mark.slow
def test_a_few_requests_of_every_route_are_answered_as_documented(tmp_path: Path) -> None:
    with served(small_settings(tmp_path / "mill", slots=1, kept_slots=0)) as server:
        load_document(server.url)
        command = command_of(server.url, examples=1, seed=1, phases=["examples", "fuzzing", "stateful"])
        ended = subprocess.run(
            command,
            cwd=tmp_path,
            env=environment(),
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
            check=False,
        )
    assert ended.returncode == 0, ended.stdout[-20_000:] + ended.stderr[-4_000:]
