"""A draft of a document for LaTeX, which can be set plain and in the colours of its blocks."""

from dataclasses import dataclass, field

from train.coded import colour_of
from train.made.texts import Texts

# The role of what LaTeX prints itself: numbers of pages and sections.
NUMBER = "number"
_SPECIAL = str.maketrans(
    {
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "_": r"\_",
        "–": "--",
        "±": r"$\pm$",
        "†": r"$\dagger$",
        "§": r"\S{}",
    }
)


@dataclass(slots=True)
class LatexDraft:
    """LaTeX whose blocks can be coloured."""

    texts: Texts
    parts: list[str] = field(default_factory=list)
    # The first one is black: numbers of pages and sections, which LaTeX prints itself.
    roles: list[str] = field(default_factory=lambda: [NUMBER])
    preamble: list[str] = field(default_factory=list)
    # How many paragraphs have a note, and the most sentences of one.
    noted: float = 0.25
    longest_note: int = 2

    def block(self, role: str, text: str) -> str:
        """Text in the colour of a new block."""
        self.roles.append(role)
        return rf"\blk{{{len(self.roles) - 1}}}{{{text}}}"

    def source(self, *, coded: bool) -> str:
        """The document, plain or coloured."""
        colours = "".join(
            rf"\definecolor{{b{at}}}{{HTML}}{{{colour_of(at).upper()}}}" + "\n"
            for at in range(len(self.roles))
        )
        paint = r"\newcommand{\blk}[2]{{\color{b#1}#2}}" if coded else r"\newcommand{\blk}[2]{{#2}}"
        preamble, body = "\n".join(self.preamble), "\n\n".join(self.parts)
        return (
            f"{preamble}\n{colours if coded else ''}{paint}\n\\begin{{document}}\n{body}\n\\end{{document}}\n"
        )


def escape(text: str) -> str:
    """Text whose special signs are printed as they are."""
    return text.translate(_SPECIAL)
