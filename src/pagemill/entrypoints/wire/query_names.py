"""Query parameters that a route does not know are refused: a misspelled one would be ignored without a word.

So is a second value where one is taken, for the first would be ignored.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from urllib.parse import parse_qsl

from fastapi._compat import ModelField, field_annotation_is_sequence
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from pagemill.entrypoints.wire.problems import invalid, pointer
from pagemill.model import signed_links
from pagemill.model.validation_messages import name_advice

# Compatible APIs, probes and web pages are elsewhere, and ignore what they don't know.
STRICT = "/v1/"
# Signed links are passed on to people, and programs on the way add parameters of their own.
LENIENT = f"{signed_links.PATH}/"
# This route names every field that is at fault at once, unknown ones among them.
CHECKS_ITSELF = ("/v1/jobs", frozenset({"POST"}))
MAX_FIELDS = 256
MAX_SHOWN_CHARACTERS = 100


class KnownQuery:
    """Passes a request on to its route; ValidationFailed if the query has names that the route does not take.

    `names` has those that it knows, each with whether it may be given more than once.
    """

    def __init__(self, app: ASGIApp, names: Mapping[str, bool]) -> None:
        self._app = app
        self._names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        check_names(scope["query_string"], self._names)
        await self._app(scope, receive, send)


def check_names(query_string: bytes, names: Mapping[str, bool]) -> None:
    """Raises ValidationFailed if a query has names that are not known, or one twice that may be given once."""
    if not query_string:
        return
    try:
        fields = parse_qsl(query_string.decode("latin-1"), keep_blank_values=True, max_num_fields=MAX_FIELDS)
    except ValueError:
        raise invalid(("", f"the query has more than {MAX_FIELDS} parameters")) from None
    given = Counter(name for name, _ in fields)
    if unknown := [name for name in given if name not in names]:
        raise invalid(*(unknown_name(name[:MAX_SHOWN_CHARACTERS], names) for name in unknown))
    if repeated := [name for name, times in given.items() if times > 1 and not names[name]]:
        raise invalid(*((pointer([name]), f"{name} is given more than once") for name in repeated))


def unknown_name(name: str, known: Iterable[str]) -> tuple[str, str]:
    """The fault of a query parameter that is not known."""
    return pointer([name]), f"there is no query parameter {name!r}; {name_advice(name, known)}"


def refuse_unknown_names(routes: Iterable[object]) -> None:
    """Have every route of our own API refuse query parameters that its documentation does not name."""
    strict = (route for route in routes if isinstance(route, Route) and is_strict(route.path))
    own = [route for route in strict if name_of(route) != CHECKS_ITSELF]
    names = {name_of(route): query_names(route) for route in own if isinstance(route, APIRoute)}
    for route in own:
        route.app = KnownQuery(route.app, names[name_of(route)])


def is_strict(path: str) -> bool:
    """Whether a route looks at the names in a query."""
    return path.startswith(STRICT) and not path.startswith(LENIENT)


def name_of(route: Route) -> tuple[str, frozenset[str]]:
    """What tells routes apart; a second one for the same requests has the same."""
    return route.path, frozenset(route.methods or ()) - {"HEAD"}


def query_names(route: APIRoute) -> dict[str, bool]:
    """The query parameters that a route's documentation names, each with whether it may be given more than once."""
    declared = (one for field in route.dependant.query_params for one in declared_names(field))
    written = (one for one in (route.openapi_extra or {}).get("parameters", []) if one["in"] == "query")
    # A text may be a list, of which the route itself knows; it is given with commas or repeated.
    return dict(declared) | {one["name"]: one["schema"].get("type") in ("array", "string") for one in written}


def declared_names(field: ModelField) -> Iterable[tuple[str, bool]]:
    """The names of a parameter of a function, its own or those of the fields of a model, with whether each is a list."""
    kind = field.field_info.annotation
    if not (isinstance(kind, type) and issubclass(kind, BaseModel)):
        return [(field.alias, field_annotation_is_sequence(kind))]
    return [
        (one.alias or name, field_annotation_is_sequence(one.annotation))
        for name, one in kind.model_fields.items()
    ]
