"""Types that are generated from the OpenAPI document: those of the Python client and of the web pages."""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from tools.idle import idle_app

Json = dict[str, Any]
SOURCE = Path(__file__).resolve().parents[1] / "src/pagemill"
REFERENCE = "#/components/schemas/"
# Shapes of the client -> what the document calls them; those that they are made of come with them.
CLIENT_SHAPES = {
    "Job": "Job",
    "Event": "Event",
    "PageState": "PageState",
    "Artifact": "Artifact",
    "ArtifactLink": "ArtifactLink",
    "UploadLink": "Upload",
    "Table": "Table",
    "Image": "Image",
    "SearchResults": "SearchResults",
    "UsedLabels": "UsedLabels",
}
# Open to further members, so the client has them as a mapping.
OPEN_SHAPES = frozenset({"JobOptions"})
PYTHON_TYPES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}
SCRIPT_TYPES = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean"}
SECRET = "Secret:"
SCRIPT_WIDTH = 110

PYTHON_HEAD = '''"""The shapes of the API, generated from its OpenAPI document by `make docs`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pagemill.client.shape import ApiShape, JobShape
'''
SCRIPT_HEAD = "/** The shapes of the API, generated from its OpenAPI document by `make docs`. */\n"


@cache
def components() -> Json:
    """The schemas of the OpenAPI document."""
    with idle_app() as app:
        schemas: Json = app.openapi()["components"]["schemas"]
    return schemas


def python_source() -> str:
    """The module with the shapes of the client."""
    classes = [python_class(name, components()[called]) for name, called in client_classes().items()]
    return "\n\n".join([PYTHON_HEAD, *classes])


def client_classes() -> dict[str, str]:
    """Every class of the client's shapes by its name, each after those that it is made of."""
    found: dict[str, str] = {}

    def add(name: str, called: str) -> None:
        for part in parts_of(components()[called]):
            if part not in OPEN_SHAPES and "properties" in components()[part]:
                add(part, part)
        found.setdefault(name, called)

    for name, called in CLIENT_SHAPES.items():
        add(name, called)
    return found


def parts_of(schema: object) -> Iterator[str]:
    """The shapes that a schema refers to."""
    if isinstance(schema, dict):
        if isinstance(reference := schema.get("$ref"), str):
            yield reference.removeprefix(REFERENCE)
        for value in schema.values():
            yield from parts_of(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from parts_of(value)


def python_class(name: str, schema: Json) -> str:
    """A frozen dataclass."""
    base = "JobShape" if name == "Job" else "ApiShape"
    members = "\n".join(python_member(member, about) for member, about in schema["properties"].items())
    return (
        "@dataclass(frozen=True, slots=True, kw_only=True)\n"
        f'class {name}({base}):\n    """{schema["description"]}"""\n\n{members}\n'
    )


def python_member(name: str, about: Json) -> str:
    """A field; one that may be null may be missing in the answer of an older server."""
    kind = python_type(about)
    if about.get("description", "").startswith(SECRET):
        return f"    {name}: {kind} = field(repr=False)"
    return f"    {name}: {kind}" + (" = None" if kind.endswith("| None") else "")


def python_type(about: Json) -> str:
    """The type of a field."""
    if "$ref" in about:
        called = about["$ref"].removeprefix(REFERENCE)
        if called in OPEN_SHAPES:
            return "Mapping[str, Any]"
        return called if "properties" in components()[called] else python_type(components()[called])
    if "anyOf" in about:
        return " | ".join("None" if one.get("type") == "null" else python_type(one) for one in about["anyOf"])
    if "prefixItems" in about:
        return f"tuple[{', '.join(python_type(one) for one in about['prefixItems'])}]"
    if about.get("type") == "array":
        return f"tuple[{python_type(about['items'])}, ...]"
    if about.get("type") == "object":
        values = about.get("additionalProperties")
        return f"Mapping[str, {python_type(values) if isinstance(values, dict) else 'Any'}]"
    return PYTHON_TYPES.get(about.get("type", ""), "Any")


def script_source() -> str:
    """The declarations for the scripts of the web pages: every shape of the document."""
    parts = [script_declaration(name, schema) for name, schema in components().items()]
    return "\n".join([SCRIPT_HEAD, *parts])


def script_declaration(name: str, schema: Json) -> str:
    """An interface of TypeScript, or the type of a value that has no members."""
    if "properties" not in schema:
        return wrapped(f"export type {name} = {script_type(schema)};") + "\n"
    required = schema.get("required", [])
    members = [
        f"  {member}{'' if member in required else '?'}: {script_type(about)};"
        for member, about in schema["properties"].items()
    ]
    if schema.get("additionalProperties") is True:
        members.append("  [member: string]: unknown;")
    return f"export interface {name} {{\n" + "\n".join(members) + "\n}\n"


def wrapped(line: str) -> str:
    """A declaration as the formatter of the web pages has it: a long union has a line for each value."""
    if len(line) <= SCRIPT_WIDTH:
        return line
    head, _, values = line.partition(" = ")
    return f"{head} =\n  | " + "\n  | ".join(values.split(" | "))


def script_type(about: Json) -> str:
    """The type of a member."""
    if "$ref" in about:
        return str(about["$ref"].removeprefix(REFERENCE))
    if "const" in about or "enum" in about:
        return " | ".join(f'"{value}"' for value in about.get("enum", [about.get("const")]))
    if "anyOf" in about:
        return " | ".join(script_type(one) for one in about["anyOf"])
    if "prefixItems" in about:
        return f"[{', '.join(script_type(one) for one in about['prefixItems'])}]"
    if about.get("type") == "array":
        return array_of(script_type(about["items"]))
    if about.get("type") == "object":
        values = about.get("additionalProperties")
        return f"Record<string, {script_type(values) if isinstance(values, dict) else 'unknown'}>"
    return "null" if about.get("type") == "null" else SCRIPT_TYPES.get(about.get("type", ""), "unknown")


def array_of(kind: str) -> str:
    """The type of a list."""
    return f"({kind})[]" if " | " in kind else f"{kind}[]"


FILES: dict[Path, Callable[[], str]] = {
    SOURCE / "client/shapes.py": python_source,
    SOURCE / "entrypoints/web/static/js/schema.d.ts": script_source,
}
