"""Whatever knows the formats agrees with the table of formats."""

import pytest

from pagemill.client.models import ARTIFACTS
from pagemill.model.formats import BY_NAME, FORMATS, TABLE, Format
from pagemill.model.views import links
from pagemill.reading.artifacts import MAKERS
from pagemill.reading.writers import WRITERS
from tools import route_list


@pytest.mark.parametrize("one", TABLE, ids=lambda one: one.name)
def test_a_format_has_its_route(one: Format) -> None:
    assert ("GET", f"/v1/jobs/{{job_id}}/{one.route}") in set(route_list.every_route())


def test_the_client_fetches_every_format_that_is_one_file() -> None:
    assert {name: BY_NAME[name].route for name in ARTIFACTS} == ARTIFACTS
    assert set(ARTIFACTS) == {one.name for one in TABLE if one.operation}


def test_a_job_links_to_every_format_that_is_made_with_its_result() -> None:
    assert {BY_NAME[name].route for name in FORMATS} <= set(links("1"))


def test_every_format_has_its_maker() -> None:
    assert set(WRITERS) | set(MAKERS) >= set(BY_NAME)
