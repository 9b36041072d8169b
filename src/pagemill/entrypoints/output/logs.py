"""Log lines on stderr: text for people or JSON for machines, with the same words step, job, chunk, tenant and worker."""

import json
import logging
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import UTC, datetime

from pydantic import SecretStr

from pagemill import log_context, tracing
from pagemill.entrypoints.output.live_line import LinesAbove, LiveLine
from pagemill.entrypoints.output.terminal import say
from pagemill.errors import Refused
from pagemill.settings import Settings

log = logging.getLogger("pagemill")

LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")
# They log each connection and each message; what goes wrong with them is enough.
QUIET = (
    "uvicorn",
    "uvicorn.error",
    "uvicorn.access",
    "alembic",
    "kombu",
    "amqp",
    "httpx",
    "httpcore",
    "urllib3",
    "opentelemetry",
    "sqlalchemy",
    "celery",
)
# Libraries that may write the same line without end while a server is in trouble.
LIBRARIES = ("celery", "kombu", "amqp", "redis")
REPEAT_SECONDS, MOST_REPEATS = 60.0, 3
PASSWORD = re.compile(r"(\w+://[^\s/@:]*):([^\s/]+)@")
HIDDEN = "***"
# Anything shorter would be found in ordinary words.
SHORTEST_SECRET = 6


class RedactingFormatter(logging.Formatter):
    """What all lines have in common: the words of the turn that they belong to, and no secrets."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        super().__init__()
        self._secrets = tuple(secrets)

    def words(self, record: logging.LogRecord) -> dict[str, str]:
        """The words that a line carries: those of the turn, or its own where it has some."""
        found = log_context.present_words()
        found |= {word: str(own) for word in log_context.WORDS if (own := getattr(record, word, None))}
        traceparent = tracing.present()
        if traceparent is not None:
            found["trace_id"] = traceparent.split("-")[1]
        return {word: found[word] for word in (*log_context.WORDS, "trace_id") if word in found}

    def redact(self, text: str) -> str:
        """The text without passwords and keys."""
        return redact(text, self._secrets)


class TextLines(RedactingFormatter):
    """`12:00:01 INFO    step=… job=…: what happened`."""

    def format(self, record: logging.LogRecord) -> str:
        """One line, and below it the trace of an exception if there is one."""
        at = datetime.fromtimestamp(record.created, UTC).astimezone().strftime("%H:%M:%S")
        words = " ".join(f"{word}={value}" for word, value in self.words(record).items())
        line = f"{at} {record.levelname:<7} {words}{': ' if words else ''}{record.getMessage()}"
        trace = f"\n{self.formatException(record.exc_info)}" if record.exc_info else ""
        return self.redact(line + trace)


class JsonLines(RedactingFormatter):
    """One JSON document per line."""

    def format(self, record: logging.LogRecord) -> str:
        """The line with its time, level, logger and message; step, job, chunk, tenant and worker are fields of their own."""
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line: dict[str, object] = {
            "at": at,
            "level": record.levelname,
            "logger": record.name,
            "message": self.redact(record.getMessage()),
            **self.words(record),
        }
        if record.exc_info:
            line["trace"] = self.redact(self.formatException(record.exc_info))
        return json.dumps(line, default=str)


class FewRepeats(logging.Filter):
    """Lets a line of a library through a few times a minute; then only how often it came again.

    A broker that is out of memory makes Celery write the same lines fifty times a second.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._lock = threading.Lock()
        self._minute = -1
        # How often each line came in this minute, and in the one before.
        self._counts: Counter[tuple[str, str]] = Counter()
        self._former: Counter[tuple[str, str]] = Counter()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a line is written; the first one of a minute says how many of the last were not."""
        if not record.name.startswith(LIBRARIES) or record.levelno < logging.WARNING:
            return True
        key = (record.name, str(record.msg))
        with self._lock:
            self._begin_minute(int(self._clock() // REPEAT_SECONDS))
            self._counts[key] += 1
            count, left_out = self._counts[key], self._former.pop(key, 0) - MOST_REPEATS
        if left_out > 0:
            record.msg, record.args = f"{record.getMessage()} (and {left_out} more like it)", ()
        return count <= MOST_REPEATS

    def _begin_minute(self, minute: int) -> None:
        if minute != self._minute:
            self._minute, self._former, self._counts = minute, self._counts, Counter()


def redact(text: str, secrets: Iterable[str]) -> str:
    """The text without secrets, and without the passwords in addresses."""
    for secret in secrets:
        if len(secret) >= SHORTEST_SECRET:
            text = text.replace(secret, HIDDEN)
    return PASSWORD.sub(rf"\1:{HIDDEN}@", text) if "://" in text else text


def set_up(level: str, form: str, line: LiveLine, secrets: Iterable[str] = ()) -> None:
    """Send all log lines to stderr, above the live line, those of the libraries too."""
    if level.upper() not in LEVELS:
        raise Refused(f"There is no log level {level!r}; PAGEMILL_LOG_LEVEL takes {', '.join(LEVELS)}.")
    above = LinesAbove(line)
    above.addFilter(FewRepeats())
    above.setFormatter(JsonLines(secrets) if form == "json" else TextLines(secrets))
    logging.basicConfig(level=level.upper(), handlers=[above], force=True)
    for name in QUIET:
        logging.getLogger(name).setLevel("DEBUG" if level.upper() == "DEBUG" else "WARNING")


def announce(form: str, text: str) -> None:
    """Write a message for people to stderr; where machines read stderr, it is a line of the log like any other."""
    if form == "json":
        log.info(text)
    else:
        say(text)


def secrets_of(settings: Settings) -> list[str]:
    """What must be in no line, wherever it comes from: keys, and addresses with the passwords in them."""
    values = (getattr(settings, name) for name in type(settings).model_fields)
    secrets = [secret.get_secret_value() for secret in values if isinstance(secret, SecretStr)]
    return [*secrets, *(password for secret in secrets if (password := password_in(secret)))]


def password_in(address: str) -> str | None:
    """The password in an address, if it is one that has it."""
    found = PASSWORD.search(address)
    return found and found[2]
