"""Merging: what several parts of a long document say becomes one answer."""

from collections.abc import Iterator, Sequence
from typing import Any

from pagemill.model.extraction import ExtractedValue


def leaves(value: Any, pointer: str = "") -> Iterator[tuple[str, str | int | float | bool]]:
    """The single values in a tree with their JSON pointers; nulls are none."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from leaves(inner, f"{pointer}/{escape(str(name))}")
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from leaves(inner, f"{pointer}/{place}")
    elif value is not None:
        yield pointer, value


def escape(name: str) -> str:
    """A name as a part of a JSON pointer."""
    return name.replace("~", "~0").replace("/", "~1")


def attach_values(record: Any, values: dict[str, ExtractedValue], pointer: str = "") -> Any:
    """A tree whose single values are replaced by what is known of them."""
    if isinstance(record, dict):
        return {
            name: attach_values(inner, values, f"{pointer}/{escape(str(name))}")
            for name, inner in record.items()
        }
    if isinstance(record, list):
        return [attach_values(inner, values, f"{pointer}/{place}") for place, inner in enumerate(record)]
    return values.get(pointer)


def merge(first: Any, second: Any) -> Any:
    """Two trees as one: the first value that is there stays, unless only the second is grounded; lists follow each other."""
    if isinstance(first, dict) and isinstance(second, dict):
        names = [*first, *(name for name in second if name not in first)]
        return {name: merge(first.get(name), second.get(name)) for name in names}
    if isinstance(first, list) and isinstance(second, list):
        seen = [plain_values(one) for one in first]
        return first + [one for one in second if plain_values(one) not in seen]
    if first is None or (is_loose(first) and isinstance(second, ExtractedValue) and second.grounded):
        return second
    return first


def is_loose(value: Any) -> bool:
    """Whether a value has no support in the document."""
    return isinstance(value, ExtractedValue) and not value.grounded


def plain_values(tree: Any) -> Any:
    """A tree with its values alone."""
    if isinstance(tree, dict):
        return {name: plain_values(inner) for name, inner in tree.items()}
    if isinstance(tree, list):
        return [plain_values(inner) for inner in tree]
    return tree.value if isinstance(tree, ExtractedValue) else tree


def list_values(tree: Any, pointer: str = "") -> Iterator[ExtractedValue]:
    """The values of a tree, each with the pointer that it has now."""
    if isinstance(tree, dict):
        for name, inner in tree.items():
            yield from list_values(inner, f"{pointer}/{escape(str(name))}")
    elif isinstance(tree, list):
        for place, inner in enumerate(tree):
            yield from list_values(inner, f"{pointer}/{place}")
    elif isinstance(tree, ExtractedValue):
        yield ExtractedValue(pointer, tree.value, tree.quote, tree.grounded, tree.page, tree.block, tree.box)


def merge_all(trees: Sequence[Any]) -> Any:
    """All trees as one."""
    merged: Any = {}
    for tree in trees:
        merged = merge(merged, tree)
    return merged
