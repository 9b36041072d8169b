"""The commands under one name, and what their failures mean to a shell."""

import sys

import typer

from pagemill.entrypoints.cli import admin, local, remote
from pagemill.entrypoints.cli.screen import EXIT_FAILED, EXIT_REFUSED, complain, open_missing
from pagemill.errors import PagemillError, Refused

HELP = """Documents in, clean Markdown, JSON, text and HTML out.

\b
  pagemill convert report.pdf -o out      read one file, no server needed
  pagemill convert folder -o out          read all PDFs below a folder
  pagemill serve                          start the service with its workers
  pagemill submit report.pdf --wait       hand a file to a running service
  pagemill doctor                         see what is installed and what is missing
"""
EXITS = """\b
Exit codes: 0 all went well; 1 something failed, such as a document; 2 wrong usage;
3 the server can't be reached; 4 refused to start; 130 interrupted.
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
for command in (*local.COMMANDS, *remote.COMMANDS):
    app.command(epilog=EXITS)(command)
app.add_typer(admin.app)


def main() -> None:
    """Run the command line; expected failures become one line and an exit code."""
    open_missing()
    try:
        app(prog_name="pagemill")
    except Refused as error:
        complain(error.message)
        sys.exit(EXIT_REFUSED)
    except PagemillError as error:
        complain(f"{error.message} ({error.code})")
        sys.exit(EXIT_FAILED)
    except OSError as error:
        complain(f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}")
        sys.exit(EXIT_FAILED)
