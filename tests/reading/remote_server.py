"""A server that speaks the protocols of OpenAI's chat completions, as vLLM does, and of Mistral's OCR.

It is strict about requests and can be told to misbehave.
"""

import base64
import binascii
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from typing import Any

from PIL import Image, UnidentifiedImageError

KEY = "sk-secret-0123456789"
CHAT = "/v1/chat/completions"
OCR = "/v1/ocr"
CHAT_FIELDS = {"model", "messages", "max_completion_tokens"}
CHAT_EXTRAS = {"temperature", "max_tokens", "logprobs", "skip_special_tokens", "vllm_xargs"}
OCR_FIELDS = {"model", "document", "include_image_base64"}
OCR_EXTRAS = {"include_blocks", "confidence_scores_granularity"}
GRANULARITIES = ("page", "block", "word")
MEDIA_TYPES = {"PNG": "image/png", "JPEG": "image/jpeg"}

Deed = Callable[["Exchange"], None]


class Wrong(Exception):
    """A request that the protocol does not allow."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(slots=True)
class Behaviour:
    """What the server knows and does, and what it saw."""

    model: str = "some-vision-model"
    text: str = "# A page\n\nWith some words."
    finish_reason: str = "stop"
    logprobs: list[float] | None = None
    page: dict[str, Any] = field(default_factory=lambda: {"markdown": "# A page\n\nWith some words."})
    knows_extras: bool = True
    seconds: float = 0.0
    deeds: list[Deed] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    at_once: int = 0
    most_at_once: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def chat_answer(self) -> dict[str, Any]:
        """An answer as vLLM gives it."""
        tokens = [
            {"token": "x", "logprob": one, "bytes": [120], "top_logprobs": []} for one in self.logprobs or ()
        ]
        choice = {
            "index": 0,
            "message": {"role": "assistant", "content": self.text, "refusal": None, "tool_calls": []},
            "finish_reason": self.finish_reason,
            "logprobs": {"content": tokens} if self.logprobs else None,
        }
        usage = {"prompt_tokens": 1000, "completion_tokens": 10, "total_tokens": 1010}
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": self.model,
            "choices": [choice],
            "usage": usage,
        }

    def ocr_answer(self) -> dict[str, Any]:
        """An answer as Mistral gives it."""
        size = {"dpi": 200, "width": 1800, "height": 600}
        page = {"index": 0, "images": [], "tables": [], "hyperlinks": [], "dimensions": size} | self.page
        usage = {"pages_processed": 1, "doc_size_bytes": 1000}
        return {"pages": [page], "model": self.model, "document_annotation": None, "usage_info": usage}


class Exchange(BaseHTTPRequestHandler):
    """One request and its answer."""

    protocol_version = "HTTP/1.1"
    behaviour: Behaviour

    def do_POST(self) -> None:
        """Check the request, then answer it or do what was asked for instead."""
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        with self.counted():
            try:
                asked = self.checked(body)
            except Wrong as wrong:
                self.complain(wrong.status, str(wrong))
                return
            with self.behaviour.lock:
                self.behaviour.requests.append(asked)
                deed = self.behaviour.deeds.pop(0) if self.behaviour.deeds else None
            if deed:
                deed(self)
                return
            time.sleep(self.behaviour.seconds)
            self.answer(self.behaviour.chat_answer() if self.path == CHAT else self.behaviour.ocr_answer())

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Note how many requests are under way."""
        behaviour = self.behaviour
        with behaviour.lock:
            behaviour.at_once += 1
            behaviour.most_at_once = max(behaviour.most_at_once, behaviour.at_once)
        try:
            yield
        finally:
            with behaviour.lock:
                behaviour.at_once -= 1

    def checked(self, body: bytes) -> dict[str, Any]:
        """The request, if it is as the protocol says."""
        if self.path not in (CHAT, OCR):
            raise Wrong(404, "Not Found")
        said = self.headers.get("Authorization", "")
        if said != f"Bearer {KEY}":
            raise Wrong(401, f"Incorrect API key provided: {said}")
        if self.headers.get("Content-Type") != "application/json":
            raise Wrong(415, "application/json is wanted")
        asked: dict[str, Any] = json.loads(body)
        check = self.check_chat if self.path == CHAT else self.check_ocr
        check(asked)
        return asked

    def check_chat(self, asked: dict[str, Any]) -> None:
        """Refuse what a chat with one picture can't be."""
        known = CHAT_FIELDS | (CHAT_EXTRAS if self.behaviour.knows_extras else set())
        need(set(asked) <= known, 400, f"Unsupported parameter: {sorted(set(asked) - known)}")
        need(asked["model"] == self.behaviour.model, 404, f"The model `{asked['model']}` does not exist.")
        need(isinstance(asked.get("max_tokens", asked.get("max_completion_tokens")), int), 400, "max_tokens")
        need(asked.get("logprobs", True) is True, 400, "logprobs is a boolean")
        [message] = asked["messages"]
        need(message["role"] == "user", 400, "role")
        kinds = sorted(part["type"] for part in message["content"])
        need(kinds == ["image_url", "text"], 400, "one picture and one text")
        for part in message["content"]:
            if part["type"] == "image_url":
                check_picture(part["image_url"]["url"], 400)
            else:
                need(bool(part["text"].strip()), 400, "text is empty")

    def check_ocr(self, asked: dict[str, Any]) -> None:
        """Refuse what a request for one picture can't be."""
        known = OCR_FIELDS | (OCR_EXTRAS if self.behaviour.knows_extras else set())
        need(set(asked) <= known, 422, f"Extra inputs are not permitted: {sorted(set(asked) - known)}")
        need(asked["model"] == self.behaviour.model, 400, f"Invalid model: {asked['model']}")
        need(asked["include_image_base64"] is False, 422, "include_image_base64")
        need(asked.get("include_blocks", True) is True, 422, "include_blocks")
        need(asked.get("confidence_scores_granularity", "page") in GRANULARITIES, 422, "granularity")
        need(asked["document"]["type"] == "image_url", 422, "document.type")
        check_picture(asked["document"]["image_url"], 422)

    def complain(self, status: int, message: str, **headers: str) -> None:
        """Answer with an error in the shape of the protocol."""
        if self.path == OCR:
            self.answer(
                {"object": "error", "message": message, "type": "invalid_request_error"}, status, **headers
            )
        else:
            error = {"message": message, "type": "BadRequestError", "param": None, "code": status}
            self.answer({"error": error}, status, **headers)

    def answer(self, body: Any, status: int = 200, **headers: str) -> None:
        """Answer with JSON."""
        self.answer_bytes(json.dumps(body).encode(), status, **headers)

    def answer_bytes(self, body: bytes, status: int = 200, **headers: str) -> None:
        """Answer with anything."""
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def cut(self) -> None:
        """End the connection at once."""
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, _: str, *args: Any) -> None:
        """Say nothing."""


def need(holds: bool, status: int, message: str) -> None:
    """Raise Wrong unless it holds."""
    if not holds:
        raise Wrong(status, message)


def check_picture(url: str, status: int) -> None:
    """Refuse what is no picture of the type that it says it is."""
    head, _, encoded = url.partition(";base64,")
    try:
        image = Image.open(BytesIO(base64.b64decode(encoded, validate=True)))
        image.load()
    except (binascii.Error, UnidentifiedImageError, OSError) as error:
        raise Wrong(status, "cannot identify image") from error
    need(head == f"data:{MEDIA_TYPES.get(image.format or '')}", status, "the type of the picture is wrong")


class _Server(ThreadingHTTPServer):
    """A server that does not mind callers who hang up."""

    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing."""


@contextmanager
def serving(behaviour: Behaviour) -> Iterator[str]:
    """The address of a server that behaves so, up to and with `/v1`."""
    exchange = type("BoundExchange", (Exchange,), {"behaviour": behaviour})
    server = _Server(("127.0.0.1", 0), exchange)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def status(code: int, message: str = "no", **headers: str) -> Deed:
    """Answer with an error."""
    return lambda exchange: exchange.complain(code, message, **headers)


def hang_up(exchange: Exchange) -> None:
    """End the connection without a word."""
    exchange.cut()


def hang_up_midway(exchange: Exchange) -> None:
    """End the connection in the middle of the answer."""
    exchange.send_response(200)
    exchange.send_header("Content-Length", "1000")
    exchange.end_headers()
    exchange.wfile.write(b'{"choices": [')
    exchange.cut()


def drip(exchange: Exchange) -> None:
    """Send a byte now and then, without end."""
    exchange.send_response(200)
    exchange.send_header("Content-Length", "1000")
    exchange.end_headers()
    for _ in range(1000):
        exchange.wfile.write(b" ")
        exchange.wfile.flush()
        time.sleep(0.05)


def say(body: bytes) -> Deed:
    """Answer with these bytes, whatever was asked."""
    return lambda exchange: exchange.answer_bytes(body)
