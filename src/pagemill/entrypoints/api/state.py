"""What the routes of the API share."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from pagemill.desk.counts_cache import CountsCache
from pagemill.entrypoints.api.jobs.watch import Watch
from pagemill.entrypoints.api.upload.piece_storing import StoringThreads
from pagemill.entrypoints.fair_threads import FairThreadPool
from pagemill.entrypoints.thread_pools import BoundedThreadPool
from pagemill.entrypoints.wire.refusals import Refusals
from pagemill.mill import Mill


@dataclass(frozen=True, slots=True)
class ApiState:
    """Everything that a route needs."""

    mill: Mill
    watch: Watch
    # Every provider, and why it can't be used if so.
    providers: Mapping[str, str | None]
    default_providers: tuple[str, ...]
    # For bodies of requests that are large.
    storing: StoringThreads
    drawing: BoundedThreadPool
    making: BoundedThreadPool
    searching: FairThreadPool
    # For calls to the language model.
    asking: BoundedThreadPool
    refusals: Refusals
    counts: CountsCache
    # What browsers get instead of the list of addresses.
    home_page: Callable[[Request], Awaitable[Response]]


def api_state(request: Request) -> ApiState:
    """The state of the application that a request came to."""
    state: ApiState = request.app.state.api
    return state
