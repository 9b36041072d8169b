"""The batches of a server: many documents in one request, one status for all, and their results in one file."""

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, BinaryIO, TypedDict
from uuid import uuid4

import httpx

from pagemill.client.models import Options
from pagemill.client.transport import UPLOAD_SILENCE_SECONDS, Transport
from pagemill.client.uploads import Given, form_fields, json_options, name_of, open_document

Json = dict[str, Any]
ACTIVE = frozenset({"pending", "processing"})
# So long the server holds back its answer to one look at a batch: with progress to be shown, and without.
LOOK_SECONDS, WAIT_SECONDS = 1.0, 20.0
ITEMS_AT_ONCE = 1_000


class BatchState(TypedDict):
    """A batch as the server shows it."""

    id: str
    status: str
    name: str
    metadata: dict[str, str]
    total: int
    counts: dict[str, int]
    total_pages: int
    processed_pages: int
    eta_seconds: float | None
    run: int
    created_at: str
    finished_at: str | None
    expires_at: str
    links: dict[str, str]


class BatchEntryState(TypedDict):
    """An item of a batch as the server shows it."""

    number: int
    name: str
    job_id: str | None
    status: str
    error: Json | None
    total_pages: int | None
    processed_pages: int
    link: str | None


class Batches:
    """The batches of the tenant whose key is used."""

    def __init__(self, server: Transport) -> None:
        self._server = server

    def submit(
        self,
        documents: Sequence[Given],
        options: Options | None = None,
        *,
        each: Mapping[str, Options] | None = None,
        name: str = "",
        idempotency_key: str | None = None,
    ) -> BatchState:
        """Hand in documents; `each` has options for single ones, by file name or by number from 1 on.

        Raises ValueError if there are none.
        """
        if not documents:
            raise ValueError("a batch needs at least one document")
        fields = {**form_fields(options or Options()), **batch_fields(name, each)}
        with ExitStack() as stack:
            opened = [(name_of(one, None), stack.enter_context(open_document(one))) for one in documents]
            return self._send(fields, [("files", one) for one in opened], idempotency_key)

    def submit_zip(
        self,
        archive: Given,
        options: Options | None = None,
        *,
        each: Mapping[str, Options] | None = None,
        name: str = "",
        idempotency_key: str | None = None,
    ) -> BatchState:
        """Hand in the documents of an archive: a ZIP, or a TAR, which may be compressed by gzip."""
        fields = {**form_fields(options or Options()), **batch_fields(name, each)}
        with open_document(archive) as file:
            return self._send(fields, [("archive", (name_of(archive, None), file))], idempotency_key)

    def submit_urls(
        self,
        urls: Sequence[str | Mapping[str, object]],
        options: Options | None = None,
        *,
        name: str = "",
        idempotency_key: str | None = None,
    ) -> BatchState:
        """Have the server fetch documents; an item may be a mapping with `url`, `headers` and options of its own."""
        items = [{"url": one} if isinstance(one, str) else dict(one) for one in urls]
        body = {"items": items, "name": name, "options": json_options(options or Options())}
        headers = {"Idempotency-Key": idempotency_key or uuid4().hex}
        found: BatchState = self._server.call(
            lambda http: http.build_request("POST", "/v1/batches", json=body, headers=headers)
        ).json()
        return found

    def show(self, batch_id: str) -> BatchState:
        """The present state of a batch."""
        found: BatchState = self._ask("GET", f"/v1/batches/{batch_id}")
        return found

    def all(self, page_size: int = 100) -> Iterator[BatchState]:
        """The batches of this key, newest first; more are fetched while you iterate."""
        query: dict[str, str | int] = {"limit": page_size}
        while True:
            answer = self._ask("GET", "/v1/batches", query)
            yield from answer["batches"]
            if not answer["next_cursor"]:
                return
            query["cursor"] = answer["next_cursor"]

    def items(self, batch_id: str) -> Iterator[BatchEntryState]:
        """The items of a batch in the order of the request."""
        after = 0
        while found := self._ask(
            "GET", f"/v1/batches/{batch_id}/items", {"after": after, "limit": ITEMS_AT_ONCE}
        )["items"]:
            yield from found
            after = found[-1]["number"]

    def wait(self, batch_id: str, progress: Callable[[BatchState], None] | None = None) -> BatchState:
        """The batch once all items have ended; `progress` is called with it again and again on the way."""
        batch = self.show(batch_id)
        while True:
            if progress:
                progress(batch)
            if batch["status"] not in ACTIVE:
                return batch
            batch = self._wait_for_end(batch_id, LOOK_SECONDS if progress else WAIT_SECONDS)

    def results(self, batch_id: str, form: str = "markdown") -> Iterator[Json]:
        """Every item with its `content`, one at a time; null for what has no result."""
        with self._stream(f"/v1/batches/{batch_id}/results.ndjson", form) as answer:
            yield from (json.loads(line) for line in answer.iter_lines() if line)

    def download(self, batch_id: str, to: str | Path | BinaryIO, form: str = "markdown") -> None:
        """Write the archive of all results to a file, which is there whole or not at all, or into an open one."""
        if not isinstance(to, str | Path):
            self._copy(batch_id, form, to)
            return
        beside = Path(to).parent / f".{uuid4().hex}"
        try:
            with beside.open("wb") as file:
                self._copy(batch_id, form, file)
            os.replace(beside, to)
        finally:
            with suppress(OSError):
                beside.unlink(missing_ok=True)

    def cancel(self, batch_id: str) -> BatchState:
        """Stop all items that have not ended."""
        found: BatchState = self._ask("POST", f"/v1/batches/{batch_id}/cancel")
        return found

    def retry(self, batch_id: str, *, only: str = "failed") -> BatchState:
        """Read again what `failed`, or `all`."""
        found: BatchState = self._ask("POST", f"/v1/batches/{batch_id}/retry", body={"only": only})
        return found

    def delete(self, batch_id: str) -> None:
        """Remove a batch with all documents and results of it."""
        self._server.call(lambda http: http.build_request("DELETE", f"/v1/batches/{batch_id}"))

    def _send(
        self, fields: Mapping[str, str], files: list[tuple[str, tuple[str, BinaryIO]]], key: str | None
    ) -> BatchState:
        headers = {"Idempotency-Key": key or uuid4().hex}

        def make(http: httpx.Client) -> httpx.Request:
            return http.build_request(
                "POST",
                "/v1/batches",
                data=fields,
                files=files,
                headers=headers,
                timeout=UPLOAD_SILENCE_SECONDS,
            )

        repeatable = all(file.seekable() for _, (_, file) in files)
        found: BatchState = self._server.call(make, repeatable=repeatable).json()
        return found

    def _copy(self, batch_id: str, form: str, to: BinaryIO) -> None:
        while True:
            with self._stream(f"/v1/batches/{batch_id}/archive.zip", form) as answer:
                if answer.status_code != httpx.codes.ACCEPTED:
                    to.writelines(answer.iter_bytes())
                    return
            self._wait_for_end(batch_id, WAIT_SECONDS)

    def _wait_for_end(self, batch_id: str, wait_seconds: float) -> BatchState:
        """The batch once it has ended, or as it is after the wait."""
        began = time.monotonic()
        # The server is silent on purpose, for longer than some callers let it be elsewhere.
        timeout_seconds = self._server.timeout_seconds + wait_seconds

        def make(http: httpx.Client) -> httpx.Request:
            query = {"wait": wait_seconds}
            return http.build_request("GET", f"/v1/batches/{batch_id}", params=query, timeout=timeout_seconds)

        batch: BatchState = self._server.call(make).json()
        if batch["status"] in ACTIVE:
            # One that stops, or of an earlier version, does not wait.
            time.sleep(max(min(wait_seconds, LOOK_SECONDS) - (time.monotonic() - began), 0.0))
        return batch

    def _stream(self, path: str, form: str) -> Any:
        return self._server.stream(
            lambda http: http.build_request(
                "GET", path, params={"format": form}, timeout=UPLOAD_SILENCE_SECONDS
            )
        )

    def _ask(
        self, method: str, path: str, query: Mapping[str, str | int] | None = None, body: Json | None = None
    ) -> Any:
        return self._server.call(
            lambda http: http.build_request(method, path, params=query, json=body), repeatable=method == "GET"
        ).json()


def batch_fields(name: str, each: Mapping[str, Options] | None) -> dict[str, str]:
    """The fields of a form that are about the batch."""
    fields = {"name": name} if name else {}
    if each:
        fields["items"] = json.dumps({one: json_options(options) for one, options in each.items()})
    return fields
