"""What a run of generated requests writes while it is under way.

Schemathesis is imported where it is used: every test process imports this file, and few run it.
"""

import subprocess
from datetime import timedelta
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import httpx
import pytest

from bench.generated_requests import command_of, environment
from tests.json_servers import JsonExchange, serve_exchanges

DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Two routes", "version": "1"},
    "paths": {
        path: {"get": {"responses": {"200": {"description": "It works."}}}} for path in ("/works", "/fails")
    },
}


class OneFault(JsonExchange, BaseHTTPRequestHandler):
    """An API with a route that fails."""

    def do_GET(self) -> None:
        """Answer with the OpenAPI document, or as the path says."""
        self.answer(500 if self.path == "/fails" else 200, DOCUMENT if self.path == "/openapi.json" else {})


@pytest.mark.process
def test_a_failure_is_written_with_its_request_when_it_happens(tmp_path: Path) -> None:
    with serve_exchanges(OneFault) as server:
        url = f"http://127.0.0.1:{server.server_port}"
        command = command_of(url, examples=1, seed=1, phases=["fuzzing"])
        ended = subprocess.run(
            command,
            cwd=tmp_path,
            env=environment(),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    assert ended.returncode == 1, ended.stdout
    assert "fuzzing: GET /works: success, " in ended.stderr
    assert "fuzzing: GET /fails: failure, " in ended.stderr
    assert f"curl -X GET {url}/fails" in ended.stderr


def test_a_form_with_a_file_can_be_checked() -> None:
    from jsonschema_rs import canonicalize
    from schemathesis.transport.serialization import Binary

    from bench.schemathesis_hooks import accept_binary

    is_valid = accept_binary(canonicalize({"type": "object", "required": ["file"]}))
    assert is_valid({"file": Binary(b"%PDF")})
    assert not is_valid({"name": "a.pdf"})


@pytest.mark.parametrize(("code", "is_known"), [("password_required", True), ("invalid_json", False)])
def test_a_refusal_for_what_is_stored_is_no_failure(code: str, is_known: bool) -> None:
    from schemathesis import Response

    from bench.schemathesis_hooks import is_known_refusal

    sent = httpx.Request("POST", "http://127.0.0.1/v1/jobs/1/retry")
    answer = httpx.Response(422, json={"code": code}, request=sent)
    answer.elapsed = timedelta(0)
    assert is_known_refusal(Response.from_httpx(answer, verify=True)) == is_known
