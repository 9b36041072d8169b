"""The client: one method for each thing that a server does."""

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self
from urllib.parse import quote
from uuid import uuid4

import httpx

from pagemill.client import sse
from pagemill.client.batches import Batches
from pagemill.client.errors import ApiError
from pagemill.client.finding import JobFinder
from pagemill.client.models import ARTIFACTS, Options, ServerHealth
from pagemill.client.shapes import Artifact, ArtifactLink, Event, Image, Job, PageState, Table
from pagemill.client.submissions import Submissions
from pagemill.client.transport import FIRST_WAIT_SECONDS, UPLOAD_SILENCE_SECONDS, Transport
from pagemill.client.understanding import Understanding
from pagemill.client.uploads import Given, form_fields, name_of, open_document
from pagemill.client.webhooks import Webhooks

DEFAULT_URL = "http://127.0.0.1:8080"
FINAL_EVENTS = frozenset({"job.completed", "job.failed", "job.cancelled", "job.removed"})
POLL_SECONDS, MAKING_SECONDS = 20, 1.0
LOG_LIMIT = 500
STREAM_SILENCE_SECONDS = 60.0


class Client(Submissions, JobFinder):
    """Talks to one server. Requests are repeated when that is safe; a repeated submit never makes a second job."""

    def __init__(
        self,
        base_url: str = DEFAULT_URL,
        api_key: str | None = None,
        *,
        timeout_seconds: float = 30.0,
        retries: int = 4,
    ) -> None:
        super().__init__(Transport(base_url, api_key, timeout_seconds=timeout_seconds, retries=retries))
        self.batches = Batches(self._server)
        self.webhooks = Webhooks(self._server)
        self.understanding = Understanding(self._server)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections."""
        self._server.close()

    def convert(
        self,
        document: Given,
        form: str = "markdown",
        options: Options | None = None,
        *,
        filename: str | None = None,
        wait_seconds: int = 30,
    ) -> bytes:
        """One format of a document, in one call if the server reads it within the wait, else as soon as it has."""
        headers = {"Idempotency-Key": uuid4().hex, "Accept": "*/*", "Prefer": f"wait={wait_seconds}"}
        name, fields = name_of(document, filename), form_fields(options or Options())

        def make(http: httpx.Client) -> httpx.Request:
            part = {"file": (name, file, "application/pdf")}
            return http.build_request(
                "POST",
                "/v1/convert",
                params={"format": form},
                data=fields,
                files=part,
                headers=headers,
                timeout=UPLOAD_SILENCE_SECONDS + wait_seconds,
            )

        with open_document(document) as file:
            answer = self._server.call(make, repeatable=file.seekable())
        if answer.status_code != httpx.codes.ACCEPTED:
            return answer.content
        job = self.wait(answer.json()["id"])
        with self.artifact(job.id, form) as pieces:
            return b"".join(pieces)

    def job(self, job_id: str) -> Job:
        """The present state of a job."""
        return Job.from_json(self._get(f"/v1/jobs/{job_id}"))

    def wait(
        self,
        job_id: str,
        *,
        timeout_seconds: float | None = None,
        progress: Callable[[Job], None] | None = None,
    ) -> Job:
        """The job once it has ended, or as it is after the time-out; `progress` is called with each step on the way."""
        deadline = None if timeout_seconds is None else time.monotonic() + timeout_seconds
        job = self.job(job_id)
        while True:
            if progress:
                progress(job)
            left = POLL_SECONDS if deadline is None else min(POLL_SECONDS, deadline - time.monotonic())
            if job.is_over or left <= 0:
                return job
            job = self._wait_for_change(job, left)

    def events(self, job_id: str, *, after: int = 0) -> Iterator[Event]:
        """The events of a job as they happen, up to its end; a cut connection is taken up where it broke."""
        kind, failures = "", 0
        while True:
            try:
                for event in self._stream_events(job_id, after):
                    after, kind, failures = event.seq or after, event.type, 0
                    yield event
            except ApiError as error:
                failures += 1
                if error.status is not None or failures > self._server.retries:
                    raise
            if kind in FINAL_EVENTS:
                return
            if self._is_over(job_id):
                # It ended after the connection was cut, and the rest of its events are there.
                yield from self.history(job_id, after=after)
                return
            time.sleep(FIRST_WAIT_SECONDS)

    def history(self, job_id: str, *, after: int = 0) -> Iterator[Event]:
        """The events of a job up to now."""
        while True:
            answer = self._get(f"/v1/jobs/{job_id}/events", {"after": after})["events"]
            if not answer:
                return
            yield from (Event.from_json(line) for line in answer)
            after = answer[-1]["seq"]

    def log(
        self, *, cursor: str | None = None, kinds: Sequence[str] = (), look_again_seconds: float | None = None
    ) -> Iterator[Event]:
        """The log of everything, oldest first, refusals included; up to now, or for ever if given how often to look."""
        while True:
            answer = self._get(
                "/v1/events", {"cursor": cursor, "limit": LOG_LIMIT, "type": list(kinds) or None}
            )
            yield from (Event.from_json(line) for line in answer["events"])
            cursor = answer["next_cursor"]
            if not answer["events"]:
                if look_again_seconds is None:
                    return
                time.sleep(look_again_seconds)

    def pages(self, job_id: str, *, page_size: int = 1000) -> Iterator[PageState]:
        """Which pages can be read already; `draft` ones may still change when the document is joined."""
        first = 1
        while True:
            answer = self._get(f"/v1/jobs/{job_id}/pages", {"first": first, "limit": page_size})
            yield from (PageState.from_json(page) for page in answer["pages"])
            if len(answer["pages"]) < page_size:
                return
            first = answer["pages"][-1]["number"] + 1

    def page(self, job_id: str, number: int) -> dict[str, Any]:
        """One page with its text and blocks, readable while the job still runs."""
        answer: dict[str, Any] = self._get(f"/v1/jobs/{job_id}/pages/{number}")
        return answer

    def page_lines(self, job_id: str, *, first: int = 1, follow: bool = False) -> Iterator[dict[str, Any]]:
        """The pages of a job in order, one at a time; with `follow`, as they are read, until the job ends."""
        asked = {"first": str(first), "follow": str(follow).lower()}

        def make(http: httpx.Client) -> httpx.Request:
            return http.build_request("GET", f"/v1/jobs/{job_id}/pages.ndjson", params=asked, timeout=None)

        with self._server.stream(make) as answer:
            yield from (json.loads(line) for line in answer.iter_lines() if line)

    @contextmanager
    def artifact(
        self, job_id: str, name: str = "markdown", *, password: str | None = None
    ) -> Iterator[Iterator[bytes]]:
        """The bytes of an artifact in pieces; one that is made on demand is waited for.

        The password is that of an encrypted document, for what is drawn: layout, searchable, archive and images.
        """
        path = f"/v1/jobs/{job_id}/{ARTIFACTS.get(name, name)}"
        headers = password_header(password)
        while True:
            with self._server.stream(lambda http: http.build_request("GET", path, headers=headers)) as answer:
                if answer.status_code != httpx.codes.ACCEPTED:
                    yield answer.iter_bytes()
                    return
                if answer.read() and not Job.from_json(answer.json()).is_over:
                    raise ApiError(
                        "job_not_finished", "The job is still running.", status=202, retryable=True
                    )
            time.sleep(MAKING_SECONDS)

    def artifacts(self, job_id: str) -> list[Artifact]:
        """Everything that can be had of a finished job."""
        return [
            Artifact.from_json(fields)
            for fields in self._get_when_made(f"/v1/jobs/{job_id}/artifacts")["artifacts"]
        ]

    def link(self, job_id: str, name: str = "markdown", *, password: str | None = None) -> ArtifactLink:
        """A link by which anybody can fetch an artifact for a while, without a key and past the server."""
        path = f"/v1/jobs/{job_id}/artifacts/{name}/link"
        return ArtifactLink.from_json(self._get_when_made(path, password_header(password)))

    def tables(self, job_id: str) -> list[Table]:
        """The tables of the document; each is fetched as `artifact(job_id, f"tables/{table.name}")`."""
        return [
            Table.from_json(fields) for fields in self._get_when_made(f"/v1/jobs/{job_id}/tables")["tables"]
        ]

    def images(self, job_id: str) -> list[Image]:
        """The figures of the document; each is fetched as `artifact(job_id, f"images/{image.name}")`."""
        return [
            Image.from_json(fields) for fields in self._get_when_made(f"/v1/jobs/{job_id}/images")["images"]
        ]

    def download(
        self, job_id: str, name: str, to: str | Path | BinaryIO, *, password: str | None = None
    ) -> None:
        """Write an artifact to a file, which is there whole or not at all, or into an open one."""
        if isinstance(to, str | Path):
            self._download_file(job_id, name, Path(to), password)
        else:
            with self.artifact(job_id, name, password=password) as pieces:
                for piece in pieces:
                    to.write(piece)

    def cancel(self, job_id: str) -> Job:
        """Stop a job."""
        return Job.from_json(self._post(f"/v1/jobs/{job_id}/cancel"))

    def retry(self, job_id: str, *, only: str = "all", password: str | None = None) -> Job:
        """Read a finished job's document again: `all` of it, or only its `failed` pages."""
        asked = {"only": only} | ({"password": password} if password else {})
        return Job.from_json(self._post(f"/v1/jobs/{job_id}/retry", asked, repeatable=False))

    def read_page(self, job_id: str, page: int, provider: str, *, password: str | None = None) -> Job:
        """Read one page of a finished job again with a provider of one's choice.

        If it can, a new revision is published; if not, the job fails and the former result stays.
        """
        asked = {"provider": provider} | ({"password": password} if password else {})
        path = f"/v1/jobs/{job_id}/pages/{page}/read"
        return Job.from_json(self._post(path, asked, repeatable=False))

    def delete(self, job_id: str) -> None:
        """Remove a job with its document and everything made of it."""
        try:
            self._server.call(lambda http: http.build_request("DELETE", f"/v1/jobs/{job_id}"))
        except ApiError as error:
            if error.code != "gone":
                raise

    def health(self) -> ServerHealth:
        """What the server says about itself and whether it takes work."""
        facts = self._get("/health")
        reasons = self._reasons()
        return ServerHealth(True, not reasons, str(facts.get("version", "")), tuple(reasons), facts)

    def _reasons(self) -> list[str]:
        try:
            self._server.call_once(lambda http: http.build_request("GET", "/ready"))
        except ApiError as error:
            return [error.detail]
        return []

    def _wait_for_change(self, job: Job, wait_seconds: float) -> Job:
        """The job after its next change, or as it was after the wait."""
        query: dict[str, str | int] = {"wait": f"{max(wait_seconds, 0.1):.1f}", "since": job.version}
        # The server is silent on purpose, for longer than some callers let it be elsewhere.
        timeout_seconds = self._server.timeout_seconds + wait_seconds

        def make(http: httpx.Client) -> httpx.Request:
            return http.build_request("GET", f"/v1/jobs/{job.id}", params=query, timeout=timeout_seconds)

        return Job.from_json(self._server.call(make).json())

    def _stream_events(self, job_id: str, after: int) -> Iterator[Event]:
        headers = {"Accept": "text/event-stream", "Last-Event-ID": str(after)}
        path = f"/v1/jobs/{job_id}/events"

        def make(http: httpx.Client) -> httpx.Request:
            return http.build_request("GET", path, headers=headers, timeout=STREAM_SILENCE_SECONDS)

        with self._server.stream(make) as answer:
            yield from sse.parse_events(answer.iter_lines())

    def _is_over(self, job_id: str) -> bool:
        try:
            return self.job(job_id).is_over
        except ApiError as error:
            if error.code != "gone":
                raise
            return True

    def _get_when_made(self, path: str, more_headers: Mapping[str, str] | None = None) -> Any:
        """What the server answers about something that it may have to make first."""
        headers = {"Accept": "application/json", **(more_headers or {})}
        while True:
            answer = self._server.call(lambda http: http.build_request("GET", path, headers=headers))
            if answer.status_code != httpx.codes.ACCEPTED:
                return answer.json()
            if not Job.from_json(answer.json()).is_over:
                raise ApiError("job_not_finished", "The job is still running.", status=202, retryable=True)
            time.sleep(MAKING_SECONDS)

    def _download_file(self, job_id: str, name: str, to: Path, password: str | None) -> None:
        # Not longer than the name of the file may be.
        beside = to.parent / f".{uuid4().hex}"
        try:
            with beside.open("wb") as file:
                self.download(job_id, name, file, password=password)
            os.replace(beside, to)
        except OSError as error:
            error.filename, error.filename2 = str(to), None
            raise
        finally:
            with suppress(OSError):
                beside.unlink(missing_ok=True)

    def _get(self, path: str, query: dict[str, Any] | None = None) -> Any:
        asked = {name: value for name, value in (query or {}).items() if value is not None}
        headers = {"Accept": "application/json"}
        return self._server.call(
            lambda http: http.build_request("GET", path, params=asked, headers=headers)
        ).json()

    def _post(self, path: str, body: dict[str, str] | None = None, *, repeatable: bool = True) -> Any:
        return self._server.call(
            lambda http: http.build_request("POST", path, json=body), repeatable=repeatable
        ).json()


def password_header(password: str | None) -> dict[str, str]:
    """The header by which the password of an encrypted document is sent."""
    return {"Document-Password": quote(password)} if password else {}
