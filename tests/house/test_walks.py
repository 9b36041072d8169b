"""The walks through the code in docs/design.md name functions that are there."""

import re
from importlib import import_module

import pytest

from tests.house.source import ROOT

PAGE = (ROOT / "docs/design.md").read_text(encoding="utf-8")
WALKS = PAGE.partition("### Four walks through the code")[2].partition("\n### ")[0]
NAMES = sorted(set(re.findall(r"`([a-z_]+(?:\.[A-Za-z_]+)+)`", WALKS)))


def test_there_are_walks() -> None:
    assert len(NAMES) > 20


@pytest.mark.parametrize("name", NAMES)
def test_a_function_of_a_walk_is_there(name: str) -> None:
    module, _, function = f"pagemill.{name}".rpartition(".")
    assert callable(getattr(import_module(module), function))
