"""`python -m bench [FIGURE …] [--quick]`: one line of JSON per figure; exit code 1 if one misses its target."""

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from bench import (
    claims,
    cluster,
    confinement,
    delivering,
    doors,
    hundred,
    indexing,
    kills,
    load,
    long,
    notifying,
    office,
    reading,
    scaling,
    scans,
    searching,
    simulating,
    watching,
)
from bench.figure import Bench, Figure

MEASUREMENTS: dict[str, Callable[[Bench], Iterator[Figure]]] = {
    "ack": doors.ack,
    "status": doors.status,
    "pages": reading.pages,
    "documents": reading.documents,
    "length": long.length,
    "upload_memory": long.upload_memory,
    "first_page": long.first_page,
    "letter": long.letter,
    "office_documents": office.office_documents,
    "office_long": office.office_long,
    "scans": scans.scans,
    "cluster_pages": cluster.cluster_pages,
    "cluster_letter": cluster.cluster_letter,
    "cluster_status": cluster.cluster_status,
    "slots": scaling.slots,
    "backlog": scaling.backlog,
    "claims": claims.claims,
    "watchers": watching.watchers,
    "confinement": confinement.confinement,
    "load": load.load,
    "webhooks": notifying.webhooks,
    "batch": delivering.batch,
    "resumable": delivering.resumable,
    "search": searching.search,
    "indexing": indexing.indexing,
    "simulate": simulating.simulated,
    "recovery": kills.recovery,
    "kills": kills.kills,
}
# Takes the better part of an hour, so it is run only when it is named.
LONG: dict[str, Callable[[Bench], Iterator[Figure]]] = {"hundred": hundred.hundred}


def main() -> int:
    """Measure what the command line names, or everything."""
    arguments = parser().parse_args()
    ok = True
    with tempfile.TemporaryDirectory(prefix="pagemill-bench-", dir=arguments.folder) as folder:
        bench = Bench(Path(folder), arguments.quick, arguments.keep, arguments.documents)
        for name in arguments.figures or MEASUREMENTS:
            for figure in (MEASUREMENTS | LONG)[name](bench):
                print(figure.line(), flush=True)
                ok = ok and figure.ok
    return 0 if ok or arguments.quick else 1


def parser() -> argparse.ArgumentParser:
    """What the command line takes."""
    line = argparse.ArgumentParser(
        prog="python -m bench", description="Measure pagemill beside its baselines."
    )
    line.add_argument(
        "figures",
        nargs="*",
        metavar="FIGURE",
        help=f"any of {', '.join([*MEASUREMENTS, *LONG])}; default all but {', '.join(LONG)}",
    )
    line.add_argument(
        "--quick", action="store_true", help="fewer and smaller documents; the figures mean little"
    )
    line.add_argument("--folder", type=Path, help="where the temporary folder is made; it needs about 4 GB")
    line.add_argument(
        "--keep",
        type=Path,
        metavar="FOLDER",
        help="keep the databases that search fills in this folder, and use them again",
    )
    line.add_argument(
        "--documents",
        type=Path,
        metavar="FOLDER",
        help="PDFs of your own, which indexing is measured with beside its made ones",
    )
    return line


if __name__ == "__main__":
    sys.exit(main())
