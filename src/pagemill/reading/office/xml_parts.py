"""XML from strangers: no entities, no DTD, no network, limited depth."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, TypeAlias

from lxml import etree  # type: ignore[import-untyped]

from pagemill.errors import DocumentCorrupt

# The library has no types of its own.
Element: TypeAlias = Any
_SAFE = {
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "huge_tree": False,
    "remove_comments": True,
    "remove_pis": True,
}


def parse_xml(raw: bytes) -> Element:
    """The root of an XML file; DocumentCorrupt if it is damaged or nested too deeply."""
    # libxml2 refuses more than 256 levels by itself, and entities that blow up.
    parser = etree.XMLParser(**_SAFE)
    try:
        root = etree.fromstring(raw, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        root = _mend(raw) if _is_cut(error) else None
        if root is None:
            raise DocumentCorrupt("A part of the file is not valid XML.") from error
    return root


def _is_cut(error: Exception) -> bool:
    """Whether the XML is only damaged somewhere, and not too deep or too large."""
    return isinstance(error, etree.XMLSyntaxError) and error.code not in (
        etree.ErrorTypes.ERR_RESOURCE_LIMIT,
        etree.ErrorTypes.ERR_NAME_TOO_LONG,
        etree.ErrorTypes.ERR_ENTITY_LOOP,
    )


def _mend(raw: bytes) -> Element | None:
    """What can be saved of damaged XML."""
    parser = etree.XMLParser(**_SAFE, recover=True)
    try:
        root = etree.fromstring(raw, parser)
    except (etree.XMLSyntaxError, ValueError):
        return None
    return root if root is not None and len(root) else None


def local(element: Element) -> str:
    """The name of an element without its namespace; empty for what is no element."""
    tag = element.tag
    return local_name(tag) if isinstance(tag, str) else ""


@lru_cache(maxsize=4_096)
def local_name(name: str) -> str:
    """A name without its namespace."""
    return name.rpartition("}")[2]


def children(element: Element, *names: str) -> Iterator[Element]:
    """The children with one of these local names, or all of them."""
    for child in element:
        name = local(child)
        if name and (not names or name in names):
            yield child


def child(element: Element | None, *path: str) -> Element | None:
    """The first element below along a path of local names."""
    for name in path:
        if element is None:
            return None
        element = next(children(element, name), None)
    return element


def descendants(element: Element, *names: str) -> Iterator[Element]:
    """All elements below with one of these local names, in order."""
    wanted = frozenset(names)
    for one in element.iterdescendants():
        if local(one) in wanted:
            yield one


def attribute(element: Element | None, name: str, default: str | None = None) -> str | None:
    """An attribute by its local name, whatever its namespace; strict and transitional files differ there."""
    if element is None:
        return default
    plain = element.get(name)
    if plain is not None:
        return str(plain)
    for key, value in element.attrib.items():
        if local_name(key) == name:
            return str(value)
    return default


def value_of(element: Element | None, *path: str) -> str | None:
    """The `val` attribute of an element further down."""
    return attribute(child(element, *path), "val")


def is_on(element: Element | None) -> bool:
    """Whether a switch is there and not turned off."""
    return element is not None and attribute(element, "val", "1") not in ("0", "false", "off", "none")


def number(text: str | None, default: int = 0) -> int:
    """A whole number, or the default for anything else."""
    try:
        return int(float(text)) if text else default
    except (ValueError, OverflowError):
        return default
