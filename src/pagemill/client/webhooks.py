"""The webhooks of a server: registered, tried out, rotated and removed; what was sent, and sending it again."""

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict
from urllib.parse import quote

import httpx

from pagemill.client.transport import Transport

Json = dict[str, Any]


class Webhook(TypedDict, total=False):
    """An endpoint as the server shows it; the secret is there only after it was made or rotated."""

    id: str
    url: str
    events: list[str]
    status: str
    disabled_reason: str | None
    created_at: str
    deliveries: dict[str, int]
    secret: str


class WebhookDelivery(TypedDict, total=False):
    """One event for one endpoint as the server shows it."""

    id: str
    endpoint_id: str
    job_id: str | None
    event: str
    state: str
    attempts: int
    next_attempt_at: str | None
    last_status: int | None
    last_error: str | None
    created_at: str
    payload: str
    log: list[Json]


class Webhooks:
    """The webhooks of the tenant whose key is used."""

    def __init__(self, server: Transport) -> None:
        self._server = server

    def add(
        self,
        url: str,
        events: Sequence[str] = (),
        description: str = "",
        *,
        progress_percent: int | None = None,
        progress_pages: int | None = None,
    ) -> Webhook:
        """Register an endpoint; its secret is in the answer, this once. `job.progress` comes in steps of percent or pages."""
        asked: Json = {"url": url, "description": description} | ({"events": list(events)} if events else {})
        steps = {"progress_percent": progress_percent, "progress_pages": progress_pages}
        asked |= {name: value for name, value in steps.items() if value is not None}
        return self._webhook("POST", "/v1/webhooks", asked)

    def all(self) -> list[Webhook]:
        """The registered endpoints, oldest first."""
        found: list[Webhook] = self._ask("GET", "/v1/webhooks")["webhooks"]
        return found

    def show(self, webhook_id: str) -> Webhook:
        """An endpoint, and how many of its deliveries are in which state."""
        return self._webhook("GET", f"/v1/webhooks/{quote(webhook_id, safe='')}")

    def change(self, webhook_id: str, changes: Mapping[str, object]) -> Webhook:
        """Change an endpoint; `enabled` switches it on and off."""
        return self._webhook("PATCH", f"/v1/webhooks/{quote(webhook_id, safe='')}", dict(changes))

    def remove(self, webhook_id: str) -> None:
        """Remove an endpoint; what waits for it is cancelled."""
        path = f"/v1/webhooks/{quote(webhook_id, safe='')}"
        self._server.call(lambda http: http.build_request("DELETE", path))

    def rotate(self, webhook_id: str, overlap_seconds: float) -> Webhook:
        """Give an endpoint a new secret; both are valid until the overlap is over."""
        asked = {"overlap_seconds": overlap_seconds}
        return self._webhook("POST", f"/v1/webhooks/{quote(webhook_id, safe='')}/rotate", asked)

    def test(self, webhook_id: str) -> WebhookDelivery:
        """Send an endpoint a test message."""
        return self._delivery("POST", f"/v1/webhooks/{quote(webhook_id, safe='')}/test", {})

    def deliveries(self, **wanted: str | int | None) -> list[WebhookDelivery]:
        """What was sent or is to be sent, newest first; `webhook`, `job`, `state` and `limit` choose."""
        asked = {name: value for name, value in wanted.items() if value is not None}
        request = httpx.QueryParams(asked)
        found: list[WebhookDelivery] = self._ask("GET", f"/v1/deliveries?{request}")["deliveries"]
        return found

    def delivery(self, delivery_id: str) -> WebhookDelivery:
        """A delivery with its payload and every attempt."""
        return self._delivery("GET", f"/v1/deliveries/{quote(delivery_id, safe='')}")

    def replay(self, delivery_id: str) -> WebhookDelivery:
        """Send a delivery that has ended once more, under the same id."""
        return self._delivery("POST", f"/v1/deliveries/{quote(delivery_id, safe='')}/replay", {})

    def replay_failed(self, webhook_id: str, since: str) -> int:
        """Send everything that failed for an endpoint since a time once more; how much that is."""
        path = f"/v1/webhooks/{quote(webhook_id, safe='')}/replay"
        count: int = self._ask("POST", path, {"since": since})["replayed"]
        return count

    def _webhook(self, method: str, path: str, body: Json | None = None) -> Webhook:
        made: Webhook = self._ask(method, path, body)
        return made

    def _delivery(self, method: str, path: str, body: Json | None = None) -> WebhookDelivery:
        found: WebhookDelivery = self._ask(method, path, body)
        return found

    def _ask(self, method: str, path: str, body: Json | None = None) -> Any:
        headers = {"Accept": "application/json"}
        answer = self._server.call(
            lambda http: http.build_request(method, path, json=body, headers=headers),
            repeatable=method != "POST",
        )
        return answer.json()
