"""The filters of documents as options of commands."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from pagemill.entrypoints.cli.options import pairs_in
from pagemill.entrypoints.filter_signature import Function, spell_out_filters
from pagemill.model.document_filters import FILTERS, FilterField, FilterKind


def option_of(one: FilterField) -> Any:
    """A filter as the annotation of an option."""
    if one.kind is FilterKind.ONE:
        return Annotated[str | None, typer.Option(one.option, metavar=one.metavar, help=one.help)]
    words = f"{one.help} May be repeated."
    return Annotated[list[str] | None, typer.Option(one.option, metavar=one.metavar, help=words)]


OPTIONS = {name: option_of(one) for name, one in FILTERS.items()}
LIST_OPTIONS = {name: option for name, option in OPTIONS.items() if name != "job_id"}


def with_filters(command: Function) -> Function:
    """A command that takes `**filters`, with an option for each."""
    return spell_out_filters(OPTIONS)(command)


def with_list_filters(command: Function) -> Function:
    """A command that takes `**filters` for a list of jobs, with an option for each."""
    return spell_out_filters(LIST_OPTIONS)(command)


def filters_in(given: Mapping[str, Any]) -> dict[str, Any]:
    """The filters that a command was given, as the client takes them."""
    return {**given, "metadata": pairs_in(given["metadata"])}
