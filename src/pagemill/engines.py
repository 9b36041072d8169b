"""The engines: which providers read the pages of a job, in what order, and on what terms."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import groupby
from threading import Event
from time import monotonic

from pagemill.errors import Refused
from pagemill.model.states import Lane
from pagemill.reading.providers.installed import (
    ProviderKind,
    engine_entries,
    every_provider,
    kind_of,
    reading_version,
    remote,
)
from pagemill.reading.remote.breaker import Breaker

# A chunk of pages to be recognised is about this much work, so that no one waits long for a slot.
CHUNK_SECONDS = 1.0
USUAL_TEXT = ("liteparse", "pdfium")
FIGURE = re.compile(r"\d{1,6}(\.\d{1,6})?")


@dataclass(frozen=True, slots=True)
class Relay:
    """Providers of one kind that follow each other in a chain."""

    kind: ProviderKind
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Terms:
    """By the name of a provider: most pages at once over all workers, usual seconds for a page, the price of a call."""

    at_once: Mapping[str, int] = field(default_factory=dict)
    price_seconds: Mapping[str, float] = field(default_factory=dict)
    call_prices: Mapping[str, float] = field(default_factory=dict)


class Engines:
    """Knows the providers of a chain by kind, and when one of them is to be left alone."""

    def __init__(self, terms: Terms, weights: str = "") -> None:
        self.terms = terms
        self.breaker = Breaker(monotonic)
        # Pages that are read with other weights of the layout models come out otherwise.
        self.version: Callable[[tuple[str, ...]], str] = cache(partial(reading_version, weights=weights))
        self.entries: Callable[[tuple[str, ...]], tuple[str, ...]] = cache(
            partial(engine_entries, weights=weights)
        )
        # What is asked elsewhere right now, by claim; setting an event gives it up.
        self.stops: dict[str, Event] = {}
        self._closed = False

    def text(self, names: Iterable[str]) -> tuple[str, ...]:
        """Those of a chain that read text layers and can be used here; the usual ones if it names none."""
        able = tuple(name for name in names if kind_of(name) is ProviderKind.TEXT)
        return able or USUAL_TEXT

    def relays(self, names: Iterable[str]) -> list[Relay]:
        """Those of a chain that read pictures and can be used here, in order, grouped by where they work."""
        able = [name for name in names if kind_of(name) not in (ProviderKind.TEXT, None)]
        grouped = groupby(able, key=kind_of)
        return [Relay(kind, tuple(run)) for kind, run in grouped if kind is not None]

    def has_remotes(self) -> bool:
        """Whether a provider on another machine is set up here."""
        return any(kind_of(listing.name) is ProviderKind.REMOTE for listing in every_provider())

    def reads_pictures(self, names: Iterable[str]) -> bool:
        """Whether a provider of the chain reads pictures."""
        return bool(self.relays(names))

    def pages_together(self, names: Iterable[str]) -> int:
        """How many pages one chunk has that is to be recognised: as many as a remote provider takes at once."""
        relays = self.relays(names)
        if not relays:
            return 1
        first, name = relays[0], relays[0].names[0]
        if first.kind is ProviderKind.REMOTE:
            return self.terms.at_once.get(name, 1)
        return max(1, int(CHUNK_SECONDS / self.terms.price_seconds.get(name, CHUNK_SECONDS)))

    def picture_pixels(self, names: Iterable[str]) -> int | None:
        """The longest side of the pictures that providers on other machines want; None if there are none."""
        elsewhere = [
            name for relay in self.relays(names) if relay.kind is ProviderKind.REMOTE for name in relay.names
        ]
        return max((remote(name).longest_side_pixels for name in elsewhere), default=None)

    def lane(self, names: Iterable[str]) -> Lane:
        """Where pages of a chain are recognised: waiting for another machine takes no slot from local readers."""
        elsewhere = any(relay.kind is ProviderKind.REMOTE for relay in self.relays(names))
        return Lane.REMOTE if elsewhere else Lane.OCR

    def stop_of(self, key: str) -> Event:
        """The event that gives up what is asked for a claim; it is set from the start once all was given up."""
        stop = self.stops.setdefault(key, Event())
        if self._closed:
            stop.set()
        return stop

    def close(self) -> None:
        """Give up all that is asked, and whatever is asked from now on."""
        self._closed = True
        self.give_up(list(self.stops))

    def give_up(self, keys: Iterable[str]) -> None:
        """Wait no longer for answers to these claims."""
        for key in keys:
            if stop := self.stops.get(key):
                stop.set()


def parse_chain(names: str) -> tuple[str, ...]:
    """The chain in a text such as `liteparse,pdfium`; Refused if one of them is unknown, or none can be used."""
    chain = tuple(name.strip() for name in names.split(",") if name.strip())
    known = {listing.name: listing.unavailable for listing in every_provider()}
    for name in chain:
        if name not in known:
            raise Refused(f"there is no provider {name!r}; known are {', '.join(sorted(known))}")
    if not any(known[name] is None for name in chain):
        raise Refused("; ".join(str(known[name]) for name in chain) or "no provider is named")
    return chain


def parse_provider_figures(text: str) -> dict[str, float]:
    """Figures above 0 by provider from a text such as `vlm=8,mistral=4`; Refused if it is not one."""
    pairs = [pair.partition("=") for pair in text.replace(" ", "").split(",") if pair]
    for _, _, figure in pairs:
        if not FIGURE.fullmatch(figure) or not float(figure):
            raise Refused(f"{text!r} is not a list like vlm=8,mistral=4")
    return {name: float(figure) for name, _, figure in pairs}
