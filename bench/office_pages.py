"""Sample office files: Word documents of one page, a deck of slides, a workbook of rows."""

import random
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import xlsxwriter  # type: ignore[import-untyped]

from bench.pages import WORDS

_TYPES = "application/vnd.openxmlformats-officedocument"
_RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_P = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
_A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
_R = f'xmlns:r="{_RELATION}"'


def sentence(chance: random.Random, words: int) -> str:
    """Some words."""
    return " ".join(chance.choices(WORDS, k=words)).capitalize() + "."


def write_docx(path: Path, seed: int) -> Path:
    """Write a Word document of about one page: headings, paragraphs, a list and a table."""
    chance = random.Random(seed)
    body = [_paragraph(sentence(chance, 5), "Heading1")]
    for _ in range(8):
        body.append(_paragraph(sentence(chance, 45)))
    rows = "".join(
        f"<w:tr>{''.join(f'<w:tc>{_paragraph(sentence(chance, 2))}</w:tc>' for _ in range(4))}</w:tr>"
        for _ in range(6)
    )
    styles = '<w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style>'
    parts = {
        "word/document.xml": f"<w:document {_W}><w:body>{''.join(body)}<w:tbl>{rows}</w:tbl></w:body></w:document>",
        "word/styles.xml": f"<w:styles {_W}>{styles}</w:styles>",
        "word/_rels/document.xml.rels": _relations(("rId1", "styles", "styles.xml")),
    }
    return _package(path, "word/document.xml", "wordprocessingml.document", parts)


def write_deck(path: Path, slides: int, seed: int) -> Path:
    """Write a deck of slides, each with a title and six lines."""
    chance = random.Random(seed)
    names = [f"slides/slide{number}.xml" for number in range(1, slides + 1)]
    rows = [(f"rId{number}", "slide", name) for number, name in enumerate(names, 1)]
    ids = "".join(f'<p:sldId id="{255 + at}" r:id="rId{at}"/>' for at in range(1, slides + 1))
    parts = {
        "ppt/presentation.xml": f'<p:presentation {_P} {_R}><p:sldIdLst>{ids}</p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/>'
        "</p:presentation>",
        "ppt/_rels/presentation.xml.rels": _relations(*rows),
        **{f"ppt/{name}": _slide(chance) for name in names},
    }
    return _package(path, "ppt/presentation.xml", "presentationml.presentation", parts)


def write_workbook(path: Path, rows: int, seed: int) -> Path:
    """Write a workbook with one sheet of words and numbers."""
    chance = random.Random(seed)
    book = xlsxwriter.Workbook(str(path), {"constant_memory": True})
    sheet = book.add_worksheet("Ledger")
    sheet.write_row(0, 0, ["Number", "Date", "Account", "Text", "Amount", "Balance"])
    for row in range(1, rows):
        words = [sentence(chance, 2), sentence(chance, 6)]
        sheet.write_row(row, 0, [row, f"2026-{1 + row % 12:02}-01", *words, chance.random() * 100, row * 1.5])
    book.close()
    return path


def _paragraph(text: str, style: str = "") -> str:
    named = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{named}<w:r><w:t>{text}</w:t></w:r></w:p>"


def _slide(chance: random.Random) -> str:
    lines = "".join(f"<a:p><a:r><a:t>{sentence(chance, 8)}</a:t></a:r></a:p>" for _ in range(6))
    title = f"<a:p><a:r><a:t>{sentence(chance, 4)}</a:t></a:r></a:p>"
    return (
        f"<p:sld {_P} {_A}><p:cSld><p:spTree>{_shape(title, 500_000, 'title')}{_shape(lines, 2_000_000, 'body')}"
        "</p:spTree></p:cSld></p:sld>"
    )


def _shape(text: str, top: int, kind: str) -> str:
    place = f'<a:xfrm><a:off x="500000" y="{top}"/><a:ext cx="8000000" cy="1200000"/></a:xfrm>'
    return (
        f'<p:sp><p:nvSpPr><p:nvPr><p:ph type="{kind}"/></p:nvPr></p:nvSpPr><p:spPr>{place}</p:spPr>'
        f"<p:txBody>{text}</p:txBody></p:sp>"
    )


def _relations(*rows: tuple[str, str, str]) -> str:
    lines = (f'<Relationship Id="{a}" Type="{_RELATION}/{b}" Target="{c}"/>' for a, b, c in rows)
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{"".join(lines)}</Relationships>'


def _package(path: Path, main: str, declared: str, parts: dict[str, str]) -> Path:
    types = f'<Override PartName="/{main}" ContentType="{_TYPES}.{declared}.main+xml"/>'
    with ZipFile(path, "w", ZIP_DEFLATED) as package:
        package.writestr("[Content_Types].xml", f'<Types xmlns="{_PACKAGE}/content-types">{types}</Types>')
        package.writestr("_rels/.rels", _relations(("rId1", "officeDocument", main)))
        for name, content in parts.items():
            package.writestr(name, content)
    return path
