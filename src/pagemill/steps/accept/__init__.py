"""Accept: a document comes in and becomes a job.

The caller, over HTTP or with a file, feeds the bytes to an `IncomingDocument`, and has a `Submission` or a
`BatchSubmission` accepted by `accept_submission`, or by its parts if it may not block.
A document that is named by its URL becomes a job at once, and its bytes are fetched by a worker.
"""

from pagemill.steps.accept.acceptance import (
    Acceptable,
    accept_submission,
    finish_acceptance,
    finishes_at_once,
    must_prepare,
    start_acceptance,
)
from pagemill.steps.accept.batch import (
    BatchAcceptance,
    BatchSubmission,
    ChildPlace,
    NewBatchEntry,
    accept_batch,
    in_batch,
)
from pagemill.steps.accept.fetching import fetch, record_fetched
from pagemill.steps.accept.incoming import Hash, IncomingDocument
from pagemill.steps.accept.routing import options_by_rule
from pagemill.steps.accept.sniffing import HEAD_BYTES, document_key, sniff
from pagemill.steps.accept.submission import (
    Acceptance,
    Callback,
    StoredUpload,
    Submission,
    accept,
    prepare_reuse,
    unfetched_upload,
)
from pagemill.steps.accept.submission_quotas import refuse_while_full

__all__ = [
    "HEAD_BYTES",
    "Acceptable",
    "Acceptance",
    "BatchAcceptance",
    "BatchSubmission",
    "Callback",
    "ChildPlace",
    "Hash",
    "IncomingDocument",
    "NewBatchEntry",
    "StoredUpload",
    "Submission",
    "accept",
    "accept_batch",
    "accept_submission",
    "document_key",
    "fetch",
    "finish_acceptance",
    "finishes_at_once",
    "in_batch",
    "must_prepare",
    "options_by_rule",
    "prepare_reuse",
    "record_fetched",
    "refuse_while_full",
    "sniff",
    "start_acceptance",
    "unfetched_upload",
]
