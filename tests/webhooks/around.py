"""What tests of webhooks need: a clock that is moved by hand, a mill that only notifies, and a checked message."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from standardwebhooks.webhooks import Webhook

from pagemill.desk import webhooks
from pagemill.desk.webhooks import DeliveryFilter, DeliveryView
from pagemill.dispatcher import Dispatcher
from pagemill.mill import DEFAULT_TENANT, Mill
from pagemill.model.webhooks import WantedEndpoint
from pagemill.wiring import open_mill
from tests.http_receivers import Received
from tests.mills import hand_in, small_settings
from tests.samples import letter

LOCAL = "127.0.0.0/8"


@dataclass
class Clock:
    """A time that passes only when it is told to."""

    now: float

    def __call__(self) -> float:
        """The time."""
        return self.now


@dataclass
class Notifying:
    """A mill whose jobs are accepted and never read, with webhooks that are sent turn by turn."""

    mill: Mill
    dispatcher: Dispatcher
    clock: Clock

    def subscribe(self, url: str, *events: str, **more: Any) -> tuple[str, str]:
        """Register an endpoint; its id and secret."""
        wanted = WantedEndpoint(url, events or ("job.accepted",), **more)
        made = webhooks.add_endpoint(self.mill, DEFAULT_TENANT, wanted)
        return made["id"], made["secret"]

    def accept(self, number: int = 0) -> str:
        """Hand a document in, which writes a line to the log."""
        return hand_in(self.mill, letter(f"Dear {number},"), reuse=False).job_id

    def turn(self, seconds: float = 0.0) -> int:
        """Let time pass and send what is due; how much that was."""
        self.clock.now += seconds
        sent = self.dispatcher.turn()
        self.dispatcher.wait_idle()
        return sent

    def deliveries(self, **wanted: str) -> list[DeliveryView]:
        """The deliveries, oldest first."""
        found = webhooks.list_deliveries(
            self.mill, DEFAULT_TENANT, DeliveryFilter(**wanted), before=None, limit=1_000
        )
        return [webhooks.show_delivery(self.mill, DEFAULT_TENANT, one["id"]) for one in reversed(found)]

    def only_delivery(self) -> DeliveryView:
        """The one delivery that there is."""
        [delivery] = self.deliveries()
        return delivery


@contextmanager
def notifying(folder: Path, **changes: object) -> Iterator[Notifying]:
    """A mill that only notifies, until the context ends."""
    settings = small_settings(folder, **({"outbound_allow": LOCAL} | changes))
    with open_mill(settings, workers=False) as mill:
        clock = Clock(mill.db.read(mill.db.now) + 60)
        dispatcher = Dispatcher(mill, clock)
        try:
            yield Notifying(mill, dispatcher, clock)
        finally:
            dispatcher.stop()


def verified(secret: str, request: Received) -> dict[str, Any]:
    """The message of a request, checked by the official package against the present time."""
    message: dict[str, Any] = Webhook(secret).verify(request.body, dict(request.headers))
    return message


def is_signed(secret: str, request: Received) -> bool:
    """Whether a request carries the signature that the official package makes for its own time, whenever that is."""
    at = datetime.fromtimestamp(int(request.headers["webhook-timestamp"]), UTC)
    expected = Webhook(secret).sign(request.headers["webhook-id"], at, request.body.decode())
    return expected in request.headers["webhook-signature"].split(" ")
