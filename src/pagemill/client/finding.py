"""How a client finds documents: lists, search, and the labels that both go by."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Unpack

from pagemill.client.filters import DocumentFilters, ListFilters, query_of
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
        page_size: int = 100,
        **filters: Unpack[ListFilters],
    ) -> Iterator[Job]:
        """The jobs of this key that the filters let through, newest first; more are fetched while you iterate."""
        asked: dict[str, Any] = {
            "status": status,
            "filename": filename,
            "limit": page_size,
            **query_of(filters),
        }
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
        **filters: Unpack[DocumentFilters],
    ) -> SearchResults:
        """What was read with these words, best first: all of them must be there, "phrases" in quotes, beginnings with `*`.

        `mode` is `text`, or, where the server has vectors, `vector` or `hybrid`.
        """
        asked = {"q": query, "limit": limit, "offset": offset, "mode": mode, **query_of(filters)}
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
