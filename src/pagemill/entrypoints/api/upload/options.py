"""The options of a submission, as they come in form fields or in the query."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import orjson
from pydantic import ValidationError

from pagemill.entrypoints.api.jobs.record_schemas import check_schema
from pagemill.entrypoints.api.run_models import ExtractRequest
from pagemill.entrypoints.wire.bodies import load_json
from pagemill.entrypoints.wire.problems import invalid, pointer
from pagemill.errors import MetadataTooLarge, ValidationFailed
from pagemill.model.extraction import ExtractionOrder
from pagemill.model.formats import EVERY_FORMAT, FORMATS
from pagemill.model.labels import (
    COLLECTION,
    MAX_METADATA_BYTES,
    TAGS,
    LabelChange,
    check_size,
    collection_entry,
    tags_entry,
)
from pagemill.model.options import (
    CHANGE_CHOICES,
    EMBEDDED_CHOICES,
    MAX_EXPIRES_SECONDS,
    MAX_PRIORITY,
    MODES,
    OCR_CHOICES,
    SPLIT_CHOICES,
    TYPOGRAPHY_CHOICES,
    ReadingOptions,
    language_codes,
    page_ranges,
)
from pagemill.model.validation_messages import name_advice, reason_of
from pagemill.model.webhook_signing import decode_secret
from pagemill.model.webhooks import WEBHOOK_EVENTS, is_event_pattern
from pagemill.reading.enricher import enricher_names

MAX_PAGES_CHARACTERS = 1_000
MAX_PAGE_RANGES = 256
# No document has so many; PAGEMILL_MAX_PAGES says how many one may have.
MOST_PAGE = 999_999
MAX_PASSWORD_CHARACTERS = 1_024
WORDS = {
    "true": True,
    "1": True,
    "yes": True,
    "on": True,
    "false": False,
    "0": False,
    "no": False,
    "off": False,
}
NUMBER = re.compile(r"[+-]?\d{1,12}(\.\d{1,20})?")

OPTION_NAMES = frozenset(
    (
        "pages formats providers keep_running_headers ocr mode languages tracked_changes typography embedded_files enrich "
        "extract split render metadata tags collection "
        "priority password expires_in reuse filename upload_id webhook_url webhook_events webhook_secret push_to"
    ).split()
)
# A form has the document in it.
FORM_NAMES = OPTION_NAMES - {"upload_id"}

Fields = Iterable[tuple[str, str]]
T = TypeVar("T")
D = TypeVar("D")


@dataclass(frozen=True, slots=True)
class UploadOptions:
    """What a caller asked for beside the document."""

    options: ReadingOptions
    metadata: dict[str, str]
    priority: int
    password: str | None = field(repr=False)
    expires_in_seconds: float | None
    reuse: bool
    filename: str | None
    upload_id: str | None
    webhook: "RequestedWebhook | None" = None
    push_to: str | None = None


@dataclass(frozen=True, slots=True)
class RequestedWebhook:
    """An address that came with the document, and what signs the messages to it; no events are the usual ones."""

    url: str
    events: tuple[str, ...]
    secret: str | None = field(repr=False)


def parse_options(
    fields: Fields, providers: tuple[str, ...], known: Mapping[str, str | None]
) -> UploadOptions:
    """The options in these fields; ValidationFailed points at every one that is at fault.

    `known` has every provider, and why it can't be used if so.
    """
    reader = FieldReader(fields)
    options = ReadingOptions(
        pages=reader.one("pages", parse_pages, None),
        formats=reader.many("formats", EVERY_FORMAT) or FORMATS,
        providers=reader.chain("providers", known) or providers,
        keep_running_headers=reader.one("keep_running_headers", parse_flag, False),
        ocr=reader.choice("ocr", OCR_CHOICES),
        mode=reader.choice("mode", MODES),
        languages=reader.one("languages", language_codes, ()),
        tracked_changes=reader.choice("tracked_changes", CHANGE_CHOICES),
        typography=reader.choice("typography", TYPOGRAPHY_CHOICES),
        embedded_files=reader.choice("embedded_files", EMBEDDED_CHOICES),
        render=reader.one("render", parse_flag, False),
        enrich=reader.many("enrich", enricher_names()) or (),
        extract=reader.one("extract", parse_order, None),
        split=reader.choice("split", SPLIT_CHOICES),
    )
    rest = UploadOptions(
        options=options,
        metadata=labels_of(reader),
        priority=reader.one("priority", parse_priority, 0),
        password=reader.one("password", parse_password, None),
        expires_in_seconds=reader.one("expires_in", parse_expiry, None),
        reuse=reader.one("reuse", parse_flag, True),
        filename=reader.one("filename", str, None),
        upload_id=reader.one("upload_id", str, None),
        webhook=requested_webhook(reader),
        push_to=reader.one("push_to", str, None),
    )
    reader.finish()
    return rest


def labels_of(reader: "FieldReader") -> dict[str, str]:
    """The metadata, with the tags and the collection that are given beside it."""
    entries = {
        TAGS: reader.one("tags", lambda text: tags_entry(text.split(",")), None),
        COLLECTION: reader.one("collection", collection_entry, None),
    }
    given = {name: value for name, value in entries.items() if value is not None}
    return LabelChange(given).apply(reader.one("metadata", parse_metadata, {}))


def requested_webhook(reader: "FieldReader") -> RequestedWebhook | None:
    """The address that came with the document, if any."""
    url = reader.one("webhook_url", str, None)
    events = reader.one("webhook_events", parse_event_patterns, None)
    secret = reader.one("webhook_secret", parse_webhook_secret, None)
    if url is None and (events is not None or secret is not None):
        reader.refuse("webhook_url", "webhook_events and webhook_secret are for the address in webhook_url")
    return None if url is None else RequestedWebhook(url, events or (), secret)


def parse_event_patterns(text: str) -> tuple[str, ...]:
    """Types of events, or patterns of them."""
    patterns = tuple(part.strip() for part in text.split(","))
    if not all(is_event_pattern(pattern) for pattern in patterns):
        raise ValueError(
            f"webhook_events must list known event types or patterns such as job.*: {', '.join(WEBHOOK_EVENTS)}"
        )
    return patterns


def parse_webhook_secret(text: str) -> str:
    """A secret that can sign."""
    decode_secret(text)
    return text


class FieldReader:
    """Takes fields out one by one and gathers what is wrong with them."""

    def __init__(self, fields: Fields) -> None:
        self._values: dict[str, list[str]] = {}
        self._faults: list[tuple[str, str]] = []
        self._known: set[str] = set()
        for name, value in fields:
            # The names of files are made harmless.
            if "\0" in name + value and name != "filename":
                self._faults.append((pointer([name.replace("\0", "")]), "a field has the character U+0000"))
                continue
            given = self._values.setdefault(name, [])
            # A form sends its empty fields too; they ask for nothing.
            if value:
                given.append(value)

    def one(self, name: str, parse: Callable[[str], T], default: D) -> T | D:
        """The value of a field that is given at most once."""
        values = self._take(name)
        if len(values) > 1:
            self._faults.append((f"/{name}", f"{name} is given more than once"))
        try:
            return parse(values[0]) if values else default
        except ValueError as error:
            self._faults.append((f"/{name}", str(error)))
            return default

    def refuse(self, name: str, reason: str) -> None:
        """Note that a field is at fault for a reason that its own value does not show."""
        self._faults.append((f"/{name}", reason))

    def many(self, name: str, allowed: Iterable[str]) -> tuple[str, ...]:
        """The values of a field that may be repeated or hold a list, each once."""
        found = [part.strip() for value in self._take(name) for part in value.split(",")]
        for value in found:
            if value not in allowed:
                self._faults.append((f"/{name}", f"{value!r} is not one of {', '.join(allowed)}"))
        return tuple(dict.fromkeys(found))

    def chain(self, name: str, known: Mapping[str, str | None]) -> tuple[str, ...]:
        """The providers in a field; those that can't be used are passed over, but one of them must be of use."""
        named = self.many(name, sorted(known))
        if named and all(known.get(provider) for provider in named):
            self._faults += [(f"/{name}", str(known[provider])) for provider in named]
        return named

    def choice(self, name: str, allowed: Sequence[str]) -> str:
        """The value of a field that is one of some words; the first of them if it is not given."""

        def word(text: str) -> str:
            if text not in allowed:
                raise ValueError(f"{text!r} is not one of {', '.join(allowed)}")
            return text

        return self.one(name, word, allowed[0])

    def finish(self) -> None:
        """ValidationFailed if a field was at fault or unknown."""
        self._faults += [
            (pointer([name]), f"there is no option {name!r}; {name_advice(name, self._known)}")
            for name in self._values
        ]
        if self._faults:
            raise invalid(*self._faults)

    def _take(self, name: str) -> list[str]:
        self._known.add(name)
        return self._values.pop(name, [])


def parse_pages(text: str) -> str:
    """Page ranges as they were written, if they make sense."""
    if len(text) > MAX_PAGES_CHARACTERS or text.count(",") >= MAX_PAGE_RANGES:
        raise ValueError(f"pages has at most {MAX_PAGES_CHARACTERS} characters and {MAX_PAGE_RANGES} ranges")
    if any(last > MOST_PAGE for _, last in page_ranges(text)):
        raise ValueError(f"no document has more than {MOST_PAGE:,} pages")
    return text


def parse_flag(text: str) -> bool:
    """Yes or no."""
    try:
        return WORDS[text.strip().lower()]
    except KeyError:
        raise ValueError("write true or false") from None


def parse_priority(text: str) -> int:
    """How much a job is preferred to the caller's others."""
    if not re.fullmatch(r"[+-]?\d{1,3}", text) or abs(int(text)) > MAX_PRIORITY:
        raise ValueError(f"priority is a whole number from -{MAX_PRIORITY} to {MAX_PRIORITY}")
    return int(text)


def parse_expiry(text: str) -> float:
    """How long the document and its result are kept."""
    if not NUMBER.fullmatch(text) or not 1 <= float(text) <= MAX_EXPIRES_SECONDS:
        raise ValueError(f"expires_in is a number of seconds from 1 to {MAX_EXPIRES_SECONDS}")
    return float(text)


def parse_password(text: str) -> str:
    """The password of the document; an empty field is none."""
    if len(text) > MAX_PASSWORD_CHARACTERS:
        raise ValueError(f"a password has at most {MAX_PASSWORD_CHARACTERS} characters")
    return text


def parse_order(text: str) -> str:
    """What is to be extracted: JSON with a schema, and with instructions if there are any."""
    try:
        order = ExtractRequest.model_validate_json(text)
        load_json(text)
        schema = check_schema(order.record_schema)
    except ValidationError as error:
        wrong = error.errors()[0]
        where = "/".join(map(str, ("extract", *wrong["loc"])))
        raise ValueError(f"{where} {reason_of(wrong)}") from None
    except ValidationFailed as error:
        raise ValueError(f"extract/{error.message}") from None
    return ExtractionOrder(schema, order.instructions).to_json()


def parse_metadata(text: str) -> dict[str, str]:
    """The caller's own labels: a JSON object of strings."""
    if len(text.encode()) > MAX_METADATA_BYTES:
        raise MetadataTooLarge()
    try:
        labels = load_json(text)
    except orjson.JSONDecodeError as error:
        raise ValueError(f"metadata is not valid JSON at byte {error.pos}: {error.msg}") from None
    if not isinstance(labels, dict) or not all(isinstance(value, str) for value in labels.values()):
        raise ValueError("metadata is a JSON object whose values are strings")
    if any("\0" in text for entry in labels.items() for text in entry):
        raise ValueError("metadata has the character U+0000")
    check_size(labels)
    return labels
