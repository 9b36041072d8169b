"""Weights of the layout models that somebody trained with documents of their own, in a folder that a setting names."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from pagemill.errors import Refused

SETTING = "PAGEMILL_LAYOUT_WEIGHTS"
# The folder and the fingerprint of its files, for the processes that read pages.
WEIGHTS_VARIABLE = "PAGEMILL_PRESS_LAYOUT_WEIGHTS"
FILES = ("roles.npz", "joins.npz")
FINGERPRINT_DIGITS = 16


@dataclass(frozen=True, slots=True)
class OwnWeights:
    """A folder with weights, and the beginning of the hash of its files."""

    folder: Path
    fingerprint: str


def weights_of(folder: str, hidden: Sequence[Path]) -> OwnWeights | None:
    """The weights in a folder of the settings, None if that is empty; Refused if they can't be used."""
    if not folder:
        return None
    # Only now, because the service needs nothing else of the layout.
    from pagemill.reading.layout.models import find_weights

    return find_weights(folder, hidden)


def fingerprint_of(weights: OwnWeights | None) -> str:
    """What tells results apart that were read with other weights; empty for those of the package."""
    return weights.fingerprint if weights else ""


def files_of(weights: OwnWeights | None) -> tuple[str, ...]:
    """The files that have to be readable where pages are read."""
    return tuple(str(weights.folder / name) for name in FILES) if weights else ()


def environment_of(weights: OwnWeights | None) -> dict[str, str]:
    """What the processes that read pages are told."""
    return {WEIGHTS_VARIABLE: f"{weights.fingerprint}:{weights.folder}"} if weights else {}


def own_weights(variable: str) -> Path:
    """The folder that the environment names; Refused if its files are not those of when the service started."""
    fingerprint, _, folder = variable.partition(":")
    if fingerprint_in(Path(folder)) != fingerprint:
        raise Refused(f"The files of {SETTING} have changed. Start pagemill again.")
    return Path(folder)


def fingerprint_in(folder: Path) -> str:
    """The beginning of the hash of the weights in a folder; Refused if they can't be read."""
    try:
        raw = [(folder / name).read_bytes() for name in FILES]
    except OSError as error:
        raise Refused(
            f"{SETTING} names a folder whose {' and '.join(FILES)} can't be read: {error.strerror}. Set it to a folder that "
            "was trained, or leave it empty for the weights of the package."
        ) from error
    return sha256(b"".join(sha256(one).digest() for one in raw)).hexdigest()[:FINGERPRINT_DIGITS]
