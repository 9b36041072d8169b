"""Pictures and providers for the tests of remote providers."""

from pagemill.model.pages import Block
from pagemill.reading.contract_samples import picture_of
from pagemill.reading.remote.base import Picture
from pagemill.reading.remote.mistral import MistralConfig, MistralProvider
from pagemill.reading.remote.vlm import VlmConfig, VlmProvider
from tests.reading.remote_server import KEY, Behaviour

PICTURE = picture_of(("Water mill", "Built in 1742"))
# For what is only measured and never sent.
SQUARE = Picture(b"", "image/png", 1000, 1000, 500.0, 500.0)


def vlm(url: str, model: str = Behaviour().model, **more: object) -> VlmProvider:
    """A provider that knows the key."""
    settings = {"base_url": url, "model": model, "api_key": KEY, "timeout_seconds": 5.0, **more}
    return VlmProvider(VlmConfig(**settings))  # type: ignore[arg-type]


def mistral(url: str, model: str = Behaviour().model, **more: object) -> MistralProvider:
    """A provider that knows the key."""
    settings = {"base_url": url, "model": model, "api_key": KEY, "timeout_seconds": 5.0, **more}
    return MistralProvider(MistralConfig(**settings))  # type: ignore[arg-type]


def texts(blocks: tuple[Block, ...] | list[Block]) -> list[tuple[str, str]]:
    """The kind and the text of each block."""
    return [(block.kind.value, block.text) for block in blocks]
