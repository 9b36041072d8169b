"""`python -m bench.fuzz`: documents that chance has changed go through a real server, thousands of them.

Each must be refused with a 4xx or end as a job that says how. The server must answer no 5xx, lose no slot, be the same
process at the end, and read good documents afterwards. What went wrong is kept as a file, with the seed that makes it again.
"""

import argparse
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from bench.corpus import fault_of, faults_after, lost_slots, slots
from bench.mutations import mutate, seeds
from bench.serving import Serving, serving
from pagemill.client import ApiError, Client, Options

WAIT_SECONDS = 600.0
USUAL_COUNT = 10_000
# What changed documents cost is not what is looked for, so that they get less time than good ones.
PAGE_SECONDS, MOST_PAGES = 5, 50


@dataclass(frozen=True)
class Outcome:
    """What became of a changed document: how it ended, and what was wrong with that."""

    number: int
    name: str
    document: bytes
    ended: str
    fault: str = ""


def main() -> int:
    """Run as many documents as the command line says; 1 if something went wrong."""
    arguments = parser().parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="pagemill-fuzz-") as folder,
        serving(Path(folder) / "mill", page_timeout_seconds=PAGE_SECONDS, max_pages=MOST_PAGES) as server,
    ):
        url = f"http://127.0.0.1:{server.port}"
        with Client(url, retries=0) as client:
            before = slots(url)
            ends = Counter(report(outcome, arguments.keep) for outcome in run(client, arguments))
            faults = [*faults_of_process(server), *faults_after(client), *lost_slots(before, slots(url))]
    print(
        f"{ends.total()} documents, seed {arguments.seed}:",
        ", ".join(f"{end} {count}" for end, count in ends.most_common()),
    )
    for fault in faults:
        print(f"FAULT {fault}")
    return 1 if faults or ends["wrong"] else 0


def parser() -> argparse.ArgumentParser:
    """What the command line takes."""
    line = argparse.ArgumentParser(
        prog="python -m bench.fuzz", description="Run changed documents through a server."
    )
    line.add_argument(
        "--count", type=int, default=USUAL_COUNT, help=f"how many documents (default {USUAL_COUNT:,})"
    )
    line.add_argument("--seed", type=int, default=1, help="another seed makes other documents (default 1)")
    line.add_argument("--first", type=int, default=0, help="the number of the first document, to begin later")
    line.add_argument(
        "--from", dest="folder", type=Path, help="a folder of good documents; default: some are made"
    )
    line.add_argument("--at-once", type=int, default=8, help="documents in flight (default 8)")
    line.add_argument(
        "--keep", type=Path, default=Path("fuzz-found"), help="where documents are kept that went wrong"
    )
    return line


def run(client: Client, arguments: argparse.Namespace) -> Iterator[Outcome]:
    """What became of each document."""
    good = seeds(arguments.folder)
    numbers = range(arguments.first, arguments.first + arguments.count)
    with ThreadPoolExecutor(arguments.at_once) as threads:
        yield from threads.map(lambda number: outcome_of(client, good, arguments.seed, number), numbers)


def outcome_of(client: Client, good: list[tuple[str, bytes]], seed: int, number: int) -> Outcome:
    """Change one document, hand it in and wait for what becomes of it."""
    chance = random.Random(f"{seed}/{number}")
    name, document = good[number % len(good)]
    changed = mutate(name, document, chance)
    try:
        job = client.submit(changed, Options(reuse=False), filename=name)
        ended = client.wait(job.id, timeout_seconds=WAIT_SECONDS)
    except ApiError as error:
        is_refusal = error.status is not None and 400 <= error.status < 500
        return Outcome(
            number,
            name,
            changed,
            error.code,
            "" if is_refusal else f"answered {error.status}: {error.detail}",
        )
    code = ended.error.code if ended.error else ended.status
    return Outcome(number, name, changed, code, fault_of(ended) or own_fault(code))


def own_fault(code: str) -> str:
    """What a document may not end with: it would be our fault."""
    return "an error of ours" if code in ("internal_error", "stored_file_missing") else ""


def report(outcome: Outcome, keep: Path) -> str:
    """How the document ended, `wrong` if it should not have; then it is kept."""
    if not outcome.fault:
        return outcome.ended
    keep.mkdir(parents=True, exist_ok=True)
    path = keep / f"{outcome.number}-{outcome.name}"
    path.write_bytes(outcome.document)
    print(f"WRONG {path}: {outcome.ended}: {outcome.fault}", flush=True)
    return "wrong"


def faults_of_process(server: Serving) -> Iterator[str]:
    """Whether the server is still the process that was started."""
    if (code := server.process.poll()) is not None:
        yield f"the server ended with {code}"


if __name__ == "__main__":
    sys.exit(main())
