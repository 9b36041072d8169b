"""A server that speaks OpenAI's chat completions for text, as vLLM and others do. It is strict, and can misbehave."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from pagemill.reading.extraction.chat import PLAIN
from tests.json_servers import JsonExchange, serve_exchanges

KEY = "sk-chat-0123456789"
MODEL = "some-language-model"
FIELDS = {"model", "messages", "temperature", "max_tokens", "response_format", "stream", "stream_options"}
USAGE = {"prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107}
PIECE, BREAK, NONSENSE = 5, "BREAK", "NONSE"
Reply = str | int | Callable[[dict[str, Any]], str]


@dataclass(slots=True)
class ChatServer:
    """Answers with what it was given, in order, the last of them again and again: texts, or statuses of errors."""

    url: str
    replies: list[Reply] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    knows_schemas: bool = True
    counts_streams: bool = True
    # How many streams were not read to their end.
    broken_off: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def next_reply(self, asked: dict[str, Any]) -> Reply:
        """What is answered to the next request."""
        with self.lock:
            self.requests.append(asked)
            return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]


@contextmanager
def chatting(*replies: Reply, knows_schemas: bool = True) -> Iterator[ChatServer]:
    """A server on a free port."""
    with serve_exchanges(ChatExchange) as listening:
        server = ChatServer(
            f"http://127.0.0.1:{listening.server_port}/v1", list(replies), knows_schemas=knows_schemas
        )
        listening.chat = server  # type: ignore[attr-defined]
        try:
            yield server
        finally:
            # The next server may get the same port.
            PLAIN.discard((server.url, MODEL))


def delta(text: str) -> dict[str, Any]:
    """A piece of an answer that is streamed."""
    return {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": text}}]}


class ChatExchange(JsonExchange):
    """One request and its answer."""

    def take_request(self) -> None:
        """Check the request and answer it."""
        chat: ChatServer = self.server.chat  # type: ignore[attr-defined]
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        status, message = self.checked(chat, asked)
        if status != 200:
            self.answer(status, {"error": {"message": message}})
            return
        reply = chat.next_reply(asked)
        if isinstance(reply, int):
            self.answer(reply, {"error": {"message": "not now"}})
            return
        text = reply(asked) if callable(reply) else reply
        if asked.get("stream"):
            try:
                self.stream(text, chat)
            except OSError:
                self.close_connection = True
                with chat.lock:
                    chat.broken_off += 1
            return
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
        self.answer(200, {"object": "chat.completion", "model": MODEL, "choices": [choice], "usage": USAGE})

    def checked(self, chat: ChatServer, asked: dict[str, Any]) -> tuple[int, str]:
        """What is wrong with a request, with its status."""
        if self.path != "/v1/chat/completions":
            return 404, "Not Found"
        if self.headers["Authorization"] != f"Bearer {KEY}":
            return 401, "Incorrect API key"
        if asked["model"] != MODEL or not set(asked) <= FIELDS:
            return 400, "Unsupported parameter"
        if asked.get("stream"):
            counted = "stream_options" in asked
            return (
                (400, "stream_options is not supported") if counted and not chat.counts_streams else (200, "")
            )
        form = asked["response_format"]
        if form["type"] == "json_schema" and not chat.knows_schemas:
            return 400, "response_format json_schema is not supported"
        if form["type"] == "json_schema" and form["json_schema"]["schema"]["type"] != "object":
            return 400, "the schema has to be that of an object"
        return 200, ""

    def stream(self, text: str, chat: ChatServer) -> None:
        """Send a text in small pieces; one with BREAK in it breaks off there, and one with NONSENSE is no JSON there."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for start in range(0, len(text), PIECE):
            piece = text[start : start + PIECE]
            if text[start:].startswith(BREAK):
                self.close_connection = True
                return
            self.event("{nonsense" if text[start:].startswith(NONSENSE) else json.dumps(delta(piece)))
        self.event(
            json.dumps({"choices": [], "usage": USAGE}) if chat.counts_streams else json.dumps(delta(""))
        )
        self.event("[DONE]")
        self.close_connection = True

    def event(self, data: str) -> None:
        """Send one event."""
        self.wfile.write(f"data: {data}\n\n".encode())
        self.wfile.flush()
