"""Accept: a document comes in and becomes a job.

The caller, over HTTP or with a file, feeds the bytes to an `IncomingDocument`, and has a `Submission` accepted.
A document that is named by its URL becomes a job at once, and its bytes are fetched by a worker.
"""

from pagemill.steps.accept.batch import (
    BatchAcceptance,
    BatchSubmission,
    ChildPlace,
    NewBatchEntry,
    accept_batch,
    in_batch,
    prepare_batch_reuse,
    remove_batch_copies,
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
    accept_submission,
    conclude,
    may_need_rendering,
    prepare_reuse,
    remove_bytes,
    unfetched_upload,
)
from pagemill.steps.accept.submission_quotas import refuse_while_full

__all__ = [
    "HEAD_BYTES",
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
    "conclude",
    "document_key",
    "fetch",
    "in_batch",
    "may_need_rendering",
    "options_by_rule",
    "prepare_batch_reuse",
    "prepare_reuse",
    "record_fetched",
    "refuse_while_full",
    "remove_batch_copies",
    "remove_bytes",
    "sniff",
    "unfetched_upload",
]
