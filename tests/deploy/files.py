"""The files of the deployment as the tools read them, and what the code knows of the things that they name."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from helm_python import Chart
from typer.main import get_command

from pagemill.entrypoints.cli.app import app
from pagemill.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
CHART = ROOT / "deploy" / "helm" / "pagemill"
PREFIX = "PAGEMILL_"
VARIABLE = re.compile(r"\$\{(?P<name>\w+)(?::(?P<sign>[-?])(?P<rest>[^}]*))?\}|\$\$")
# Every part of the chart that is left out by default.
EVERYTHING: dict[str, Any] = {
    "api": {
        "autoscaling": {"enabled": True},
        "ingress": {"enabled": True, "host": "mill.example.org", "className": "nginx", "tlsSecret": "tls"},
        "nodeSelector": {"disk": "fast"},
        "tolerations": [{"key": "mill", "operator": "Exists"}],
    },
    "workers": {name: {"autoscaling": {"enabled": True}} for name in ("text", "ocr", "remote")},
    "image": {"pullSecrets": ["registry"], "tag": "1.2.3"},
    "settings": {"PAGEMILL_BLOBS_URL": "s3://documents"},
    "extraEnv": {"AWS_REGION": "eu-central-1"},
    "extraVolumes": [{"name": "database-ca", "secret": {"secretName": "database-ca"}}],
    "extraVolumeMounts": [{"name": "database-ca", "mountPath": "/etc/pagemill/database", "readOnly": True}],
    "keda": {"connectionKey": "KEDA_DATABASE_URL"},
    "serviceAccount": {"annotations": {"role": "reader"}},
    "metrics": {
        "monitors": {"enabled": True, "labels": {"release": "p"}},
        "alerts": {"enabled": True, "labels": {"release": "p"}},
    },
}

Node = dict[str, Any]


def compose() -> Node:
    """The file of Docker Compose, with variables as they are."""
    return loaded(ROOT / "compose.yaml")


def loaded(path: Path) -> Node:
    """A YAML file."""
    found: Node = yaml.safe_load(path.read_text(encoding="utf-8"))
    return found


def filled_in(text: str, variables: Mapping[str, str]) -> str:
    """A text of Compose with its variables; KeyError names one that must be set."""

    def value(match: re.Match[str]) -> str:
        name = match["name"]
        if name is None:
            return "$"
        if match["sign"] == "-":
            return variables.get(name) or match["rest"]
        return variables[name]

    return VARIABLE.sub(value, text)


def rendered(values: Node | None = None) -> list[Node]:
    """Everything that Helm makes of the chart."""
    with Chart.load(CHART) as chart:
        chart.validate_schema(values)
        files = chart.render(values, name="mill", namespace="documents")
    texts = [text for name, text in files.items() if not name.endswith(".txt")]
    return [found for text in texts for found in yaml.safe_load_all(text) if found]


def of_kind(objects: Sequence[Node], kind: str) -> list[Node]:
    """The objects of one kind."""
    return [found for found in objects if found["kind"] == kind]


def pods(objects: Sequence[Node]) -> Iterator[Node]:
    """The specification of every pod."""
    for kind in ("Deployment", "Job"):
        for found in of_kind(objects, kind):
            yield found["spec"]["template"]["spec"]


def unknown_settings(variables: Mapping[str, Any]) -> set[str]:
    """The variables that look like settings of ours and are none."""
    known = {f"{PREFIX}{name.upper()}" for name in Settings.model_fields}
    return {name for name in variables if name.startswith(PREFIX)} - known


def settings_of(variables: Mapping[str, str]) -> Settings:
    """The settings that a process with these variables has; a value that is not valid raises."""
    given = {name.removeprefix(PREFIX).lower(): value for name, value in variables.items()}
    return Settings.model_validate({name: given[name] for name in given if name in Settings.model_fields})


def parsed(arguments: Sequence[str]) -> dict[str, Any]:
    """The options that the command line finds in arguments, without running them; its error if it does not know them."""
    command, rest = get_command(app), list(arguments)
    while commands := getattr(command, "commands", None):
        command, rest = commands[rest[0]], rest[1:]
    return command.make_context("pagemill", rest).params
