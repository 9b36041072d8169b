"""Classes, routing rules and questions of a server."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from pagemill.client.transport import Transport

Json = dict[str, Any]


class Understanding:
    """What the tenant whose key is used has labelled and routed, and questions to its documents."""

    def __init__(self, server: Transport) -> None:
        self._server = server

    def ask(self, question: str, **wanted: str | None) -> Json:
        """The answer to a question, with citations; `job_id`, `collection`, `tag` and `class` name the documents."""
        filters = {name: value for name, value in wanted.items() if value is not None}
        return self._ask("POST", "/v1/ask", {"question": question, **filters})

    def classes(self) -> dict[str, int]:
        """The classes, each with the number of its labelled examples."""
        return {one["name"]: one["examples"] for one in self._ask("GET", "/v1/classes")["classes"]}

    def label_examples(self, name: str, job_ids: Sequence[str]) -> Json:
        """Make jobs examples of a class, beside those that it has."""
        return self._ask("POST", f"/v1/classes/{quote(name, safe='')}/examples", {"job_ids": list(job_ids)})

    def remove_class(self, name: str) -> None:
        """Remove a class with its examples."""
        self._remove(f"/v1/classes/{quote(name, safe='')}")

    def rules(self) -> list[Json]:
        """The routing rules, in the order in which they are tried."""
        found: list[Json] = self._ask("GET", "/v1/rules")["rules"]
        return found

    def add_rule(self, rule: Mapping[str, object]) -> Json:
        """Make a routing rule."""
        return self._ask("POST", "/v1/rules", dict(rule))

    def change_rule(self, rule_id: str, rule: Mapping[str, object]) -> Json:
        """Replace a routing rule."""
        return self._ask("PUT", f"/v1/rules/{quote(rule_id, safe='')}", dict(rule))

    def remove_rule(self, rule_id: str) -> None:
        """Remove a routing rule."""
        self._remove(f"/v1/rules/{quote(rule_id, safe='')}")

    def try_rules(self, job_id: str, rules: Sequence[Mapping[str, object]] = ()) -> Json:
        """What the rules of the tenant, or drafts of them, would do with a finished job."""
        return self._ask(
            "POST", f"/v1/jobs/{quote(job_id, safe='')}/rules", {"rules": list(map(dict, rules))}
        )

    def _remove(self, path: str) -> None:
        self._server.call(lambda http: http.build_request("DELETE", path))

    def _ask(self, method: str, path: str, body: Json | None = None) -> Json:
        headers = {"Accept": "application/json"}
        answer = self._server.call(
            lambda http: http.build_request(method, path, json=body, headers=headers),
            repeatable=method != "POST",
        )
        found: Json = answer.json()
        return found
