"""Where files lie in the blob store. A claim's own files stand under its fence, so that two can never mix."""

from pagemill.model.work import Claim


def result_prefix(claim: Claim) -> str:
    """Where a claim writes the artifacts of a whole document."""
    return f"results/{claim.job_id[-2:]}/{claim.job_id}/{claim.key}"


def pages_prefix(claim: Claim) -> str:
    """Where a claim writes the pages of a chunk."""
    return f"pages/{claim.job_id[-2:]}/{claim.job_id}/{claim.key}"


def images_prefix(job_id: str) -> str:
    """Where the images of a job's pages are kept."""
    return f"images/{job_id[-2:]}/{job_id}"
