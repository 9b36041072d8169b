"""Everything that a user may set, call, meet or watch is documented."""

import json
import re
from collections.abc import Iterator

import pytest

from pagemill.model.events import EventType
from pagemill.model.formats import FORMATS
from pagemill.model.states import Status, Step
from pagemill.model.webhooks import WEBHOOK_EVENTS
from tests.house.source import ROOT
from tools import command_line, error_list, metric_list, route_list, setting_list

DOCS = ROOT / "docs"


def text_of(name: str) -> str:
    """A page of the documentation."""
    return (DOCS / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", setting_list.fields())
def test_a_setting_is_documented_with_its_default(name: str) -> None:
    field = setting_list.fields()[name]
    assert field.description
    row = f"| `{setting_list.variable(name)}` | {setting_list.default(name, field)} | {field.description} |"
    assert row in text_of("reference/settings.md")


def test_every_route_is_documented() -> None:
    page = text_of("reference/http.md")
    missing = [
        f"{method} {path}" for method, path in route_list.every_route() if f"{method} {path}" not in page
    ]
    assert route_list.every_route()
    assert not missing


def test_every_route_says_what_it_does() -> None:
    silent = [route.heading for route in route_list.described() if not route.summary or not route.description]
    assert not silent


def test_every_error_code_is_documented() -> None:
    page = text_of("errors.md")
    assert not [error.code for error in error_list.every_error() if f"</a>`{error.code}` |" not in page]


def test_every_error_says_what_to_do() -> None:
    assert not [
        error.__name__ for error in error_list.every_error() if not error.__doc__ or "." not in error.advice()
    ]


def test_no_two_errors_share_a_code_by_accident() -> None:
    codes = [error.code for error in error_list.every_error()]
    assert {code for code in codes if codes.count(code) > 1} <= {"internal_error"}


@pytest.mark.parametrize("name", command_line.names())
def test_a_command_and_its_options_are_documented(name: str) -> None:
    page = text_of("reference/cli.md")
    section = page.partition(f"## pagemill {name}\n")[2].partition("\n## ")[0]
    options = re.findall(r"(?<!\S)--[a-z][a-z-]+", command_line.printed([*name.split(), "--help"]))
    assert options
    assert not [option for option in options if option not in section]


def test_every_event_is_documented() -> None:
    page = text_of("reference/events.md")
    assert not [kind.value for kind in EventType if f"| `{kind.value}` |" not in page]


def test_every_event_that_is_sent_is_documented_and_no_other() -> None:
    section = text_of("how-to/webhooks.md").partition("## What is sent")[2].partition("\n## ")[0]
    cells = re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)
    listed = [name for cell in cells for name in re.findall(r"`([^`]+)`", cell)]
    assert sorted(listed) == sorted(WEBHOOK_EVENTS)


def test_every_metric_is_documented() -> None:
    page = text_of("reference/metrics.md")
    assert metric_list.names()
    assert not [name for name in metric_list.names() if f"| `{name}` |" not in page]


def test_every_field_of_the_document_json_is_documented() -> None:
    schema = json.loads(
        (ROOT / "src/pagemill/reading/writers/document.schema.json").read_text(encoding="utf-8")
    )
    fields, page = set(properties(schema)), text_of("reference/document-json.md")
    assert {"schema", "blocks", "spans"} <= fields
    assert not [name for name in fields if not re.search(rf"`(document\.)?{name}`", page)]


def properties(schema: object) -> Iterator[str]:
    """The names of all fields, however deep they stand."""
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key == "properties":
                yield from value
            yield from properties(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from properties(value)


def test_the_words_of_the_flow_are_in_the_glossary() -> None:
    page = text_of("glossary.md")
    assert not [word for word in (*Status, *Step) if word not in page]
    assert not [name for name in FORMATS if name.lower() not in page.lower()]
