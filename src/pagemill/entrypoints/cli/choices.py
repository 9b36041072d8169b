"""Options that several commands take."""

from typing import Annotated

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Answer in JSON on stdout, with nothing else there.")]
FormatNames = Annotated[
    str, typer.Option("--format", "-f", help="What to make: markdown, json, text, html; several with commas.")
]
Pages = Annotated[str | None, typer.Option(metavar="RANGES", help="Only these pages, such as 1-3,7.")]
Password = Annotated[str | None, typer.Option(help="Password of an encrypted document.")]
KeepHeaders = Annotated[
    bool, typer.Option("--keep-headers", help="Keep running headers and footers in the text.")
]
Server = Annotated[
    str,
    typer.Option(envvar="PAGEMILL_SERVER", metavar="URL", help="Address of the server.", show_envvar=True),
]
ApiKey = Annotated[
    str | None,
    typer.Option(envvar="PAGEMILL_API_KEY", metavar="KEY", help="API key of the server.", show_envvar=True),
]
JobId = Annotated[str, typer.Argument(metavar="ID", help="Id of the job.")]
JobIds = Annotated[list[str], typer.Argument(metavar="ID", help="Ids of the jobs.")]
