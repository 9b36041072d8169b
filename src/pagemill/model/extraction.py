"""Extraction: what is asked of a document, and the values that come of it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from typing import Any

import orjson

from pagemill.model.pages import Box

Schema = Mapping[str, Any]
# Raised when the same order would bring other values, so that what was kept before is made again.
EXTRACTOR_VERSION = 2
EXTRACTION_SCHEMA = "pagemill/extraction@1"


@dataclass(frozen=True, slots=True)
class ExtractionOrder:
    """A JSON Schema of an object, and further instructions for the model."""

    schema: Schema
    instructions: str = ""

    def key(self, engine: str) -> str:
        """A name for what this order brings with an engine and this version; equal orders have equal names."""
        parts = [dict(self.schema), self.instructions, engine, EXTRACTOR_VERSION]
        return sha256(orjson.dumps(parts, option=orjson.OPT_SORT_KEYS)).hexdigest()[:24]

    def to_json(self) -> str:
        """The order as text; equal orders have equal texts."""
        order = {"schema": dict(self.schema), "instructions": self.instructions}
        return orjson.dumps(order, option=orjson.OPT_SORT_KEYS).decode()

    @classmethod
    def from_json(cls, text: str) -> "ExtractionOrder":
        """The order from the text that `to_json` gives."""
        return cls(**orjson.loads(text))


@dataclass(frozen=True, slots=True)
class ExtractedValue:
    """One value, the words that support it, and where they are; without support it is not `grounded`."""

    pointer: str
    value: str | int | float | bool
    quote: str | None = None
    grounded: bool = False
    page: int | None = None
    block: str | None = None
    box: Box | None = None


@dataclass(frozen=True, slots=True)
class ModelUse:
    """What a language model was asked: calls, and tokens as the server counted them."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, more: "ModelUse") -> "ModelUse":
        return ModelUse(
            self.calls + more.calls,
            self.prompt_tokens + more.prompt_tokens,
            self.completion_tokens + more.completion_tokens,
        )


@dataclass(frozen=True, slots=True)
class Extraction:
    """What an extraction brought: the record, its values one by one, and what is wrong with it or was not tried."""

    engine: str
    record: dict[str, Any]
    values: tuple[ExtractedValue, ...] = ()
    errors: tuple[str, ...] = ()
    not_supported: tuple[str, ...] = ()
    use: ModelUse = field(default_factory=ModelUse)


def extraction_row(found: Extraction, price: float) -> dict[str, Any]:
    """An extraction as JSON."""
    values = [{**asdict(one), "box": one.box.sides if one.box else None} for one in found.values]
    return {
        "schema": EXTRACTION_SCHEMA,
        "engine": found.engine,
        "record": found.record,
        "values": values,
        "valid": not found.errors,
        "errors": list(found.errors),
        "not_supported": list(found.not_supported),
        "cost": {**asdict(found.use), "price": price},
    }
