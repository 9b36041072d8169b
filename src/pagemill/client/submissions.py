"""The ways in which a client hands in documents: as bytes, by URL, and straight into the server's bucket."""

from collections.abc import Mapping
from uuid import uuid4

import httpx

from pagemill.client.models import Options
from pagemill.client.shapes import Job, UploadLink
from pagemill.client.transport import UPLOAD_SILENCE_SECONDS, Transport
from pagemill.client.uploads import Given, form_fields, json_options, name_of, open_document


class Submissions:
    """Hands in documents; a repeated submission never makes a second job."""

    def __init__(self, server: Transport) -> None:
        self._server = server

    def submit(
        self,
        document: Given,
        options: Options | None = None,
        *,
        filename: str | None = None,
        idempotency_key: str | None = None,
    ) -> Job:
        """Hand in a document (a path, bytes or an open file) and return its job, without waiting for it.

        Without an idempotency key, a fresh one is made, so that a repeated upload finds the job of the first.
        """
        headers = {"Idempotency-Key": idempotency_key or uuid4().hex, "Accept": "application/json"}
        name = name_of(document, filename)
        fields = form_fields(options or Options())

        def make(http: httpx.Client) -> httpx.Request:
            part = {"file": (name, file, "application/pdf")}
            return http.build_request(
                "POST", "/v1/jobs", data=fields, files=part, headers=headers, timeout=UPLOAD_SILENCE_SECONDS
            )

        with open_document(document) as file:
            return Job.from_json(self._server.call(make, repeatable=file.seekable()).json())

    def submit_url(
        self,
        url: str,
        options: Options | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        filename: str | None = None,
        idempotency_key: str | None = None,
    ) -> Job:
        """Have the server fetch a document from a URL, with headers for the server of it, and return its job at once."""
        own = {"Idempotency-Key": idempotency_key or uuid4().hex, "Accept": "application/json"}
        payload = {"url": url, "headers": dict(headers or {}), **json_options(options or Options())}
        if filename:
            payload["filename"] = filename
        answer = self._server.call(
            lambda http: http.build_request("POST", "/v1/jobs", json=payload, headers=own)
        )
        return Job.from_json(answer.json())

    def submit_by_link(
        self,
        document: Given,
        options: Options | None = None,
        *,
        filename: str | None = None,
        idempotency_key: str | None = None,
    ) -> Job:
        """Hand in a document straight to the server's bucket, past the server; for those that keep files in one."""
        headers = {"Idempotency-Key": idempotency_key or uuid4().hex, "Accept": "application/json"}
        named = {"filename": name_of(document, filename)}
        place = self._server.call(lambda http: http.build_request("POST", "/v1/uploads", json=named))
        link = UploadLink.from_json(place.json())
        with open_document(document) as file:
            self._server.send_elsewhere(link, file)
        payload = {**form_fields(options or Options()), "upload_id": link.upload_id}
        answer = self._server.call(
            lambda http: http.build_request("POST", "/v1/jobs", params=payload, headers=headers)
        )
        return Job.from_json(answer.json())
