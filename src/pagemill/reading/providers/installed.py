"""Which providers there are: the installed ones, and those that the environment names."""

import os
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Protocol, Union, cast, runtime_checkable

from pagemill.errors import Refused
from pagemill.reading.provider import Provider

if TYPE_CHECKING:
    # Only the press needs what these bring along.
    from pagemill.reading.ocr.recogniser import Recogniser
    from pagemill.reading.remote.base import Remote

GROUP = "pagemill.providers"

# Providers without an installed package, as `name=module:Class,...`; they win over installed ones.
MODULES_VARIABLE = "PAGEMILL_PROVIDER_MODULES"

# Raised whenever the same page may come out differently than before.
READING_VERSION = 2


@dataclass(frozen=True, slots=True)
class Listing:
    """A provider in the list of all: its version and its models if it can be used, otherwise why not."""

    name: str
    version: str | None
    unavailable: str | None = None
    models: tuple[str, ...] = ()


@runtime_checkable
class WithModels(Protocol):
    """A provider that brings models in files."""

    def models(self) -> list[str]:
        """The names of the files that are here."""
        ...


Engine = Union[Provider, "Recogniser", "Remote"]


class ProviderKind(StrEnum):
    """What a provider reads: the text layer of a PDF, a picture in the press, or a picture on another machine."""

    TEXT = "text"
    RECOGNISER = "recogniser"
    REMOTE = "remote"


@cache
def kind_of(name: str) -> ProviderKind | None:
    """What kind of provider a name stands for; None if it can't be used here."""
    try:
        provider = load(name)
    except Refused:
        return None
    if hasattr(provider, "recognise"):
        return ProviderKind.RECOGNISER
    return ProviderKind.REMOTE if hasattr(provider, "longest_side_pixels") else ProviderKind.TEXT


def text_provider(name: str) -> Provider:
    """A provider that reads text layers."""
    return cast(Provider, load(name))


def recogniser(name: str) -> "Recogniser":
    """A provider that reads pictures in the press."""
    return cast("Recogniser", load(name))


def remote(name: str) -> "Remote":
    """A provider that reads pictures on another machine."""
    return cast("Remote", load(name))


@cache
def load(name: str) -> Engine:
    """The provider of that name, ready to read; Refused says which ones there are."""
    provider = _instance(name)
    reason = provider.available()
    if reason:
        raise Refused(f"the provider {name!r} can't be used here: {reason}")
    return provider


def every_provider() -> list[Listing]:
    """All providers by name, usable or not."""
    return [_listing(name) for name in sorted(_known())]


def reading_version(names: tuple[str, ...], weights: str = "") -> str:
    """What decides how a page comes out: our own version and those of the providers in the chain that can be used."""
    usable = [name for name in names if kind_of(name)]
    return "+".join([own_version(weights), *(f"{name}-{load(name).version()}" for name in usable)])


def engine_entries(names: tuple[str, ...], weights: str = "") -> tuple[str, ...]:
    """The engines of a chain that can be used here, each with its version, after the version of our own reading."""
    usable = [name for name in names if kind_of(name)]
    return (f"reading {own_version(weights)}", *(f"{name} {load(name).version()}" for name in usable))


def own_version(weights: str) -> str:
    """Our own version, with the fingerprint of the layout models if they are not those of the package."""
    return f"{READING_VERSION}-{weights}" if weights else str(READING_VERSION)


@cache
def _listing(name: str) -> Listing:
    try:
        provider = load(name)
    except Refused as refused:
        return Listing(name, None, refused.message)
    models = provider.models() if isinstance(provider, WithModels) else ()
    return Listing(name, provider.version(), models=tuple(models))


def _instance(name: str) -> Engine:
    known = _known()
    if name not in known:
        raise Refused(f"there is no provider {name!r}; known are {', '.join(sorted(known))}")
    try:
        made: Engine = known[name].load()()
    except (ImportError, AttributeError, ValueError) as error:
        raise Refused(f"the provider {name!r} can't be loaded: {error}") from error
    return made


@cache
def _known() -> dict[str, EntryPoint]:
    installed = {point.name: point for point in entry_points(group=GROUP)}
    pairs = (pair.partition("=") for pair in os.environ.get(MODULES_VARIABLE, "").split(",") if pair)
    return installed | {name: EntryPoint(name, target, GROUP) for name, _, target in pairs}
