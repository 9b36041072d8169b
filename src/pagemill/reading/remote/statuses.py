"""What an HTTP status other than 200 means: try later, or never, and what somebody should do about it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import orjson

from pagemill.reading.clean import clean
from pagemill.reading.provider import Refusal
from pagemill.reading.remote.base import TryLater

TOO_MANY = 429
SERVER_ERRORS = 500
# Timed out, in the way of another, too early: the same request may do well the next time.
PASSING = (408, 409, 425, TOO_MANY)
UNKNOWN_REQUEST = (400, 422)
# No server is waited for longer than this, whatever it asks; by then the next provider has had its turn.
LONGEST_WAIT_SECONDS = 3600.0
LONGEST_QUOTE = 160
QUOTA_CODES = ("insufficient_quota", "billing_hard_limit_reached")

ADVICE = {
    400: "the server does not understand the request; check {settings}_MODEL",
    401: "the server does not know the key; check {settings}_KEY",
    402: "the account has no credit left",
    403: "the key may not use the model; check {settings}_KEY and {settings}_MODEL",
    404: "the address or the model is not there; check {settings}_URL and {settings}_MODEL",
    405: "the address takes no such requests; check {settings}_URL",
    413: "the picture is too large for the server; raise its limit or render fewer pixels",
    415: "the server does not take JSON; check {settings}_URL",
    422: "the server does not understand the request; check {settings}_MODEL",
}


class NotUnderstood(Refusal):
    """The server does not know something in the request; it may take a plainer one."""


@dataclass(frozen=True, slots=True)
class HttpReply:
    """An answer that is no success; of its body, at least the beginning."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def complaint_about(reply: HttpReply, settings: str, key: str) -> Exception:
    """TryLater or Refusal, in words that say what to do and hold neither the key nor the whole answer."""
    error = _error_in(reply.body)
    if reply.status == TOO_MANY and error.get("code") in QUOTA_CODES:
        return Refusal(ADVICE[402])
    if reply.status in PASSING or reply.status >= SERVER_ERRORS:
        return TryLater(_passing(reply.status), wait_seconds(reply.headers))
    if 300 <= reply.status < 400:
        return Refusal(f"the address leads elsewhere ({reply.status}); set {settings}_URL to where it leads")
    advice = ADVICE.get(reply.status, "the server refuses the request").format(settings=settings)
    if reply.status in UNKNOWN_REQUEST:
        return NotUnderstood(_quote(f"{advice} ({reply.status})", error, key))
    return Refusal(f"{advice} ({reply.status})")


def wait_seconds(headers: Mapping[str, str]) -> float | None:
    """How long the server wants to be left alone, if it says so."""
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return min(milliseconds / 1000, LONGEST_WAIT_SECONDS)
    value = headers.get("retry-after", "")
    seconds = _number(value)
    return min(seconds, LONGEST_WAIT_SECONDS) if seconds is not None else _until(value)


def _until(date: str) -> float | None:
    try:
        moment = parsedate_to_datetime(date)
    except ValueError:
        return None
    wait = (moment.replace(tzinfo=moment.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
    return min(max(wait, 0.0), LONGEST_WAIT_SECONDS)


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0 <= number < float("inf") else None


def _passing(status: int) -> str:
    if status == TOO_MANY:
        return "the server limits the rate of requests (429)"
    return f"the server can't answer now ({status})"


def _error_in(body: bytes) -> dict[str, object]:
    """The `error` of OpenAI's shape, or the whole object where a server has its own."""
    try:
        answer = orjson.loads(body)
    except orjson.JSONDecodeError:
        return {}
    error = answer.get("error", answer) if isinstance(answer, dict) else {}
    return error if isinstance(error, dict) else {"message": error}


def _quote(advice: str, error: Mapping[str, object], key: str) -> str:
    message = error.get("message") or error.get("detail")
    if not isinstance(message, str):
        return advice
    words = " ".join(clean(message).split())
    safe = words.replace(key, "…") if key else words
    return f"{advice}: {safe[:LONGEST_QUOTE]}"
