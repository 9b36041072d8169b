"""The shape of a job has one source, `model/views.py`; the API, the client and the web pages agree with it."""

import re
from dataclasses import fields
from typing import get_type_hints

import pytest

from pagemill.client import models as client
from pagemill.entrypoints.api import models as api
from pagemill.model.jobs import StoredError, StoredFailedPage
from pagemill.model.views import CountersView, DocumentView, JobView
from tests.house.source import ROOT

WEB_TYPES = (ROOT / "src/pagemill/entrypoints/web/static/js/types.d.ts").read_text(encoding="utf-8")
SHAPES = {
    "Job": JobView,
    "Document": DocumentView,
    "Counters": CountersView,
    "JobError": StoredError,
    "FailedPage": StoredFailedPage,
}


def members(interface: str) -> set[str]:
    """The members of a TypeScript interface; those of the objects in it are left out."""
    body = re.search(rf"export interface {interface} \{{\n(.*?)\n\}}", WEB_TYPES, re.DOTALL)
    assert body, interface
    return set(re.findall(r"^  (\w+)\??:", body[1], re.MULTILINE))


@pytest.mark.parametrize("name", SHAPES)
def test_the_api_documents_what_is_sent(name: str) -> None:
    assert set(getattr(api, name).model_fields) == set(get_type_hints(SHAPES[name]))


@pytest.mark.parametrize("name", SHAPES)
def test_the_client_has_what_is_sent(name: str) -> None:
    assert {field.name for field in fields(getattr(client, name))} == set(get_type_hints(SHAPES[name]))


@pytest.mark.parametrize("name", ["Job", "JobError", "FailedPage"])
def test_the_web_pages_know_what_is_sent(name: str) -> None:
    assert members(name) == set(get_type_hints(SHAPES[name]))
