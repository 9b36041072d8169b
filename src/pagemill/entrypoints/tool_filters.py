"""The filters of documents as parameters of a tool for language models."""

from typing import Annotated, Any

from pydantic import Field

from pagemill.entrypoints.filter_signature import Function, spell_out_filters
from pagemill.model.document_filters import FILTERS, FilterField, FilterKind

VALUES: dict[FilterKind, Any] = {
    FilterKind.ONE: str | None,
    FilterKind.SEVERAL: str | list[str] | None,
    FilterKind.PAIRS: dict[str, str] | None,
}


def parameter_of(one: FilterField) -> Any:
    """A filter as the annotation of a parameter."""
    return Annotated[VALUES[one.kind], Field(description=one.help)]


PARAMETERS = {name: parameter_of(one) for name, one in FILTERS.items()}


def with_filter_parameters(tool: Function) -> Function:
    """A tool that takes `**filters`, with a parameter for each."""
    return spell_out_filters(PARAMETERS)(tool)
