"""Office files, made part by part."""

import io
import zipfile
from collections.abc import Mapping

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
P = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
M = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
S = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
TYPES = "application/vnd.openxmlformats-officedocument"
STYLES = f"""<w:styles {W}>
<w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/></w:style>
<w:style w:type="paragraph" w:styleId="Sub"><w:name w:val="House subtitle"/><w:basedOn w:val="H1"/>
<w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="Cap"><w:name w:val="caption"/></w:style></w:styles>"""
NUMBERING = f"""<w:numbering {W}><w:abstractNum w:abstractNumId="0">
<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>
<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%2)"/></w:lvl></w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>"""


def zipped(parts: Mapping[str, str | bytes]) -> bytes:
    """A ZIP file of these parts, in this order."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in parts.items():
            package.writestr(name, content)
    return out.getvalue()


def relations(*rows: tuple[str, str, str]) -> str:
    """The relations of a part: id, kind and target; a target with a scheme is outside."""
    outside = ' TargetMode="External"'
    lines = (
        f'<Relationship Id="{name}" Type="{RELATION}/{kind}" Target="{target}"{outside if "://" in target else ""}/>'
        for name, kind, target in rows
    )
    return f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{"".join(lines)}</Relationships>'


def types(part: str, declared: str) -> str:
    """The list of content types of a package."""
    return (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        f'<Override PartName="/{part}" ContentType="{TYPES}.{declared}.main+xml"/></Types>'
    )


def para(text: str, style: str = "", more: str = "") -> str:
    """A paragraph of Word."""
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{named}{more}</w:pPr><w:r><w:t xml:space='preserve'>{text}</w:t></w:r></w:p>"


def docx(body: str, extra: Mapping[str, str | bytes] | None = None, *rels: tuple[str, str, str]) -> bytes:
    """A Word document with this body."""
    main = "word/document.xml"
    return zipped(
        {
            "[Content_Types].xml": types(main, "wordprocessingml.document"),
            "_rels/.rels": relations(("r1", "officeDocument", main)),
            main: f"<w:document {W} {R} {M}><w:body>{body}</w:body></w:document>",
            "word/_rels/document.xml.rels": relations(
                ("s1", "styles", "styles.xml"), ("n1", "numbering", "numbering.xml"), *rels
            ),
            "word/styles.xml": STYLES,
            "word/numbering.xml": NUMBERING,
            **(extra or {}),
        }
    )


def shape(text: str, placeholder: str = "", at: tuple[int, int, int, int] | None = None) -> str:
    """A shape with paragraphs, at a place in EMU."""
    box = f'<a:xfrm><a:off x="{at[0]}" y="{at[1]}"/><a:ext cx="{at[2]}" cy="{at[3]}"/></a:xfrm>' if at else ""
    mark = f"<p:ph {placeholder}/>" if placeholder else ""
    lines = "".join(f"<a:p><a:r><a:t>{line}</a:t></a:r></a:p>" for line in text.split("\n"))
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="2" name="s"/><p:cNvSpPr/><p:nvPr>{mark}</p:nvPr></p:nvSpPr>'
        f"<p:spPr>{box}</p:spPr><p:txBody><a:bodyPr/>{lines}</p:txBody></p:sp>"
    )


PLACES = shape("", 'type="title"', (127000, 254000, 1270000, 635000)) + shape(
    "", 'idx="1"', (127000, 1270000, 5080000, 2540000)
)
LAYOUT = f"<p:sldLayout {P} {A} {R}><p:cSld><p:spTree>{PLACES}</p:spTree></p:cSld></p:sldLayout>"
MASTER = f"""<p:sldMaster {P} {A} {R}><p:cSld><p:spTree/></p:cSld><p:txStyles><p:bodyStyle>
<a:lvl1pPr><a:buChar char="•"/></a:lvl1pPr></p:bodyStyle></p:txStyles></p:sldMaster>"""


def pptx(*slides: str, notes: str = "") -> bytes:
    """A presentation with these slides; the notes belong to the first."""
    main = "ppt/presentation.xml"
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": types(main, "presentationml.presentation"),
        "_rels/.rels": relations(("r1", "officeDocument", main)),
        main: f"<p:presentation {P} {R} {A}><p:sldIdLst>"
        + "".join(f'<p:sldId id="{256 + at}" r:id="s{at}"/>' for at in range(len(slides)))
        + '</p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/></p:presentation>',
        "ppt/_rels/presentation.xml.rels": relations(
            *((f"s{at}", "slide", f"slides/slide{at + 1}.xml") for at in range(len(slides)))
        ),
        "ppt/slideLayouts/slideLayout1.xml": LAYOUT,
        "ppt/slideLayouts/_rels/slideLayout1.xml.rels": relations(
            ("m1", "slideMaster", "../slideMasters/slideMaster1.xml")
        ),
        "ppt/slideMasters/slideMaster1.xml": MASTER,
    }
    for at, tree in enumerate(slides, 1):
        parts[f"ppt/slides/slide{at}.xml"] = (
            f"<p:sld {P} {A} {R}><p:cSld><p:spTree>{tree}</p:spTree></p:cSld></p:sld>"
        )
        own = [("l1", "slideLayout", "../slideLayouts/slideLayout1.xml")]
        if notes and at == 1:
            own.append(("n1", "notesSlide", "../notesSlides/notesSlide1.xml"))
            noted = shape(notes, 'type="body" idx="1"')
            parts["ppt/notesSlides/notesSlide1.xml"] = (
                f"<p:notes {P} {A}><p:cSld><p:spTree>{noted}</p:spTree></p:cSld></p:notes>"
            )
        parts[f"ppt/slides/_rels/slide{at}.xml.rels"] = relations(*own)
    return zipped(parts)


def xlsx(*sheets: tuple[str, str], state: str = "") -> bytes:
    """A workbook: names of sheets and the XML of their rows; the last sheet may be hidden."""
    main = "xl/workbook.xml"
    flag = f' state="{state}"' if state else ""
    listed = "".join(
        f'<sheet name="{name}" sheetId="{at}" r:id="s{at}"{flag if at == len(sheets) else ""}/>'
        for at, (name, _) in enumerate(sheets, 1)
    )
    return zipped(
        {
            "[Content_Types].xml": types(main, "spreadsheetml.sheet"),
            "_rels/.rels": relations(("r1", "officeDocument", main)),
            main: f"<workbook {S} {R}><sheets>{listed}</sheets></workbook>",
            "xl/_rels/workbook.xml.rels": relations(
                *((f"s{at}", "worksheet", f"worksheets/sheet{at}.xml") for at in range(1, len(sheets) + 1))
            ),
            **{
                f"xl/worksheets/sheet{at}.xml": f"<worksheet {S}><sheetData>{rows}</sheetData></worksheet>"
                for at, (_, rows) in enumerate(sheets, 1)
            },
        }
    )


def row(number: int, **cells: str | float) -> str:
    """A row of a sheet, its cells by their columns."""
    made = (
        f'<c r="{column}{number}" t="inlineStr"><is><t>{value}</t></is></c>'
        if isinstance(value, str)
        else f'<c r="{column}{number}"><v>{value}</v></c>'
        for column, value in cells.items()
    )
    return f'<row r="{number}">{"".join(made)}</row>'


LETTER = docx(para("A letter", "H1") + para("Dear reader, the mill turns.") + para("It grinds.", "Sub"))
