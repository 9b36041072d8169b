"""The text of shapes on a slide: paragraphs, lists, links and emphasis."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from pagemill.model.pages import Block, Kind
from pagemill.reading.office.docx.numbering import letters, roman
from pagemill.reading.office.docx.runs import choose
from pagemill.reading.office.omml import latex
from pagemill.reading.office.package import Package
from pagemill.reading.office.pptx.placeholders import DEEPEST_LEVEL, bullet
from pagemill.reading.office.writing import Text, TextLook, only_link, safe_link, text_block
from pagemill.reading.office.xml_parts import Element, attribute, child, children, descendants, local, number


@dataclass(slots=True)
class Counts:
    """How far the numbered lists of a shape have been counted, by level."""

    at: Counter[int] = field(default_factory=Counter)

    def marker(self, mark: Element, level: int) -> str:
        """Count one entry; its marker."""
        self.leave(level + 1)
        self.at[level] += 1
        count = number(attribute(mark, "startAt"), 1) + self.at[level] - 1
        return auto_number(count, attribute(mark, "type") or "arabicPeriod")

    def leave(self, level: int) -> None:
        """Lists at this level and below begin again."""
        for deeper in range(level, DEEPEST_LEVEL + 1):
            self.at.pop(deeper, None)


def auto_number(count: int, kind: str) -> str:
    """A number as a slide shows it."""
    if kind.startswith("alpha"):
        shown = letters(count)
    elif kind.startswith("roman"):
        shown = roman(count)
    else:
        shown = str(count)
    shown = shown.upper() if "Uc" in kind else shown
    if kind.endswith("ParenBoth"):
        return f"({shown})"
    return f"{shown})" if kind.endswith("ParenR") else f"{shown}." if kind.endswith("Period") else shown


@dataclass(frozen=True, slots=True)
class SlideText:
    """Reads the text of one slide."""

    package: Package
    part: str

    def blocks(self, body: Element, styles: Sequence[Element]) -> Iterator[Block]:
        """The paragraphs of a text body."""
        counts = Counts()
        for paragraph in children(body, "p"):
            text = self.paragraph(paragraph)
            if not text.is_empty():
                yield self._block(paragraph, text, list(styles), counts)

    def _block(self, paragraph: Element, text: Text, styles: list[Element], counts: Counts) -> Block:
        properties = child(paragraph, "pPr")
        level = min(number(attribute(properties, "lvl")), DEEPEST_LEVEL - 1)
        math = [latex(one) for one in descendants(paragraph, "oMath")]
        if len(math) == 1 and text.plain() == f"${math[0]}$":
            return Block("", Kind.FORMULA, text=math[0])
        mark = bullet(properties, styles)
        if mark is None:
            counts.leave(level)
            return text_block(Kind.PARAGRAPH, text)
        entry = text_block(Kind.LIST_ITEM, text, level)
        if local(mark) == "buAutoNum":
            return replace(entry, ordered=True, marker=counts.marker(mark, level))
        return entry

    def paragraph(self, paragraph: Element) -> Text:
        """The text of a paragraph."""
        text = Text()
        self._runs(paragraph, text)
        return text

    def _runs(self, element: Element, text: Text) -> None:
        for one in children(element):
            match local(one):
                case "r" | "fld":
                    words = child(one, "t")
                    if words is not None:
                        text.add(words.text or "", self._look(child(one, "rPr")))
                case "br":
                    text.add("\n")
                case "oMath":
                    text.add(f"${latex(one)}$")
                case "m" | "oMathPara":
                    self._runs(one, text)
                case "AlternateContent":
                    chosen = choose(one)
                    if chosen is not None:
                        self._runs(chosen, text)

    def _look(self, properties: Element | None) -> TextLook:
        link = child(properties, "hlinkClick")
        relation = (
            self.package.relations(self.part).get(attribute(link, "id") or "") if link is not None else None
        )
        href = safe_link(relation.target) if relation and relation.external else None
        on = ("1", "true")
        return TextLook(attribute(properties, "b") in on, attribute(properties, "i") in on, href)

    def words(self, body: Element | None) -> str:
        """All paragraphs of a text body, each on a line."""
        if body is None:
            return ""
        return "\n".join(filter(None, (self.paragraph(one).plain() for one in children(body, "p"))))

    def only_link(self, body: Element | None) -> str | None:
        """Where the links of a text body lead, if all of them lead to one address."""
        return only_link(self.blocks(body, ())) if body is not None else None
