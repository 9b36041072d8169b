"""A language model behind an address that speaks OpenAI's protocol, asked for JSON."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import sleep
from typing import Any

import orjson

from pagemill.model.extraction import ModelUse, Schema
from pagemill.reading.provider import Refusal
from pagemill.reading.remote.base import TryLater
from pagemill.reading.remote.endpoint import Address, Json, RemoteEndpoint
from pagemill.reading.remote.retries import TRIES, ask_with_retries, wait_to_retry
from pagemill.reading.remote.statuses import NotUnderstood
from pagemill.reading.remote.vlm import PATH, reply_in

SETTINGS = "PAGEMILL_LLM"
Message = Mapping[str, str]
# Servers and models of which this process has seen that they know no schemas; adding to a set takes no lock.
PLAIN: set[tuple[str, str]] = set()


@dataclass(frozen=True, slots=True)
class ChatConfig:
    """Which model is asked, and where."""

    base_url: str
    model: str
    api_key: str = field(default="", repr=False)
    timeout_seconds: float = 120.0
    max_tokens: int = 4096

    def wrong(self) -> str | None:
        """What has to be set before anything can be asked; None if all is well."""
        return self.address().wrong() or (None if self.model else f"set {SETTINGS}_MODEL")

    def address(self) -> Address:
        """Where requests go."""
        return Address(self.base_url, SETTINGS, self.api_key, self.timeout_seconds)


@dataclass(frozen=True, slots=True)
class JsonAnswer:
    """What the model said: the JSON value, or what is wrong with the text."""

    text: str
    value: Any
    wrong: str | None


class ChatModel:
    """Asks for JSON; a server that does not know schemas is asked for any JSON object, by all from then on."""

    def __init__(
        self,
        config: ChatConfig,
        wait: Callable[[float], None] = sleep,
        check: Callable[[], None] | None = None,
    ) -> None:
        self.config = config
        # Called before each question; it raises if no more are to be asked.
        self._check = check
        self._endpoint = RemoteEndpoint(config.address())
        self._wait = wait
        # What was asked so far, whatever came of it.
        self.use = ModelUse()

    def ask(self, messages: Sequence[Message], schema: Schema) -> JsonAnswer:
        """What the model says; raises TryLater or Refusal if it did not answer."""
        if self._check is not None:
            self._check()
        place = (self.config.base_url, self.config.model)
        if place in PLAIN:
            return self._answer(messages, {"type": "json_object"})
        strict = {"type": "json_schema", "json_schema": {"name": "extraction", "schema": dict(schema)}}
        try:
            return self._answer(messages, strict)
        except NotUnderstood:
            answer = self._answer(messages, {"type": "json_object"})
            PLAIN.add(place)
            return answer

    def stream(self, messages: Sequence[Message]) -> Iterator[str]:
        """What the model writes, piece by piece; raises TryLater or Refusal if it ends early."""
        body = {**self._question(messages), "stream": True}
        counted = {**body, "stream_options": {"include_usage": True}}
        try:
            yield from self._pieces(counted)
        except NotUnderstood:
            # Some servers don't count what they stream; they refuse before they send anything.
            yield from self._pieces(body)

    def _pieces(self, body: Json) -> Iterator[str]:
        """The pieces of an answer; a server that is busy for a moment is asked again before the first."""
        for tried in range(1, TRIES + 1):
            begun = False
            try:
                for event in self._endpoint.stream(PATH, body):
                    if not begun:
                        self.use += ModelUse(calls=1)
                    begun = True
                    self.use += replace(use_of(event), calls=0)
                    yield piece_in(event)
                if not begun:
                    raise Refusal(
                        "the answer has no text; check that the address leads to a server that streams"
                    )
                return
            except TryLater as later:
                if begun:
                    raise
                wait_to_retry(later, tried, self._wait)

    def close(self) -> None:
        """End the connections."""
        self._endpoint.close()

    def _question(self, messages: Sequence[Message]) -> Json:
        return {
            "model": self.config.model,
            "messages": list(messages),
            "temperature": 0,
            "max_tokens": self.config.max_tokens,
        }

    def _answer(self, messages: Sequence[Message], form: Json) -> JsonAnswer:
        body = {**self._question(messages), "response_format": form}
        answer = ask_with_retries(lambda: self._endpoint.ask(PATH, body), self._wait)
        self.use += use_of(answer)
        reply = reply_in(answer)
        value, wrong = parse_json(reply.text)
        return JsonAnswer(reply.text, value, "the answer was cut off" if reply.stopped else wrong)


def piece_in(event: Json) -> str:
    """The text in one event of a stream; the last has none."""
    if "error" in event:
        raise TryLater("the server broke off its answer")
    choices = event.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    delta = first.get("delta") if isinstance(first, dict) else None
    content = delta.get("content") if isinstance(delta, dict) else None
    return content if isinstance(content, str) else ""


def parse_json(text: str) -> tuple[Any, str | None]:
    """The JSON in a text, which some models put between fences; or what is wrong with it."""
    bare = text.strip()
    if bare.startswith("```"):
        bare = bare.partition("\n")[2].rpartition("```")[0]
    try:
        return orjson.loads(bare), None
    except orjson.JSONDecodeError as error:
        return None, f"the answer is not JSON: {error}"


def use_of(answer: Json) -> ModelUse:
    """What a call took, as far as the server says."""
    usage = answer.get("usage")
    counts: Mapping[str, object] = usage if isinstance(usage, dict) else {}

    def count(name: str) -> int:
        value = counts.get(name)
        return value if isinstance(value, int) and value > 0 else 0

    return ModelUse(1, count("prompt_tokens"), count("completion_tokens"))


__all__ = ["ChatConfig", "ChatModel", "JsonAnswer", "Refusal", "TryLater"]
