"""What few files have and no reader should lose: symbols, forms, inserted files, newer charts, errors in cells."""

import re
from pathlib import Path

import pytest

from pagemill.model.pages import Kind
from pagemill.reading.office.charts import chart_blocks
from pagemill.reading.office.opening import open_office
from pagemill.reading.office.package import Package
from tests.office_files import A, W, docx, para, row, xlsx, zipped
from tests.reading.office.opened import blocks, opened

CHART = "http://schemas.openxmlformats.org/drawingml/2006/chart"
NEWER_CHART = "http://schemas.microsoft.com/office/drawing/2014/chartex"

FRAME = '<w:framePr w:dropCap="drop" w:lines="3"/>'
PICTURE = f'<w:r><w:drawing><a:blip {A} r:embed="i1"/></w:drawing></w:r>'


def run(inner: str, properties: str = "") -> str:
    """A run of Word."""
    return f"<w:r><w:rPr>{properties}</w:rPr>{inner}</w:r>"


def cell(text: str) -> str:
    """A cell of a table of Word."""
    return f"<w:tc>{para(text)}</w:tc>"


@pytest.mark.parametrize(
    ("inner", "expected"),
    [
        (run('<w:sym w:font="Symbol" w:char="F061"/>'), "α"),
        (run('<w:sym w:font="Wingdings" w:char="F0FC"/>'), "✓"),
        (run("<w:t>abg</w:t>", '<w:rFonts w:ascii="Symbol" w:hAnsi="Symbol"/>'), "αβγ"),
        (run('<w:sym w:font="Symbol" w:char="2265"/>'), "≥"),
        (run('<w:sym w:font="Wingdings 2" w:char="F050"/>'), "✓"),
        (run('<w:sym w:font="Wingdings 3" w:char="F050"/>'), "•"),
        (run('<w:sym w:font="Calibri" w:char="00A9"/>'), "©"),
        (run('<w:sym w:char="F0FC"/>'), "✓"),
        (run("<w:t>a ≥ μ → щ 水</w:t>", '<w:rFonts w:ascii="Symbol"/>'), "α ≥ μ → щ 水"),
        (run("<w:t>OPRS\uf054\uf0a3\uf021</w:t>", '<w:rFonts w:ascii="Wingdings 2"/>'), "✗✓☑☒☒☐•"),
        (run("<w:t>\uf061</w:t>", '<w:rFonts w:ascii="Webdings"/>'), "•"),
        (run("<w:t>\uf0e0 there</w:t>"), "→ there"),
        (run("<w:t>abg</w:t>", '<w:rFonts w:ascii="Arial"/>'), "abg"),
    ],
)
def test_symbol_fonts_are_read_as_they_are_seen(tmp_path: Path, inner: str, expected: str) -> None:
    assert [block.text for block in blocks(tmp_path, docx(f"<w:p>{inner}</w:p>"))] == [expected]


def test_the_entry_chosen_in_a_form_is_read(tmp_path: Path) -> None:
    chosen = '<w:ddList><w:result w:val="1"/><w:listEntry w:val="red"/><w:listEntry w:val="blue"/></w:ddList>'
    field = (
        f'<w:r><w:fldChar w:fldCharType="begin"><w:ffData>{chosen}</w:ffData></w:fldChar></w:r>'
        '<w:r><w:instrText> FORMDROPDOWN </w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )
    found = blocks(tmp_path, docx(f"<w:p>{run('<w:t>Colour: </w:t>')}{field}</w:p>"))
    assert [block.text for block in found] == ["Colour: blue"]


def test_a_large_first_letter_is_part_of_its_word(tmp_path: Path) -> None:
    found = blocks(tmp_path, docx(para("T", more=FRAME) + para("he mill turns.") + para("It grinds.")))
    assert [block.text for block in found] == ["The mill turns.", "It grinds."]


def test_a_large_letter_without_a_paragraph_is_read_in_its_place(tmp_path: Path) -> None:
    letter = para("T", more=FRAME)
    grid = f"<w:tbl><w:tr>{cell('a')}<w:tc>{letter}</w:tc></w:tr></w:tbl>"
    first, table, last = blocks(tmp_path, docx(letter + grid + letter))
    assert (first.text, last.text) == ("T", "T")
    assert [one.text for row in (table.header, *table.rows) for one in row] == ["a", "T"]


def test_notes_and_figures_beside_a_large_letter_are_kept(tmp_path: Path) -> None:
    notes = f'<w:footnotes {W}><w:footnote w:id="2">{para("Of wood.")}</w:footnote></w:footnotes>'
    reference = run('<w:footnoteReference w:id="2"/>')
    letter = f"<w:p><w:pPr>{FRAME}</w:pPr>{PICTURE}{run('<w:t>T</w:t>')}{reference}</w:p>"
    made = docx(
        letter + para("he mill"),
        {"word/footnotes.xml": notes, "word/media/image1.png": b"outer"},
        ("f1", "footnotes", "footnotes.xml"),
        ("i1", "image", "media/image1.png"),
    )
    found = [(block.kind, block.text) for block in blocks(tmp_path, made)]
    assert found == [(Kind.PARAGRAPH, "T[2]he mill"), (Kind.FIGURE, ""), (Kind.FOOTNOTE, "[2] Of wood.")]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [("final", ["new", "old"]), ("original", ["gone", "old"]), ("both", ["gone", "new", "old"])],
)
def test_rows_that_were_added_or_taken_out_follow_the_tracked_changes(
    tmp_path: Path, changes: str, expected: list[str]
) -> None:
    rows = "".join(
        f"<w:tr><w:trPr>{mark}</w:trPr>{cell(text)}{cell('x')}</w:tr>"
        for text, mark in (("gone", '<w:del w:id="1"/>'), ("new", '<w:ins w:id="2"/>'), ("old", ""))
    )
    [table] = blocks(tmp_path, docx(f"<w:tbl>{rows}</w:tbl>"), changes)
    assert [one[0].text for one in table.rows] == expected


def test_a_table_in_a_footnote_is_read_row_by_row(tmp_path: Path) -> None:
    notes = (
        f'<w:footnotes {W}><w:footnote w:id="2">{para("As follows:")}'
        f"<w:tbl><w:tr>{cell('tons')}{cell('12')}</w:tr></w:tbl></w:footnote></w:footnotes>"
    )
    reference = run('<w:footnoteReference w:id="2"/>')
    body = f"<w:p>{run('<w:t>Flour</w:t>')}{reference}</w:p>"
    made = docx(body, {"word/footnotes.xml": notes}, ("f1", "footnotes", "footnotes.xml"))
    *_, note = blocks(tmp_path, made)
    assert note.text == "[2] As follows:\ntons | 12"


@pytest.mark.parametrize(
    ("name", "raw"), [("chunk.rtf", rb"{\rtf1\ansi inserted\par}"), ("chunk.docx", docx(para("inserted")))]
)
def test_files_that_a_document_takes_in_are_read_in_their_place(
    tmp_path: Path, name: str, raw: bytes
) -> None:
    made = docx(
        para("before") + '<w:altChunk r:id="x1"/>' + para("after"),
        {f"word/{name}": raw},
        ("x1", "aFChunk", name),
    )
    assert [block.text for block in blocks(tmp_path, made)] == ["before", "inserted", "after"]


def test_a_document_that_is_taken_in_takes_in_no_other(tmp_path: Path) -> None:
    chunk = '<w:altChunk r:id="x1"/>'
    raw = docx(para("innermost"))
    for text in ("inner", "outer"):
        raw = docx(para(text) + chunk, {"word/c.docx": raw}, ("x1", "aFChunk", "c.docx"))
    document = opened(tmp_path, raw)
    assert [block.text for page in document.pages([1]) for block in page.blocks] == ["outer", "inner"]
    assert document.found_warnings() == ("embedded_files",)


def test_figures_of_a_document_that_is_taken_in_name_no_image_of_the_outer_one(tmp_path: Path) -> None:
    image = ("i1", "image", "media/image1.png")
    inner = docx(f"<w:p>{PICTURE}</w:p>", {"word/media/image1.png": b"inner"}, image)
    made = docx(
        f'<w:p>{PICTURE}</w:p><w:altChunk r:id="x1"/>',
        {"word/media/image1.png": b"outer", "word/c.docx": inner},
        image,
        ("x1", "aFChunk", "c.docx"),
    )
    found = [block.origin.part for block in blocks(tmp_path, made) if block.origin]
    assert found == ["word/media/image1.png", None]


def encrypt_entries(raw: bytes) -> bytes:
    """A ZIP file whose entries say that they are encrypted."""
    marked = bytearray(raw)
    for mark, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        for found in re.finditer(re.escape(mark), raw):
            marked[found.start() + flags] |= 1
    return bytes(marked)


@pytest.mark.parametrize("broken", [docx(para("in"))[:-200], encrypt_entries(docx(para("in")))])
def test_an_unreadable_file_that_a_document_takes_in_is_only_a_warning(tmp_path: Path, broken: bytes) -> None:
    document = opened(
        tmp_path,
        docx(para("text") + '<w:altChunk r:id="x1"/>', {"word/c.docx": broken}, ("x1", "aFChunk", "c.docx")),
    )
    assert [block.text for page in document.pages([1]) for block in page.blocks] == ["text"]
    assert document.found_warnings() == ("embedded_files",)


def chart_rows(tmp_path: Path, xml: str) -> list[list[str]]:
    """The header and the rows of the table that a chart becomes."""
    file = tmp_path / "chart.zip"
    file.write_bytes(zipped({"chart.xml": xml}))
    table = next(one for one in chart_blocks(Package(str(file)), "chart.xml") if one.kind is Kind.TABLE)
    return [[one.text for one in cells] for cells in (table.header, *table.rows)]


def test_bubbles_have_their_sizes(tmp_path: Path) -> None:
    points = "".join(
        f'<c:{name}><c:numLit><c:pt idx="0"><c:v>{value}</c:v></c:pt></c:numLit></c:{name}>'
        for name, value in (("xVal", 1.5), ("yVal", 7), ("bubbleSize", 30))
    )
    named = "<c:tx><c:v>Mills</c:v></c:tx>"
    plot = f"<c:plotArea><c:bubbleChart><c:ser>{named}{points}</c:ser></c:bubbleChart></c:plotArea>"
    xml = f'<c:chartSpace xmlns:c="{CHART}">{plot}</c:chartSpace>'
    assert chart_rows(tmp_path, xml) == [["", "Mills", "Mills (size)"], ["1.5", "7", "30"]]


def test_the_newer_kinds_of_charts_have_their_data(tmp_path: Path) -> None:
    def points(*values: object) -> str:
        return "".join(f'<cx:pt idx="{at}">{value}</cx:pt>' for at, value in enumerate(values))

    data = (
        f'<cx:data id="0"><cx:strDim type="cat"><cx:lvl>{points("seen", "bought")}</cx:lvl></cx:strDim>'
        f'<cx:numDim type="val"><cx:lvl>{points(31, 17)}</cx:lvl></cx:numDim></cx:data>'
    )
    named = "<cx:tx><cx:txData><cx:v>Visits</cx:v></cx:txData></cx:tx>"
    series = f'<cx:series layoutId="funnel">{named}<cx:dataId val="0"/></cx:series>'
    xml = (
        f'<cx:chartSpace xmlns:cx="{NEWER_CHART}" {A}><cx:chartData>{data}</cx:chartData><cx:chart><cx:plotArea>'
        f"<cx:plotAreaRegion>{series}</cx:plotAreaRegion></cx:plotArea></cx:chart></cx:chartSpace>"
    )
    assert chart_rows(tmp_path, xml) == [["", "Visits"], ["seen", "31"], ["bought", "17"]]


def test_errors_and_formulas_without_a_result_are_shown(tmp_path: Path) -> None:
    cells = (
        '<row r="2"><c r="A2" t="e"><f>1/0</f><v>#DIV/0!</v></c><c r="B2"><f>A1&amp;"x"</f><v></v></c>'
        '<c r="C2"><f>1+1</f><v>2</v></c></row>'
    )
    *_, table = blocks(tmp_path, xlsx(("S", row(1, A="a", B="b", C="c") + cells)))
    assert [one.text for one in table.rows[0]] == ["#DIV/0!", '=A1&"x"', "2"]
    assert [one.value for one in table.rows[0]] == [None, None, 2]


def test_an_error_far_down_a_long_sheet_is_in_its_place(tmp_path: Path) -> None:
    rows = "".join(row(at, A=f"name {at}", B=float(at)) for at in range(3, 1_500))
    last = '<row r="1500"><c r="A1500" t="inlineStr"><is><t>end</t></is></c><c r="B1500" t="e"><v>#N/A</v></c></row>'
    *_, table = blocks(tmp_path, xlsx(("S", rows + last)))
    assert [one.text for one in table.rows[-1]] == ["end", "#N/A"]


def test_a_quoted_field_may_go_on_over_lines(tmp_path: Path) -> None:
    [table] = blocks(tmp_path, b'a,b\n"two\nlines","say ""hi"""\n')
    assert [one.text for one in table.rows[0]] == ["two\nlines", 'say "hi"']


def test_the_line_that_names_the_delimiter_is_no_row(tmp_path: Path) -> None:
    [table] = blocks(tmp_path, b"sep=;\na;b\n1;2\n")
    assert [one.text for one in table.header] == ["a", "b"]


def test_the_ending_of_a_text_decides_only_in_doubt(tmp_path: Path) -> None:
    def first_kind(name: str, raw: bytes) -> Kind:
        file = tmp_path / name
        file.write_bytes(raw)
        return next(iter(open_office(str(file)).pages([1]))).blocks[0].kind

    ragged = b"name,town\nAda\nBob,York,1842\n"
    assert first_kind("list.csv", ragged) is Kind.TABLE
    assert first_kind("list.txt", ragged) is Kind.PARAGRAPH
    assert first_kind("list.csv", b"<!doctype html><h1>Title</h1><p>Text</p>") is Kind.HEADING


def forward(inner: bytes) -> bytes:
    """An e-mail with another one inside."""
    return (
        b"From: a@example.org\r\nTo: b@example.org\r\nSubject: Fwd\r\nMIME-Version: 1.0\r\n"
        b"Content-Type: multipart/mixed; boundary=B\r\n\r\n--B\r\nContent-Type: text/plain\r\n\r\nSee below.\r\n"
        b"--B\r\nContent-Type: message/rfc822\r\n\r\n" + inner + b"\r\n--B--\r\n"
    )


def test_an_e_mail_inside_of_an_e_mail_has_its_head_and_is_a_file_of_its_own(tmp_path: Path) -> None:
    inner = b"From: c@example.org\r\nSubject: The order\r\n\r\nPlease send flour."
    found = [(block.kind, block.text) for block in blocks(tmp_path, forward(inner))]
    assert found[:1] == [(Kind.HEADING, "Fwd")]
    assert found[3:] == [
        (Kind.PARAGRAPH, "See below."),
        (Kind.PARAGRAPH, "Attachments:"),
        (Kind.LIST_ITEM, f"The order.eml (message/rfc822, {len(inner) - 3} bytes)"),
        (Kind.HEADING, "The order"),
        (Kind.PARAGRAPH, "From: c@example.org"),
        (Kind.PARAGRAPH, "Please send flour."),
    ]


@pytest.mark.parametrize(
    ("head", "files"),
    [
        (b"From: \\" + b"\xc3\xa4" * 30 + b"[" + b"a" * 40, 1),
        (b"To: " + b"a" * 40 + b":" + b"a" * 40 + b"\\;\\", 1),
        (b"Content-Type: multipart/mixed", 0),
    ],
)
def test_a_malformed_e_mail_inside_of_an_e_mail_keeps_its_text(
    tmp_path: Path, head: bytes, files: int
) -> None:
    found = blocks(tmp_path, forward(head + b"\r\n\r\nPlease send K\xc3\xa4se."))
    assert [block.text for block in found if block.role is None][1] == "See below."
    assert found[-1].text == "Please send Käse."
    assert len([block for block in found if block.role == "attachment"]) == files


def invite(event: str) -> bytes:
    """An e-mail that is an invitation."""
    head = "From: a@example.org\r\nTo: b@example.org\r\nSubject: Invitation\r\nMIME-Version: 1.0\r\n"
    return f"{head}Content-Type: text/calendar; method=REQUEST\r\n\r\n{event}".encode()


def test_quoted_parameters_and_alarms_of_an_invitation_are_not_its_values(tmp_path: Path) -> None:
    event = (
        "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nBEGIN:VALARM\r\nDESCRIPTION:REMINDER\r\nEND:VALARM\r\n"
        'DTSTART;TZID="(UTC+01:00) Amsterdam":20240305T100000\r\nSUMMARY;X="open:Visit\r\n'
        'ORGANIZER;SENT-BY="mailto:a@example.org":mailto:b@example.org\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n'
    )
    [found] = [block for block in blocks(tmp_path, invite(event)) if block.role == "calendar_event"]
    assert found.text.splitlines() == [
        "Summary: Visit",
        "Start: 2024-03-05 10:00 (UTC+01:00) Amsterdam",
        "Organizer: b@example.org",
    ]


def test_an_invitation_says_what_when_and_where(tmp_path: Path) -> None:
    event = (
        "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:Visit\\, the mill\r\nDTSTART;TZID=Europe/Berlin:20260305T100000\r\n"
        "DTEND:20260305T113000Z\r\nLOCATION:By the\r\n  river\r\nORGANIZER;CN=Ada:MAILTO:ada@example.org\r\n"
        "END:VEVENT\r\nEND:VCALENDAR\r\n"
    )
    found = [block for block in blocks(tmp_path, invite(event)) if block.role == "calendar_event"]
    assert [block.text.splitlines() for block in found] == [
        [
            "Summary: Visit, the mill",
            "Start: 2026-03-05 10:00 Europe/Berlin",
            "End: 2026-03-05 11:30 UTC",
            "Location: By the river",
            "Organizer: ada@example.org",
        ]
    ]


def test_a_first_row_without_text_is_no_header(tmp_path: Path) -> None:
    look = '<w:tblPr><w:tblStyle w:val="Fancy"/><w:tblLook w:firstRow="1"/></w:tblPr>'
    rows = f"<w:tr>{cell('')}{cell('')}</w:tr><w:tr>{cell('print(2)')}{cell('2')}</w:tr>"
    [table] = blocks(tmp_path, docx(f"<w:tbl>{look}{rows}</w:tbl>"))
    assert not table.header
    assert [one.text for one in table.rows[1]] == ["print(2)", "2"]


def test_notes_that_anydoc_names_are_numbered_in_their_order(tmp_path: Path) -> None:
    rtf = rb"{\rtf1 First{\super\chftn{\footnote\pard Of wood.}} and second{\super\chftn{\footnote\pard Of stone.}}.\par}"
    first, *notes = blocks(tmp_path, rtf)
    assert first.text == "First[1] and second[2]."
    assert [(note.marker, note.text) for note in notes] == [("1", "[1] Of wood."), ("2", "[2] Of stone.")]
