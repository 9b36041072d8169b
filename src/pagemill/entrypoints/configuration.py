"""Settings with what the command line puts over them, and how they are shown."""

from dataclasses import asdict, dataclass

from pydantic import SecretStr, ValidationError

from pagemill.entrypoints.output.terminal import answer, answer_json
from pagemill.errors import Refused
from pagemill.model.validation_messages import reason_of
from pagemill.settings import Settings

MASK = "********"


@dataclass(frozen=True, slots=True)
class SettingLine:
    """One setting as it is shown."""

    name: str
    variable: str
    value: str | int | float | bool | None
    origin: str
    help: str


def settings_from(**options: object) -> Settings:
    """The settings, with those options that were given over them; Refused names what is wrong."""
    given = {name: value for name, value in options.items() if value is not None}
    try:
        return Settings(**given)  # type: ignore[arg-type]
    except ValidationError as error:
        raise Refused(" ".join(faults(error))) from error


def faults(error: ValidationError) -> list[str]:
    """What is wrong with each setting, without its value, which may be a secret."""
    return [f"PAGEMILL_{str(fault['loc'][0]).upper()}: {reason_of(fault)}." for fault in error.errors()]


def config(*, as_json: bool) -> None:
    """Show every setting."""
    lines = every_line(settings_from())
    if as_json:
        answer_json({"settings": [asdict(line) for line in lines]})
        return
    for line in lines:
        answer(f"{line.variable}={'' if line.value is None else line.value}  ({line.origin})")
        answer(f"    {line.help}")


def every_line(settings: Settings) -> list[SettingLine]:
    """Every setting with its value and origin; secrets are masked."""
    return [
        SettingLine(
            name,
            f"PAGEMILL_{name.upper()}",
            plain(getattr(settings, name)),
            settings.origin(name),
            field.description or "",
        )
        for name, field in Settings.model_fields.items()
    ]


def plain(value: object) -> str | int | float | bool | None:
    """A value that can be shown."""
    if isinstance(value, SecretStr):
        return MASK if value.get_secret_value() else None
    return value if isinstance(value, str | int | float | bool | None) else str(value)
