"""The addresses of a batch: all of them are checked, and none waits for the lookup of another."""

import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest

from pagemill.adapters.outbound.client import Outbound
from pagemill.desk import webhooks
from pagemill.errors import UrlForbiddenAddress
from pagemill.mill import Mill
from pagemill.wiring import open_mill
from tests.mills import small_settings

PUBLIC, PRIVATE = "93.184.216.34", "10.0.0.1"


@pytest.fixture(scope="module")
def mill(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mill]:
    """A mill that reads nothing."""
    with open_mill(small_settings(tmp_path_factory.mktemp("addresses")), workers=False) as opened:
        yield opened


def test_the_servers_of_a_batch_are_looked_up_at_the_same_time(mill: Mill) -> None:
    together = threading.Barrier(3, timeout=30)

    def lookup(_: str, __: int) -> list[str]:
        together.wait()
        return [PUBLIC]

    urls = [f"https://host{number}.example/{path}" for number in range(3) for path in ("a", "b")]
    webhooks.check_urls(replace(mill, outbound=Outbound(lookup=lookup)), urls)


def test_one_forbidden_server_refuses_all(mill: Mill) -> None:
    looked_up: set[str] = set()

    def lookup(host: str, _: int) -> list[str]:
        looked_up.add(host)
        return [PRIVATE if host == "b.example" else PUBLIC]

    checking = replace(mill, outbound=Outbound(lookup=lookup))
    with pytest.raises(UrlForbiddenAddress):
        webhooks.check_urls(checking, [f"https://{name}.example/hook" for name in "abc"])
    assert "b.example" in looked_up
