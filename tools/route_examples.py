"""A request and its answer for every route, from the examples of the OpenAPI document."""

import json
import shlex
from dataclasses import dataclass
from typing import Any

from pagemill.entrypoints.api.examples import EXAMPLE_ID
from pagemill.entrypoints.api.openapi import UNFINISHED

Json = dict[str, Any]
SERVER = "http://127.0.0.1:8080"
PARAMETERS = {
    "job_id": EXAMPLE_ID,
    "endpoint_id": EXAMPLE_ID,
    "delivery_id": EXAMPLE_ID,
    "number": "1",
    "revision": "1",
}
# The end of a path -> what its last parameter may be.
NAMES = {
    "/tables/{name}": "p3-b4.csv",
    "/images/{name}": "p3-b2.png",
    "/artifacts/{name}/link": "markdown",
    "/enrichments/{name}": "entities",
}
# Paths that are asked with a query.
QUERIES = {"/v1/search": "?q=grain"}
FORM = {"file": "@report.pdf", "pages": "1-3,7"}
MOST_LINES = 16
MOST_WIDTH = 120
# Answers that are shown whole; elsewhere a job is cut.
WHOLE = ("GET /v1/jobs/{job_id}",)


@dataclass(frozen=True, slots=True)
class ExampleRequest:
    """A request as the documentation shows it."""

    method: str
    path: str
    body: object = None
    form: dict[str, str] | None = None

    def curl(self, *, to_file: bool) -> str:
        """The request as a command."""
        words = ["curl", "-sS", *(["-O"] if to_file else [])]
        if self.method not in ("GET", "POST") or (self.method == "POST" and not (self.form or self.body)):
            words += ["-X", self.method]
        for name, value in (self.form or {}).items():
            words += ["-F", f"{name}={value}"]
        if self.body is not None:
            words += ["-H", "Content-Type: application/json", "-d", json.dumps(self.body)]
        return shlex.join([*words, f"{SERVER}{self.path}"])


def example_request(method: str, path: str, about: Json) -> ExampleRequest:
    """The request of a route, with the example of its body."""
    for end, name in NAMES.items():
        if path.endswith(end):
            path = path.replace("{name}", name)
    path += QUERIES.get(path, "")
    for parameter, value in PARAMETERS.items():
        path = path.replace(f"{{{parameter}}}", value)
    content: Json = about.get("requestBody", {}).get("content", {})
    if "multipart/form-data" in content:
        return ExampleRequest(method, path, form=FORM)
    examples = content.get("application/json", {}).get("examples", {})
    return ExampleRequest(method, path, next((one["value"] for one in examples.values()), None))


def success(about: Json) -> tuple[str, str, object]:
    """Status, media type and example of the first answer that is a success; no media type if it has no body."""
    order = {"201": 0, "202": 1, "200": 2, "204": 3}
    # The answer of a job that has not ended is not the one to show.
    unfinished = about["responses"].get("202", {}).get("description") == UNFINISHED[202]["description"]
    waits = "requestBody" not in about or unfinished
    found = sorted(
        (status for status in about["responses"] if status in order),
        key=lambda status: order[status] if not waits else -order[status] if status != "204" else 0,
    )
    status = found[0]
    content: Json = about["responses"][status].get("content", {})
    kinds = sorted(content, key=lambda kind: (not example_in(content[kind]), kind == "application/json"))
    return (status, kinds[0], example_in(content[kinds[0]])) if kinds else (status, "", None)


def example_in(content: Json) -> object:
    """The example of an answer; None if it has none."""
    if examples := content.get("examples"):
        return next(iter(examples.values()))["value"]
    return content.get("example")


def route_example(method: str, path: str, about: Json) -> str:
    """A request and its answer as a console shows them."""
    request = example_request(method, path, about)
    status, media_type, example = success(about)
    shown = example_lines(example, media_type, whole=f"{method} {path}" in WHOLE)
    command = request.curl(to_file=bool(media_type) and not shown)
    head = f"HTTP/1.1 {status}" + (f", {media_type}" if media_type else "")
    return "\n".join(["```console", f"$ {command}", head, *shown, "```"])


def example_lines(example: object, media_type: str, *, whole: bool) -> list[str]:
    """An example, a line for each member of an object; the rest of a long one is left out."""
    if example is None:
        return []
    if isinstance(example, str) and not media_type.endswith("json"):
        lines = example.splitlines()
    else:
        lines = json_lines(json.loads(example) if isinstance(example, str) else example)
    return lines if whole or len(lines) <= MOST_LINES else [*lines[:MOST_LINES], "  …"]


def json_lines(value: object) -> list[str]:
    """JSON with a line for each member of the outermost object."""
    if not isinstance(value, dict) or not value:
        return [json.dumps(value, ensure_ascii=False)]
    members = [f"  {json.dumps(key)}: {json.dumps(one, ensure_ascii=False)}" for key, one in value.items()]
    return ["{", *(cut(f"{line},") for line in members[:-1]), cut(members[-1]), "}"]


def cut(line: str) -> str:
    """A line that is not too long to be read."""
    return line if len(line) <= MOST_WIDTH else f"{line[:MOST_WIDTH]} …"
