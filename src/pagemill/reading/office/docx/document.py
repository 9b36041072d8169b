"""The blocks of a Word document."""

from pagemill.reading.office.docx.body import BodyReader
from pagemill.reading.office.docx.numbering import read_numbering
from pagemill.reading.office.docx.runs import RunContext
from pagemill.reading.office.docx.styles import read_styles
from pagemill.reading.office.flow import Flow
from pagemill.reading.office.package import MACROS, Package, main_part
from pagemill.reading.office.xml_parts import Element, attribute, child, children

NOTE_KINDS = ("footnote", "endnote", "comment")


def docx_flow(package: Package, changes: str = "final", *, is_inserted: bool = False) -> Flow:
    """The blocks of a Word document; `changes` says whether tracked changes are `final`, `original` or `both`, `is_inserted`
    that another document took it in.
    """
    part = main_part(package, "word/document.xml")
    if package.related_parts(part, "vbaProject"):
        package.warn(MACROS)
    source = RunContext(package, part, read_styles(_part(package, part, "styles")), changes, is_inserted)
    reader = BodyReader(source, read_numbering(_part(package, part, "numbering")), _notes(package, part))
    body = child(package.xml(part), "body")
    return reader.read(body) if body is not None else Flow()


def _part(package: Package, part: str, kind: str) -> Element | None:
    return package.xml_if_any(next(iter(package.related_parts(part, kind)), None))


def _notes(package: Package, part: str) -> dict[tuple[str, str], Element]:
    """Footnotes, endnotes and comments by kind and id, without the lines that separate them from the text."""
    found = {}
    for kind in NOTE_KINDS:
        root = _part(package, part, f"{kind}s")
        for one in children(root, kind) if root is not None else ():
            if attribute(one, "type") in (None, "normal"):
                found[kind, attribute(one, "id") or ""] = one
    return found
