"""POST /v1/jobs with a JSON body: a document is named by its URL, and fetched after the answer."""

import re
from collections.abc import Mapping, Sequence

from starlette.requests import Request

from pagemill.entrypoints.access.caller import tenant_of
from pagemill.entrypoints.api.state import ApiState
from pagemill.entrypoints.api.upload.json_options import JsonSubmission
from pagemill.entrypoints.api.upload.options import UploadOptions, parse_options
from pagemill.entrypoints.wire.bodies import json_body
from pagemill.entrypoints.wire.problems import invalid, pointer
from pagemill.model.filenames import sanitise_filename
from pagemill.model.references import check_reference, is_reference
from pagemill.model.sources import Source, filename_of_url
from pagemill.steps.accept import StoredUpload, unfetched_upload

MAX_HEADERS = 20
MAX_HEADER_BYTES = 8_192
HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}")
HEADER_VALUE = re.compile(r"[\x20-\x7e\xa0-\xff]*")
# What decides where a request goes, where it ends or how its answer is packed is ours to say.
OWN_HEADERS = frozenset(
    "accept-encoding connection content-length expect host keep-alive proxy-authorization proxy-connection range te trailer "
    "transfer-encoding upgrade".split()
)


async def receive_url(
    request: Request, state: ApiState, fields: Sequence[tuple[str, str]]
) -> tuple[UploadOptions, StoredUpload, Source]:
    """What a JSON body asks for; its URL is checked as far as its spelling shows, and resolved when it is fetched."""
    body = await json_body(request, JsonSubmission, state.mill.settings)
    wanted = parse_options([*fields, *body.fields()], state.default_providers, state.providers)
    if is_reference(body.url):
        check_reference(body.url, state.mill.settings.source_prefixes, tenant_of(request))
    source = source_of(state, body.url, body.headers, wanted)
    return wanted, unfetched_upload(display_name(wanted.filename, body.url)), source


def source_of(state: ApiState, url: str, headers: Mapping[str, str], wanted: UploadOptions) -> Source:
    """Where a document is to be fetched from; raises the error that says why it can't be."""
    if not is_reference(url):
        state.mill.outbound.check_spelling(url)
    elif headers:
        raise invalid(("/headers", "a bucket is read with the keys of this installation, without headers"))
    check_headers(headers)
    return Source(url=url, headers=headers, is_named=bool(wanted.filename), reuse=wanted.reuse)


def display_name(filename: str | None, url: str) -> str:
    """The name that a document has until its server says another."""
    return sanitise_filename(filename) if filename else filename_of_url(url)


def check_headers(headers: Mapping[str, str]) -> None:
    """Raises ValidationFailed for headers that can't be sent to another server."""
    faults = [
        (pointer(["headers", name]), fault)
        for name, value in headers.items()
        if (fault := fault_in(name, value))
    ]
    if faults:
        raise invalid(*faults)
    if (
        len(headers) > MAX_HEADERS
        or sum(len(name) + len(value) for name, value in headers.items()) > MAX_HEADER_BYTES
    ):
        raise invalid(("/headers", f"there are at most {MAX_HEADERS} headers with {MAX_HEADER_BYTES} bytes"))


def fault_in(name: str, value: str) -> str | None:
    """Why a header can't be sent."""
    if not HEADER_NAME.fullmatch(name) or not HEADER_VALUE.fullmatch(value):
        return (
            "this is not a header: names are letters, digits and hyphens, values have no control characters"
        )
    if name.lower() in OWN_HEADERS:
        return "this header is set by pagemill itself"
    return None
