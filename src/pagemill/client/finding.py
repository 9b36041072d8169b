"""How a client finds documents: lists, search, and the labels that both go by."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pagemill.client.shapes import Job, SearchResults, UsedLabels
from pagemill.client.transport import Transport


class JobFinder:
    """Lists jobs, searches in what was read, and labels jobs."""

    _server: Transport

    def jobs(
        self,
        *,
        status: str | None = None,
        filename: str | None = None,
        tag: str | None = None,
        collection: str | None = None,
        page_size: int = 100,
    ) -> Iterator[Job]:
        """The jobs of this key, newest first; more are fetched while you iterate."""
        asked: dict[str, Any] = {"status": status, "filename": filename, "limit": page_size}
        asked |= {"tag": tag, "collection": collection}
        while True:
            answer = self._find("/v1/jobs", asked)
            yield from (Job.from_json(job) for job in answer["jobs"])
            if not answer["next_cursor"]:
                return
            asked["cursor"] = answer["next_cursor"]

    def search(
        self,
        query: str,
        *,
        limit: int = 20,
        offset: int = 0,
        mode: str | None = None,
        collection: str | None = None,
        tag: str | None = None,
        metadata: Mapping[str, str] | None = None,
        media_type: str | None = None,
        job_id: str | None = None,
        created_after: str | None = None,
        created_before: str | None = None,
    ) -> SearchResults:
        """What was read with these words, best first: all of them must be there, "phrases" in quotes, beginnings with `*`.

        `mode` is `text`, or, where the server has vectors, `vector` or `hybrid`.
        """
        # The first colon ends the name, unless it is behind a backslash.
        names = {name: name.replace(":", "\\:") for name in metadata or {}}
        labels = [f"{names[name]}:{value}" for name, value in (metadata or {}).items()] or None
        filters = {
            "collection": collection,
            "tag": tag,
            "metadata": labels,
            "type": media_type,
            "job_id": job_id,
        }
        times = {"created_after": created_after, "created_before": created_before}
        asked = {"q": query, "limit": limit, "offset": offset, "mode": mode, **filters, **times}
        return SearchResults.from_json(self._find("/v1/search", asked))

    def labels(self) -> UsedLabels:
        """The collections and tags of the jobs of this key, with how many jobs have each, most used first."""
        return UsedLabels.from_json(self._find("/v1/labels", {}))

    def label(
        self,
        job_id: str,
        *,
        collection: str | None = None,
        tags: Sequence[str] | None = None,
        metadata: Mapping[str, str | None] | None = None,
    ) -> Job:
        """Change the labels of a job; None leaves them as they are, an empty collection or no tags remove them."""
        asked: dict[str, Any] = {} if metadata is None else {"metadata": dict(metadata)}
        asked |= {} if tags is None else {"tags": list(tags)}
        asked |= {} if collection is None else {"collection": collection}
        answer = self._server.call(lambda http: http.build_request("PATCH", f"/v1/jobs/{job_id}", json=asked))
        return Job.from_json(answer.json())

    def _find(self, path: str, query: Mapping[str, Any]) -> Any:
        asked = {name: value for name, value in query.items() if value is not None}
        headers = {"Accept": "application/json"}
        return self._server.call(
            lambda http: http.build_request("GET", path, params=asked, headers=headers)
        ).json()
