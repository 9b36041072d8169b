"""Pages that the project makes itself, so that their true reading is known to the letter."""

from pathlib import Path

from reportlab.lib.pagesizes import A4, letter
from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate

from quality.corpus import Document, Truth
from quality.synthetic.layouts import KINDS, Layout
from quality.synthetic.pieces import Look
from quality.synthetic.words import Words

CATEGORY = "synthetic"
FONTS = (("Helvetica", "Helvetica-Bold"), ("Times-Roman", "Times-Bold"))
GUTTER_POINTS = 18.0


def made(folder: Path, each: int = 8, seed: int = 1) -> list[Document]:
    """So many documents of each kind with their truths, written into the folder; the same for the same seed."""
    folder.mkdir(parents=True, exist_ok=True)
    return [
        _written(folder, kind, seed * 10_000 + index * 100 + number)
        for index, kind in enumerate(KINDS)
        for number in range(each)
    ]


def _written(folder: Path, kind: str, seed: int) -> Document:
    words = Words(seed)
    layout = KINDS[kind](words)
    path, truth = folder / f"{kind}-{seed}.pdf", folder / f"{kind}-{seed}.md"
    draw(layout, path, words)
    truth.write_text("\n\n".join(piece.markdown() for piece in layout.pieces) + "\n", "utf-8")
    return Document(path.name, path, CATEGORY, kind, (Truth(truth, "markdown", "exact"),))


def draw(layout: Layout, path: Path, words: Words) -> None:
    """Set the pieces in a type and on a sheet of chance."""
    pick = words.random
    size = pick.uniform(8.0, 9.5) if layout.columns > 1 else pick.uniform(8.5, 11.5)
    look = Look(*pick.choice(FONTS), size, pick.uniform(1.12, 1.35))
    sheet, margin = pick.choice([A4, letter]), pick.uniform(45.0, 65.0)
    story = [flowable for piece in layout.pieces for flowable in piece.flowables(look)]
    document = BaseDocTemplate(str(path), pagesize=sheet, invariant=1)
    document.addPageTemplates([PageTemplate("made", _frames(sheet, margin, layout.columns))])
    document.build(story)


def _frames(sheet: tuple[float, float], margin: float, columns: int) -> list[Frame]:
    width = (sheet[0] - 2 * margin - (columns - 1) * GUTTER_POINTS) / columns
    height = sheet[1] - 2 * margin
    return [
        Frame(margin + index * (width + GUTTER_POINTS), margin, width, height, 0, 0, 0, 0)
        for index in range(columns)
    ]
