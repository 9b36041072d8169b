"""Errors as they are sent over HTTP: problem documents (RFC 9457), each with a stable code."""

import logging
import re
from collections.abc import Iterable, Mapping
from typing import Any

import orjson
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from pagemill.errors import (
    Detail,
    InsufficientScope,
    InternalError,
    MethodNotAllowed,
    NotFound,
    Overloaded,
    PagemillError,
    QuotaExceeded,
    RangeNotSatisfiable,
    RequestError,
    TooManyRequests,
    Unauthorized,
    ValidationFailed,
)
from pagemill.model.jobs import StoredError
from pagemill.model.validation_messages import reason_of

log = logging.getLogger("pagemill.api")

MEDIA_TYPE = "application/problem+json"
RETRY_AFTER_SECONDS = 2
# A body of a megabyte can hold a hundred thousand faults, and the answer would be larger than the body.
MOST_FAULTS = 100
# Names of unknown fields are as long as their senders like.
MOST_NAME = 200
REALM = 'Bearer realm="pagemill"'
BY_STATUS: dict[int, type[PagemillError]] = {404: NotFound, 405: MethodNotAllowed}


def invalid(*faults: tuple[str, str]) -> ValidationFailed:
    """A request whose fields are at fault: a JSON pointer and a reason for each, as far as anybody reads them."""
    shown = faults[:MOST_FAULTS]
    pointers, reasons = [pointer for pointer, _ in shown], [reason for _, reason in shown]
    more = [f"and {len(faults) - len(shown)} more faults"] if len(faults) > len(shown) else []
    sentences = [sentence(*fault) for fault in shown]
    return ValidationFailed("; ".join(sentences + more), pointers=pointers, reasons=reasons)


def sentence(pointer: str, reason: str) -> str:
    """A fault with the name of its field in front, unless the reason has it."""
    name = pointer.removeprefix("/")[:MOST_NAME]
    is_named = re.match(rf"{re.escape(name)}\b", reason) or repr(name) in reason
    return f"{name}: {reason}" if name and not is_named else reason


def invalid_below(at: str, error: ValidationFailed) -> ValidationFailed:
    """The same faults, with their fields below a pointer."""
    found = faults(error.details["pointers"], error.details["reasons"])
    return invalid(*((at + one["pointer"], one["detail"]) for one in found))


def invalid_model(error: ValidationError) -> ValidationFailed:
    """The faults that pydantic found in something of ours."""
    return invalid(*((pointer(one["loc"]), reason_of(one)) for one in error.errors(include_url=False)))


def problem(error: PagemillError, job_error: StoredError | None = None) -> Response:
    """The problem document of an error; `job_error` is why the job behind it failed."""
    members = problem_members(error)
    if job_error is not None:
        members["error"] = job_error
    return Response(orjson.dumps(members), error.status, problem_headers(error), MEDIA_TYPE)


def problem_members(error: PagemillError) -> dict[str, Any]:
    """What a problem document says; a detail can't take the place of a member that all problems have."""
    members: dict[str, Any] = {
        "type": f"urn:pagemill:problem:{error.code}",
        "title": error.title(),
        "status": error.status,
        "detail": error.message,
        "code": error.code,
        "retryable": error.retryable,
    }
    details = {f"job_{name}" if name in members else name: value for name, value in error.details.items()}
    if isinstance(error, ValidationFailed):
        members["errors"] = faults(details.pop("pointers", []), details.pop("reasons", []))
    members |= details
    if isinstance(error, QuotaExceeded | TooManyRequests | Overloaded):
        members["violated-policies"] = [name for name in error.details if name.startswith("max_")]
    return members


def faults(pointers: Detail, reasons: Detail) -> list[dict[str, str]]:
    """The fields that are at fault, each with its reason."""
    assert isinstance(pointers, list)
    assert isinstance(reasons, list)
    return [{"pointer": at, "detail": reason} for at, reason in zip(pointers, reasons, strict=True)]


def problem_headers(error: PagemillError) -> dict[str, str]:
    """The headers that belong to an error."""
    headers = {"cache-control": "no-store"}
    if error.retryable:
        headers["retry-after"] = str(error.details.get("retry_after_seconds", RETRY_AFTER_SECONDS))
    if isinstance(error, Unauthorized):
        headers["www-authenticate"] = REALM
    if isinstance(error, InsufficientScope):
        scope = error.details.get("scope", "")
        headers["www-authenticate"] = f'{REALM}, error="insufficient_scope", scope="{scope}"'
    if isinstance(error, MethodNotAllowed) and isinstance(allowed := error.details.get("allowed"), list):
        headers["allow"] = ", ".join(allowed)
    if isinstance(error, RangeNotSatisfiable):
        headers["content-range"] = f"bytes */{error.details.get('size_bytes', 0)}"
    return headers


def as_pagemill_error(error: Exception, methods: Iterable[str] = ()) -> PagemillError:
    """Any exception in our own words; what is unexpected is logged and sent without details."""
    match error:
        case PagemillError():
            return error
        case RequestValidationError():
            return invalid(*(fault(found) for found in error.errors()))
        case HTTPException(status_code=405):
            return MethodNotAllowed(allowed=sorted(methods))
        case HTTPException(status_code=status):
            return BY_STATUS.get(status, RequestError if status < 500 else InternalError)()
    log.error("an unexpected error", exc_info=error)
    return InternalError()


def fault(found: Mapping[str, Any]) -> tuple[str, str]:
    """Pointer and reason of one fault that FastAPI found."""
    # The first step says where the field was (query, path, header), which is no part of the pointer.
    return pointer(found["loc"][1:]), reason_of(found)


def pointer(steps: Iterable[str | int]) -> str:
    """A JSON pointer (RFC 6901)."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)


async def on_error(request: Request, error: Exception) -> Response:
    """Answer a request that ended in an error; the only exception handler there is."""
    return problem(as_pagemill_error(error, methods_at(request)))


def methods_at(request: Request) -> set[str]:
    """The methods that the address of a request takes, whatever its own method is."""
    path, named, found = request.scope["path"], set[str](), set[str]()
    for route in request.app.routes:
        regex, methods = getattr(route, "path_regex", None), getattr(route, "methods", None)
        if regex and methods and regex.match(path):
            found |= methods
            named |= methods if getattr(route, "path", None) == path else set()
    # An address that is spelt out is no id of a more general one.
    found = named or found
    return found | {"OPTIONS"} | ({"HEAD"} if "GET" in found else set()) if found else found
