"""compose.yaml: valid by its specification, safe until passwords are set, and in words that the code knows."""

import re
import subprocess
from typing import Any

import pytest

from pagemill.model.states import Lane
from tests.deploy.files import ROOT, Node, compose, filled_in, loaded, parsed, settings_of, unknown_settings
from tests.deploy.test_image import tool

SERVED: dict[str, Node] = compose()["services"]
OURS = sorted(name for name, part in SERVED.items() if "build" in part)
SECRET = re.compile(r"PASSWORD|KEY")
EXAMPLE = dict(
    line.split("=", 1)
    for line in (ROOT / "deploy" / "example.env").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
)
FILLED = {name: value or "x" for name, value in EXAMPLE.items()}


def command_of(name: str) -> list[str]:
    """What a container runs."""
    return [filled_in(part, FILLED) for part in SERVED[name]["command"]]


def environment_of(name: str) -> dict[str, str]:
    """The variables of a container."""
    return {key: filled_in(str(value), FILLED) for key, value in SERVED[name]["environment"].items()}


def test_the_file_is_valid_by_the_specification_of_compose() -> None:
    command = [tool("check-jsonschema"), "--builtin-schema", "vendor.compose-spec", "compose.yaml"]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout + found.stderr


def test_there_are_all_parts_of_an_installation() -> None:
    assert {
        "api",
        "worker",
        "worker-ocr",
        "postgres",
        "redis",
        "bucket",
        "flower",
        "prometheus",
        "grafana",
    } <= set(SERVED)


@pytest.mark.parametrize("name", OURS)
def test_a_container_of_ours_runs_a_command_that_there_is(name: str) -> None:
    assert parsed(command_of(name)) is not None


@pytest.mark.parametrize("name", OURS)
def test_a_container_of_ours_is_told_only_settings_that_there_are(name: str) -> None:
    variables = environment_of(name)
    assert not unknown_settings(variables)
    settings = settings_of(variables)
    assert settings.is_shared
    assert settings.broker_url
    assert settings.blobs_url


@pytest.mark.parametrize("name", OURS)
def test_a_container_of_ours_may_do_little(name: str) -> None:
    part = SERVED[name]
    assert part["read_only"] is True
    assert part["cap_drop"] == ["ALL"]
    assert "/var/lib/pagemill" in part["volumes"]


def test_every_lane_has_a_worker() -> None:
    commands = [command_of(name) for name in OURS if SERVED[name]["command"][0] == "worker"]
    lanes = [lane for words in commands for lane in words[words.index("--lanes") + 1].split(",")]
    assert sorted(lanes) == sorted(lane.value for lane in Lane)


def variables_in(node: Any) -> list[tuple[str, str]]:
    """Every variable that the file asks for, with what stands after its name."""
    return re.findall(r"(?<!\$)\$\{(\w+)([^}]*)\}", str(node))


def test_nothing_starts_before_every_secret_is_set() -> None:
    asked = [(name, rest) for name, rest in variables_in(SERVED) if SECRET.search(name)]
    assert asked
    assert not [name for name, rest in asked if not rest.startswith(":?")]
    assert not [name for name, value in EXAMPLE.items() if SECRET.search(name) and value]
    with pytest.raises(KeyError, match="REDIS_PASSWORD"):
        filled_in(SERVED["redis"]["environment"]["REDISCLI_AUTH"], {})


def test_the_example_names_every_variable_and_no_other() -> None:
    asked = {name for name, _ in variables_in(SERVED)}
    secrets = {secret["environment"] for secret in compose()["secrets"].values()}
    assert asked | secrets == set(EXAMPLE)


def test_who_waits_for_health_waits_for_somebody_who_tells_of_it() -> None:
    for part in SERVED.values():
        for name, wanted in part.get("depends_on", {}).items():
            if wanted["condition"] == "service_healthy":
                assert "healthcheck" in SERVED[name]
            else:
                assert SERVED[name]["restart"].startswith("on-failure")


def test_every_container_has_limits() -> None:
    limits = {name: part["deploy"]["resources"]["limits"] for name, part in SERVED.items()}
    assert not [name for name, limit in limits.items() if not {"cpus", "memory"} <= set(limit)]


def test_only_the_api_is_opened_to_others_and_only_if_asked_to() -> None:
    ports = [filled_in(port, {}) for part in SERVED.values() for port in part.get("ports", [])]
    assert not [port for port in ports if not port.startswith("127.0.0.1:")]


def test_volumes_have_names_or_are_there() -> None:
    named = set(compose()["volumes"])
    sources = {mount.partition(":")[0] for part in SERVED.values() for mount in part.get("volumes", [])}
    relative = {source for source in sources if source.startswith("./")}
    assert {source for source in sources if source[0] not in "./"} == named
    assert all((ROOT / source).is_dir() for source in relative)


def test_prometheus_finds_the_containers_that_it_reads() -> None:
    scraped = loaded(ROOT / "deploy" / "prometheus" / "prometheus.yml")["scrape_configs"]
    names = {name for job in scraped for lookup in job["dns_sd_configs"] for name in lookup["names"]}
    assert names == {"api", "worker", "worker-ocr"}
    [secret] = SERVED["prometheus"]["secrets"]
    assert scraped[0]["authorization"]["credentials_file"] == f"/run/secrets/{secret}"
