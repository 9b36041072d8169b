"""The routes of the web pages: the same HTML for each of them, and the files that it asks for."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pagemill.entrypoints.web.static_files import StaticFile, edition, every_file, shell
from pagemill.entrypoints.wire.negotiation import known_tags, prefers_html
from pagemill.errors import NotFound

FILES = "/static/"
# Nothing from elsewhere, nothing inline.
CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; "
    "connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
PAGE_HEADERS = {
    "content-security-policy": CONTENT_POLICY,
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-cache",
}
FOR_EVER = {"cache-control": "public, max-age=31536000, immutable"}


async def show_page(request: Request) -> Response:
    """Any page: what it shows, its scripts fetch from the API."""
    return static_response(request, shell(), edition(), PAGE_HEADERS)


async def show_file(request: Request) -> Response:
    """A file of the present edition; one of a former edition is gone, and the page must be loaded again."""
    file = every_file().get(request.path_params["path"])
    if file is None or request.path_params["edition"] != edition():
        raise NotFound()
    return static_response(request, file, edition(), FOR_EVER)


def static_response(request: Request, file: StaticFile, tag: str, headers: dict[str, str]) -> Response:
    """A file as an answer, compressed if the client accepts that, and 304 if it has it."""
    headers = {**headers, "etag": f'W/"{tag}"', "vary": "Accept, Accept-Encoding"}
    if tag in known_tags(request):
        return Response(status_code=304, headers=headers)
    if file.packed is not None and "gzip" in request.headers.get("accept-encoding", ""):
        return Response(
            file.packed, headers={**headers, "content-encoding": "gzip"}, media_type=file.media_type
        )
    return Response(file.body, headers=headers, media_type=file.media_type)


def not_found_page() -> Response:
    """The answer to a browser at an address that is none of ours; the page itself says so and leads home."""
    headers = {**PAGE_HEADERS, "cache-control": "no-store", "vary": "Accept"}
    return Response(shell().body, 404, headers, shell().media_type)


# Addresses that are nothing but a page.
PAGES = frozenset({"/search", "/batches", "/rules", "/webhooks", "/operations", "/api", "/docs"})
ROUTES = [
    Route("/jobs", show_page, methods=["GET"]),
    Route("/jobs/{job_id}", show_page, methods=["GET"]),
    Route("/search", show_page, methods=["GET"]),
    Route("/batches", show_page, methods=["GET"]),
    Route("/rules", show_page, methods=["GET"]),
    Route("/webhooks", show_page, methods=["GET"]),
    Route("/operations", show_page, methods=["GET"]),
    Route("/api", show_page, methods=["GET"]),
    Route("/docs", show_page, methods=["GET"]),
    Route(FILES + "{edition}/{path:path}", show_file, methods=["GET"]),
]


def is_public(request: Request) -> bool:
    """Whether a request is for the empty pages or their files, which the log-in needs and which hold no secret.

    Programs find an API at the addresses of the jobs, so there only browsers are let in without a key.
    """
    path = request.scope["path"]
    if request.method not in ("GET", "HEAD"):
        return False
    if path == "/jobs" or path.startswith("/jobs/"):
        return prefers_html(request)
    return path in PAGES or path.startswith(FILES)
