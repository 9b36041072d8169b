"""Tagged PDFs: what the file says of its headings and figures is used where it agrees with the page."""

from collections.abc import Iterator
from pathlib import Path

import pypdfium2

from pagemill.model.pages import ALT_TEXT, Block, Kind
from pagemill.reading.sources.tags import page_tags
from tests.reading.drawn import PROSE, read
from tests.samples import raw_pdf, stream

TITLE, SHOWN = "Harbour income and its use", "A map of the harbour"
PAGE = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/StructParents 0"
FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
LINES = [PROSE[at : at + 80] for at in range(0, len(PROSE), 80)]


def tagged_pdf(title: bytes, prose: bytes, *, tagged: bool = True) -> bytes:
    """A page with a line, a paragraph set in the same type, and a drawing; the kinds of the first two are given."""
    pieces = [b"/%s <</MCID 0>> BDC %s EMC" % (title, _text(TITLE, 700))]
    below = b"\n".join(_text(line, 670 - 14 * at) for at, line in enumerate(LINES))
    pieces += [b"/%s <</MCID 1>> BDC %s EMC" % (prose, below)]
    pieces += [b"/Figure <</MCID 2>> BDC 100 300 200 150 re S EMC"]
    kinds = [b"/S/%s/K 0" % title, b"/S/%s/K 1" % prose, b"/S/Figure/K 2/Alt(%s)" % SHOWN.encode()]
    return raw_pdf(
        [
            b"<</Type/Catalog/Pages 2 0 R%s>>"
            % (b"/MarkInfo<</Marked true>>/StructTreeRoot 6 0 R" if tagged else b""),
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
            PAGE + b"/Resources<</Font<</F1 5 0 R>>>>>>",
            stream(b"\n".join(pieces)),
            FONT,
            b"<</Type/StructTreeRoot/K[7 0 R 8 0 R 9 0 R]/ParentTree 10 0 R>>",
            *(b"<</Type/StructElem/P 6 0 R/Pg 3 0 R%s>>" % kind for kind in kinds),
            b"<</Nums[0[7 0 R 8 0 R 9 0 R]]>>",
        ]
    )


def _text(words: str, y: int) -> bytes:
    return b"BT /F1 11 Tf 72 %d Td (%s) Tj ET" % (y, words.encode())


def blocks_of(folder: Path, pdf: bytes, kind: Kind) -> list[Block]:
    return [block for block in read(folder, pdf).blocks if block.kind is kind]


def test_a_line_that_the_file_calls_a_heading_is_one(tmp_path: Path) -> None:
    assert blocks_of(tmp_path, tagged_pdf(b"H2", b"P", tagged=False), Kind.HEADING) == []
    (heading,) = blocks_of(tmp_path, tagged_pdf(b"H2", b"P"), Kind.HEADING)
    assert heading.text == TITLE


def test_a_paragraph_that_the_file_calls_a_heading_is_none(tmp_path: Path) -> None:
    assert blocks_of(tmp_path, tagged_pdf(b"P", b"H1"), Kind.HEADING) == []


def test_a_figure_has_the_alternative_text_of_the_file(tmp_path: Path) -> None:
    (figure,) = blocks_of(tmp_path, tagged_pdf(b"P", b"P"), Kind.FIGURE)
    assert (figure.text, figure.role) == (SHOWN, ALT_TEXT)
    assert figure.box is not None
    assert abs(figure.box.x - 100) < 2
    assert abs(figure.box.bottom - (842 - 300)) < 2


def tree_pdf(shown: list[tuple[str, int, int]], tree: str, *, tagged: bool = True) -> bytes:
    """A page with texts at places, each with its number as mark, and a structure tree: `(Table (TR (TD 0) (TD 1)))`."""
    pieces = [
        b"/P <</MCID %d>> BDC BT /F1 11 Tf %d %d Td (%s) Tj ET EMC" % (at, x, y, text.encode())
        for at, (text, x, y) in enumerate(shown)
    ]
    words = iter(tree.replace("(", " ( ").replace(")", " ) ").split()[1:])
    elements: list[bytes] = []
    parents = dict[int, int]()
    _element(words, 6, elements, parents)
    owners = b" ".join(b"%d 0 R" % parents[mark] for mark in sorted(parents))
    root = b"/MarkInfo<</Marked true>>/StructTreeRoot 6 0 R" if tagged else b""
    return raw_pdf(
        [
            b"<</Type/Catalog/Pages 2 0 R%s>>" % root,
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
            PAGE + b"/Resources<</Font<</F1 5 0 R>>>>>>",
            stream(b"\n".join(pieces)),
            FONT,
            b"<</Type/StructTreeRoot/K[7 0 R]/ParentTree<</Nums[0[%s]]>>>>" % owners,
            *elements,
        ]
    )


def _element(words: Iterator[str], parent: int, elements: list[bytes], parents: dict[int, int]) -> bytes:
    """Write an element and what is in it; the reference to it."""
    number, kind, kids = 7 + len(elements), next(words).encode(), list[bytes]()
    elements.append(b"")
    while (word := next(words)) != ")":
        if word == "(":
            kids.append(_element(words, number, elements, parents))
        else:
            kids.append(word.encode())
            parents[int(word)] = number
    content = b"<</Type/StructElem/S/%s/P %d 0 R/Pg 3 0 R/K[%s]>>" % (kind, parent, b" ".join(kids))
    elements[number - 7] = content
    return b"%d 0 R" % number


CELLS = [("Harbour", 72, 700), ("Owner", 180, 700), ("Selby", 72, 684), ("the town", 180, 684)]
CELLS += [("Ripley", 72, 668), ("a guild", 180, 668)]
TABLE = "(Table (TR (TH 0) (TH 1)) (TR (TD 2) (TD 3)) (TR (TD 4) (TD 5)))"


def test_a_table_that_the_file_tells_has_its_cells(tmp_path: Path) -> None:
    assert blocks_of(tmp_path, tree_pdf(CELLS, TABLE, tagged=False), Kind.TABLE) == []
    (table,) = blocks_of(tmp_path, tree_pdf(CELLS, TABLE), Kind.TABLE)
    rows = [*([table.header] if table.header else []), *table.rows]
    assert [[cell.text for cell in row] for row in rows] == [
        ["Harbour", "Owner"],
        ["Selby", "the town"],
        ["Ripley", "a guild"],
    ]


def test_tagged_cells_that_overlap_make_no_table(tmp_path: Path) -> None:
    moved = [(text, 72 + 8 * at, 700 - 14 * at) for at, (text, _, _) in enumerate(CELLS)]
    assert blocks_of(tmp_path, tree_pdf(moved, TABLE), Kind.TABLE) == []


def test_items_that_the_file_tells_are_not_glued(tmp_path: Path) -> None:
    lines = [(line.strip(), 72, 700 - 13 * at) for at, line in enumerate(LINES)]
    half = len(lines) // 2
    marks = " ".join(map(str, range(half))), " ".join(map(str, range(half, len(lines))))
    items = "(L (LI (LBody {})) (LI (LBody {})))".format(*marks)
    assert len(read(tmp_path, tree_pdf(lines, items, tagged=False)).blocks) == 1
    first, second = read(tmp_path, tree_pdf(lines, items)).blocks
    assert second.text.startswith(lines[half][0])
    assert first.text.endswith(lines[half - 1][0])


def test_a_page_without_tags_has_none() -> None:
    with pypdfium2.PdfDocument(tagged_pdf(b"H2", b"P", tagged=False)) as document:
        assert page_tags(document[0]) == []
