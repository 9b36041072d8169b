"""parts.json: what a document is, and where a stack of scans is to be split into documents. These are suggestions."""

import re
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path

import orjson

from pagemill.model.artifacts import MadeFile
from pagemill.model.document_types import UNKNOWN, StackPart
from pagemill.model.fact_types import Barcode
from pagemill.model.file_types import is_office
from pagemill.model.formats import ON_DEMAND
from pagemill.model.pages import Page
from pagemill.reading.artifacts.facts import look_at
from pagemill.reading.artifacts.stored import Original, appearing, made_file
from pagemill.reading.facts.classifying import PageEvidence, classify, evidence_of, titles_of
from pagemill.reading.facts.key_values import find_key_values
from pagemill.reading.facts.segments import Segment, segments_of
from pagemill.reading.pdf.inspection import opened_again
from pagemill.reading.stored_document import StoredDocument

SCHEMA = "pagemill/parts@1"
PAGE_WORD = r"(?:page|seite|blatt|página|pagina|pág\.?|strona|str\.|sida|sid|strana|p\.)"
NUMBERED = re.compile(
    rf"{PAGE_WORD}\s*(?P<number>\d{{1,4}})(?:\s*(?:of|/|von|de|di|van|z|av|sur)\s*(?P<total>\d{{1,4}}))?|"
    r"(?P<bare>\d{1,4})\s*/\s*(?P<bare_total>\d{1,4})",
    re.IGNORECASE,
)
SEPARATOR_CODE = re.compile(r"patch[ t1-6]|separator|trennblatt|split", re.IGNORECASE)
FEW_WORDS = 12
# A page without numbers is remembered by this.
NO_NUMBER = 0
FIRST: tuple[str, ...] = ("the stack begins",)


@dataclass(frozen=True, slots=True)
class PageSigns:
    """What of a page says where a document begins: nothing on it, a code that separates, its number, or a title."""

    page_number: int
    evidence: PageEvidence
    is_blank: bool
    separator: str | None
    printed_number: int
    title: str | None

    @property
    def is_between(self) -> bool:
        """Whether the page only parts documents and belongs to none."""
        return self.is_blank or self.separator is not None


def make_parts(document: StoredDocument, original: Original, folder: Path) -> tuple[MadeFile, ...]:
    """parts.json."""
    with ExitStack() as stack:
        printed = not is_office(original.path)
        pdf = stack.enter_context(opened_again(original.path, original.password)) if printed else None
        signs = []
        for page in document.pages():
            segments = segments_of(pdf, page)
            _, codes = look_at(pdf, page, segments)
            signs.append(signs_of(page, segments, codes))
    whole = classify(one.evidence for one in signs if not one.is_between)
    file = folder / ON_DEMAND["parts"].file
    with appearing(file) as part:
        rows = [asdict(one) for one in split_stack(signs)]
        part.write_bytes(orjson.dumps({"schema": SCHEMA, "type": asdict(whole), "parts": rows}))
    return (made_file(file),)


def signs_of(page: Page, segments: Sequence[Segment], codes: Sequence[Barcode]) -> PageSigns:
    """What a page says of where documents begin."""
    texts = [one.text for one in segments] or [block.text for block in page.blocks]
    words = sum(len(text.split()) for text in texts)
    marks = [one.text for one in codes if SEPARATOR_CODE.search(one.text)]
    is_sheet = words <= FEW_WORDS and (marks or (codes and words == 0))
    titles = titles_of(page)
    return PageSigns(
        page_number=page.number,
        evidence=evidence_of(page, find_key_values(page, segments)),
        is_blank=words == 0 and not codes and not page.blocks,
        separator=(marks or [codes[0].text])[0] if is_sheet else None,
        printed_number=page_number_in(texts),
        title=titles[0][1] if titles else None,
    )


def page_number_in(texts: Sequence[str]) -> int:
    """The number that a page is printed with, alone on its line; 0 if there is none."""
    for text in texts:
        found = NUMBERED.fullmatch(text.strip(" -–|"))
        if found:
            return int(found["number"] or found["bare"])
    return NO_NUMBER


def split_stack(signs: Sequence[PageSigns]) -> list[StackPart]:
    """The documents of a stack; pages that only part them belong to none."""
    parts: list[StackPart] = []
    run: list[PageSigns] = []
    why = FIRST
    between: PageSigns | None = None
    for one in signs:
        if one.is_between:
            between = one if between is None or one.separator else between
            continue
        reasons = (*reasons_to_split(run[-1], between, one), *type_change(run, one)) if run else ()
        if reasons:
            parts.append(part_of(run, why))
            run, why = [], reasons
        run.append(one)
        between = None
    return parts + ([part_of(run, why)] if run else [])


def reasons_to_split(before: PageSigns, between: PageSigns | None, page: PageSigns) -> tuple[str, ...]:
    """Why a document begins with a page; nothing if it goes on. `between` is a page that parts it from the one before."""
    found = []
    goes_on = goes_on_from(before, page)
    if between is not None and between.separator is not None:
        found.append(f"after a page with the code {between.separator[:40]!r}")
    elif between is not None and not goes_on:
        # The back of a sheet may be empty as well, so a number that goes on counts more.
        found.append("after an empty page")
    if page.printed_number == 1 and before.printed_number != NO_NUMBER:
        found.append("page numbers begin again")
    if page.title and not goes_on:
        found.append(f"the title {page.title!r}")
    return tuple(found)


def type_change(run: Sequence[PageSigns], page: PageSigns) -> tuple[str, ...]:
    """That a page is of another type than those before it, if both are known and no title or page number says so already."""
    if page.title or goes_on_from(run[-1], page):
        return ()
    before, after = classify(one.evidence for one in run), classify([page.evidence])
    if UNKNOWN in (before.name, after.name) or before.name == after.name:
        return ()
    return (f"the type changes from {before.name} to {after.name}",)


def goes_on_from(before: PageSigns, page: PageSigns) -> bool:
    """Whether the printed number of a page follows that of the one before."""
    return page.printed_number == before.printed_number + 1 and before.printed_number != NO_NUMBER


def part_of(run: Sequence[PageSigns], why: tuple[str, ...]) -> StackPart:
    """A run of pages as a document."""
    kind = classify(one.evidence for one in run)
    return StackPart(run[0].page_number, run[-1].page_number, kind, why)
