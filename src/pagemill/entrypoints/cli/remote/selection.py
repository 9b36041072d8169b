"""Which jobs a command is about: those that are named, or all that a filter finds."""

from collections.abc import Sequence
from dataclasses import dataclass

import typer

from pagemill.client import Client


@dataclass(frozen=True, slots=True)
class JobSelection:
    """Ids of jobs, or a status and a part of the document's name that they must have."""

    ids: tuple[str, ...]
    status: str | None = None
    filename: str | None = None

    @property
    def is_filter(self) -> bool:
        """Whether the jobs have to be looked up."""
        return not self.ids


def select_jobs(ids: Sequence[str] | None, status: str | None, filename: str | None) -> JobSelection:
    """What was asked; ends the command if that is nothing, or both ids and a filter."""
    given = tuple(ids or ())
    if given and (status or filename):
        raise typer.BadParameter("Give either ids or --status and --filename, not both.", param_hint="ID")
    if not (given or status or filename):
        raise typer.BadParameter(
            "Give the ids of jobs, or --status or --filename to find them.", param_hint="ID"
        )
    return JobSelection(given, status, filename)


def find_ids(client: Client, selection: JobSelection) -> list[str]:
    """The ids of the jobs; all are found before anything is done to the first, which may change the list."""
    if not selection.is_filter:
        return list(selection.ids)
    return [job.id for job in client.jobs(status=selection.status, filename=selection.filename)]
