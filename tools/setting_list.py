"""The table of settings."""

from pydantic import SecretStr
from pydantic.fields import FieldInfo

from pagemill.settings import Settings

# What is worked out on the machine, in words.
WORKED_OUT = {
    "data_dir": "`~/.local/share/pagemill`",
    "slots": "the number of cores",
    "remote_slots": "twice the number of cores",
}


def markdown() -> str:
    """Every setting with its default and what it is for, in the order of settings.py."""
    rows = [
        f"| `{variable(name)}` | {default(name, field)} | {field.description} |"
        for name, field in fields().items()
    ]
    return "\n".join(["| Variable | Default | What it is for |", "|---|---|---|", *rows])


def fields() -> dict[str, FieldInfo]:
    """The fields of the settings by name."""
    return Settings.model_fields


def variable(name: str) -> str:
    """The environment variable of a setting."""
    return f"PAGEMILL_{name.upper()}"


def default(name: str, field: FieldInfo) -> str:
    """The default of a setting as it would be written in the environment."""
    if name in WORKED_OUT:
        return WORKED_OUT[name]
    value = field.default
    if value is None or value == "" or isinstance(value, SecretStr):
        return "–"
    return f"`{value:.10g}`" if isinstance(value, float) else f"`{value}`"
