"""The ablation: each rule that it leaves out is there, and comes back."""

import importlib
from operator import attrgetter
from pathlib import Path

import pytest

from pagemill.model.pages import Block, Box, Cell, Kind
from pagemill.reading.layout.tables import tables_of
from pagemill.reading.layout.tables.rules import Rules
from pagemill.reading.page.tokens import Token
from quality.ours import Pagemill
from quality.rules import RULES, left_out
from tests import samples


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_is_left_out_for_a_while(rule: str) -> None:
    places = [(importlib.import_module(module), name, instead) for module, name, instead in RULES[rule]]
    before = [attrgetter(name)(module) for module, name, _ in places]
    with left_out(rule):
        assert [attrgetter(name)(module) for module, name, _ in places] == [one for *_, one in places]
    assert [attrgetter(name)(module) for module, name, _ in places] == before


@pytest.mark.parametrize("rule", RULES)
def test_a_page_can_be_read_without_the_rule(rule: str, tmp_path: Path) -> None:
    path = tmp_path / "report.pdf"
    path.write_bytes(samples.report(1))
    with left_out(rule):
        [page] = Pagemill().read(path).laid
    # A page that one provider stumbles over goes to the next.
    assert page.provider == "liteparse"


def test_without_the_rule_a_false_table_of_the_engine_is_kept() -> None:
    false = Block("", Kind.TABLE, Box(40, 95, 310, 20), rows=((Cell("to"), Cell("the inner mill")),))
    words = [
        Token(word, 40.0 * at, 100, 40.0 * at + 30, 110)
        for at, word in enumerate("to the inner mill".split())
    ]
    assert tables_of([false], words, Rules()) == []
    with left_out("false tables of the engine"):
        assert tables_of([false], words, Rules()) == [false]
