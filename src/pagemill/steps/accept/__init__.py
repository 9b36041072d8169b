"""Accept: a document comes in and becomes a job.

Whoever brings the bytes, over HTTP or from a file, feeds them to an `IncomingDocument`, and has a `Submission` accepted.
"""

from pagemill.steps.accept.incoming import Hash, IncomingDocument
from pagemill.steps.accept.sniffing import HEAD_BYTES, document_key, sniff
from pagemill.steps.accept.submission import (
    Acceptance,
    Callback,
    StoredUpload,
    Submission,
    accept,
    accept_submission,
    conclude,
    refuse_while_full,
    remove_bytes,
)

__all__ = [
    "HEAD_BYTES",
    "Acceptance",
    "Callback",
    "Hash",
    "IncomingDocument",
    "StoredUpload",
    "Submission",
    "accept",
    "accept_submission",
    "conclude",
    "document_key",
    "refuse_while_full",
    "remove_bytes",
    "sniff",
]
