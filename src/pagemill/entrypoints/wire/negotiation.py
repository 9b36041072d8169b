"""What a caller accepts: the Accept, Prefer and conditional headers."""

import math
import re

from starlette.requests import Request

from pagemill.errors import NotAcceptable

JSON = "application/json"
HTML = "text/html"
WAIT = re.compile(r"(?:^|[,;\s])wait\s*=\s*\"?(\d{1,9})\"?\s*(?:$|[,;])", re.IGNORECASE)
TAG = re.compile(r'(?:W/)?"([^"]*)"')


def choose_media_type(request: Request, offered: tuple[str, ...] = (JSON,)) -> str:
    """The offered media type that the caller likes best; NotAcceptable if it is none of them."""
    accept = request.headers.get("accept") or "*/*"
    if accept in ("*/*", offered[0]):
        return offered[0]
    liked = [(quality(accept, media_type), -place, media_type) for place, media_type in enumerate(offered)]
    best, _, media_type = max(liked)
    if best <= 0:
        raise NotAcceptable(offered=list(offered))
    return media_type


def quality(accept: str, media_type: str) -> float:
    """How much an Accept header likes a media type: that of the closest range which covers it, 0 if none does."""
    ranges = {media_type: 2, media_type.partition("/")[0] + "/*": 1, "*/*": 0}
    covering = [(-1, 0.0)]
    for part in accept.lower().split(","):
        name, *parameters = (piece.strip() for piece in part.split(";"))
        if name in ranges:
            covering.append((ranges[name], weight(parameters)))
    return max(covering)[1]


def weight(parameters: list[str]) -> float:
    """The q parameter of a range; 1 if it has none that makes sense."""
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            try:
                number = float(value)
            except ValueError:
                return 1.0
            return number if math.isfinite(number) else 1.0
    return 1.0


def prefers_html(request: Request) -> bool:
    """Whether a browser asks for a page to look at."""
    accept = request.headers.get("accept", "")
    return request.method in ("GET", "HEAD") and quality(accept, HTML) > quality(accept, JSON)


def preferred_wait(request: Request, longest_seconds: float) -> float | None:
    """The wait that the caller prefers (RFC 7240), at most the longest; None if there is none that makes sense."""
    found = WAIT.search(request.headers.get("prefer", ""))
    return None if found is None else min(float(found[1]), longest_seconds)


def known_tags(request: Request) -> frozenset[str]:
    """The entity tags in If-None-Match; `*` stands for any."""
    header = request.headers.get("if-none-match", "")
    return frozenset({"*"} if header.strip() == "*" else TAG.findall(header))
