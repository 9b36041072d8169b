"""`python -m bench.generated_requests`: schemathesis makes requests of the OpenAPI document, and looks at every answer.

All of its checks are made; `bench/schemathesis_hooks.py` knows what a schema can't say.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import httpx

from bench.serving import serving

HERE = Path(__file__).parent
PHASES = ("examples", "coverage", "fuzzing", "stateful")
USUAL_EXAMPLES = 50
LOAD_SECONDS = 120
ANSWER_SECONDS = 60


def main() -> int:
    """Run the phases that the command line names against a server of their own; 1 if a check failed."""
    line = argparse.ArgumentParser(prog="python -m bench.generated_requests", description=main.__doc__)
    line.add_argument("--examples", type=int, default=USUAL_EXAMPLES, help="requests per route and phase")
    line.add_argument("--seed", type=int, default=1, help="another seed makes other requests (default 1)")
    line.add_argument("--phases", default=",".join(PHASES), help="with commas between them")
    asked = line.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="pagemill-requests-") as folder,
        serving(Path(folder) / "mill") as server,
    ):
        url = f"http://127.0.0.1:{server.port}"
        load_document(url)
        command = command_of(url, examples=asked.examples, seed=asked.seed, phases=asked.phases.split(","))
        return subprocess.run(command, env=environment(), check=False).returncode


def load_document(url: str) -> None:
    """Have the server make its OpenAPI document, for which schemathesis waits ten seconds at most."""
    httpx.get(f"{url}/openapi.json", timeout=LOAD_SECONDS).raise_for_status()


def command_of(url: str, *, examples: int, seed: int, phases: list[str]) -> list[str]:
    """The command that makes requests to a server."""
    return [
        str(Path(sys.executable).with_name("st")),
        *("--config-file", str(HERE / "schemathesis.toml")),
        *("run", f"{url}/openapi.json"),
        *("--checks", "all", "--exclude-checks", "positive_data_acceptance"),
        *("--phases", ",".join(phases), "--max-examples", str(examples), "--seed", str(seed)),
        *("--request-timeout", str(ANSWER_SECONDS)),
        *("--warnings", "off", "--no-color", "--suppress-health-check", "all"),
    ]


def environment() -> dict[str, str]:
    """The variables with which it finds our hooks."""
    return {**os.environ, "SCHEMATHESIS_HOOKS": "bench.schemathesis_hooks", "PYTHONPATH": str(HERE.parent)}


if __name__ == "__main__":
    sys.exit(main())
