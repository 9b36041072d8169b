"""The shape of a job has one source, `model/views.py`; what the API, the client and the web pages have follows from it."""

from dataclasses import fields
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from pagemill.client import shapes as client
from pagemill.model.jobs import StoredError, StoredFailedPage
from pagemill.model.views import CountersView, DocumentView, JobView
from tools import shapes
from tools.reference import FILES

SHAPES = {
    "Job": JobView,
    "Document": DocumentView,
    "Counters": CountersView,
    "JobError": StoredError,
    "FailedPage": StoredFailedPage,
}


@pytest.mark.parametrize("name", SHAPES)
def test_the_api_documents_what_is_sent(name: str) -> None:
    schema: dict[str, Any] = shapes.components()[name]
    assert list(schema["properties"]) == schema["required"] == list(get_type_hints(SHAPES[name]))


@pytest.mark.parametrize("name", SHAPES)
def test_the_client_has_what_is_sent(name: str) -> None:
    assert [field.name for field in fields(getattr(client, name))] == list(get_type_hints(SHAPES[name]))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_generated_file_is_up_to_date(file: Path) -> None:
    assert FILES[file]() == file.read_text(encoding="utf-8"), f"{file.name} is old: make docs"
