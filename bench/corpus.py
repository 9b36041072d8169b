"""`python -m bench.corpus FOLDER`: every document of a corpus goes through a real server; its end must be the expected one.

The folder has a `manifest.jsonl` with `file`, `category`, `expected` and, for encrypted documents, `password` per line.
`expected` is one or more of the words below with `_or_` between them, any of which will do.
"""

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import httpx
import orjson
from prometheus_client.parser import text_string_to_metric_families

from bench.isolation import count_lost_packets, leave_network
from bench.pages import write_document
from bench.serving import serving
from pagemill.client import ApiError, Client, Job, Options

WAIT_SECONDS = 600.0
COMPLETED = "completed"
ABLE = ("idle", "busy", "starting")
REFUSED_TYPE = frozenset({"unsupported_file_type", "file_empty"})
UNREADABLE = frozenset(
    {
        "pdf_corrupt",
        "no_pages",
        "page_unreadable",
        "document_unreadable",
        "document_corrupt",
        "image_corrupt",
        "unsupported_content",
    }
)
ENDS: dict[str, frozenset[str]] = {
    "ok": frozenset({COMPLETED}),
    "ocr": frozenset({COMPLETED}),
    "blank": frozenset({COMPLETED}),
    # No one can open such a file, so any clean refusal is right: that its encryption is broken, or its size absurd.
    "corrupt": UNREADABLE | REFUSED_TYPE | {"encryption_unsupported", "image_too_large"},
    "encrypted": frozenset({"password_required", "encryption_unsupported"}),
    "limit": frozenset(
        {
            "memory_limit",
            "timeout",
            "page_timeout",
            "too_many_pages",
            "page_too_large",
            "limit_exceeded",
            "image_too_large",
            "archive_bomb",
            "decompression_limit",
            "document_too_large",
        }
    ),
    "unsupported": frozenset({"unsupported_file_type"}),
    "empty": frozenset({"file_empty"}),
}


@dataclass(frozen=True)
class Entry:
    """One line of the manifest."""

    file: str
    category: str
    expected: str
    password: str | None = None

    @property
    def ends(self) -> frozenset[str]:
        """The ends that are right without a password."""
        return frozenset().union(*(ENDS[word] for word in self.expected.split("_or_")))


@dataclass(frozen=True)
class End:
    """What became of a document: `completed`, or the code with which it was refused or its job failed."""

    file: str
    category: str
    expected: str
    unlocked: bool
    ended: str
    right: bool
    fault: str = ""
    stage: str = ""
    failed_pages: int = 0
    seconds: float = 0.0

    def line(self) -> str:
        """One line for people."""
        key = " with its password" if self.unlocked else ""
        return f"{self.file}{key}: expected {self.expected}, ended {self.ended} {self.stage} {self.fault}".rstrip()


def main() -> int:
    """Run the corpus that the command line names; 1 if anything ended as it should not."""
    arguments = parser().parse_args()
    if arguments.no_network:
        leave_network()
    # Nothing is repeated, so that no 5xx is hidden.
    with address(arguments.server) as url, Client(url, retries=0) as server:
        before = slots(url)
        ends = list(run(server, entries_of(arguments.folder, arguments.only), arguments))
        faults = [*faults_after(server), *lost_slots(before, slots(url))]
        if arguments.no_network and (lost := count_lost_packets()):
            faults.append(f"{lost} packets were sent to other machines")
    report = report_json if arguments.json else report_text
    report(ends, faults)
    return 1 if faults or not all(end.right for end in ends) else 0


def parser() -> argparse.ArgumentParser:
    """What the command line takes."""
    line = argparse.ArgumentParser(
        prog="python -m bench.corpus", description="Run a corpus through a server."
    )
    line.add_argument("folder", type=Path, help="a folder with a manifest.jsonl")
    line.add_argument("--server", help="the address of a running server; default: one is started for the run")
    line.add_argument("--at-once", type=int, default=8, help="documents in flight (default 8)")
    line.add_argument("--only", help="categories of the manifest, with commas between them; default: all")
    line.add_argument(
        "--no-network",
        action="store_true",
        help="in a network without a way out, where tries to leave it are counted (Linux, root)",
    )
    line.add_argument(
        "--json", action="store_true", help="one line of JSON per document, then one with the faults"
    )
    return line


@contextmanager
def address(url: str | None) -> Iterator[str]:
    """The address of the server, or of one that lives as long as the block."""
    if url is not None:
        yield url
        return
    with (
        tempfile.TemporaryDirectory(prefix="pagemill-corpus-") as folder,
        serving(Path(folder) / "mill") as server,
    ):
        yield f"http://127.0.0.1:{server.port}"


def entries_of(folder: Path, only: str | None) -> list[Entry]:
    """The lines of the manifest, of all categories or of some."""
    entries = [entry_of(line) for line in (folder / "manifest.jsonl").read_bytes().splitlines()]
    wanted = only.split(",") if only else None
    return [entry for entry in entries if wanted is None or entry.category in wanted]


def run(server: Client, entries: Sequence[Entry], arguments: argparse.Namespace) -> Iterator[End]:
    """The end of every document, encrypted ones both without and with their password."""
    folder = arguments.folder
    with ThreadPoolExecutor(arguments.at_once) as threads:
        locked = [threads.submit(end_of, server, folder, entry, unlocked=False) for entry in entries]
        unlocked = [
            threads.submit(end_of, server, folder, entry, unlocked=True)
            for entry in entries
            if entry.password is not None and "encrypted" in entry.expected
        ]
        for future in [*locked, *unlocked]:
            yield future.result()


def entry_of(line: bytes) -> Entry:
    """An entry from its line."""
    told = orjson.loads(line)
    return Entry(told["file"], told["category"], told["expected"], told.get("password"))


def end_of(server: Client, folder: Path, entry: Entry, *, unlocked: bool) -> End:
    """Hand a document in and wait for what becomes of it."""
    options = Options(password=entry.password if unlocked else None, reuse=False)
    allowed = ENDS["ok"] if unlocked else entry.ends
    told = (entry.file, entry.category, entry.expected, unlocked)
    try:
        job = server.wait(server.submit(folder / entry.file, options).id, timeout_seconds=WAIT_SECONDS)
    except ApiError as error:
        fault = (
            ""
            if error.status is not None and 400 <= error.status < 500
            else f"answered {error.status}: {error.detail}"
        )
        return End(*told, error.code, error.code in allowed and not fault, fault)
    ended, fault = (job.error.code if job.error else job.status), fault_of(job)
    stage = job.error.stage if job.error else ""
    return End(
        *told,
        ended,
        ended in allowed and not fault,
        fault,
        stage,
        len(job.failed_pages),
        sum(job.seconds.values()),
    )


def fault_of(job: Job) -> str:
    """What is wrong with how a job ended, if anything."""
    if not job.is_over:
        return f"still {job.status} after {WAIT_SECONDS:.0f} s"
    if job.status == "failed" and (job.error is None or not job.error.code or not job.error.stage):
        return "failed without a code and a stage"
    if job.error is not None and job.error.retryable not in (True, False):
        return "failed without saying whether to try again"
    return ""


def faults_after(server: Client) -> Iterator[str]:
    """What is wrong with the server after the run, if anything."""
    health = server.health()
    if not health.ready:
        yield f"the server is not ready: {', '.join(health.reasons)}"
    with tempfile.TemporaryDirectory() as folder:
        letters = [write_document(Path(folder) / f"{seed}.pdf", 1, seed) for seed in range(20)]
        jobs = [server.submit(path, Options(reuse=False)).id for path in letters]
        bad = [
            job for job in (server.wait(job, timeout_seconds=60) for job in jobs) if job.status != "completed"
        ]
    if bad:
        yield f"{len(bad)} good documents after the run did not come out well: {bad[0].error}"


def slots(url: str) -> dict[str, int]:
    """How many processes of the press are in each phase."""
    told = httpx.get(f"{url}/metrics", timeout=30.0).raise_for_status().text
    return {
        sample.labels["phase"]: int(sample.value)
        for family in text_string_to_metric_families(told)
        for sample in family.samples
        if sample.name == "pagemill_press_slots"
    }


def lost_slots(before: dict[str, int], after: dict[str, int]) -> Iterator[str]:
    """Whether fewer processes can take work than before the run."""
    had, left = sum(before.values()), sum(after.get(phase, 0) for phase in ABLE)
    if not had:
        yield "the server does not tell of its slots"
    elif left < had:
        yield f"{had - left} of {had} slots are lost: {after}"


def report_text(ends: Iterable[End], faults: Iterable[str]) -> None:
    """Print every wrong end, a table of all, and what is wrong with the server."""
    groups: Counter[tuple[str, str]] = Counter()
    right: Counter[tuple[str, str]] = Counter()
    partial: Counter[tuple[str, str]] = Counter()
    for end in ends:
        group = (end.category, f"{end.expected}, unlocked" if end.unlocked else end.expected)
        groups[group] += 1
        right[group] += end.right
        partial[group] += end.ended == COMPLETED and end.failed_pages > 0
        if not end.right:
            print(f"WRONG {end.line()}")
    print(f"{'category':<20} {'expected':<28} {'documents':>9} {'right':>6} {'with failed pages':>18}")
    for group, count in sorted(groups.items()):
        print(f"{group[0]:<20} {group[1]:<28} {count:>9} {right[group]:>6} {partial[group]:>18}")
    print(f"{'all':<49} {groups.total():>9} {right.total():>6} {partial.total():>18}")
    for fault in faults:
        print(f"FAULT {fault}")


def report_json(ends: Iterable[End], faults: Iterable[str]) -> None:
    """Print one line of JSON per document, and one about the server."""
    for end in ends:
        print(orjson.dumps(asdict(end)).decode())
    print(orjson.dumps({"faults": list(faults)}).decode())


if __name__ == "__main__":
    sys.exit(main())
