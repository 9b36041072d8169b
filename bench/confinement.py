"""What safety costs: the sandbox and a key for every request, beside a server without either."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

from bench.door import Door
from bench.figure import Bench, Figure, paired
from bench.machine import cpu_seconds
from bench.serving import serving

WAIT_SECONDS = 600.0
KEY = "k" * 43


def confinement(bench: Bench) -> Iterator[Figure]:
    """CPU of all processes for a one-page document from its upload to its result, with and without."""
    letters = bench.documents(bench.size(400, 10), 1, seed=80_000)
    first = bench.documents(bench.size(50, 2), 1, seed=85_000)
    safe, bare = [], []
    for _ in range(bench.rounds):
        safe.append(cpu_each(bench, first, letters, KEY, sandbox="required"))
        bare.append(cpu_each(bench, first, letters, "", sandbox="off"))
    yield Figure(
        figure="confinement",
        value=paired(safe, bare),
        target="<= 1.05",
        baseline="the same server without a sandbox and without a key",
        ours=median(safe) * 1_000,
        theirs=median(bare) * 1_000,
        unit="CPU ms per document, all processes",
        details={"documents": len(letters)},
    )


def cpu_each(bench: Bench, first: Sequence[Path], letters: Sequence[Path], key: str, sandbox: str) -> float:
    """CPU seconds for each document, after some that warm the processes up."""
    with (
        serving(bench.fresh("confinement"), sandbox=sandbox, api_key=key) as server,
        Door("127.0.0.1", server.port, key=key) as door,
    ):
        door.finished([door.submit(path) for path in first], WAIT_SECONDS)
        started = cpu_seconds(server.pid)
        door.finished([door.submit(path) for path in letters], WAIT_SECONDS)
        return (cpu_seconds(server.pid) - started) / len(letters)
