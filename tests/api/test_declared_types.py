"""What a client says of a document, beside what its bytes say."""

import pytest

from tests.api.test_uploads import form
from tests.samples import letter
from tests.servers import Served

RAGGED = b"name,town\nAda\nBob,York,1842\n"


@pytest.mark.parametrize(
    ("content", "declared", "taken"),
    [
        (RAGGED, "text/csv; charset=utf-8", "text/csv"),
        (RAGGED, "text/plain", "text/plain"),
        (RAGGED, "application/octet-stream", "text/plain"),
        (letter(), "text/csv", "application/pdf"),
    ],
)
def test_a_declared_type_decides_in_doubt_only(
    idle: Served, content: bytes, declared: str, taken: str
) -> None:
    raw = idle.http.post("/v1/jobs", content=content, headers={"content-type": declared})
    assert raw.json()["document"]["media_type"] == taken
    sent = form(idle, ("file", ("list", content, declared)))
    assert sent.json()["document"]["media_type"] == taken
