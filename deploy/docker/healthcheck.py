#!/usr/bin/env python3
"""Tells whether the process in this container is alive: the API on its port, or a worker on the port of its metrics."""

import os
import sys
import urllib.request

TIMEOUT_SECONDS = 4.0


def main() -> int:
    """0 if one of the two doors answers, else 1."""
    ports = (os.environ.get("PAGEMILL_PORT", "8080"), os.environ.get("PAGEMILL_METRICS_PORT", "0"))
    return 0 if any(answers(port) for port in ports if port != "0") else 1


def answers(port: str) -> bool:
    """Whether somebody says on this port that all is well."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=TIMEOUT_SECONDS) as response:
            return bool(response.status == 200)
    except OSError:
        return False


if __name__ == "__main__":
    sys.exit(main())
