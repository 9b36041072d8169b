"""The Python SDK: a `Client` talks to a running `pagemill serve`.

from pagemill.client import Client

with Client("http://127.0.0.1:8080") as client:
    job = client.wait(client.submit("report.pdf").id)
    client.download(job.id, "markdown", "report.md")
"""

from pagemill.client.client import Client
from pagemill.client.errors import ApiError
from pagemill.client.models import Options, ServerHealth
from pagemill.client.shapes import (
    Artifact,
    ArtifactLink,
    Document,
    Event,
    FailedPage,
    Image,
    Job,
    JobError,
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
    "Image",
    "Job",
    "JobError",
    "Options",
    "PageState",
    "ServerHealth",
    "Table",
]
