"""The parts of a word processor's file that are the same for every document: styles, lists and the package itself."""

from collections.abc import Sequence

_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006"
_DOCUMENT = "application/vnd.openxmlformats-officedocument.wordprocessingml"

BODY_HEAD = (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
    f'<w:document xmlns:w="{_W}" xmlns:r="{_OFFICE}/relationships" xmlns:a="{_DRAWING}/main" '
    f'xmlns:wp="{_DRAWING}/wordprocessingDrawing" xmlns:pic="{_DRAWING}/picture"><w:body>'
)
BODY_END = (
    '<w:sectPr><w:pgSz w:w="11906" w:h="16838"/>'
    '<w:pgMar w:top="1417" w:right="1417" w:bottom="1417" w:left="1417" w:header="708" w:footer="708" w:gutter="0"/>'
    "</w:sectPr></w:body></w:document>"
)
CONTENT_TYPES = (
    f'<Types xmlns="{_PACKAGE}/content-types">'
    f'<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/><Default Extension="png" ContentType="image/png"/>'
    f'<Override PartName="/word/document.xml" ContentType="{_DOCUMENT}.document.main+xml"/>'
    f'<Override PartName="/word/styles.xml" ContentType="{_DOCUMENT}.styles+xml"/>'
    f'<Override PartName="/word/numbering.xml" ContentType="{_DOCUMENT}.numbering+xml"/>'
    '<Override PartName="/docProps/core.xml" '
    'ContentType="application/vnd.openxmlformats-package.core-properties+xml"/></Types>'
)
PACKAGE_RELATIONS = (
    f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_OFFICE}/relationships/officeDocument" Target="word/document.xml"/>'
    f'<Relationship Id="rId2" Type="{_PACKAGE}/relationships/metadata/core-properties" Target="docProps/core.xml"/>'
    "</Relationships>"
)
LEVELS = 9
BULLETS = "•◦▪"
HEADING_SIZES = (36, 30, 26, 24, 22, 22)
# The paragraphs beside headings: style, name, size in half points, and further properties.
_PARAGRAPHS = (
    ("Caption", "caption", "<w:i/>", 20, ""),
    ("FootnoteText", "footnote text", "", 18, ""),
    ("ListParagraph", "List Paragraph", "", 22, "<w:contextualSpacing/>"),
    ("Code", "Code", '<w:rFonts w:ascii="Courier New" w:hAnsi="Courier New" w:cs="Courier New"/>', 20, ""),
    (
        "Formula",
        "Formula",
        '<w:rFonts w:ascii="Cambria Math" w:hAnsi="Cambria Math"/>',
        22,
        '<w:jc w:val="center"/>',
    ),
    ("Header", "header", "", 18, ""),
    ("Footer", "footer", "", 18, ""),
)


def core_properties(title: str) -> str:
    """What the file says of itself; the title is XML already."""
    return (
        f'<cp:coreProperties xmlns:cp="{_PACKAGE}/metadata/core-properties" '
        f'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{title}</dc:title></cp:coreProperties>'
    )


def styles() -> str:
    """The styles of headings, paragraphs and tables."""
    headings = "".join(_heading(level, size) for level, size in enumerate(HEADING_SIZES, 1))
    others = "".join(_paragraph(*one) for one in _PARAGRAPHS)
    return (
        f'<w:styles xmlns:w="{_W}"><w:docDefaults><w:rPrDefault><w:rPr>'
        '<w:rFonts w:ascii="Calibri" w:hAnsi="Calibri" w:eastAsia="Calibri" w:cs="Calibri"/>'
        '<w:sz w:val="22"/><w:szCs w:val="22"/></w:rPr></w:rPrDefault><w:pPrDefault><w:pPr>'
        '<w:spacing w:after="120" w:line="264" w:lineRule="auto"/></w:pPr></w:pPrDefault></w:docDefaults>'
        '<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>'
        f"{headings}{others}{_table()}</w:styles>"
    )


def _heading(level: int, size: int) -> str:
    return (
        f'<w:style w:type="paragraph" w:styleId="Heading{level}"><w:name w:val="heading {level}"/>'
        '<w:basedOn w:val="Normal"/><w:next w:val="Normal"/><w:qFormat/><w:pPr><w:keepNext/>'
        f'<w:spacing w:before="240" w:after="80"/><w:outlineLvl w:val="{level - 1}"/></w:pPr>'
        f'<w:rPr><w:b/><w:sz w:val="{size}"/><w:szCs w:val="{size}"/></w:rPr></w:style>'
    )


def _paragraph(style: str, name: str, look: str, size: int, paragraph: str) -> str:
    return (
        f'<w:style w:type="paragraph" w:styleId="{style}"><w:name w:val="{name}"/><w:basedOn w:val="Normal"/>'
        f'<w:pPr>{paragraph}</w:pPr><w:rPr>{look}<w:sz w:val="{size}"/><w:szCs w:val="{size}"/></w:rPr></w:style>'
    )


def _table() -> str:
    sides = ("top", "left", "bottom", "right", "insideH", "insideV")
    borders = "".join(f'<w:{side} w:val="single" w:sz="4" w:space="0" w:color="auto"/>' for side in sides)
    return (
        '<w:style w:type="table" w:default="1" w:styleId="TableNormal"><w:name w:val="Normal Table"/></w:style>'
        '<w:style w:type="table" w:styleId="TableGrid"><w:name w:val="Table Grid"/><w:basedOn w:val="TableNormal"/>'
        f"<w:tblPr><w:tblBorders>{borders}</w:tblBorders></w:tblPr></w:style>"
    )


def numbering(starts: Sequence[int]) -> str:
    """The bullets as list 1, and a numbered list for each first number."""
    bullets = "".join(_level(at, "bullet", BULLETS[at % len(BULLETS)]) for at in range(LEVELS))
    numbers = "".join(_level(at, "decimal", f"%{at + 1}.") for at in range(LEVELS))
    lists = "".join(_list(number, start) for number, start in enumerate(starts, 2))
    return (
        f'<w:numbering xmlns:w="{_W}"><w:abstractNum w:abstractNumId="0">{bullets}</w:abstractNum>'
        f'<w:abstractNum w:abstractNumId="1">{numbers}</w:abstractNum>'
        f'<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>{lists}</w:numbering>'
    )


def _level(at: int, kind: str, text: str) -> str:
    return (
        f'<w:lvl w:ilvl="{at}"><w:start w:val="1"/><w:numFmt w:val="{kind}"/><w:lvlText w:val="{text}"/>'
        f'<w:lvlJc w:val="left"/><w:pPr><w:ind w:left="{720 + 360 * at}" w:hanging="360"/></w:pPr></w:lvl>'
    )


def _list(number: int, start: int) -> str:
    levels = "".join(
        f'<w:lvlOverride w:ilvl="{at}"><w:startOverride w:val="{start}"/></w:lvlOverride>'
        for at in range(LEVELS)
    )
    return f'<w:num w:numId="{number}"><w:abstractNumId w:val="1"/>{levels}</w:num>'
