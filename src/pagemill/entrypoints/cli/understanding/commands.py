"""`pagemill rules`, `pagemill classes` and `pagemill ask`: their options and their help."""

from pathlib import Path
from typing import Annotated, Any

import typer

from pagemill.entrypoints.cli.filter_options import filters_in, with_filters
from pagemill.entrypoints.cli.options import DEFAULT_SERVER, ApiKey, AsJson, JobId, Server

RULES_HELP = """Route documents by class, entities, labels and names.

\b
  pagemill rules add rule.json
  pagemill rules try JOB --file draft.json
"""
CLASSES_HELP = """Label documents as examples of classes.

\b
  pagemill classes label purchase-order JOB JOB
"""
rules_app = typer.Typer(name="rules", help=RULES_HELP, no_args_is_help=True, rich_markup_mode=None)
classes_app = typer.Typer(name="classes", help=CLASSES_HELP, no_args_is_help=True, rich_markup_mode=None)

RuleId = Annotated[str, typer.Argument(metavar="RULE", help="Id of the rule.")]
RuleFile = Annotated[Path, typer.Argument(metavar="FILE", help="The rule as JSON.", exists=True)]
ClassName = Annotated[str, typer.Argument(metavar="CLASS", help="Name of the class.")]


@rules_app.command("list")
def list_rules(as_json: AsJson = False, server: Server = DEFAULT_SERVER, api_key: ApiKey = None) -> None:
    """List the rules in the order in which they are tried."""
    from pagemill.entrypoints.cli.remote.actions import ServerOptions
    from pagemill.entrypoints.cli.understanding import actions

    actions.list_rules(ServerOptions(server, api_key, as_json))


@rules_app.command("add")
def add_rule(
    file: RuleFile, as_json: AsJson = False, server: Server = DEFAULT_SERVER, api_key: ApiKey = None
) -> None:
    """Make a rule."""
    from pagemill.entrypoints.cli.remote.actions import ServerOptions
    from pagemill.entrypoints.cli.understanding import actions

    actions.put_rule(ServerOptions(server, api_key, as_json), file, None)


@rules_app.command("change")
def change_rule(
    rule: RuleId,
    file: RuleFile,
    as_json: AsJson = False,
    server: Server = DEFAULT_SERVER,
    api_key: ApiKey = None,
) -> None:
    """Replace a rule."""
    from pagemill.entrypoints.cli.remote.actions import ServerOptions
    from pagemill.entrypoints.cli.understanding import actions

    actions.put_rule(ServerOptions(server, api_key, as_json), file, rule)


@rules_app.command("remove")
def remove_rule(rule: RuleId, server: Server = DEFAULT_SERVER, api_key: ApiKey = None) -> None:
    """Remove a rule."""
    from pagemill.entrypoints.cli.remote.actions import ServerOptions
    from pagemill.entrypoints.cli.understanding import actions

    actions.remove_rule(ServerOptions(server, api_key, as_json=False), rule)


@rules_app.command("try")
def try_rules(
    job: JobId,
    file: Annotated[Path | None, typer.Option(help="Try this rule instead of those of the server.")] = None,
    as_json: AsJson = False,
    server: Server = DEFAULT_SERVER,
    api_key: ApiKey = None,
) -> None:
    """Show what the rules would do with a finished job; nothing is changed."""
    from pagemill.entrypoints.cli.remote.actions import ServerOptions
    from pagemill.entrypoints.cli.understanding import actions

    actions.try_rules(ServerOptions(server, api_key, as_json), job, file)


@classes_app.command("list")
def list_classes(as_json: AsJson = False, server: Server = DEFAULT_SERVER, api_key: ApiKey = None) -> None:
    """List the classes, each with the number of its examples."""
    from pagemill.entrypoints.cli.remote.actions import ServerOptions
    from pagemill.entrypoints.cli.understanding import actions

    actions.list_classes(ServerOptions(server, api_key, as_json))


@classes_app.command("label")
def label_examples(
    name: ClassName,
    jobs: Annotated[list[str], typer.Argument(metavar="ID", help="Ids of finished jobs.")],
    as_json: AsJson = False,
    server: Server = DEFAULT_SERVER,
    api_key: ApiKey = None,
) -> None:
    """Make jobs examples of a class, beside those that it has."""
    from pagemill.entrypoints.cli.remote.actions import ServerOptions
    from pagemill.entrypoints.cli.understanding import actions

    actions.label_examples(ServerOptions(server, api_key, as_json), name, jobs)


@classes_app.command("remove")
def remove_class(name: ClassName, server: Server = DEFAULT_SERVER, api_key: ApiKey = None) -> None:
    """Remove a class with its examples."""
    from pagemill.entrypoints.cli.remote.actions import ServerOptions
    from pagemill.entrypoints.cli.understanding import actions

    actions.remove_class(ServerOptions(server, api_key, as_json=False), name)


@with_filters
def ask(
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="What you want to know.")],
    *,
    as_json: AsJson = False,
    server: Server = DEFAULT_SERVER,
    api_key: ApiKey = None,
    **filters: Any,
) -> None:
    """Ask a question of documents; the server needs a language model.

    The answer comes with the words that support it and their pages. The exit code is 1 if nothing supports an answer.
    """
    from pagemill.entrypoints.cli.remote.actions import ServerOptions
    from pagemill.entrypoints.cli.understanding import actions

    raise typer.Exit(actions.ask(ServerOptions(server, api_key, as_json), question, **filters_in(filters)))
