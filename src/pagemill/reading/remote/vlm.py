"""Any vision model behind an address that speaks OpenAI's protocol: DeepSeek-OCR, olmOCR, Qwen-VL and the like."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256

from pagemill.reading.provider import Refusal
from pagemill.reading.remote.answers import ModelReply, answer_of
from pagemill.reading.remote.base import Answer, Picture
from pagemill.reading.remote.endpoint import Address, Json, RemoteEndpoint
from pagemill.reading.remote.prompts import AUTO, PromptStyle, message, picture_url, style_for
from pagemill.reading.remote.statuses import NotUnderstood

SETTINGS = "PAGEMILL_VLM"
PATH = "/chat/completions"


@dataclass(frozen=True, slots=True)
class VlmConfig:
    """Which model is asked, where and how.

    `prompt` is `auto`, the name of a style, or words of one's own.
    """

    base_url: str
    model: str
    api_key: str = field(default="", repr=False)
    prompt: str = AUTO
    timeout_seconds: float = 120.0
    max_tokens: int = 8192
    connections: int = 64

    def address(self) -> Address:
        """Where requests go."""
        return Address(self.base_url, SETTINGS, self.api_key, self.timeout_seconds, self.connections)


class VlmProvider:
    """Reads pages with a vision model."""

    name = "vlm"

    def __init__(self, config: VlmConfig) -> None:
        self._config = config
        self._style = style_for(config.model, config.prompt)
        self._endpoint = RemoteEndpoint(config.address())
        self._plain = threading.Event()

    @property
    def longest_side_pixels(self) -> int:
        """The size of picture that the model was made for; a larger one is a waste."""
        return self._style.longest_side_pixels

    def version(self) -> str:
        """The model and how it is asked."""
        words = sha256(self._style.words.encode()).hexdigest()[:8]
        return f"{self._config.model}-{self._style.name}-{words}"

    def available(self) -> str | None:
        """None if an address and a model are set; nothing is sent."""
        return self._config.address().wrong() or (None if self._config.model else f"set {SETTINGS}_MODEL")

    def read(self, picture: Picture) -> Answer:
        """Ask for the Markdown of a page."""
        return answer_of(reply_in(self._ask(picture)), picture)

    def close(self) -> None:
        """End the connections."""
        self._endpoint.close()

    def _ask(self, picture: Picture) -> Json:
        """The server's answer; one that knows no extras is asked again, and from then on, without them."""
        if self._plain.is_set():
            return self._endpoint.ask(PATH, plain_request(self._config, self._style, picture))
        try:
            return self._endpoint.ask(PATH, full_request(self._config, self._style, picture))
        except NotUnderstood:
            answer = self._endpoint.ask(PATH, plain_request(self._config, self._style, picture))
            self._plain.set()
            return answer


def full_request(config: VlmConfig, style: PromptStyle, picture: Picture) -> Json:
    """A request for the likeliest text, with the probability of each token."""
    return {
        "model": config.model,
        "messages": [message(style, picture_url(picture))],
        "temperature": 0,
        "max_tokens": config.max_tokens,
        "logprobs": True,
        **style.extras,
    }


def plain_request(config: VlmConfig, style: PromptStyle, picture: Picture) -> Json:
    """A request that every server and the models that reason will take."""
    return {
        "model": config.model,
        "messages": [message(style, picture_url(picture))],
        "max_completion_tokens": config.max_tokens,
    }


def reply_in(answer: Json) -> ModelReply:
    """What the model said; Refusal if it said nothing or would not."""
    choice = _first(answer.get("choices"))
    spoken = choice.get("message")
    reply: Mapping[str, object] = spoken if isinstance(spoken, dict) else {}
    reason = choice.get("finish_reason")
    if reply.get("refusal") or reason == "content_filter":
        raise Refusal("the model won't read this page")
    return ModelReply(_text(reply.get("content")), reason == "length", _logprobs(choice.get("logprobs")))


def _text(content: object) -> str:
    """The text of a message, which some servers give in parts."""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return "".join(part for part in parts if isinstance(part, str))
    if isinstance(content, str):
        return content
    raise Refusal("the answer has no text; is the model one that sees pictures?")


def _first(choices: object) -> Mapping[str, object]:
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        return choices[0]
    raise Refusal("the answer has no choices; check that the address leads to an OpenAI-compatible server")


def _logprobs(given: object) -> list[float]:
    tokens = given.get("content") if isinstance(given, dict) else None
    found = [token.get("logprob") for token in tokens or () if isinstance(token, dict)]
    return [float(logprob) for logprob in found if isinstance(logprob, int | float)]
