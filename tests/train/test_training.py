"""Truth by colour, labels of lines, and the trainer of small networks."""

from pathlib import Path
from random import Random

import numpy as np
import orjson
import pytest

from pagemill.reading.layout.lines import lines_of
from pagemill.reading.layout.models import (
    find_weights,
    pack_weights,
    role_probabilities,
    unpack_weights,
    weights_from,
)
from pagemill.reading.layout.roles import ROLES
from pagemill.reading.page.sheet import Precision, Sheet, Stroke, Word
from tests.samples import report
from train.__main__ import WEIGHTS, main
from train.align import labels_of
from train.coded import block_of, coded_pages, colour_of
from train.made.draft import Draft
from train.made.everyday import EVERYDAY
from train.made.kinds import KINDS
from train.made.languages import LANGUAGES
from train.made.texts import Texts
from train.made.typeset import by_weasyprint
from train.markdown_truth import blocks_of, markdown_labels
from train.network import Sample, Schedule, train_network
from train.parts import part_of
from train.sheets import text_sheets
from train.truth import Piece, TruePage
from train.validation import calibration_error, f1

# The pages of a document with labels of its own.
PAGES = 2


def test_a_colour_says_which_block_it_stands_for() -> None:
    for block in (0, 1, 14, 15, 224, 225, 3374):
        colour = colour_of(block)
        channels = [int(colour[at : at + 2], 16) for at in (0, 2, 4)]
        assert block_of(*channels) == block
        assert block_of(*(min(channel + 3, 255) for channel in channels)) == block


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_lines_of_a_made_page_get_the_roles_of_their_blocks(tmp_path: Path) -> None:
    draft = Draft(Texts(5, LANGUAGES[0]))
    draft.css.append("@page { size: 500pt 400pt; margin: 40pt; } body { font: 10pt sans-serif; }")
    draft.add(f"<h1 {draft.block('heading')}>Results of the survey</h1>")
    draft.add(f"<p {draft.block('text')}>{'The ferry carries the letters. ' * 12}</p>")
    draft.add(f"<ul><li {draft.block('list_item')}>A first point</li></ul>")
    plain, coded = tmp_path / "plain.pdf", tmp_path / "coded.pdf"
    by_weasyprint(draft.plain(), plain)
    by_weasyprint(draft.coded(), coded)
    pieces = next(iter(coded_pages(coded, draft.roles)))
    lines = lines_of(next(sheet for _, sheet in text_sheets(plain, [1])))
    found = [ROLES[role] for role in labels_of(lines, pieces).role]
    assert found[0] == "heading"
    assert found[-1] == "list_item"
    assert set(found[1:-1]) == {"text"}


def test_notes_are_where_they_are_on_the_page_or_left_out_of_a_part_of_it() -> None:
    rows = [(100, "text"), (300, "text"), (500, "text"), (700, "footnote")]
    words = [Word(role, 50, top, 90, top + 10, 10, top + 8, at) for at, (top, role) in enumerate(rows)]
    pieces = tuple(
        Piece(50, top, 90, top + 10, role, block=at, order=at) for at, (top, role) in enumerate(rows)
    )
    rule = Stroke(50, 695, 90, 695)
    sheet = Sheet(500, 800, Precision.EXACT, words, [rule], [])
    page = TruePage(Path("a.pdf"), 1, "made", "a", pieces)
    parts = [part for seed in range(40) if (part := part_of(sheet, page, Random(seed)))]
    assert 0 < sum(pieces[3] in found for _, found in parts) < len(parts)
    for cut, found in parts:
        has_note = pieces[3] in found
        assert {piece.role for piece in found} >= {"text"}
        assert [word.top for word in cut.words if word.text == "footnote"] == [700] * has_note
        assert cut.strokes == [rule] * has_note


def test_a_seed_makes_the_same_draft_of_every_kind() -> None:
    for kind, write in {**KINDS, **EVERYDAY}.items():
        drafts = [Draft(Texts(11)) for _ in range(2)]
        for draft in drafts:
            write(draft)
        assert drafts[0].plain() == drafts[1].plain(), kind
        assert len(drafts[0].roles) > 2, kind


def test_blocks_of_markdown_have_their_roles() -> None:
    blocks = blocks_of(
        "# Title\n\nSome text\nthat goes on.\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    )
    assert [block.role for block in blocks] == ["heading", "text", "list_item", "list_item", "table"]
    assert blocks[1].letters == "sometextthatgoeson"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_lines_are_found_in_the_true_markdown(tmp_path: Path) -> None:
    path = tmp_path / "page.pdf"
    by_weasyprint("<h1>Results</h1><p>The ferry carries the letters.</p><p>Table 3. Income by year</p>", path)
    sheet = next(sheet for _, sheet in text_sheets(path, [1]))
    truth = "# Results\n\nThe ferry carries the letters.\n\nTable 3. Income by year\n"
    roles = markdown_labels(lines_of(sheet), truth, sheet.height).role
    assert [ROLES[role] for role in roles] == ["heading", "text", "caption"]


def test_a_network_learns_what_no_single_feature_says_and_always_the_same() -> None:
    random = np.random.default_rng(3)
    features = random.standard_normal((4000, 6)).astype(np.float32)
    classes = ((features[:, 0] > 0) ^ (features[:, 1] > 0)).astype(np.int16)
    features[::7, 5] = np.nan
    sample = Sample(features, classes, np.ones(len(classes), np.float32))
    schedule = Schedule(hidden=(16, 8), epochs=30, batch=64, rate=1e-2, dropout=0.0, input_dropout=0.0)
    first, second = (train_network(sample, 2, (1,), schedule) for _ in range(2))
    assert (first.probabilities(features).argmax(1) == classes).mean() > 0.93
    assert np.array_equal(first.probabilities(features), second.probabilities(features))


def test_several_networks_give_the_mean_of_their_probabilities() -> None:
    random = np.random.default_rng(5)
    features = random.standard_normal((900, 4)).astype(np.float32)
    sample = Sample(features, (features[:, 0] > 0).astype(np.int16), np.ones(900, np.float32))
    schedule = Schedule(hidden=(8, 4), epochs=2, batch=64)
    members = [train_network(sample, 2, (seed,), schedule).probabilities(features) for seed in (7, 8, 9)]
    together = unpack_weights(pack_weights(train_network(sample, 2, (7, 8, 9), schedule)))
    assert np.allclose(together.probabilities(features), np.mean(members, axis=0), atol=2e-3)
    assert not np.allclose(members[0], members[1], atol=2e-3)


def test_calibration_error_is_the_distance_of_confidence_and_truth() -> None:
    sure = np.full(1000, 0.9, np.float32)
    assert calibration_error(sure, np.arange(1000) < 900) < 0.001
    assert calibration_error(sure, np.arange(1000) < 600) == pytest.approx(0.3, abs=0.001)
    assert f1(np.array([True, True, False]), np.array([True, False, False])) == pytest.approx(2 / 3)


def test_labels_of_ones_own_make_weights_that_the_service_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, out = tmp_path / "own", tmp_path / "weights"
    own.mkdir()
    for number in range(2):
        path = own / f"{number}.pdf"
        path.write_bytes(report(PAGES))
        (own / f"{number}.line_labels.json").write_bytes(labels_of_document(path))
    asked = ["train", str(own), "--work", str(tmp_path / "work"), "--made", "0", "--out", str(out)]
    monkeypatch.setattr("sys.argv", asked)
    before = [path.read_bytes() for path in sorted(WEIGHTS.glob("*.npz"))]
    main()
    assert [path.read_bytes() for path in sorted(WEIGHTS.glob("*.npz"))] == before
    assert find_weights(str(out), ()).folder == out
    sheet = next(sheet for _, sheet in text_sheets(own / "0.pdf", [1]))
    with weights_from(out):
        trained = role_probabilities(sheet, lines_of(sheet))
    assert trained.argmax(1).tolist() == [ROLES.index("caption")] * len(trained)


def labels_of_document(path: Path) -> bytes:
    """The lines of a document, each labelled as a caption, in the form that corrections are exported in."""
    pages = []
    for number, sheet in text_sheets(path, list(range(1, PAGES + 1))):
        rows = [
            {"box": [line.left, line.top, line.right - line.left, line.bottom - line.top], "role": "caption"}
            | {"order": order, "paragraph": order}
            for order, line in enumerate(lines_of(sheet))
        ]
        pages.append({"number": number, "lines": rows})
    return orjson.dumps({"pages": pages})
