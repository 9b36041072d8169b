"""The licences of everything that pagemill needs to run, by what the packages say of themselves."""

import re
from collections import defaultdict
from functools import cache
from importlib.metadata import PackageMetadata, PackageNotFoundError, metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LOCKS = ("requirements.lock", "requirements-cluster.lock")
# A package that only some systems or versions of Python need has a condition behind its version.
PINNED = re.compile(r"^([A-Za-z0-9._-]+)==[^ ;\\]+(?P<condition> *;)?", re.MULTILINE)
PARTS = re.compile(r"\s+(?:AND|OR)\s+|[;,()]+|\s+AND\s+")
NAMES = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD",
    "GNU Lesser General Public License v3": "LGPL-3.0",
    "LGPL-3.0-only": "LGPL-3.0",
    "ISC License": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0": "MPL-2.0",
}
# Short forms that are in brackets behind the names above.
REPEATED = frozenset({"ISCL", "LGPLv3", "MPL 2.0", "dependency licenses"})
PERMISSIVE = frozenset(
    {
        "0BSD",
        "Apache-2.0",
        "BSD",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "CC0-1.0",
        "ISC",
        "MIT",
        "MIT-0",
        "MIT-CMU",
        "PSF-2.0",
        "Zlib",
    }
)
# package -> why one with another licence may be used
NAMED = {
    "certifi": "MPL-2.0: a list of certificates, used as it is",
    "orjson": "MPL-2.0: used as it is",
    "pathspec": "MPL-2.0: used as it is, when the package is built",
    "pi-heif": "LGPL-3.0: a library of its own with libheif and libde265, used as it is and can be replaced",
    "psycopg": "LGPL-3.0: a library of its own, used as it is and can be replaced; only with PostgreSQL",
    "psycopg-binary": "LGPL-3.0: as psycopg",
}


@cache
def packages() -> dict[str, bool]:
    """The packages of the lock files that are needed to run, and whether every system needs them."""
    found: dict[str, bool] = {}
    for lock in LOCKS:
        for match in PINNED.finditer((ROOT / lock).read_text(encoding="utf-8")):
            found[match[1]] = found.get(match[1], False) or match["condition"] is None
    return found


def licences_of(package: str) -> list[str] | None:
    """The licences that a package names; None if it is not installed here."""
    try:
        told = metadata(package)
    except PackageNotFoundError:
        return None
    classifiers = [line for line in told.get_all("Classifier") or () if line.startswith("License ::")]
    named = [line.split(" :: ")[-1] for line in classifiers]
    whole = first_field(told, "License-Expression") or "; ".join(named) or first_field(told, "License")
    parts = [part.strip() for part in PARTS.split(whole)]
    return sorted({NAMES.get(part, part) for part in parts if part and part not in REPEATED})


def first_field(told: PackageMetadata, name: str) -> str:
    """A field of what a package says of itself; empty if it is missing."""
    return next(iter(told.get_all(name) or ()), "")


def not_permissive() -> dict[str, list[str]]:
    """Installed packages with a licence that is neither permissive nor named with a reason."""
    found = {package: licences_of(package) for package in packages() if package not in NAMED}
    return {
        package: licences
        for package, licences in found.items()
        if licences is not None and (not licences or not PERMISSIVE.issuperset(licences))
    }


def markdown() -> str:
    """The packages by licence, those that every system needs."""
    by_licence: defaultdict[str, list[str]] = defaultdict(list)
    for package, everywhere in packages().items():
        if everywhere and (licences := licences_of(package)):
            by_licence[", ".join(licences)].append(package)
    rows = [f"| {licence} | {', '.join(sorted(names))} |" for licence, names in sorted(by_licence.items())]
    return "\n".join(["| Licence | Packages |", "|---|---|", *rows])
