"""What schemathesis can't know: refusals of requests that are right by the schema, and bodies of our media types.

Failures are written to standard error when they happen, so that a run that is stopped still tells them.

Loaded by the command `st` through SCHEMATHESIS_HOOKS.
"""

import re
import sys
from collections.abc import Callable
from typing import Any

import schemathesis
from schemathesis.checks import CheckContext
from schemathesis.cli import ExecutionContext, handler
from schemathesis.cli.commands.run.handlers import EventHandler
from schemathesis.engine.events import EngineEvent, NonFatalError, ScenarioFinished
from schemathesis.generation.jsonschema import strategy
from schemathesis.specs.openapi.checks import positive_data_acceptance
from schemathesis.transport.serialization import contains_binary

# Codes that depend on what is stored, on the bytes of a document or on the installation.
DEPENDING = frozenset(
    "archive_invalid correction_invalid digest_mismatch document_limit file_empty file_missing file_too_large gone"
    " idempotency_key_reused invalid_cursor invalid_encoding invalid_multipart metadata_too_large not_acceptable"
    " option_not_supported page_out_of_range password_incorrect password_required search_not_offered too_many_files"
    " unsupported_file_type unsupported_media_type"
    " upload_offset_mismatch url_forbidden_address url_invalid url_scheme_not_allowed webhook_url_invalid".split()
)
# Pointers of fields with a rule that JSON Schema has no words for, each with the rule.
RULED = {
    r"/(enrich|formats|provider|providers|expand)(/\d+)?": "names of what is installed and what the job has, several in a text",
    r"/then/options/enrich/\d+": "names of enrichers that are installed",
    r"(/then/options)?/languages": "codes that ISO 639 has",
    r"/pages": "ranges that run upwards, and not too many of them",
    r"/overlap": "at most half of size",
    r"/from": "not later than to, and not a year before it",
    r"/q": "a word to search for, in any script",
    r"/schema": "a JSON Schema of its own, without references and patterns, not too deep",
    r"/extract": "the same, as the text of a form field",
    r"/items": "a JSON object of options, as the text of a form field",
    r"/metadata|/(when|then)?/?(tags|collection)": "limits of all entries together, and no commas in a tag",
    r"/when(/entities/\d+/at_(least|most)|/metadata/collection)": "conditions that can be met together",
    r"/then": "does something: an option that is null does nothing",
    r"/then/lane": "not with a condition that is decided by the result",
    r"/push_to": "a place that the settings allow",
    r"/file|/upload_id": "one without the other",
    r"/webhook_(events|secret)": "only with webhook_url; a secret has a checked length in base64",
}


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
    # A list of rules has the same rules, each at its place.
    pointer = re.sub(r"^/rules/\d+", "", error["pointer"])
    return any(re.fullmatch(rule, pointer) for rule in RULED)


@schemathesis.serializer("application/offset+octet-stream")
def write_bytes(ctx: schemathesis.SerializationContext, value: object) -> bytes:
    """The body of a part of a resumable upload."""
    del ctx
    return value if isinstance(value, bytes) else str(value).encode()


validator_of = strategy._validator


def accept_binary(schema: Any) -> Callable[[Any], bool]:
    """A validator that takes values with bytes in them, for which those of schemathesis 4.32 raise ValueError."""
    is_valid = validator_of(schema)
    return lambda value: contains_binary(value) or is_valid(value)


# Without it some bodies of a batch can't be made: forms with files of which one field is wrong.
vars(strategy)["_validator"] = accept_binary


@handler()
class FailureLog(EventHandler[ExecutionContext]):
    """Writes each operation that was tried, with its failures, as soon as a phase is done with it."""

    def handle_event(self, ctx: ExecutionContext, event: EngineEvent) -> None:
        """Write what an event tells of an operation."""
        del ctx
        if isinstance(event, ScenarioFinished):
            write_scenario(event)
        elif isinstance(event, NonFatalError):
            log(event.label, event.info.format(), event.info.code_sample or "")


def write_scenario(event: ScenarioFinished) -> None:
    """Write one line for an operation, and each failure with the request that shows it."""
    requests, seconds = len(event.recorder.interactions), event.elapsed_time
    log(f"{event.phase.value}: {event.label}: {event.status.value}, {requests} requests, {seconds:.1f} s")
    for checks in event.recorder.checks.values():
        for failed in (check.failure_info for check in checks if check.failure_info):
            log(str(failed.failure), failed.code_sample)


def log(*lines: str) -> None:
    """Write lines that are seen at once."""
    print(*lines, sep="\n", file=sys.stderr, flush=True)
