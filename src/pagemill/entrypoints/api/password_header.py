"""Locked documents: how a request brings the password that is not kept after the job."""

from typing import Any
from urllib.parse import unquote

from starlette.requests import Request

from pagemill.entrypoints.api import openapi
from pagemill.errors import PageUnreadable, PasswordIncorrect, PasswordRequired

DRAWING = (PasswordRequired, PasswordIncorrect, PageUnreadable)
PASSWORD_HEADER: dict[str, Any] = {
    "parameters": [
        openapi.header_parameter(
            "Document-Password",
            "The password of an encrypted document, percent-encoded; it is not kept after the job.",
            "its%20password",
        )
    ]
}


def password_of(request: Request) -> str | None:
    """The password of the document that a request carries."""
    given = request.headers.get("document-password")
    return unquote(given) if given else None
