"""What the OpenAPI document says beside the routes: examples, problem responses, and the forms of a submission."""

from typing import Any

from fastapi.routing import APIRoute

from pagemill import errors
from pagemill.entrypoints.api import examples
from pagemill.entrypoints.api.option_docs import FILE, FORM_OPTIONS, OPTIONS
from pagemill.entrypoints.wire.problems import MEDIA_TYPE, problem_members
from pagemill.errors import PagemillError
from pagemill.model.file_types import SUFFIXES
from pagemill.model.formats import FORMATS, TABLE

Responses = dict[int | str, dict[str, Any]]
Kinds = tuple[type[PagemillError], ...]
PROBLEM = {"$ref": "#/components/schemas/Problem"}
JOB = {"$ref": "#/components/schemas/Job"}
# The shape of a job is named, not given: FastAPI would analyse it again for every route, at every start.
JOB_CONTENT = {"application/json": {"schema": JOB}}
EXPANDED_JOB_CONTENT = {"application/json": {"schema": {"$ref": "#/components/schemas/ExpandedJob"}}}
DESCRIPTION = (
    "Documents in, clean Markdown, JSON, text and HTML out. A document is handed in and acknowledged at once; its "
    "pages are read in the background. Every error is a problem document (RFC 9457) with a stable `code`."
)
# What any route may answer, whatever it does.
ALWAYS: Kinds = (
    errors.Unauthorized,
    errors.InsufficientScope,
    errors.BadHost,
    errors.NotAcceptable,
    errors.TooManyRequests,
    errors.Overloaded,
)
OF_A_JOB: Kinds = (errors.NotFound, errors.Gone)
REFUSALS: Kinds = (
    errors.FileMissing,
    errors.FileEmpty,
    errors.FileTooLarge,
    errors.TooManyFiles,
    errors.UnsupportedFileType,
    errors.UnsupportedMediaType,
    errors.ValidationFailed,
    errors.MetadataTooLarge,
    errors.InvalidMultipart,
    errors.DigestMismatch,
    errors.IdempotencyKeyInvalid,
    errors.IdempotencyKeyReused,
    errors.QuotaExceeded,
    errors.UploadCapacity,
    errors.WebhookUrlInvalid,
    errors.PushNotAllowed,
    errors.UrlForbiddenAddress,
    errors.SourceNotAllowed,
    errors.UrlSchemeNotAllowed,
    errors.UrlInvalid,
    errors.InvalidJson,
    errors.InvalidEncoding,
    errors.ContentTooLarge,
    errors.UploadNotFound,
    errors.BodyIncomplete,
    errors.UploadTooSlow,
    errors.StorageFull,
    errors.DatabaseUnavailable,
)


def problems(*kinds: type[PagemillError]) -> Responses:
    """The problem responses of a route, by status, each with an example per code."""
    responses: Responses = {
        "default": {"description": "Any other problem.", "content": {MEDIA_TYPE: {"schema": PROBLEM}}}
    }
    for kind in (*kinds, *ALWAYS):
        response = responses.setdefault(
            kind.status, {"description": "", "content": {MEDIA_TYPE: {"schema": PROBLEM, "examples": {}}}}
        )
        response["description"] += f"`{kind.code}`: {kind.advice()}\n\n"
        response["content"][MEDIA_TYPE]["examples"][kind.code] = {"value": problem_members(kind())}
    return responses


def header(description: str, example: str) -> dict[str, Any]:
    """The documentation of a response header."""
    return {"description": description, "schema": {"type": "string"}, "example": example}


ETAG = {"ETag": header("Send it back in If-None-Match.", '"5"')}
RETRY_AFTER = {"Retry-After": header("Seconds after which to look again.", "1")}
LOCATION = {"Location": header("The address of the job.", f"/v1/jobs/{examples.EXAMPLE_ID}")}
UNFINISHED: Responses = {
    202: {"description": "The job has not ended yet.", "content": JOB_CONTENT, "headers": RETRY_AFTER}
}
NOT_MODIFIED: Responses = {304: {"description": "Nothing has changed since the ETag in If-None-Match."}}

SUBMIT_RESPONSES: Responses = {
    202: {
        "description": "The document is stored and its job is made.",
        "content": JOB_CONTENT,
        "headers": LOCATION
        | RETRY_AFTER
        | {
            "Idempotent-Replayed": header(
                "The answer is that of an earlier request with the same key.", "true"
            ),
            "Preference-Applied": header("The wait that was applied.", "wait=30"),
        },
    },
    200: {
        "description": "The job has ended within the preferred wait.",
        "content": EXPANDED_JOB_CONTENT,
        "headers": LOCATION,
    },
    **problems(*REFUSALS),
}


def header_parameter(
    name: str, description: str, example: str, *, required: bool = False, **limits: Any
) -> dict[str, Any]:
    """The documentation of a request header."""
    return {
        "name": name,
        "in": "header",
        "required": required,
        "description": description,
        "schema": {"type": "string", **limits},
        "example": example,
    }


def query_parameter(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    """The documentation of an option in the query."""
    shown = {key: value for key, value in schema.items() if key not in ("description", "example")}
    return {
        "name": name,
        "in": "query",
        "required": False,
        "description": schema["description"],
        "schema": shown,
    }


# Printable ASCII without a space at either end, as long as a UUID or a hash with a name before it.
IDEMPOTENCY_KEY = r"^[!-~]([ -~]{0,253}[!-~])?$"
EXPAND = query_parameter(
    "expand",
    {
        "type": "string",
        "example": "markdown,pages",
        "description": f"What comes with the job, in `expanded`, once it has ended: some of {', '.join(FORMATS)}, `facts`, "
        "`pages`, `events`, `artifacts`; null for what is not there or larger than 4 MB.",
    },
)
SUBMIT_REQUEST: dict[str, Any] = {
    "parameters": [
        header_parameter(
            "Idempotency-Key",
            "A repeated request with the same key finds the job of the first.",
            "7f3b0c2e",
            pattern=IDEMPOTENCY_KEY,
        ),
        header_parameter("Prefer", "`wait=N`: wait up to N seconds for the end of the job.", "wait=30"),
        header_parameter(
            "Content-Digest",
            "SHA-256 of the body (RFC 9530); checked before anything is stored. Other algorithms are not looked at.",
            "sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:",
        ),
        EXPAND,
        *(query_parameter(name, schema) for name, schema in OPTIONS.items()),
    ],
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "properties": {"file": FILE, **FORM_OPTIONS},
                    "additionalProperties": False,
                },
                "encoding": {"file": {"contentType": f"{', '.join(SUFFIXES)}, application/octet-stream"}},
            },
            **{media_type: {"schema": FILE} for media_type in SUFFIXES},
            "application/octet-stream": {"schema": FILE},
            "application/json": {
                "schema": {"$ref": "#/components/schemas/JsonSubmission"},
                "examples": {
                    "url": {"value": {"url": examples.EXAMPLE_URL}},
                    "authenticated": {
                        "value": {
                            "url": examples.EXAMPLE_URL,
                            "headers": {"Authorization": "Bearer 2f6c1e0a"},
                            "formats": ["markdown", "json"],
                        }
                    },
                },
            },
        },
    },
}
SUBMIT_WITH_KEY = SUBMIT_REQUEST | {
    "parameters": [
        known | {"required": known["required"] or known["name"] == "Idempotency-Key"}
        for known in SUBMIT_REQUEST["parameters"]
    ]
}
CONVERT_REQUEST: dict[str, Any] = {
    "parameters": [
        query_parameter(
            "format",
            {
                "type": "string",
                "enum": [one.name for one in TABLE if one.operation],
                "description": "What to answer with; by the `Accept` header if left out.",
            },
        ),
        *(one for one in SUBMIT_REQUEST["parameters"] if one["name"] != "expand"),
    ],
    "requestBody": SUBMIT_REQUEST["requestBody"],
}
UPLOAD_REQUEST: dict[str, Any] = {
    "requestBody": {
        "required": False,
        "content": {
            "application/json": {
                "schema": {"$ref": "#/components/schemas/UploadRequest"},
                "examples": {"named": {"value": {"filename": "report.pdf", "size_bytes": 482113}}},
            }
        },
    }
}
JOB_ID = {
    "name": "job_id",
    "in": "path",
    "required": True,
    "schema": {"type": "string"},
    "example": examples.EXAMPLE_ID,
}
SHOW_REQUEST: dict[str, Any] = {
    "parameters": [
        JOB_ID,
        query_parameter(
            "wait", {"type": "number", "minimum": 0, "description": "Wait up to so many seconds for the end."}
        ),
        query_parameter(
            "since",
            {
                "type": "integer",
                "minimum": 0,
                "maximum": 2**53,
                "description": "Wait only for a version past this one.",
            },
        ),
        EXPAND,
        header_parameter("If-None-Match", "An ETag; with `wait`, wait only for a change from it.", '"5"'),
    ]
}
RETRY_REQUEST: dict[str, Any] = {
    "requestBody": {
        "required": False,
        "content": {
            "application/json": {
                "schema": {"$ref": "#/components/schemas/RetryRequest"},
                "examples": {"all": {"value": {"only": "all"}}, "failed": {"value": {"only": "failed"}}},
            }
        },
    }
}
LABELS_REQUEST: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {"$ref": "#/components/schemas/LabelsRequest"},
                "examples": {"usual": {"value": {"collection": "bills", "tags": ["paid", "march"]}}},
            }
        },
    }
}
PAGE_READ_REQUEST: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {"$ref": "#/components/schemas/PageReadRequest"},
                "examples": {
                    "options": {"value": {"ocr": "force", "languages": ["de"]}},
                    "tesseract": {"value": {"provider": "tesseract"}},
                },
            }
        },
    }
}


def operation_id(route: APIRoute) -> str:
    """The name of a route's function, which says what it does."""
    return route.name
