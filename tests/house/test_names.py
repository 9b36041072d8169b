"""Names come from the glossary; words that say nothing are not used."""

import ast
import re
from collections.abc import Iterator

from tests.house.source import ROOT, SHIPPED, Module, modules

EMPTY_WORDS = {"task", "item", "data", "info", "manager", "handler", "processor", "service", "utils", "util"}

# name -> why it may be used
ALLOWED = {
    "LIST_ITEM": "a list item is a kind of block",
    "list_item": "a list item is a kind of block",
    "_list_item": "a list item is a kind of block",
    "item_html": "a list item is a kind of block",
    "data_folder": "the data folder is what PAGEMILL_DATA_DIR names",
    "make_data_folder": "the data folder is what PAGEMILL_DATA_DIR names",
    "lock_data_folder": "the data folder is what PAGEMILL_DATA_DIR names",
    "data_received": "asyncio calls it so",
    "handle_data": "html.parser calls it so",
    "get_extra_info": "httpcore calls it so",
    "info": "httpcore calls the argument of get_extra_info so",
    "STANDARD_HANDLER": "the standard security handler is what the PDF specification calls it",
    "task_id": "services built on Celery call it so",
    "task_status": "services built on Celery call it so",
    "task_result": "services built on Celery call it so",
    "data_dir": "PAGEMILL_DATA_DIR is what people expect it to be called",
}


def words(name: str) -> set[str]:
    """The words of a name, whether they are divided by case or by underscores."""
    return {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)}


def names(module: Module) -> Iterator[tuple[int, str]]:
    """Every name that a file gives to something, with its line."""
    yield 1, module.path.rsplit("/", 1)[-1].removesuffix(".py")
    for node in ast.walk(module.tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.lineno, node.name
            case ast.arg():
                yield node.lineno, node.arg
            case ast.Name(ctx=ast.Store()):
                yield node.lineno, node.id


def test_no_name_is_made_of_a_word_that_says_nothing() -> None:
    empty = [
        f"{module.path}:{line} {name}"
        for module in modules(*SHIPPED)
        for line, name in names(module)
        if words(name) & EMPTY_WORDS and name not in ALLOWED
    ]
    assert not empty, "\n".join(empty)


def test_no_folder_is_called_by_a_word_that_says_nothing() -> None:
    folders = [path for path in (ROOT / "src").rglob("*") if path.is_dir()]
    assert folders
    assert not [str(path) for path in folders if words(path.name) & EMPTY_WORDS]


def test_the_words_of_a_name_are_found_in_both_spellings() -> None:
    assert words("JobManager") == {"job", "manager"}
    assert words("page_info") == {"page", "info"}
    assert words("HTTPHandler") == {"http", "handler"}
