"""JSON Schemas that callers hand in: what is taken of them, so that none can harm the process that validates by it."""

from collections.abc import Iterator
from typing import Any

import orjson

from pagemill.entrypoints.wire.problems import invalid
from pagemill.model.extraction import Schema

MOST_BYTES = 65_536
DEEPEST = 32
# References lead to other addresses and files, and a regular expression can take for ever over a text that fits it.
REFUSED = frozenset({"$ref", "$dynamicRef", "$recursiveRef", "pattern", "patternProperties"})
# Their members are named by the caller, and their values are schemas.
NAMED_SCHEMAS = frozenset({"properties", "$defs", "definitions", "dependentSchemas"})
# Their values are values, whatever they look like.
VALUES = frozenset({"const", "default", "enum", "examples", "required", "dependentRequired"})


def check_schema(schema: Schema) -> Schema:
    """A schema that can be used; ValidationFailed says why it can't."""
    # Only now, because it takes a while to load.
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError

    if len(orjson.dumps(schema)) > MOST_BYTES:
        raise invalid(("/schema", f"must not be larger than {MOST_BYTES} bytes"))
    for word in words_of(schema):
        if word in REFUSED:
            raise invalid(("/schema", f"must not hold {word}"))
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        place = "/".join(map(str, error.absolute_path)) or "its root"
        raise invalid(("/schema", f"is no JSON Schema at {place[:200]}: {error.message[:200]}")) from None
    if schema.get("type") != "object" or not isinstance(schema.get("properties"), dict):
        raise invalid(("/schema", "has to be that of an object with properties"))
    return schema


def words_of(schema: Any, depth: int = 0) -> Iterator[str]:
    """The words of a schema and of the schemas in it, without the names of properties."""
    if depth > DEEPEST:
        raise invalid(("/schema", f"must not be nested more than {DEEPEST} deep"))
    if isinstance(schema, list):
        for one in schema:
            yield from words_of(one, depth + 1)
    if not isinstance(schema, dict):
        return
    for word, inner in schema.items():
        yield word
        if word in NAMED_SCHEMAS and isinstance(inner, dict):
            yield from words_of(list(inner.values()), depth + 1)
        elif word not in VALUES:
            yield from words_of(inner, depth + 1)
