"""The commands under one name, and what their failures mean to a shell."""

import atexit
import gc
import sys
from typing import Annotated

import typer

from pagemill.entrypoints.cli import local_commands
from pagemill.entrypoints.cli.admin import commands as admin_commands
from pagemill.entrypoints.cli.batches import commands as batch_commands
from pagemill.entrypoints.cli.remote import commands as remote_commands
from pagemill.entrypoints.cli.understanding import commands as understanding_commands
from pagemill.entrypoints.cli.webhooks import commands as webhook_commands
from pagemill.entrypoints.output.terminal import EXIT_FAILED, EXIT_REFUSED, complain, give_up, open_missing
from pagemill.errors import PagemillError, Refused

HELP = """Documents in, clean Markdown, JSON, text and HTML out.

\b
  pagemill convert report.pdf -o out      read one file, no server needed
  pagemill convert folder -o out          read all documents below a folder
  pagemill serve                          start the service with its workers
  pagemill submit report.pdf --wait       hand a file to a running service
  pagemill doctor                         see what is installed and what is missing
"""
EXITS = """\b
Exit codes: 0 all went well; 1 something failed, such as a document; 2 wrong usage;
3 the server can't be reached; 4 refused, nothing was begun; 130 interrupted.
"""

app = typer.Typer(
    name="pagemill",
    help=HELP,
    epilog=EXITS,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
for command in (*local_commands.COMMANDS, *remote_commands.COMMANDS, understanding_commands.ask):
    app.command(epilog=EXITS)(command)
app.add_typer(batch_commands.app, short_help="Hand in many documents at once.")
app.add_typer(webhook_commands.app, short_help="Notify others of what happens to jobs.")
app.add_typer(understanding_commands.rules_app, short_help="Route documents.")
app.add_typer(understanding_commands.classes_app, short_help="Label documents with classes.")
app.add_typer(admin_commands.app, short_help="Look after an installation.")


def show_version(value: bool) -> None:
    """Answer `--version`, which other programs have."""
    if value:
        local_commands.version()
        raise typer.Exit


@app.callback()
def root(
    _version: Annotated[
        bool, typer.Option("--version", help="Show the version.", callback=show_version, is_eager=True)
    ] = False,
) -> None:
    """The options before any command."""


def main() -> None:
    """Run the command line; expected failures become one line and an exit code."""
    open_missing()
    # At its end Python looks for garbage in all that was loaded, which takes a fifth of a second; the process is gone anyway.
    atexit.register(gc.freeze)
    try:
        app(prog_name="pagemill")
    except Refused as error:
        complain(error.message)
        sys.exit(EXIT_REFUSED)
    except PagemillError as error:
        complain(f"{error.message} ({error.code})")
        sys.exit(EXIT_FAILED)
    except OSError as error:
        # If it was stdout that failed, a full disk for instance, it would fail again at exit.
        give_up(sys.stdout)
        complain(f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}")
        sys.exit(EXIT_FAILED)
