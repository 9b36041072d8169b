"""Writes docs/sample.pdf, the document of the examples: `python -m tools.sample`."""

from pathlib import Path

from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.lib.units import cm
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    Flowable,
    ListFlowable,
    PageBreak,
    Paragraph,
    SimpleDocTemplate,
    Spacer,
    Table,
    TableStyle,
)

PATH = Path(__file__).resolve().parents[1] / "docs" / "sample.pdf"
TITLE = "A short history of the mill"
LINES = TableStyle(
    [("GRID", (0, 0), (-1, -1), 0.5, "black"), ("FONTNAME", (0, 0), (-1, 0), "Helvetica-Bold")]
)
FIRST = (
    "For two thousand years people let rivers do their grinding. A wheel turned a shaft, the shaft turned a stone, "
    "and what went in as grain came out as flour. Most of what a mill could do depended on the fall of the water."
)
SECOND = (
    "Towns grew around good mill sites. By the time steam arrived, three kinds of wheel were in common use:"
)
WHEELS = [
    "undershot, which stands in the stream;",
    "breastshot, which is filled at half its height;",
    "overshot.",
]
YIELDS = [
    ["Wheel", "Fall in metres", "Share of the power used"],
    ["undershot", "0.5 to 2", "20 to 30 %"],
    ["breastshot", "2 to 4", "50 to 60 %"],
    ["overshot", "4 to 10", "80 to 90 %"],
]
THIRD = "An overshot wheel needs the least water and the most height, which is why it is found in the hills."


def write(path: Path) -> None:
    """Write the document; the same bytes each time."""
    story = SimpleDocTemplate(
        str(path), pagesize=A4, topMargin=3 * cm, bottomMargin=3 * cm, title=TITLE, invariant=1
    )
    story.build(flowables(), onFirstPage=furniture, onLaterPages=furniture)


def flowables() -> list[Flowable]:
    """What the pages say, from top to bottom."""
    style = getSampleStyleSheet()
    text, heading = style["BodyText"], style["Heading2"]
    wheels = ListFlowable([Paragraph(wheel, text) for wheel in WHEELS], bulletType="bullet", start="•")
    return [
        Paragraph(TITLE, style["Title"]),
        Paragraph("Water", heading),
        Paragraph(FIRST, text),
        Paragraph("Wheels", heading),
        Paragraph(SECOND, text),
        wheels,
        PageBreak(),
        Paragraph("What they gave", heading),
        Table(YIELDS, style=LINES, hAlign="LEFT"),
        Spacer(1, 12),
        Paragraph(THIRD, text),
        PageBreak(),
        Paragraph("Afterwards", heading),
        Paragraph("Steam made the river a matter of choice. The word mill stayed.", text),
    ]


def furniture(canvas: Canvas, document: SimpleDocTemplate) -> None:
    """The running header and the page number."""
    canvas.setFont("Helvetica", 8)
    canvas.drawString(2.5 * cm, A4[1] - 1.5 * cm, "Notes on old machines")
    canvas.drawCentredString(A4[0] / 2, 1.2 * cm, f"Page {document.page}")


if __name__ == "__main__":
    write(PATH)
