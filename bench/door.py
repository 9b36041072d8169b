"""A plain and cheap HTTP client: on a small machine a costly one would be measured along with the server."""

import http.client
import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlencode

from pagemill.client.shapes import Job

FORMATS = "markdown,json"
POLL_SECONDS = 20
Body = bytes | Iterable[bytes]


class Unexpected(Exception):
    """The server answered something else than it should have."""


@dataclass(frozen=True)
class Answer:
    """The status and the body of an answer."""

    status: int
    body: bytes

    def json(self) -> Any:
        """The body read as JSON."""
        return json.loads(self.body)

    @property
    def code(self) -> str:
        """The code of the problem in the body, or nothing."""
        try:
            return str(self.json().get("code", ""))
        except (ValueError, AttributeError):
            return ""

    def expect(self, *statuses: int) -> "Answer":
        """The answer itself, if it has one of these statuses."""
        if self.status not in statuses:
            raise Unexpected(f"{self.status} {self.body[:500]!r}")
        return self


class Door:
    """One connection that is kept open."""

    def __init__(self, host: str, port: int, timeout_seconds: float = 120.0, key: str = "") -> None:
        self._own_headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._connection = http.client.HTTPConnection(host, port, timeout=timeout_seconds)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._connection.close()

    def get(self, path: str) -> Answer:
        """GET a path."""
        return self._request("GET", path)

    def post(self, path: str, body: Body = b"", headers: dict[str, str] | None = None) -> Answer:
        """POST a body to a path."""
        return self._request("POST", path, body, headers or {})

    def delete(self, path: str) -> Answer:
        """DELETE a path."""
        return self._request("DELETE", path)

    def hand_in(
        self, body: Body, filename: str, headers: dict[str, str] | None = None, **options: str
    ) -> Answer:
        """Hand in a document as the raw body, not to be answered from an earlier result."""
        query = urlencode({"filename": filename, "formats": FORMATS, "reuse": "false", **options})
        return self.post(f"/v1/jobs?{query}", body, {"Content-Type": "application/pdf", **(headers or {})})

    def submit(self, path: Path, **options: str) -> str:
        """Hand in a file and return the id of its job."""
        answer = self.hand_in(path.read_bytes(), path.name, None, **options).expect(202)
        return str(answer.json()["id"])

    def job(self, job_id: str, wait_seconds: int = 0) -> Job:
        """A job, after waiting for its end up to that long."""
        wait = f"?wait={wait_seconds}" if wait_seconds else ""
        return Job.from_json(self.get(f"/v1/jobs/{job_id}{wait}").expect(200).json())

    def finished(self, job_ids: Sequence[str], timeout_seconds: float) -> list[Job]:
        """The jobs, as soon as all of them have ended."""
        deadline = time.monotonic() + timeout_seconds
        # The youngest end last, so one long wait covers most of the others.
        return [self._finished(job_id, deadline) for job_id in reversed(job_ids)][::-1]

    def _finished(self, job_id: str, deadline: float) -> Job:
        while not (job := self.job(job_id, POLL_SECONDS)).is_over:
            if time.monotonic() > deadline:
                raise Unexpected(f"job {job_id} is still {job.status} in {job.stage}")
        return job

    def _request(
        self, method: str, path: str, body: Body = b"", headers: dict[str, str] | None = None
    ) -> Answer:
        try:
            self._connection.request(method, path, body or None, self._own_headers | (headers or {}))
            response = self._connection.getresponse()
            return Answer(response.status, response.read())
        except (OSError, http.client.HTTPException):
            self._connection.close()
            raise
