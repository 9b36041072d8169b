"""Where files are in the blob store. A claim's own files are under its fence, so that two can never mix."""

from pagemill.model.file_types import is_office
from pagemill.model.jobs import DocumentRow
from pagemill.model.work import Claim

PDF_SUFFIX = ".pdf"
QUARANTINE_SUFFIX = ".quarantine"


def result_prefix(claim: Claim) -> str:
    """Where a claim writes the artifacts of a whole document."""
    return f"{results_folder(claim.job_id)}/{claim.key}"


def results_folder(job_id: str) -> str:
    """Where the results of a job's claims are."""
    return f"results/{job_id[-2:]}/{job_id}"


def pages_prefix(claim: Claim) -> str:
    """Where a claim writes the pages of a chunk."""
    return f"pages/{claim.job_id[-2:]}/{claim.job_id}/{claim.key}"


def images_prefix(job_id: str) -> str:
    """Where the images of a job's pages are kept."""
    return f"images/{job_id[-2:]}/{job_id}"


def made_prefix(prefix: str, name: str) -> str:
    """Where an artifact is kept that is made on demand: below the result that it is made from, to go with it."""
    return f"{prefix}/made/{name}"


def readable_key(blob_key: str) -> str:
    """Where the file is that is read: the document itself, or the working copy of an image beside it."""
    itself = blob_key.endswith(PDF_SUFFIX) or is_office(blob_key)
    return blob_key if itself else f"{blob_key}{PDF_SUFFIX}"


def rendered_key(blob_key: str) -> str:
    """Where the PDF is kept that was made of an office file, beside it."""
    return f"{blob_key}{PDF_SUFFIX}"


def describes_itself(document: Claim | DocumentRow) -> bool:
    """Whether a document is a PDF or an office file, which may have a title, files inside and the like."""
    return document.blob_key.endswith(PDF_SUFFIX) or is_office(document.blob_key)


def quarantine_key(blob_key: str) -> str:
    """Where the bytes of an infected document are kept; nothing ever opens them there."""
    return f"{blob_key}{QUARANTINE_SUFFIX}"


def readable(document: Claim | DocumentRow) -> tuple[str, str | None]:
    """The key of the PDF that is read, and its SHA-256 if it is the document itself."""
    key = readable_key(document.blob_key)
    return key, document.sha256 if key == document.blob_key else None


def original_key(key: str) -> str:
    """The key of the document that a working copy was made from, or whose bytes are in quarantine; any other is its own."""
    if key.endswith(QUARANTINE_SUFFIX):
        return key.removesuffix(QUARANTINE_SUFFIX)
    stem = key.removesuffix(PDF_SUFFIX)
    return stem if "." in stem.rpartition("/")[2] else key
