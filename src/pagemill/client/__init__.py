"""The Python SDK: a `Client` talks to a running `pagemill serve`.

from pagemill.client import Client

with Client("http://127.0.0.1:8080") as client:
    job = client.wait(client.submit("report.pdf").id)
    client.download(job.id, "markdown", "report.md")
"""

from pagemill.client.client import Client
from pagemill.client.errors import ApiError
from pagemill.client.models import (
    Artifact,
    ArtifactLink,
    Document,
    Event,
    FailedPage,
    Health,
    Image,
    Job,
    JobError,
    Options,
    PageState,
    Table,
)

__all__ = [
    "ApiError",
    "Artifact",
    "ArtifactLink",
    "Client",
    "Document",
    "Event",
    "FailedPage",
    "Health",
    "Image",
    "Job",
    "JobError",
    "Options",
    "PageState",
    "Table",
]
