"""What a caller may ask of a job, beside handing in the document."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NotRequired

import orjson
from typing_extensions import TypedDict

from pagemill.model.formats import FORMATS
from pagemill.model.languages import KNOWN_CODES, check_language

MAX_PRIORITY = 10
MAX_EXPIRES_SECONDS = 10 * 366 * 86_400
OCR_CHOICES = ("auto", "force", "off")
MODES = ("fast", "accurate")
# What is read of a text whose changes were tracked.
CHANGE_CHOICES = ("final", "original", "both")
# Files inside of a document are listed, or also become documents of their own.
PROCESS = "process"
EMBEDDED_CHOICES = ("list", PROCESS)
# Where a stack of scans is to be split is not looked for, suggested, or also done.
SPLIT_CHOICES = ("off", "suggest", "auto")
# Quotes, dashes and ligatures as they are printed, or in ASCII.
ASCII = "ascii"
TYPOGRAPHY_CHOICES = ("printed", ASCII)
# A language, and its script or country where that decides the letters: zh-hant.
# More make recognising slow and no better.
MOST_LANGUAGES = 8
LANGUAGE = re.compile(r"[a-z]{2,3}(-[a-z]{2,4})?")
RANGE = re.compile(r"[1-9]\d{0,8}(-[1-9]\d{0,8})?")


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """How a document is to be read; two jobs with equal options and documents have equal results."""

    pages: str | None = None
    formats: tuple[str, ...] = FORMATS
    providers: tuple[str, ...] = ("liteparse", "pdfium")
    keep_running_headers: bool = False
    ocr: str = "auto"
    mode: str = "fast"
    languages: tuple[str, ...] = ()
    tracked_changes: str = "final"
    typography: str = "printed"
    embedded_files: str = "list"
    render: bool = False
    enrich: tuple[str, ...] = ()
    # What is extracted, as the text of an `ExtractionOrder`.
    extract: str | None = None
    split: str = "off"

    def as_dict(self) -> "StoredOptions":
        """The options in the form that is stored and shown."""
        stored: StoredOptions = {
            "pages": self.pages,
            "formats": list(self.formats),
            "providers": list(self.providers),
            "keep_running_headers": self.keep_running_headers,
            "ocr": self.ocr,
            "mode": self.mode,
            "languages": list(self.languages),
        }
        # Few ask for these, so that they are left out where they say nothing.
        if self.tracked_changes != CHANGE_CHOICES[0]:
            stored["tracked_changes"] = self.tracked_changes
        if self.typography != TYPOGRAPHY_CHOICES[0]:
            stored["typography"] = self.typography
        if self.embedded_files != EMBEDDED_CHOICES[0]:
            stored["embedded_files"] = self.embedded_files
        if self.render:
            stored["render"] = True
        if self.enrich:
            stored["enrich"] = list(self.enrich)
        if self.extract:
            stored["extract"] = orjson.loads(self.extract)
        if self.split != SPLIT_CHOICES[0]:
            stored["split"] = self.split
        return stored

    @classmethod
    def from_dict(cls, stored: "StoredOptions") -> "ReadingOptions":
        """The options from the form that `as_dict` gives."""
        return cls(
            pages=stored["pages"],
            formats=tuple(stored["formats"]),
            providers=tuple(stored["providers"]),
            keep_running_headers=stored["keep_running_headers"],
            ocr=stored.get("ocr", "auto"),
            mode=stored.get("mode", "fast"),
            languages=tuple(stored.get("languages", ())),
            tracked_changes=stored.get("tracked_changes", CHANGE_CHOICES[0]),
            typography=stored.get("typography", TYPOGRAPHY_CHOICES[0]),
            embedded_files=stored.get("embedded_files", EMBEDDED_CHOICES[0]),
            render=stored.get("render", False),
            enrich=tuple(stored.get("enrich", ())),
            extract=stored_order(stored.get("extract")),
            split=stored.get("split", SPLIT_CHOICES[0]),
        )


@dataclass(frozen=True, slots=True)
class OptionChanges:
    """Options that a new run reads a document with; those that are None stay as they were."""

    ocr: str | None = None
    mode: str | None = None
    languages: tuple[str, ...] | None = None
    render: bool | None = None

    def apply(self, options: ReadingOptions) -> ReadingOptions:
        """The options of the new run."""
        return replace(
            options,
            ocr=self.ocr or options.ocr,
            mode=self.mode or options.mode,
            languages=options.languages if self.languages is None else self.languages,
            render=options.render if self.render is None else self.render,
        )


class StoredOptions(TypedDict):
    """How the pages of a job are read, and what is made of them."""

    pages: str | None
    formats: list[str]
    providers: list[str]
    keep_running_headers: bool
    ocr: NotRequired[str]
    mode: NotRequired[str]
    languages: NotRequired[list[str]]
    tracked_changes: NotRequired[str]
    typography: NotRequired[str]
    embedded_files: NotRequired[str]
    render: NotRequired[bool]
    enrich: NotRequired[list[str]]
    extract: NotRequired[dict[str, object]]
    split: NotRequired[str]


def stored_order(order: dict[str, object] | None) -> str | None:
    """An order for an extraction as text, from the form that is stored."""
    return orjson.dumps(order, option=orjson.OPT_SORT_KEYS).decode() if order else None


def language_codes(text: str) -> tuple[str, ...]:
    """The languages in a text such as `en,de`, each once; ValueError says what is wrong."""
    found = tuple(dict.fromkeys(part for part in text.replace(" ", "").lower().split(",") if part))
    for code in found:
        if not LANGUAGE.fullmatch(code):
            raise ValueError(f"{code!r} is not the code of a language; {KNOWN_CODES}")
        check_language(code)
    if len(found) > MOST_LANGUAGES:
        raise ValueError(f"at most {MOST_LANGUAGES} languages can be named")
    return found


def page_ranges(text: str) -> list[tuple[int, int]]:
    """The runs of pages in a text such as `1-3,7`, sorted and merged; ValueError says what is wrong."""
    runs = []
    for part in text.replace(" ", "").split(","):
        if not RANGE.fullmatch(part):
            raise ValueError(f"{part!r} is not a page or a range of pages; write for example 1-3,7")
        first, _, last = part.partition("-")
        if int(last or first) < int(first):
            raise ValueError(f"the range {part} runs backwards; write {last}-{first}")
        runs.append((int(first), int(last or first)))
    return merge_runs(sorted(runs))


def merge_runs(runs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Sorted runs with those that touch made one."""
    whole: list[tuple[int, int]] = []
    for first, last in runs:
        if whole and first <= whole[-1][1] + 1:
            whole[-1] = (whole[-1][0], max(whole[-1][1], last))
        else:
            whole.append((first, last))
    return whole


def runs(pages: Iterable[int], most: int) -> list[tuple[int, int]]:
    """Pages that follow each other as runs of at most so many."""
    found: list[tuple[int, int]] = []
    for page in pages:
        if found and page == found[-1][1] + 1 and page - found[-1][0] < most:
            found[-1] = (found[-1][0], page)
        else:
            found.append((page, page))
    return found


def select_pages(text: str | None, total: int) -> tuple[tuple[int, int], ...]:
    """The runs of pages that are asked for and exist; all pages if none are named."""
    runs = [(1, total)] if text is None else page_ranges(text)
    return within(runs, 1, total)


def within(runs: Iterable[tuple[int, int]], first: int, last: int) -> tuple[tuple[int, int], ...]:
    """The parts of the runs that are between two pages."""
    return tuple((max(a, first), min(b, last)) for a, b in runs if a <= last and b >= first)
