"""Layout models of one's own: trained from labels, read in the sandbox, and part of what makes a result the same."""

import dataclasses
from importlib.resources import files
from pathlib import Path

import pytest

from pagemill.errors import Refused
from pagemill.reading.layout.models import (
    JOIN_WEIGHTS,
    ROLE_WEIGHTS,
    find_weights,
    pack_weights,
    unpack_weights,
)
from pagemill.reading.layout.own_weights import WEIGHTS_VARIABLE, environment_of, own_weights
from pagemill.reading.layout.roles import ROLES
from tests.mills import small_settings
from tests.samples import letter
from tests.servers import served

PACKAGE = files("pagemill.reading.layout") / "weights"


def write_weights(folder: Path, role: str | None = None) -> Path:
    """Weights in a folder: those of the package, but that all lines have a role, if one is given."""
    folder.mkdir(exist_ok=True)
    network = unpack_weights((PACKAGE / f"{ROLE_WEIGHTS}.npz").read_bytes())
    if role:
        offsets = network.layers[-1].copy()
        offsets[..., ROLES.index(role)] += 1_000
        network = dataclasses.replace(network, layers=(*network.layers[:-1], offsets))
    (folder / f"{ROLE_WEIGHTS}.npz").write_bytes(pack_weights(network))
    (folder / f"{JOIN_WEIGHTS}.npz").write_bytes((PACKAGE / f"{JOIN_WEIGHTS}.npz").read_bytes())
    return folder


def test_the_service_reads_with_the_weights_of_the_setting_and_reuses_no_others(tmp_path: Path) -> None:
    folder, document = tmp_path / "data", letter("Dear Anna, all went well on the river.")
    own = write_weights(tmp_path / "own", "caption")
    kinds, reused = [], []
    for weights in ("", str(own), str(own)):
        with served(small_settings(folder, layout_weights=weights)) as server:
            job = server.finished(document, filename="letter.pdf")
            labels = server.http.get(f"/v1/jobs/{job['id']}/line_labels").json()
            kinds.append({line["role"] for page in labels["pages"] for line in page["lines"]})
            reused.append(job["reused"])
    assert reused == [False, False, True]
    assert "caption" not in kinds[0]
    assert kinds[1] == kinds[2] == {"caption"}


@pytest.mark.parametrize("damage", ["missing", "damaged", "of other classes"])
def test_weights_that_cannot_be_used_are_refused_at_the_start(tmp_path: Path, damage: str) -> None:
    folder = write_weights(tmp_path / "own")
    roles, joins = folder / f"{ROLE_WEIGHTS}.npz", folder / f"{JOIN_WEIGHTS}.npz"
    if damage == "missing":
        roles.unlink()
    elif damage == "damaged":
        roles.write_bytes(b"PK no weights")
    else:
        roles.write_bytes(joins.read_bytes())
    with pytest.raises(Refused, match="PAGEMILL_LAYOUT_WEIGHTS"):
        find_weights(str(folder), ())


def test_weights_among_the_documents_are_refused(tmp_path: Path) -> None:
    folder = write_weights(tmp_path / "own")
    with pytest.raises(Refused, match="hidden"):
        find_weights(str(folder), (tmp_path,))


def test_weights_that_change_while_the_service_runs_are_not_read(tmp_path: Path) -> None:
    folder = write_weights(tmp_path / "own")
    known = find_weights(str(folder), ())
    assert own_weights(environment_of(known)[WEIGHTS_VARIABLE]) == folder.resolve()
    write_weights(folder, "heading")
    with pytest.raises(Refused, match="changed"):
        own_weights(environment_of(known)[WEIGHTS_VARIABLE])
