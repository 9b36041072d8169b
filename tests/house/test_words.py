"""Functions that act are verbs, public classes have names of their own, and the glossary's words are the only own ones."""

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import PurePath

import pytest

from tests.house.source import ROOT, SHIPPED, Function, Module, modules
from tests.house.test_names import names, words

PARTICIPLE = re.compile(r"_?([a-z]+ed|told|made|done|held|kept|sent|shown|found|said|given|taken|written)")
# A verb that only looks like a participle.
VERBS = frozenset({"feed", "seed", "need", "embed", "exceed"})
# Generated from the classes of the API, and called as these are: a caller reads the same names in both.
GENERATED = "src/pagemill/client/shapes.py"
FEATURE_TABLES = ("src/pagemill/reading/layout/", "src/pagemill/reading/sources/")
# Words that were ours alone; trade words took their place.
OWN_WORDS = (
    "ear",
    "shelf",
    "bell",
    "seal",
    "sealed",
    "seals",
    "rooms",
    "census",
    "lookout",
    "doorstep",
    "door",
    "bench",
    "journal",
)
# What a stranger searches for, and the module whose docstring has to say it.
TRADE_WORDS = {
    "circuit breaker": "reading/remote/breaker.py",
    "fair scheduling": "db/fairness.py",
    "headings": "reading/layout/settling.py",
    "heartbeat": "heartbeat.py",
    "idempotency key": "steps/accept/submission.py",
    "leader election": "desk/leader.py",
    "leases": "db/leases.py",
    "OCR languages": "model/languages.py",
    "password encryption": "password_encryption.py",
    "presigned link": "desk/direct_uploads.py",
    "quota": "model/quota_cache.py",
    "rate limits": "entrypoints/access/rate_limits.py",
    "reading order": "reading/layout/columns.py",
    "resumable uploads": "entrypoints/api/upload/resumable.py",
    "retention": "db/cleanup.py",
    "retries of webhooks": "model/webhook_schedule.py",
    "sandbox": "press/sandbox.py",
    "server-sent events": "entrypoints/api/jobs/events.py",
    "table headers": "reading/layout/tables/header_rows.py",
    "webhook deliveries": "steps/deliver.py",
}
GLOSSARY = (ROOT / "docs/glossary.md").read_text(encoding="utf-8")


def is_participle(function: Function) -> bool:
    """Whether a name says neither what is done nor what is had."""
    return bool(PARTICIPLE.fullmatch(function.name)) and function.name not in VERBS


def attributes(module: Module) -> Iterator[tuple[int, str]]:
    """The attributes that a file sets, each with its line."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.attr


def test_no_function_is_a_bare_participle() -> None:
    bare = [
        f"{module.path}:{function.lineno} {function.name}"
        for module in modules(*SHIPPED)
        for function in module.functions()
        if is_participle(function)
    ]
    assert not bare, "\n".join(bare)


def test_public_class_names_are_unique() -> None:
    names = Counter(
        node.name
        for module in modules(*SHIPPED)
        if module.path != GENERATED
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert not [name for name, count in names.items() if count > 1]


def test_no_module_has_the_name_of_one_of_the_standard_library() -> None:
    shadows = [
        module.path for module in modules(*SHIPPED) if PurePath(module.path).stem in sys.stdlib_module_names
    ]
    assert not shadows


def test_names_are_made_of_words_that_people_search_for() -> None:
    found = [
        f"{module.path}:{line} {name}"
        for module in modules(*SHIPPED)
        for line, name in (*names(module), *attributes(module))
        if words(name) & set(OWN_WORDS)
    ]
    assert not found, "\n".join(found)


def test_the_glossary_is_short_and_has_none_of_the_words_that_were_given_up() -> None:
    entries = re.findall(r"^\| \*\*(.+?)\*\* \|", GLOSSARY, re.MULTILINE)
    assert {"mill", "press", "lane", "chunk", "fence", "desk"} <= set(entries)
    assert len(entries) <= 12
    assert not [word for word in OWN_WORDS if re.search(rf"\b{word}\b", GLOSSARY)]


def test_code_is_formatted_without_exceptions() -> None:
    # Tables of features are read column by column, beside the models that were trained with them.
    skipped = [
        module.path
        for module in modules(*SHIPPED)
        if "fmt: " + "skip" in module.text and not module.path.startswith(FEATURE_TABLES)
    ]
    assert not skipped


@pytest.mark.parametrize(("word", "module"), TRADE_WORDS.items())
def test_a_trade_word_leads_to_its_module(word: str, module: str) -> None:
    tree = ast.parse((ROOT / "src/pagemill" / module).read_text(encoding="utf-8"))
    assert word.lower() in (ast.get_docstring(tree) or "").lower()
