"""The forms of a batch, as the OpenAPI document describes them."""

from typing import Any

from pagemill.entrypoints.api import examples, openapi
from pagemill.entrypoints.api.option_docs import FILE, OPTIONS

NOT_FOR_BATCHES = frozenset({"upload_id", "filename"})
BATCH_OPTIONS: dict[str, dict[str, Any]] = {
    "name": {"type": "string", "description": "What the batch is called, for display.", "example": "March"},
    "items": {
        "type": "string",
        "description": "Options for single documents: a JSON object of options by file name or number.",
        "example": '{"a.pdf": {"pages": "1-3"}}',
    },
    **{name: schema for name, schema in OPTIONS.items() if name not in NOT_FOR_BATCHES},
    "webhook_url": {
        **OPTIONS["webhook_url"],
        "description": "An address that is notified of this batch and of its documents, beside registered webhooks.",
    },
    "webhook_events": {
        **OPTIONS["webhook_events"],
        "example": "batch.*,job.failed",
        "description": "The events that it is notified of; the ends of the batch and of its jobs if left out.",
    },
}
ARCHIVE = {
    "type": "string",
    "format": "binary",
    "description": "A ZIP or TAR archive of documents; a TAR may be compressed by gzip.",
}
BATCH_REQUEST: dict[str, Any] = {
    "parameters": [
        openapi.header_parameter(
            "Idempotency-Key",
            "A repeated request with the same key finds the batch of the first.",
            "7f3b0c2e",
            pattern=openapi.IDEMPOTENCY_KEY,
        ),
        *(openapi.query_parameter(name, schema) for name, schema in BATCH_OPTIONS.items()),
    ],
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "properties": {
                        "files": {"type": "array", "items": FILE},
                        "archive": ARCHIVE,
                        **BATCH_OPTIONS,
                    },
                    "additionalProperties": False,
                }
            },
            "application/zip": {"schema": ARCHIVE},
            "application/x-tar": {"schema": ARCHIVE},
            "application/gzip": {"schema": ARCHIVE},
            "application/json": {
                "schema": {"$ref": "#/components/schemas/BatchRequest"},
                "examples": {
                    "urls": {
                        "value": {
                            "name": "March",
                            "items": [
                                {"url": examples.EXAMPLE_URL},
                                {"url": examples.EXAMPLE_URL, "pages": "1"},
                            ],
                            "options": {"formats": ["markdown"]},
                        }
                    }
                },
            },
        },
    },
}
BATCH_RETRY_REQUEST: dict[str, Any] = {
    "requestBody": {
        "required": False,
        "content": {
            "application/json": {
                "schema": {"$ref": "#/components/schemas/BatchRetryRequest"},
                "examples": {"failed": {"value": {"only": "failed"}}, "all": {"value": {"only": "all"}}},
            }
        },
    }
}
