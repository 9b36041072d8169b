"""The filters of documents as parameters of a function, for what is made of its signature: options and schemas of tools."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


def spell_out_filters(annotations: Mapping[str, Any]) -> Callable[[Function], Function]:
    """A decorator for a function that takes `**filters`: its signature names each of these, and they may be left out."""

    def spell_out(function: Function) -> Function:
        signature = inspect.signature(function, eval_str=True)
        given = [
            one for one in signature.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD
        ]
        first = [one for one in given if one.kind is not inspect.Parameter.KEYWORD_ONLY]
        filters = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
            for name, annotation in annotations.items()
        ]
        # In this order they are listed: what is asked, the filters, and the options that all commands have.
        spelled = signature.replace(parameters=[*first, *filters, *given[len(first) :]])
        function.__signature__ = spelled  # type: ignore[attr-defined]
        return function

    return spell_out
