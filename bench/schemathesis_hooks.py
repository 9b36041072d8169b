"""What schemathesis can't know: refusals of requests that are right by the schema, and bodies of our media types.

Loaded by the command `st` through SCHEMATHESIS_HOOKS.
"""

from typing import Any

import schemathesis
from schemathesis.checks import CheckContext
from schemathesis.specs.openapi.checks import positive_data_acceptance

# Codes that depend on what is stored, on the bytes of a document or on the installation.
DEPENDING = frozenset(
    "archive_invalid correction_invalid digest_mismatch document_limit file_empty file_missing gone"
    " idempotency_key_reused invalid_cursor invalid_encoding invalid_multipart metadata_too_large not_acceptable"
    " option_not_supported page_out_of_range search_not_offered too_many_files unsupported_file_type unsupported_media_type"
    " upload_offset_mismatch url_forbidden_address url_invalid url_scheme_not_allowed webhook_url_invalid".split()
)
# Pointers of rules that JSON Schema has no words for: one field that rules out another, ranges, names that are installed.
RULED = frozenset(
    "enrich expand file formats from languages metadata pages provider providers push_to q schema since then"
    " upload_id webhook_events webhook_secret when".split()
)


@schemathesis.check
def valid_requests_are_taken(
    ctx: CheckContext, response: schemathesis.Response, case: schemathesis.Case[Any]
) -> bool | None:
    """As `positive_data_acceptance`, but for what a schema can't express."""
    if 400 <= response.status_code < 500 and is_known_refusal(response):
        return None
    return positive_data_acceptance(ctx, response, case)


def is_known_refusal(response: schemathesis.Response) -> bool:
    """Whether a refusal is for a reason that the schema can't express."""
    try:
        told = response.json()
    except ValueError:
        return False
    if told.get("code") != "validation_error":
        return told.get("code") in DEPENDING
    errors = told.get("errors", ())
    return bool(errors) and all(map(is_ruled, errors))


def is_ruled(error: dict[str, str]) -> bool:
    """Whether a field is wrong by a rule that JSON Schema has no words for; so is one in the query and in the body, or U+0000."""
    if error["detail"].endswith("more than once") or "U+0000" in error["detail"]:
        return True
    return error["pointer"].strip("/").split("/")[0] in RULED


@schemathesis.serializer("application/offset+octet-stream")
def write_bytes(ctx: schemathesis.SerializationContext, value: object) -> bytes:
    """The body of a part of a resumable upload."""
    del ctx
    return value if isinstance(value, bytes) else str(value).encode()
