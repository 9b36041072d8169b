"""What the commands of rules, classes and questions do."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Unpack

from pagemill.client.filters import DocumentFilters
from pagemill.entrypoints.cli.remote.actions import ServerOptions, connect
from pagemill.entrypoints.cli.remote.inputs import read_json
from pagemill.entrypoints.output.terminal import (
    EXIT_FAILED,
    answer,
    answer_json,
    format_count,
    printable_path,
    say,
    table,
)


def list_rules(hand: ServerOptions) -> None:
    """Show the rules in order."""
    with connect(hand) as client:
        found = client.understanding.rules()
    if hand.as_json:
        answer_json({"rules": found})
        return
    rows = (
        (one["id"], str(one["position"]), "on" if one["enabled"] else "off", one["name"]) for one in found
    )
    for line in table(("ID", "PLACE", "STATE", "NAME"), rows):
        answer(line)


def put_rule(hand: ServerOptions, file: Path, rule_id: str | None) -> None:
    """Make a rule from a file, or replace one."""
    rule = read_json(file)
    with connect(hand) as client:
        own = client.understanding
        made = own.add_rule(rule) if rule_id is None else own.change_rule(rule_id, rule)
    if hand.as_json:
        answer_json(made)
        return
    answer(made["id"])
    # A server of an earlier version sends no warnings.
    for doubt in made.get("warnings", ()):
        say(f"Warning: {printable_path(doubt)}")


def remove_rule(hand: ServerOptions, rule_id: str) -> None:
    """Remove a rule."""
    with connect(hand) as client:
        client.understanding.remove_rule(rule_id)
    say(f"{rule_id} is removed.")


def try_rules(hand: ServerOptions, job_id: str, file: Path | None) -> None:
    """Show what rules would do with a job."""
    drafts = [read_json(file)] if file else []
    with connect(hand) as client:
        found = client.understanding.try_rules(job_id, drafts)
    if hand.as_json:
        answer_json(found)
        return
    for one in found["rules"]:
        outcome = (
            "would act" if one["acts"] else "matches, but is not tried" if one["matches"] else "no match"
        )
        answer(f"{printable_path(one['name'])}: {outcome}")
        for reason in (*one["unmet"], *one.get("warnings", ())):
            answer(f"    {printable_path(reason)}")


def list_classes(hand: ServerOptions) -> None:
    """Show the classes and how many examples they have."""
    with connect(hand) as client:
        found = client.understanding.classes()
    if hand.as_json:
        answer_json({"classes": found})
        return
    for line in table(("CLASS", "EXAMPLES"), ((name, str(count)) for name, count in found.items())):
        answer(line)


def label_examples(hand: ServerOptions, name: str, job_ids: list[str]) -> None:
    """Make jobs examples of a class."""
    with connect(hand) as client:
        made = client.understanding.label_examples(name, job_ids)
    if hand.as_json:
        answer_json(made)
    else:
        answer(f"{name} has {format_count(len(made['examples']), 'example')}")


def remove_class(hand: ServerOptions, name: str) -> None:
    """Remove a class."""
    with connect(hand) as client:
        client.understanding.remove_class(name)
    say(f"{name} is removed.")


def ask(hand: ServerOptions, question: str, **filters: Unpack[DocumentFilters]) -> int:
    """Show the answer to a question and its citations; 1 if there is none."""
    with connect(hand) as client:
        found = client.understanding.ask(question, **filters)
    if hand.as_json:
        answer_json(found)
    elif found["answered"]:
        # The model writes what it likes, and terminals obey some of it.
        answer("\n".join(printable_path(line) for line in found["answer"].splitlines()))
        for one in found["citations"]:
            name = printable_path(one["filename"])
            answer(f"[{one['number']}] {name}, page {one['page']}: {printable_path(one['quote'])}")
        for doubt in doubts_of(found):
            say(doubt)
    else:
        say(found["reason"])
    return 0 if found["answered"] else EXIT_FAILED


def doubts_of(found: Mapping[str, Any]) -> Iterator[str]:
    """What of an answer nothing supports, in words; older servers don't report all of it."""
    if numbers := found.get("unsupported_numbers"):
        yield f"Warning: no citation has these numbers of the answer: {', '.join(map(printable_path, numbers))}"
    if marks := found.get("uncited_numbers"):
        named = ", ".join(f"[{mark}]" for mark in marks)
        yield f"Warning: the answer names passages that nothing was quoted of: {named}"
    if quotes := found.get("unverified_quotes"):
        yield f"Warning: no document has what the model quoted as: {'; '.join(map(printable_path, quotes))}"
