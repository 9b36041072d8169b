"""Nothing is left half done, and no error is swallowed."""

import ast
import re
from collections.abc import Iterator

from tests.house.source import ALL_CODE, SHIPPED, Module, modules

# Written in pieces, so that this file does not find itself.
LEFTOVERS = re.compile(
    "|".join(["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK", "NotImplemented" + "Error"])
)


def handlers(module: Module) -> Iterator[ast.ExceptHandler]:
    """Every `except` in a file."""
    return (node for node in ast.walk(module.tree) if isinstance(node, ast.ExceptHandler))


def says_nothing(handler: ast.ExceptHandler) -> bool:
    """Whether an `except` does nothing at all with what it caught."""
    return all(isinstance(line, ast.Pass) or is_ellipsis(line) for line in handler.body)


def is_ellipsis(line: ast.stmt) -> bool:
    """Whether a line is only three dots."""
    return isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant) and line.value.value is ...


def undocumented(parent: ast.Module | ast.ClassDef) -> Iterator[ast.stmt]:
    """The public classes and functions, and the methods of those classes, that don't say what they are for."""
    for node in parent.body:
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) or node.name[0] == "_":
            continue
        if not ast.get_docstring(node) and not is_overload(node):
            yield node
        if isinstance(node, ast.ClassDef):
            yield from undocumented(node)


def is_overload(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
    """Whether a definition only states a further signature."""
    return any(isinstance(mark, ast.Name) and mark.id == "overload" for mark in node.decorator_list)


def test_nothing_is_left_half_done() -> None:
    found = [
        f"{module.path}:{number} {line.strip()}"
        for module in modules(*ALL_CODE)
        for number, line in enumerate(module.text.splitlines(), start=1)
        if LEFTOVERS.search(line)
    ]
    assert not found, "\n".join(found)


def test_no_error_is_swallowed() -> None:
    found = [
        f"{module.path}:{handler.lineno}"
        for module in modules(*ALL_CODE)
        for handler in handlers(module)
        if handler.type is None or says_nothing(handler)
    ]
    assert not found, "\n".join(found)


def test_every_shipped_file_class_and_function_says_what_it_is_for() -> None:
    silent = [f"{module.path}:1" for module in modules(*SHIPPED) if not ast.get_docstring(module.tree)]
    silent += [
        f"{module.path}:{node.lineno}" for module in modules(*SHIPPED) for node in undocumented(module.tree)
    ]
    assert not silent, "\n".join(silent)
