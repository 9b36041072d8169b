"""What the commands of webhooks do."""

import time
from collections.abc import Mapping, Sequence

from pagemill.client.webhooks import Webhook, WebhookDelivery
from pagemill.entrypoints.cli.remote.actions import ServerOptions, connect
from pagemill.entrypoints.output.terminal import EXIT_FAILED, answer, answer_json, say, table

PATIENCE_SECONDS = 30.0
POLL_SECONDS = 0.3


def add(
    hand: ServerOptions, url: str, events: Sequence[str], description: str, steps: Mapping[str, int | None]
) -> None:
    """Register an address."""
    with connect(hand) as client:
        show_secret(hand, client.webhooks.add(url, events, description, **steps))


def show_secret(hand: ServerOptions, made: Webhook) -> None:
    """Show an endpoint with its secret, this once."""
    if hand.as_json:
        answer_json(made)
        return
    answer(made["id"])
    say(f"Secret: {made['secret']}\nKeep it: it is not shown again.")


def list_webhooks(hand: ServerOptions) -> None:
    """List the registered addresses."""
    with connect(hand) as client:
        found = client.webhooks.all()
    if hand.as_json:
        answer_json({"webhooks": found})
        return
    rows = ((one["id"], one["status"], ",".join(one["events"]), one["url"]) for one in found)
    for line in table(("ID", "STATUS", "EVENTS", "URL"), rows):
        answer(line)


def remove(hand: ServerOptions, webhook_id: str) -> None:
    """Remove an address."""
    with connect(hand) as client:
        client.webhooks.remove(webhook_id)
    say(f"{webhook_id} is removed.")


def enable(hand: ServerOptions, webhook_id: str) -> None:
    """Send to an address again."""
    with connect(hand) as client:
        client.webhooks.change(webhook_id, {"enabled": True})
    say(f"{webhook_id} is active.")


def disable(hand: ServerOptions, webhook_id: str) -> None:
    """Send nothing more to an address."""
    with connect(hand) as client:
        client.webhooks.change(webhook_id, {"enabled": False})
    say(f"{webhook_id} is disabled.")


def rotate(hand: ServerOptions, webhook_id: str, overlap_seconds: float) -> None:
    """Make a new secret."""
    with connect(hand) as client:
        show_secret(hand, client.webhooks.rotate(webhook_id, overlap_seconds))


def try_out(hand: ServerOptions, webhook_id: str) -> int:
    """Send a test message and wait for its first attempt; 1 if it was not taken."""
    patience = time.monotonic() + PATIENCE_SECONDS
    with connect(hand) as client:
        sent = client.webhooks.test(webhook_id)
        while not sent["attempts"] and time.monotonic() < patience:
            time.sleep(POLL_SECONDS)
            sent = client.webhooks.delivery(sent["id"])
    show_delivery(hand, sent)
    return 0 if sent["state"] == "delivered" else EXIT_FAILED


def show_delivery(hand: ServerOptions, delivery: WebhookDelivery) -> None:
    """Show a delivery in one line, or all of it for programs."""
    if hand.as_json:
        answer_json(delivery)
    else:
        answer("  ".join(row(delivery)))


def deliveries(hand: ServerOptions, wanted: Mapping[str, str | int | None]) -> None:
    """List deliveries."""
    with connect(hand) as client:
        found = client.webhooks.deliveries(**wanted)
    if hand.as_json:
        answer_json({"deliveries": found})
        return
    head = ("ID", "STATE", "EVENT", "ATTEMPTS", "ANSWER", "CREATED")
    for line in table(head, (row(one) for one in found), numbers={"ATTEMPTS"}):
        answer(line)


def show_log(hand: ServerOptions, delivery_id: str) -> None:
    """Show a delivery with every attempt and its message."""
    with connect(hand) as client:
        found = client.webhooks.delivery(delivery_id)
    show_delivery(hand, found)
    if hand.as_json:
        return
    rows = (
        (str(one["number"]), one["at"], str(one["status"] or one["error"] or ""), one["answer"])
        for one in found["log"]
    )
    for line in table(("ATTEMPT", "AT", "STATUS", "ANSWER"), rows, numbers={"ATTEMPT"}):
        answer(line)
    answer(found["payload"])


def row(delivery: WebhookDelivery) -> tuple[str, ...]:
    """A delivery in a line of the list."""
    outcome = delivery["last_error"] or str(delivery["last_status"] or "")
    attempts = str(delivery["attempts"])
    return delivery["id"], delivery["state"], delivery["event"], attempts, outcome, delivery["created_at"]


def replay(hand: ServerOptions, delivery_id: str) -> None:
    """Send a delivery once more."""
    with connect(hand) as client:
        show_delivery(hand, client.webhooks.replay(delivery_id))


def replay_failed(hand: ServerOptions, webhook_id: str, since: str) -> None:
    """Send everything that failed since a time once more."""
    with connect(hand) as client:
        count = client.webhooks.replay_failed(webhook_id, since)
    if hand.as_json:
        answer_json({"replayed": count})
    else:
        answer(f"{count} deliveries are sent once more.")
