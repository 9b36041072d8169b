"""What goes wrong when talking to a server, as one exception."""

import json
from typing import Self

import httpx

UNREACHABLE = "unreachable"
NOT_A_PROBLEM = "unexpected_answer"


class ApiError(Exception):
    """A request that did not work out: `code` and `detail` say why, `retryable` whether to try again later.

    `status` is None when no answer came at all; `code` is `unreachable` then.
    """

    def __init__(
        self,
        code: str,
        detail: str,
        *,
        status: int | None = None,
        retryable: bool = False,
        retry_after_seconds: float | None = None,
    ) -> None:
        super().__init__(f"{detail} ({code})")
        self.code = code
        self.detail = detail
        self.status = status
        self.retryable = retryable
        self.retry_after_seconds = retry_after_seconds

    @classmethod
    def from_answer(cls, answer: httpx.Response) -> Self:
        """The error in an answer; its body must have been read."""
        problem = problem_of(answer)
        return cls(
            str(problem.get("code", NOT_A_PROBLEM)),
            str(
                problem.get("detail") or problem.get("title") or f"The server answered {answer.status_code}."
            ),
            status=answer.status_code,
            retryable=bool(problem.get("retryable", answer.status_code in (429, 503))),
            retry_after_seconds=retry_after(answer),
        )

    @classmethod
    def unreachable(cls, base_url: str, error: httpx.TransportError) -> Self:
        """The error for a server that did not answer."""
        reason = str(error).rstrip(".") or type(error).__name__
        return cls(UNREACHABLE, f"No answer from {base_url}: {reason}.", retryable=True)


def problem_of(answer: httpx.Response) -> dict[str, object]:
    """The problem document of an answer; empty if the body is none."""
    try:
        problem = answer.json()
    except (json.JSONDecodeError, UnicodeDecodeError):
        return {}
    return problem if isinstance(problem, dict) else {}


def retry_after(answer: httpx.Response) -> float | None:
    """The wait that an answer asks for, if it does so in seconds."""
    text = answer.headers.get("retry-after", "")
    return float(text) if text.isdecimal() else None
