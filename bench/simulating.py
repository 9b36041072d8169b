"""`bench simulate`: what a thousand workers would do with ten million pages a day, and whether the model is right for one."""

from collections.abc import Iterator
from dataclasses import replace

from bench.cluster import drained
from bench.figure import Bench, Figure
from bench.fleet_model import Chunk, Costs, Fleet, Load, run_chunks, shares, simulate

# Millions of pages a day, and the workers that read them: far too many, just enough, and more pages than before.
SCENES = ((10.0, 1_000), (10.0, 20), (100.0, 200), (500.0, 1_000))
# Below this nobody notices a wait.
LEAST_WAIT_SECONDS = 0.01
# Tenants past this rank have less than a hundredth of what the largest has.
SMALL_RANK, LARGE_RANK = 100, 10


def simulated(bench: Bench) -> Iterator[Figure]:
    """One machine in the model beside the same machine measured, then fleets under growing loads."""
    yield one_machine(bench)
    for millions, workers in SCENES[: bench.size(len(SCENES), 2)]:
        load = Load(tenants=bench.size(10_000, 500), pages_per_day=millions * 1e6)
        yield under_load(load, Fleet(workers=workers), Costs(), bench.size(300, 20))


def one_machine(bench: Bench) -> Figure:
    """Pages per second of one worker that reads long documents: in the model, and for real with its cost of a page."""
    documents = bench.documents(bench.size(20, 2), bench.size(100, 10), seed=71_000)
    measured = drained(bench, documents, with_servers=True)
    # The cost of a page is that of this very run, the servers on the same cores included; the model adds waiting and claims.
    page_seconds = measured.cpu_seconds / measured.pages
    costs, cut = replace(Costs(), text_page=page_seconds), 50
    pieces = [min(cut, measured.pages - first) for first in range(0, measured.pages, cut)]
    coming = (Chunk(0, 0.0, pages * page_seconds, pages, is_small=False) for pages in pieces)
    outcome = run_chunks(coming, Fleet(1, bench.processes, database_cores=1), costs, seconds=1e9)
    seconds = outcome.slot_seconds / bench.processes
    predicted = measured.pages / seconds
    return Figure(
        figure="simulate_machine",
        value=max(predicted / measured.pages_per_second, measured.pages_per_second / predicted),
        target="<= 1.5",
        baseline="the same documents read by one worker",
        ours=predicted,
        theirs=measured.pages_per_second,
        unit="pages per second",
        details={"cpu_ms_per_page": page_seconds * 1000},
    )


def under_load(load: Load, fleet: Fleet, costs: Costs, seconds: float) -> Figure:
    """How long small tenants wait beside all others, what is used most, and what the cores do for a million pages."""
    outcome = simulate(load, fleet, costs, seconds)
    used = shares(load, fleet, costs, outcome)
    first = max(used, key=lambda name: used[name])
    small = outcome.p95_wait(range(SMALL_RANK, load.tenants))
    large = outcome.p95_wait(range(LARGE_RANK))
    return Figure(
        figure=f"simulate_{load.pages_per_day / 1e6:g}_million_pages_{fleet.workers}_workers",
        value=small / max(large, LEAST_WAIT_SECONDS),
        target="<= 1",
        baseline=f"the {LARGE_RANK} largest tenants",
        ours=small * 1000,
        theirs=large * 1000,
        unit="ms in the queue, p95 of small tenants and of large ones, in the busiest hour",
        details={
            "used": used,
            "used_most": first,
            "chunks": outcome.chunks,
            "left_waiting": outcome.left,
            "mean_ms": outcome.mean_wait() * 1000,
            "core_hours_per_million_pages": outcome.slot_seconds / outcome.pages * 1e6 / 3_600,
            "bucket_requests_per_second": outcome.chunks / seconds * costs.bucket_requests,
        },
    )
