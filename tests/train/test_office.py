"""Office files as training pages: the role of each paragraph, and its colour."""

import re
from collections.abc import Mapping

from train.coded import colour_of
from train.office import slides, word
from train.office.package import DOUBTFUL, Coding

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
SHOW = "http://schemas.openxmlformats.org/presentationml/2006/main"
STYLES = f"""<w:styles xmlns:w="{WORD}">
<w:style w:styleId="H1"><w:name w:val="heading 1"/></w:style>
<w:style w:styleId="Mine"><w:name w:val="Mine"/><w:basedOn w:val="H1"/></w:style>
</w:styles>"""


def paragraph(text: str, properties: str = "", run: str = "") -> str:
    """A paragraph of a Word document."""
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:rPr>{run}</w:rPr><w:t>{text}</w:t></w:r></w:p>"


def word_roles(body: str, **parts: str) -> tuple[dict[str, str], Mapping[str, bytes]]:
    """The role of each text of a Word document, and the coloured parts."""
    coding = Coding()
    content = {"word/document.xml": f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>'}
    content |= {"word/styles.xml": STYLES}
    content |= {f"word/{name}.xml": f'<w:part xmlns:w="{WORD}">{xml}</w:part>' for name, xml in parts.items()}
    coloured = word.coloured_parts({name: xml.encode() for name, xml in content.items()}, coding)
    xml = b"".join(part for name, part in coloured.items() if word.is_part(name)).decode()
    runs = re.findall(r'w:color w:val="([0-9A-F]{6})"/></w:rPr><w:t>([^<]*)', xml)
    roles = {colour_of(at).upper(): role for at, role in enumerate(coding.roles)}
    return {text: roles[colour] for colour, text in runs}, coloured


def test_paragraphs_of_a_word_document_have_the_roles_of_their_styles() -> None:
    listed = '<w:numPr><w:numId w:val="1"/></w:numPr>'
    cells = "".join(f"<w:tc>{paragraph(text)}</w:tc>" for text in ("Ferry", "12"))
    body = (
        paragraph("Results", '<w:pStyle w:val="H1"/>')
        + paragraph("Methods", '<w:pStyle w:val="Mine"/>')
        + paragraph("The ferry carries the letters.")
        + paragraph("A first point", listed)
        + f"<w:tbl><w:tr>{cells}</w:tr><w:tr>{cells}</w:tr></w:tbl>"
    )
    roles, _ = word_roles(body, header1=paragraph("The survey"), footnotes=paragraph("See there."))
    assert roles == {
        "Results": "heading",
        "Methods": "heading",
        "The ferry carries the letters.": "text",
        "A first point": "list_item",
        "Ferry": "table",
        "12": "table",
        "The survey": "header",
        "See there.": "footnote",
    }


def test_what_looks_like_a_heading_and_has_no_such_style_is_doubtful() -> None:
    roles, _ = word_roles(
        paragraph("Opening hours", run="<w:b/>")
        + paragraph("1. Opening hours")
        + paragraph("A bold sentence that ends as sentences do.", run="<w:b/>")
    )
    assert list(roles.values()) == [DOUBTFUL, DOUBTFUL, "text"]


def test_a_colour_takes_the_place_of_the_one_that_was_there() -> None:
    _, coloured = word_roles(paragraph("Red", run='<w:color w:val="FF0000"/>'))
    assert b"FF0000" not in coloured["word/document.xml"]


def slide_roles(shapes: str, body_style: str = "") -> dict[str, str]:
    """The role of each text of a slide."""
    coding = Coding()
    spaces = f'xmlns:a="{DRAWING}" xmlns:p="{SHOW}"'
    relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    parts = {
        "ppt/slides/slide1.xml": f"<p:sld {spaces}>{shapes}</p:sld>",
        "ppt/slides/_rels/slide1.xml.rels": (
            f'<r><e Type="{relation}/slideLayout" Target="../slideLayouts/slideLayout1.xml"/></r>'
        ),
        "ppt/slideLayouts/slideLayout1.xml": f"<p:sldLayout {spaces}/>",
        "ppt/slideLayouts/_rels/slideLayout1.xml.rels": (
            f'<r><e Type="{relation}/slideMaster" Target="../slideMasters/slideMaster1.xml"/></r>'
        ),
        "ppt/slideMasters/slideMaster1.xml": f"<p:sldMaster {spaces}>{body_style}</p:sldMaster>",
    }
    coloured = slides.coloured_parts({name: xml.encode() for name, xml in parts.items()}, coding)
    runs = re.findall(
        r'srgbClr val="([0-9A-F]{6})"/></a:solidFill></a:rPr><a:t>([^<]*)',
        coloured["ppt/slides/slide1.xml"].decode(),
    )
    roles = {colour_of(at).upper(): role for at, role in enumerate(coding.roles)}
    return {text: roles[colour] for colour, text in runs}


def shape(text: str, place: str = "", properties: str = "") -> str:
    """A shape of a slide with a paragraph."""
    return f"<p:sp>{place}<p:txBody><a:p>{properties}<a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>"


def test_texts_of_slides_have_the_roles_of_their_placeholders() -> None:
    bullets = '<p:bodyStyle><a:lvl1pPr><a:buChar char="-"/></a:lvl1pPr></p:bodyStyle>'
    long = "The ferry carries the letters to the islands every morning and comes back at night."
    roles = slide_roles(
        shape("Results", '<p:ph type="title"/>')
        + shape("A first point", '<p:ph idx="1"/>')
        + shape(long, '<p:ph idx="2"/>', "<a:pPr><a:buNone/></a:pPr>")
        + shape("7", '<p:ph type="sldNum"/>')
        + shape("Islands"),
        bullets,
    )
    assert roles == {
        "Results": "heading",
        "A first point": "list_item",
        long: "text",
        "7": "page_number",
        "Islands": DOUBTFUL,
    }
