"""The commands that need no server: their options and their help."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from pagemill.entrypoints.cli.options import (
    AsJson,
    FormatNames,
    KeepHeaders,
    Languages,
    Mode,
    Ocr,
    Pages,
    Password,
    Providers,
    Render,
    TrackedChanges,
    Typography,
)

LocalInputs = Annotated[
    list[Path], typer.Argument(metavar="FILE|FOLDER", help="Documents, or folders that hold them.")
]
Slots = Annotated[
    int | None, typer.Option(min=1, help="Read pages in this many processes.", show_default="all cores")
]


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on. [default: 127.0.0.1]")] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Port; 0 takes a free one. [default: 8080]")
    ] = None,
    data_dir: Annotated[
        Path | None, typer.Option(help="Folder for all files. [default: ~/.local/share/pagemill]")
    ] = None,
    slots: Slots = None,
    workers: Annotated[bool, typer.Option(help="Read documents here, or only take them in.")] = True,
    log_level: Annotated[
        str | None, typer.Option(help="DEBUG, INFO, WARNING or ERROR. [default: INFO]")
    ] = None,
    log_format: Annotated[str | None, typer.Option(help="text or json. [default: text]")] = None,
) -> None:
    """Start the service with its workers.

    Ctrl-C stops it; work in progress is given back and goes on at the next start. Options win over the
    environment (PAGEMILL_PORT and so on, see `pagemill config`). Any other address than loopback needs an
    API key in PAGEMILL_API_KEY.

    \b
    Examples:
      pagemill serve
      pagemill serve --port 9000 --data-dir /var/lib/pagemill
      PAGEMILL_API_KEY=… pagemill serve --host 0.0.0.0
    """
    from pagemill.entrypoints.cli.serve.listening import bind_socket, refuse_without_key
    from pagemill.entrypoints.configuration import settings_from

    settings = settings_from(
        host=host, port=port, data_dir=data_dir, slots=slots, log_level=log_level, log_format=log_format
    )
    refuse_without_key(settings)
    with bind_socket(settings) as listener:
        # Only now, because it takes a while, and most refusals need none of it.
        from pagemill.entrypoints.cli.serve.serving import serve as run

        run(settings, listener, workers=workers)


def worker(
    lanes: Annotated[
        str, typer.Option(help="Lanes to take work from, divided by commas.", show_default="all of them")
    ] = "",
    concurrency: Annotated[
        int | None, typer.Option(min=1, help="Read pages in this many processes.", show_default="all cores")
    ] = None,
    data_dir: Annotated[
        Path | None, typer.Option(help="Scratch space on this machine. [default: ~/.local/share/pagemill]")
    ] = None,
    log_level: Annotated[
        str | None, typer.Option(help="DEBUG, INFO, WARNING or ERROR. [default: INFO]")
    ] = None,
    log_format: Annotated[str | None, typer.Option(help="text or json. [default: text]")] = None,
) -> None:
    """Read documents that others have taken in.

    Needs PAGEMILL_DATABASE_URL, PAGEMILL_BLOBS_URL, PAGEMILL_BROKER_URL and PAGEMILL_SECRET_KEY, the same as
    for `pagemill serve`. Any number of workers may run on any number of machines. SIGTERM or Ctrl-C stops one;
    work in progress is given back and goes on elsewhere at once.

    \b
    Examples:
      pagemill worker
      pagemill worker --lanes fast,bulk --concurrency 8
      pagemill worker --lanes remote
    """
    from pagemill.entrypoints.cli.serve.worker import lanes_of, work
    from pagemill.entrypoints.configuration import settings_from

    settings = settings_from(data_dir=data_dir, slots=concurrency, log_level=log_level, log_format=log_format)
    work(settings, lanes_of(lanes))


def convert(
    inputs: LocalInputs,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Folder for what is made; - is stdout. [default: stdout]"),
    ] = None,
    formats: FormatNames = "markdown",
    pages: Pages = None,
    password: Password = None,
    recursive: Annotated[bool, typer.Option(help="Look into folders below the given ones.")] = True,
    keep_headers: KeepHeaders = False,
    ocr: Ocr = "auto",
    mode: Mode = "fast",
    languages: Languages = None,
    typography: Typography = "printed",
    tracked_changes: TrackedChanges = "final",
    render: Render = None,
    providers: Providers = None,
    again: Annotated[bool, typer.Option("--again", help="Read files again that are done.")] = False,
    slots: Slots = None,
    as_json: AsJson = False,
) -> None:
    """Convert files and folders, without a server.

    Without -o, the text of the named files goes to stdout. With a folder, a run that was interrupted goes on
    where it stopped when the same command is given again; files that are done are not read again unless their
    bytes or the options changed. All cores are used. A file that can't be read never stops the others: it is
    named at the end and the exit code is 1.

    \b
    Examples:
      pagemill convert report.pdf
      pagemill convert report.pdf -o out
      pagemill convert archive/ more/*.pdf -o out --format markdown,json
      pagemill convert scans/ -o out --lang en,de --mode accurate
      pagemill convert scan.tiff -o out --format markdown,searchable,tables,images
      pagemill convert secret.pdf -o out --password 'its password' --pages 1-3,7
    """
    from pagemill.entrypoints.convert import convert as application
    from pagemill.entrypoints.convert.to_stdout import convert_to_stdout

    printed = output is None or str(output) == "-"
    if printed and as_json:
        raise typer.BadParameter("With --json, name a folder for what is made.", param_hint="--output")
    order = application.Order(inputs=tuple(inputs), output=output or Path("-"), formats=formats, slots=slots)
    order = replace(order, pages=pages, password=password, recursive=recursive, again=again)
    order = replace(order, ocr=ocr, mode=mode, typography=typography, tracked_changes=tracked_changes)
    order = replace(order, languages=languages, providers=providers, render=bool(render))
    order = replace(order, keep_headers=keep_headers)
    raise typer.Exit(convert_to_stdout(order) if printed else application.convert(order, as_json=as_json))


def watch(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder that documents come into.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for what is made.")],
    formats: FormatNames = "markdown",
    password: Password = None,
    recursive: Annotated[bool, typer.Option(help="Look into folders below the given one.")] = True,
    keep_headers: KeepHeaders = False,
    ocr: Ocr = "auto",
    mode: Mode = "fast",
    languages: Languages = None,
    providers: Providers = None,
    after: Annotated[
        Literal["move", "mark"],
        typer.Option(help="Move files to done/ and failed/, or mark them where they are."),
    ] = "move",
    settle: Annotated[
        float, typer.Option(min=0, help="Seconds for which a file must not change before it is read.")
    ] = 5.0,
    slots: Slots = None,
    as_json: AsJson = False,
) -> None:
    """Read documents as they come into a folder, without a server.

    Runs until it is stopped with Ctrl-C or SIGTERM; the next run goes on where this one stopped. Files that
    are still being written are left alone until they have not changed for some seconds. What was made of a
    file is never overwritten by that of another. --json prints a line for each file.

    \b
    Examples:
      pagemill watch inbox -o out
      pagemill watch /srv/scans -o /srv/text --format markdown,searchable --after mark
    """
    from pagemill.entrypoints.convert import convert as application
    from pagemill.entrypoints.convert.watch import WatchOrder
    from pagemill.entrypoints.convert.watch import watch as run

    order = application.Order(inputs=(folder,), output=output, formats=formats, slots=slots)
    order = replace(order, password=password, recursive=recursive, keep_headers=keep_headers)
    order = replace(order, ocr=ocr, mode=mode, languages=languages, providers=providers)
    raise typer.Exit(run(WatchOrder(order, after, settle, as_json)))


def doctor(
    data_dir: Annotated[
        Path | None, typer.Option(help="Folder to look at. [default: ~/.local/share/pagemill]")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print what is missing and what to do about it.

    The exit code is 1 when something is missing that pagemill needs.
    """
    from pagemill.entrypoints.cli.doctor.checks import doctor as run

    raise typer.Exit(run(data_dir=data_dir, as_json=as_json))


def config(as_json: AsJson = False) -> None:
    """Show every setting with its value and origin.

    Set them in the environment as PAGEMILL_NAME, or in a file `.env` in the working folder.
    """
    from pagemill.entrypoints.configuration import config as run

    run(as_json=as_json)


def version(as_json: AsJson = False) -> None:
    """Show the version."""
    from pagemill import __version__
    from pagemill.entrypoints.output.terminal import answer, answer_json

    if as_json:
        answer_json({"version": __version__})
    else:
        answer(f"pagemill {__version__}")


COMMANDS = (serve, worker, convert, watch, doctor, config, version)
