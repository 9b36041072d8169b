"""JSON responses, and how a response learns that only its head is sent."""

import orjson
from starlette.responses import Response

JSON = "application/json"
PRIVATE = {"cache-control": "private, no-cache"}
# In the scope of a HEAD request: only the head of the answer is sent, so nothing after it need be read.
HEAD_ONLY = "pagemill.head_only"


def json_response(content: object, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """A response in JSON, which no one but its caller may keep."""
    return Response(orjson.dumps(content), status, {**PRIVATE, **(headers or {})}, JSON)
