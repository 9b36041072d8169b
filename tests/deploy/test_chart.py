"""The Helm chart, rendered by Helm itself and held against the schemas of Kubernetes."""

import re
import tomllib
from typing import Any

import kubernetes_validate  # type: ignore[import-untyped]
import psycopg
import pytest
from helm_python import HelmError, lint

from pagemill.db.migrate import migrate
from pagemill.db.postgres import PostgresDatabase
from pagemill.model.states import Lane
from tests.cluster.postgres import Postgres
from tests.deploy.files import (
    CHART,
    EVERYTHING,
    ROOT,
    Node,
    loaded,
    of_kind,
    parsed,
    pods,
    rendered,
    settings_of,
    unknown_settings,
)

OLDEST, NEWEST = "1.27", "1.37"
WARNING = 2
# What others define: Kubernetes itself has no schema for these.
FOREIGN = {"ScaledObject", "TriggerAuthentication", "ServiceMonitor", "PodMonitor", "PrometheusRule"}


@pytest.fixture(scope="module", params=["as it is", "everything"])
def objects(request: pytest.FixtureRequest) -> list[Node]:
    """What Helm makes of the chart, with its own values and with every part switched on."""
    return rendered(EVERYTHING if request.param == "everything" else None)


def test_helm_has_no_complaint() -> None:
    report = lint(CHART, EVERYTHING, strict=True)
    assert not report["errors"]
    assert not [message for message in report["messages"] if message["severity"] >= WARNING]


@pytest.mark.parametrize("version", [OLDEST, NEWEST])
def test_kubernetes_would_take_every_object(objects: list[Node], version: str) -> None:
    own = [found for found in objects if found["kind"] not in FOREIGN]
    assert {"Deployment", "Service", "ServiceAccount", "Job", "PodDisruptionBudget"} <= {
        found["kind"] for found in own
    }
    for found in own:
        kubernetes_validate.validate(found, version, strict=True)


def test_the_versions_are_those_of_the_project() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    chart = loaded(CHART / "Chart.yaml")
    assert {chart["version"], chart["appVersion"]} == {version}


def variables(container: Node) -> dict[str, str]:
    """The variables that a container is given by the chart."""
    return {pair["name"]: pair["value"] for pair in container["env"]}


def test_pods_are_told_only_settings_that_there_are(objects: list[Node]) -> None:
    for pod in pods(objects):
        [container] = pod["containers"]
        assert not unknown_settings(variables(container))
        assert settings_of(variables(container)).log_format == "json"


def test_pods_run_commands_that_there_are(objects: list[Node]) -> None:
    commands = [pod["containers"][0]["args"] for pod in pods(objects)]
    assert sorted({command[0] for command in commands}) == ["admin", "serve", "worker"]
    assert all(parsed([str(word) for word in command]) is not None for command in commands)


def test_every_lane_has_a_group_of_workers() -> None:
    values = loaded(CHART / "values.yaml")
    lanes = [lane for group in values["workers"].values() for lane in group["lanes"]]
    assert sorted(lanes) == sorted(lane.value for lane in Lane)


def test_pods_may_do_little(objects: list[Node]) -> None:
    for pod in pods(objects):
        [container] = pod["containers"]
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert pod["automountServiceAccountToken"] is False
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        own = [volume for volume in pod["volumes"] if "emptyDir" in volume]
        assert len(own) == 2
        assert all("sizeLimit" in volume["emptyDir"] for volume in own)
        assert {"requests", "limits"} <= set(container["resources"])


def test_probes_ask_at_addresses_that_there_are(objects: list[Node]) -> None:
    for found in of_kind(objects, "Deployment"):
        [container] = found["spec"]["template"]["spec"]["containers"]
        ports = {port["name"] for port in container["ports"]}
        for probe in ("startupProbe", "livenessProbe"):
            assert container[probe]["httpGet"]["path"] == "/health"
            assert container[probe]["httpGet"]["port"] in ports
        assert container["readinessProbe"]["httpGet"]["path"] == "/ready"
        assert container["readinessProbe"]["httpGet"]["port"] in ports


def test_every_pod_has_the_volumes_that_are_asked_for() -> None:
    objects = rendered(EVERYTHING)
    for pod in pods(objects):
        [container] = pod["containers"]
        assert {mount["name"] for mount in container["volumeMounts"]} == {"scratch", "tmp", "database-ca"}
        assert {volume["name"] for volume in pod["volumes"]} == {"scratch", "tmp", "database-ca"}
    [login] = of_kind(objects, "TriggerAuthentication")
    assert login["spec"]["secretTargetRef"][0]["key"] == "KEDA_DATABASE_URL"


def test_selectors_find_the_pods_that_they_mean(objects: list[Node]) -> None:
    labels = [found["spec"]["template"]["metadata"]["labels"] for found in of_kind(objects, "Deployment")]
    for kind in ("Deployment", "PodDisruptionBudget", "Service"):
        for found in of_kind(objects, kind):
            selector = found["spec"]["selector"]
            wanted = selector.get("matchLabels", selector).items()
            assert sum(wanted <= label.items() for label in labels) == 1


def test_a_group_with_nothing_to_do_has_no_pods_that_would_refuse_to_start() -> None:
    groups = {found["metadata"]["name"]: found["spec"] for found in of_kind(rendered(), "Deployment")}
    assert [name for name, spec in groups.items() if spec["replicas"] == 0] == ["mill-pagemill-worker-remote"]


def test_a_group_that_keda_scales_has_no_number_of_pods_of_its_own() -> None:
    objects = rendered(EVERYTHING)
    deployments = {found["metadata"]["name"]: found["spec"] for found in of_kind(objects, "Deployment")}
    scaled = [found["spec"]["scaleTargetRef"]["name"] for found in of_kind(objects, "ScaledObject")]
    assert len(scaled) == 3
    assert not [name for name in scaled if "replicas" in deployments[name]]


def test_the_migration_needs_nothing_that_is_made_after_it() -> None:
    [job] = of_kind(rendered(), "Job")
    assert job["metadata"]["annotations"]["helm.sh/hook"] == "pre-install,pre-upgrade"
    assert "serviceAccountName" not in job["spec"]["template"]["spec"]


def test_the_alerts_of_the_chart_are_those_of_prometheus() -> None:
    [rule] = of_kind(rendered(EVERYTHING), "PrometheusRule")
    assert rule["spec"] == loaded(ROOT / "deploy" / "prometheus" / "alerts.yml")


WRONG: list[dict[str, Any]] = [
    {"existingSecret": ""},
    {"settings": {"SLOTS": "1"}},
    {"workers": {"text": {"lanes": ["quick"]}}},
    {"workers": {"text": {"slots": 0}}},
    {"workers": {"new": {"lanes": ["ocr"]}}},
    {"api": {"replica": 3}},
]


@pytest.mark.parametrize("values", WRONG, ids=str)
def test_values_that_mean_nothing_are_refused(values: dict[str, Any]) -> None:
    with pytest.raises(HelmError):
        rendered(values)


def test_keda_counts_what_waits_and_runs_in_the_lanes_of_a_group(postgres_server: Postgres) -> None:
    query = scaling_query("text")
    url = postgres_server.new_database()
    database = PostgresDatabase(url)
    migrate(database.engine)
    database.close()
    with psycopg.connect(url) as connection:
        for lane, state, count in (("fast", "ready", 3), ("bulk", "running", 2), ("ocr", "ready", 5)):
            add_chunks(connection, lane, state, count)
        assert connection.execute(query).fetchone() == (5,)
        connection.execute("INSERT INTO paused_lanes VALUES ('fast', 'default', 0)")
        assert connection.execute(query).fetchone() == (2,)


def test_what_keda_asks_costs_no_more_with_a_long_backlog(postgres_server: Postgres) -> None:
    url = postgres_server.new_database()
    database = PostgresDatabase(url)
    migrate(database.engine)
    database.close()
    with psycopg.connect(url) as connection:
        add_chunks(connection, "bulk", "ready", 5_000)
        add_chunks(connection, "bulk", "done", 20_000)
        connection.execute("ANALYZE chunks")
        query = scaling_query("text")
        [most] = re.findall(rb"LIMIT (\d+)", query)
        assert connection.execute(query).fetchone() == (int(most),)
        plan = "\n".join(line for (line,) in connection.execute(b"EXPLAIN " + query).fetchall())
    assert "ix_chunks_ready" in plan
    assert "ix_chunks_running" in plan
    assert "Seq Scan on chunks" not in plan


def scaling_query(group: str) -> bytes:
    """What KEDA asks for a group of workers."""
    [query] = [
        found["spec"]["triggers"][0]["metadata"]["query"]
        for found in of_kind(rendered(EVERYTHING), "ScaledObject")
        if found["metadata"]["name"].endswith(group)
    ]
    return str(query).encode()


def add_chunks(connection: "psycopg.Connection[Any]", lane: str, state: str, count: int) -> None:
    """Rows of chunks in a lane and a state, of a job that is of no interest."""
    connection.execute("SET session_replication_role = replica")
    connection.execute(
        "INSERT INTO chunks (id, job_id, tenant, run, step, lane, priority, single, small, state, fence, not_before,"
        " crashes, errors, lost, failed_pages, created_at)"
        " SELECT gen_random_uuid(), 'j', 'default', 1, 'extract', %s, 0, false, false, %s, 0, 0, 0, 0, 0, '[]', 0"
        " FROM generate_series(1, %s)",
        (lane, state, count),
    )
