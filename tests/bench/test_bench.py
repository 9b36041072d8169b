"""The benchmark measures, and the corpus run tells right ends from wrong ones."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bench.figure import Figure, paired, percentile
from bench.fleet_model import Chunk, Costs, Fleet, Load, run_chunks, shares, simulate
from bench.indexing import read
from bench.pages import padded_document, padded_size, write_document, write_tables
from tests import samples

ROOT = Path(__file__).parents[2]
PASSWORD = "mill"


def run(module: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run a module of the benchmark as its users do."""
    command = [sys.executable, "-m", module, *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=200, check=False)


@pytest.mark.slow
def test_a_quick_run_prints_a_figure_as_one_line_of_json() -> None:
    ended = run("bench", "--quick", "letter")
    assert ended.returncode == 0, ended.stderr
    [figure] = [json.loads(line) for line in ended.stdout.splitlines()]
    assert figure["figure"] == "letter"
    assert figure["target"] == "<= 2"
    assert figure["value"] > 0


@pytest.mark.slow
def test_the_cost_of_indexing_is_the_sum_of_its_parts_for_each_kind_of_document(tmp_path: Path) -> None:
    for seed in range(6):
        write_document(tmp_path / f"{seed}.pdf", 1 + seed % 2, seed)
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7\n")
    ended = run("bench", "--quick", "--documents", str(tmp_path), "indexing")
    figures = [json.loads(line) for line in ended.stdout.splitlines()]
    kinds = ["indexing", "indexing_letter", "indexing_tables", "indexing_own", "indexing_own_letter"]
    assert [one["figure"] for one in figures] == kinds, ended.stderr
    own, letters = figures[-2:]
    assert own["documents"] == 3
    assert letters["pages"] == 1
    for one in figures:
        parts = one["cutting_ms"] + one["feeding_ms"] + one["database_ms"]
        assert one["ours"] == pytest.approx(parts, abs=0.001)
        assert one["value"] == pytest.approx(one["ours"] / one["theirs"], abs=0.001)
        assert one["cutting_ms"] > 0


def test_the_pages_of_tables_are_read_as_tables(tmp_path: Path) -> None:
    document = write_tables(tmp_path / "tables.pdf", 2, 1)
    read(tmp_path, document)
    pages = json.loads((tmp_path / "document.json").read_bytes())["pages"]
    assert all(sum(block["kind"] == "table" for block in page["blocks"]) >= 2 for page in pages)


def test_a_figure_says_whether_it_meets_its_target() -> None:
    assert Figure("pages", 0.85, ">= 0.85", "bare", 1.0, 1.0, "pages").ok
    assert not Figure("pages", 0.84, ">= 0.85", "bare", 1.0, 1.0, "pages").ok
    assert not Figure("ack_p99", 100.0, "< 100", "bare", 1.0, 1.0, "ms").ok


def test_a_drift_of_the_machine_does_not_bend_a_paired_ratio() -> None:
    assert paired([2.0, 4.0, 8.0], [1.0, 2.0, 4.0]) == 2.0


def test_a_percentile_is_one_of_the_values() -> None:
    assert percentile([float(value) for value in range(100)], 0.99) == 99.0
    assert percentile([5.0], 0.5) == 5.0


def test_two_seeds_give_two_documents_and_one_seed_the_same(tmp_path: Path) -> None:
    first, again, other = (
        write_document(tmp_path / f"{name}.pdf", 3, seed).read_bytes()
        for name, seed in (("first", 1), ("again", 1), ("other", 2))
    )
    assert first == again
    assert first != other


def test_a_padded_document_has_the_size_that_was_announced() -> None:
    whole = padded_document(3, 3_000_000)
    assert len(whole) == padded_size(3, 3_000_000)
    assert abs(len(whole) - 3_000_000) < 1_000


@pytest.mark.slow
def test_a_corpus_run_tells_right_ends_from_wrong_ones(tmp_path: Path) -> None:
    documents = {
        "good.pdf": (samples.letter(), "ok"),
        "locked.pdf": (samples.encrypted(PASSWORD), "encrypted"),
        "corrupt.pdf": (samples.corrupt(), "corrupt"),
        "empty.pdf": (b"", "empty"),
        "page.pdf": (b"\x7fELF\x02\x01\x01" + bytes(64), "unsupported"),
        "wrong.pdf": (samples.corrupt() + b"%", "ok"),
    }
    lines = []
    for name, (body, expected) in documents.items():
        (tmp_path / name).write_bytes(body)
        line = {"file": name, "category": "made", "expected": expected}
        lines.append(json.dumps(line | ({"password": PASSWORD} if expected == "encrypted" else {})))
    (tmp_path / "manifest.jsonl").write_text("\n".join(lines))
    ended = run("bench.corpus", str(tmp_path), "--json")
    assert ended.returncode == 1, ended.stderr
    *ends, last = [json.loads(line) for line in ended.stdout.splitlines()]
    assert last == {"faults": []}
    assert len(ends) == len(documents) + 1
    assert [(end["file"], end["ended"]) for end in ends if not end["right"]] == [("wrong.pdf", "pdf_corrupt")]


def test_the_model_of_a_fleet_reads_all_that_comes_and_serves_small_tenants_first_when_slots_are_few() -> (
    None
):
    costs = Costs(ocr_page=1.0, batch=1)
    crowd = [Chunk(0, 0.0, 1.0, 1, is_small=False) for _ in range(50)]
    late = [Chunk(tenant, 1.5, 1.0, 1, is_small=False) for tenant in (1, 2)]
    outcome = run_chunks(iter([*crowd, *late]), Fleet(1, 2, database_cores=1), costs, seconds=1_000)
    assert (outcome.chunks, outcome.left) == (52, 0)
    assert outcome.p95_wait([1, 2]) < 2 < outcome.p95_wait([0])


def test_a_model_with_twice_the_load_uses_twice_the_slots() -> None:
    fleet, costs = Fleet(workers=200), Costs()
    used = []
    for millions in (10, 20):
        load = Load(tenants=100, pages_per_day=millions * 1e6)
        used.append(shares(load, fleet, costs, simulate(load, fleet, costs, seconds=60))["slots"])
    assert used[1] / used[0] == pytest.approx(2, rel=0.25)
