"""What many tests need: settings for a folder of their own, and a mill at work there.

The database, broker and bucket that machines share are real servers, started by the first test that asks for them.
"""

import gc
import inspect
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from pagemill.mill import Mill
from pagemill.press import launch
from pagemill.settings import Settings
from pagemill.wiring import open_mill
from tests.cluster import azurite, gcs, postgres, redis, s3
from tests.mills import small_settings
from tests.press_children import start_forked

# Collecting makes thousands of objects that all stay: searching them for garbage takes a fifth of the time.
gc.disable()
# Tests start many processes: without cached bytecode each of them would compile the code again.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# What starts a server of that kind: fixtures, values of parametrised fixtures, and functions that tests and fixtures call.
NEEDS = {
    "cluster": {
        "postgres_server",
        "redis_server",
        "s3_server",
        "cluster",
        "broker",
        "postgres",
        "celery",
        "celery elsewhere",
        "s3",
    },
    "browser": {"kept_browser"},
    "mill": {"open_mill", "served", "idle_mill"},
    "process": {"shell", "client_shell", "running", "serve", "service_url", "make_press"},
}
# What a test costs, roughly, in the time of one that asks for none of these; the fixtures start commands or servers.
COSTS = {
    "slow": 60,
    "serve": 60,
    "browser": 20,
    "process": 20,
    "cluster": 5,
    "mill": 5,
}


# First of all, so that markers given here can be asked for with -m.
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark tests by the servers that they need; leave long ones out unless markers are asked for."""
    for one in items:
        wanted = wanted_by(one)
        for marker in (marker for marker, named in NEEDS.items() if named & wanted):
            one.add_marker(marker)
    if "long" in config.option.markexpr:
        return
    left_out = [one for one in items if one.get_closest_marker("long")]
    items[:] = [one for one in items if one not in left_out]
    config.hook.pytest_deselected(items=left_out)
    put_long_files_first(items)


def pytest_collection_finish() -> None:
    """Keep what all tests share out of every later search for garbage: thousands of tests and modules."""
    gc.collect()
    gc.freeze()
    gc.enable()


def put_long_files_first(items: list[pytest.Item]) -> None:
    """Order files by what they cost: the last ones to be done are short, and no process waits for another at the end."""
    costs: Counter[Path] = Counter()
    for one in items:
        named = {*(marker.name for marker in one.iter_markers()), *getattr(one, "fixturenames", ())}
        costs[one.path] += 1 + sum(COSTS[name] for name in named & COSTS.keys())
    items.sort(key=lambda one: -costs[one.path])


def wanted_by(item: pytest.Item) -> set[str]:
    """The fixtures of a test, the values of those that have several, and the names of all that it and they call."""
    values = getattr(getattr(item, "callspec", None), "params", {}).values()
    called = [names_in(function) for function in functions_of(item)]
    texts = [value for value in values if isinstance(value, str)]
    return set().union(getattr(item, "fixturenames", ()), texts, *called)


def functions_of(item: pytest.Item) -> list[Callable[..., object]]:
    """The function of a test and those of its fixtures."""
    if not isinstance(item, pytest.Function):
        return []
    fixtures = item._fixtureinfo.name2fixturedefs.values()
    return [item.function, *(definitions[-1].func for definitions in fixtures)]


@cache
def names_in(function: Callable[..., object]) -> frozenset[str]:
    """The names of what a function uses of its module, and the attributes that it takes."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return frozenset(code.co_names) if code else frozenset()


@pytest.fixture(autouse=True, scope="session")
def forked_children() -> None:
    """Have presses fork their children, but those of tests/press."""
    launch.start_process = start_forked


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Settings with short times, for a data folder of the test's own."""
    return small_settings(tmp_path / "mill")


@pytest.fixture
def mill(settings: Settings) -> Iterator[Mill]:
    """A mill at work."""
    with open_mill(settings) as opened_mill:
        yield opened_mill


@pytest.fixture(scope="session")
def postgres_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[postgres.Postgres]:
    """A PostgreSQL server; take `new_database()` from it."""
    # Its own transactions would hold back the log of events, which is read up to the oldest one under way.
    with postgres.running(tmp_path_factory.mktemp("postgres"), {"autovacuum": "off"}) as server:
        yield server


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[redis.RedisServer]:
    """A Redis server."""
    with redis.running(tmp_path_factory.mktemp("redis")) as server:
        yield server


@pytest.fixture(scope="session")
def azure_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[azurite.Azurite]:
    """An emulator of Azure Blob Storage with an empty container."""
    if azurite.binary() is None:
        pytest.skip("Azurite is not installed: run `make azure-test`")
    with azurite.running(tmp_path_factory.mktemp("azure")) as server:
        yield server


@pytest.fixture(scope="session")
def gcs_server(s3_server: s3.S3) -> Iterator[gcs.Gcs]:
    """What answers as Google Cloud Storage does, with a bucket."""
    with gcs.running(s3_server) as server:
        yield server


@pytest.fixture(scope="session")
def s3_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[s3.S3]:
    """An S3 server with an empty bucket."""
    with s3.running(tmp_path_factory.mktemp("s3")) as server:
        yield server
