"""Extraction: what is asked of a document, and the values that come of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import orjson

from pagemill.model.pages import Box

Schema = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ExtractionOrder:
    """A JSON Schema of an object, and what else the model is told."""

    schema: Schema
    instructions: str = ""

    def key(self, engine: str) -> str:
        """A name for what this order brings with an engine; equal orders have equal names."""
        asked = orjson.dumps([dict(self.schema), self.instructions, engine], option=orjson.OPT_SORT_KEYS)
        return sha256(asked).hexdigest()[:24]


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
