"""The states of jobs and chunks, and the moves between them."""

from enum import StrEnum


class Status(StrEnum):
    """The public status of a job."""

    PENDING = "pending"
    PROCESSING = "processing"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Step(StrEnum):
    """The steps of a document's journey; the `stage` of a job is the step that it is in."""

    ACCEPT = "accept"
    FETCH = "fetch"
    PLAN = "plan"
    EXTRACT = "extract"
    RECOGNISE = "recognise"
    JOIN = "join"
    ENRICH = "enrich"
    PUBLISH = "publish"
    NOTIFY = "notify"


class ChunkState(StrEnum):
    """The state of a chunk. `split` has become one chunk per page, `void` was cancelled."""

    READY = "ready"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    SPLIT = "split"
    VOID = "void"


class Lane(StrEnum):
    """A queue with its own workers: `fast` for plans and small documents, `ocr` for pages that need OCR,
    `remote` for those that are sent to other machines for it, `fetch` for documents that come from a URL, `notify` for what
    is sent to others, `bulk` for the rest.
    """

    FAST = "fast"
    BULK = "bulk"
    OCR = "ocr"
    REMOTE = "remote"
    FETCH = "fetch"
    NOTIFY = "notify"


# The steps that settle pages.
READING = frozenset({Step.EXTRACT, Step.RECOGNISE})

TERMINAL = frozenset({Status.COMPLETED, Status.FAILED, Status.CANCELLED})
ACTIVE = frozenset({Status.PENDING, Status.PROCESSING})

# to -> the states that it may be reached from. A retry makes any finished job pending again.
MOVES: dict[Status, frozenset[Status]] = {
    Status.PENDING: TERMINAL,
    Status.PROCESSING: frozenset({Status.PENDING, Status.PROCESSING}),
    Status.COMPLETED: ACTIVE,
    Status.FAILED: ACTIVE,
    Status.CANCELLED: ACTIVE,
}

CHUNK_MOVES: dict[ChunkState, frozenset[ChunkState]] = {
    ChunkState.READY: frozenset({ChunkState.RUNNING}),
    ChunkState.RUNNING: frozenset({ChunkState.READY}),
    ChunkState.DONE: frozenset({ChunkState.RUNNING}),
    ChunkState.FAILED: frozenset({ChunkState.RUNNING}),
    ChunkState.SPLIT: frozenset({ChunkState.RUNNING}),
    ChunkState.VOID: frozenset({ChunkState.READY, ChunkState.RUNNING}),
}
