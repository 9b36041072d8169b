"""Log lines on stderr: text for people or JSON for machines, with the same words step, job and chunk."""

import json
import logging
import re
from datetime import UTC, datetime

from pagemill.entrypoints.cli.live import LinesAbove, LiveLine
from pagemill.errors import Refused

WORDS = re.compile(r"\b(step|job|chunk)=([\w.-]+)")
LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")


class TextLines(logging.Formatter):
    """`12:00:01 INFO    step=… job=…: what happened`."""

    def format(self, record: logging.LogRecord) -> str:
        """One line, and below it the trace of an exception if there is one."""
        at = datetime.fromtimestamp(record.created, UTC).astimezone().strftime("%H:%M:%S")
        line = f"{at} {record.levelname:<7} {record.getMessage()}"
        return f"{line}\n{self.formatException(record.exc_info)}" if record.exc_info else line


class JsonLines(logging.Formatter):
    """One JSON document per line."""

    def format(self, record: logging.LogRecord) -> str:
        """The line with its time, level, logger and message; step, job and chunk are fields of their own."""
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line: dict[str, object] = {
            "at": at,
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        line |= WORDS.findall(record.getMessage())
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)


def set_up(level: str, form: str, line: LiveLine) -> None:
    """Send all log lines to stderr, above the live line."""
    if level.upper() not in LEVELS:
        raise Refused(f"There is no log level {level!r}; PAGEMILL_LOG_LEVEL takes {', '.join(LEVELS)}.")
    above = LinesAbove(line)
    above.setFormatter(JsonLines() if form == "json" else TextLines())
    logging.basicConfig(level=level.upper(), handlers=[above], force=True)
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access", "alembic"):
        logging.getLogger(name).setLevel("DEBUG" if level.upper() == "DEBUG" else "WARNING")
