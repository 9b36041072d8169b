"""The routes of the HTTP API, from its OpenAPI document."""

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from tools.idle import idle_app
from tools.route_examples import route_example

METHODS = ("get", "post", "put", "patch", "delete")
SUCCESS = re.compile(r"[123]\d\d")
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Route:
    """A route and what its documentation says."""

    method: str
    path: str
    about: Json

    @property
    def heading(self) -> str:
        """Method and path, as people write them."""
        return f"{self.method} {self.path}"

    @property
    def summary(self) -> str:
        """The route in a few words."""
        return str(self.about.get("summary", ""))

    @property
    def description(self) -> str:
        """The route in a few sentences."""
        return str(self.about.get("description", ""))


@cache
def described() -> tuple[Route, ...]:
    """Every route in the OpenAPI document, in its order."""
    with idle_app() as app:
        paths: Json = app.openapi()["paths"]
    found = [(path, method, about) for path, methods in paths.items() for method, about in methods.items()]
    return tuple(Route(method.upper(), path, about) for path, method, about in found if method in METHODS)


def every_route() -> list[tuple[str, str]]:
    """Method and path of every route that the application answers to, documented in OpenAPI or not."""
    with idle_app() as app:
        routes = [(getattr(route, "methods", None), getattr(route, "path", "")) for route in app.routes]
    served = {
        (method, path) for methods, path in routes for method in methods or () if method.lower() in METHODS
    }
    return sorted(served | {(route.method, route.path) for route in described()})


def markdown() -> str:
    """A table of all routes, and a section for each."""
    rows = [f"| `{route.heading}` | {route.summary} |" for route in described()]
    table = "\n".join(["| Route | What it does |", "|---|---|", *rows])
    return "\n\n".join([table, *(section(route) for route in described())])


def section(route: Route) -> str:
    """Everything about one route."""
    parts = [
        f"## {route.heading}",
        route.description,
        route_example(route.method, route.path, route.about),
        parameters(route),
        body(route),
        answers(route),
    ]
    return "\n\n".join(part for part in parts if part)


def parameters(route: Route) -> str:
    """The table of what may be sent in the address and the headers."""
    listed = [one for one in route.about.get("parameters", []) if one["in"] != "path"]
    rows = [f"| `{one['name']}` | {one['in']} | {cell(one.get('description', ''))} |" for one in listed]
    return "\n".join(["| Parameter | In | What it is |", "|---|---|---|", *rows]) if rows else ""


def body(route: Route) -> str:
    """Which kinds of body are taken."""
    kinds = route.about.get("requestBody", {}).get("content", {})
    return f"Body: {', '.join(f'`{kind}`' for kind in kinds)}." if kinds else ""


def answers(route: Route) -> str:
    """The table of what may be answered."""
    rows = [answer(status, about) for status, about in sorted(route.about["responses"].items())]
    return "\n".join(["| Answer | What it means |", "|---|---|", *(row for row in rows if row)])


def answer(status: str, about: Json) -> str:
    """One answer; of problems only the codes, since the page on errors has the rest."""
    if SUCCESS.fullmatch(status):
        return f"| {status} | {cell(about['description'])} |"
    codes = re.findall(r"^`(\w+)`:", about["description"], re.MULTILINE)
    return f"| {status} | {', '.join(f'`{code}`' for code in codes)} |" if codes else ""


def cell(text: str) -> str:
    """Text that fits into a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")
