"""What pydantic finds wrong with a value, as callers and operators read it."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any

TIME_RULE = "a time is written as in 2026-11-15T09:30:00Z, a day as in 2026-11-15"
# By the type of the fault; what is in braces is in its context.
MESSAGES = {
    "missing": "is missing",
    "extra_forbidden": "is not known here",
    "string_too_long": "has to have at most {max_length} characters",
    "too_long": "has to have at most {max_length} entries",
    "string_pattern_mismatch": "does not fit the pattern {pattern}",
    "greater_than": "has to be more than {gt}",
    "greater_than_equal": "has to be at least {ge}",
    "less_than": "has to be less than {lt}",
    "less_than_equal": "has to be at most {le}",
    "literal_error": "has to be {expected}",
    "enum": "has to be {expected}",
    "string_type": "has to be a string",
    "list_type": "has to be a list",
    "tuple_type": "has to be a list",
    "dict_type": "has to be an object",
    "model_type": "has to be an object",
    "json_invalid": "is not valid JSON: {error}",
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float"), "has to be a whole number"),
    **dict.fromkeys(("float_type", "float_parsing", "finite_number"), "has to be a number"),
    **dict.fromkeys(("bool_type", "bool_parsing"), "has to be true or false"),
}
# An empty text or list is the usual one that is too short.
TOO_SHORT = {"string_too_short": "characters", "too_short": "entries"}
# The types of these end with the reason, such as a month that there is not.
TIMES = {
    "datetime_": TIME_RULE,
    "date_": "a day is written as in 2026-11-15",
}


def reason_of(fault: Mapping[str, Any]) -> str:
    """What is wrong with a value, without its name; `fault` is one of the errors of a ValidationError."""
    kind, context = fault["type"], fault.get("ctx", {})
    if kind in MESSAGES:
        return MESSAGES[kind].format_map(context)
    if kind in TOO_SHORT:
        least = context["min_length"]
        return "is empty" if least == 1 else f"has to have at least {least} {TOO_SHORT[kind]}"
    for prefix, message in TIMES.items():
        if kind.startswith(prefix):
            return message
    # The message of a validator of ours has the kind of exception before it.
    return str(fault["msg"]).removeprefix("Value error, ")


def name_advice(name: str, known: Iterable[str]) -> str:
    """Which name was probably meant, or all that are known."""
    near = get_close_matches(name, known := sorted(known), 1)
    return f"did you mean {near[0]!r}?" if near else f"known here: {', '.join(known) or 'none'}"
