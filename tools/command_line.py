"""The help of every command."""

from collections.abc import Iterator

from typer.main import get_command
from typer.testing import CliRunner

from pagemill.entrypoints.cli.app import app

COLUMNS = "100"


def markdown() -> str:
    """What `pagemill --help` and `pagemill COMMAND --help` print."""
    parts = [section("pagemill", [])]
    parts += [section(f"pagemill {name}", name.split()) for name in names()]
    return "\n\n".join(parts)


def names() -> list[str]:
    """The commands in the order of the help, those of a group after it."""
    return list(named(get_command(app), ""))


def named(group: object, before: str) -> Iterator[str]:
    """The commands of a group, with the words that are before their names."""
    for name, command in getattr(group, "commands", {}).items():
        yield f"{before}{name}"
        yield from named(command, f"{before}{name} ")


def section(title: str, arguments: list[str]) -> str:
    """The help of one command under its name."""
    return f"## {title}\n\n```text\n{printed([*arguments, '--help'])}\n```"


def printed(arguments: list[str]) -> str:
    """What a command prints, without the blanks at the ends of lines."""
    environment = {"COLUMNS": COLUMNS, "TERMINAL_WIDTH": COLUMNS, "NO_COLOR": "1"}
    outcome = CliRunner().invoke(app, arguments, prog_name="pagemill", env=environment)
    assert outcome.exit_code == 0, outcome.output
    return "\n".join(line.rstrip() for line in outcome.output.strip().splitlines())
